// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/name_button.h"
#include "gui/models/text/shown_text.h"

#include <QStyleOptionButton>
#include <QStylePainter>

namespace roofscope::gui {

NameButton::NameButton(const QString& name, QWidget* parent) : QPushButton(parent), m_name(name) {
    setObjectName(QStringLiteral("kernelName"));
    setText(labelText(name));
    setAccessibleName(tr("Select %1").arg(name));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setMinimumWidth(8 * fontMetrics().averageCharWidth());
}

void NameButton::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    constexpr int kPadding = 8;
    option.text = labelText(fontMetrics().elidedText(m_name, Qt::ElideMiddle, width() - kPadding));
    painter.drawControl(QStyle::CE_PushButton, option);
}

}  // namespace roofscope::gui
