// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernels/kernel_delegate.h"

#include <QStyle>
#include <QTreeView>

#include "gui/models/kernels/kernel_table_model.h"

namespace roofscope::gui {

KernelDelegate::KernelDelegate(QTreeView* table) : ShareBarDelegate(table), m_table(table) {}

void KernelDelegate::setNames(const QStringList& names) { m_names = NamesApart(names); }

QString KernelDelegate::shownIn(const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    return cell.text;
}

void KernelDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    ShareBarDelegate::initStyleOption(option, index);
    const QModelIndex current = m_table->currentIndex().parent();
    if (current.isValid() && current == index.siblingAtColumn(0) && !m_table->isExpanded(current))
        option->font.setBold(true);
    const QVariant whole = index.data(KernelTableModel::NameRole);
    // A column's width is asked for without a place: that of the whole name.
    if (!whole.isValid() || !option->rect.isValid()) return;
    const QFontMetrics metrics(option->font);
    const QStyle* style = m_table->style();
    const QRect text = style->subElementRect(QStyle::SE_ItemViewItemText, option, m_table);
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, m_table) + 1;
    const QString name = whole.toString();
    // The number of a group's kernels stays behind its name. Widths are rounded: leave a pixel.
    const QString count = option->text.mid(name.size());
    const auto widthOf = [&metrics](const QString& part) {
        return metrics.horizontalAdvance(part);
    };
    option->text =
        m_names.shortened(name, text.width() - 2 * margin - 1 - widthOf(count), widthOf) + count;
}

}  // namespace roofscope::gui
