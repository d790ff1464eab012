// SPDX-License-Identifier: Apache-2.0
#include "gui/views/share_bar_delegate.h"

#include <QPainter>
#include <algorithm>

#include "gui/models/kernel_table_model.h"

namespace roofscope::gui {

void ShareBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(KernelTableModel::ShareRole);
    if (!share.isValid()) return;
    const QRectF track = QRectF(option.rect).adjusted(6, option.rect.height() - 4.0, -6, -2);
    QRectF bar = track;
    bar.setWidth(track.width() * std::clamp(share.toDouble(), 0.0, 1.0));
    const bool selected = option.state & QStyle::State_Selected;
    QColor colour =
        option.palette.color(selected ? QPalette::HighlightedText : QPalette::Highlight);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    colour.setAlphaF(0.18F);
    painter->setBrush(colour);
    painter->drawRoundedRect(track, 1, 1);
    colour.setAlphaF(0.85F);
    painter->setBrush(colour);
    painter->drawRoundedRect(bar, 1, 1);
    painter->restore();
}

}  // namespace roofscope::gui
