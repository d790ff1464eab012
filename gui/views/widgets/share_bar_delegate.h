// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStyledItemDelegate>

#include "reports/plot/draw_list.h"

namespace roofscope::gui {

/// Draws cells of a CellModel: a bar below a share (CellModel::ShareRole), and the colour of a
/// change (ToneRole), whose text gives the same information.
class ShareBarDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;
    void setTheme(plot::Theme theme) { m_theme = theme; }
    [[nodiscard]] plot::Theme theme() const { return m_theme; }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    plot::Theme m_theme = plot::Theme::Light;
};

}  // namespace roofscope::gui
