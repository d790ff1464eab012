// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/elided_label.h"

#include <QPainter>
#include <QStyle>

namespace roofscope::gui {

ElidedLabel::ElidedLabel(const char* name) {
    setObjectName(QLatin1String(name));
    setTextFormat(Qt::PlainText);
    // A long text must not widen the window.
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRect area = contentsRect();
    style()->drawItemText(&painter, area, int(alignment()), palette(), isEnabled(),
                          fontMetrics().elidedText(text(), Qt::ElideRight, area.width()),
                          foregroundRole());
}

}  // namespace roofscope::gui
