// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/name_button.h"
#include "gui/models/text/shown_text.h"

#include <QStyleOptionButton>
#include <QStylePainter>
#include <utility>

namespace roofscope::gui {

NameButton::NameButton(const QString& name, std::shared_ptr<const NamesApart> names,
                       QWidget* parent)
    : QPushButton(parent),
      m_name(name),
      m_names(names ? std::move(names) : std::make_shared<const NamesApart>()) {
    setObjectName(QStringLiteral("kernelName"));
    setText(labelText(name));
    setAccessibleName(tr("Select %1").arg(name));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setMinimumWidth(8 * fontMetrics().averageCharWidth());
}

QString NameButton::shown() const {
    constexpr int kPadding = 8;
    const QFontMetrics metrics = fontMetrics();
    return m_names->shortened(m_name, width() - kPadding, [&metrics](const QString& part) {
        return metrics.horizontalAdvance(part);
    });
}

void NameButton::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text = labelText(shown());
    painter.drawControl(QStyle::CE_PushButton, option);
}

}  // namespace roofscope::gui
