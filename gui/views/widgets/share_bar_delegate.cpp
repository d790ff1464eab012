// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/share_bar_delegate.h"

#include <QPainter>
#include <algorithm>

#include "gui/models/kernels/cell_model.h"
#include "gui/views/widgets/theme.h"

namespace roofscope::gui {

QSize ShareBarDelegate::sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(option.fontMetrics.height() + 9);
    return size;
}

void ShareBarDelegate::initStyleOption(QStyleOptionViewItem* option,
                                       const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    using Tone = CellModel::Tone;
    const ThemeColours& colours = themeColours(m_theme);
    switch (static_cast<Tone>(index.data(CellModel::ToneRole).toInt())) {
        case Tone::Plain:
            break;
        case Tone::Muted:
            option->palette.setColor(QPalette::Text, colours.muted);
            option->font.setItalic(true);
            break;
        case Tone::Better:
            option->palette.setColor(QPalette::Text, colours.better);
            break;
        case Tone::Worse:
            option->palette.setColor(QPalette::Text, colours.error);
            break;
    }
}

void ShareBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(CellModel::ShareRole);
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
