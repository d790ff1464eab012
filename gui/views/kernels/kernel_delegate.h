// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/text/names_apart.h"
#include "gui/views/widgets/share_bar_delegate.h"

class QTreeView;

namespace roofscope::gui {

/// Draws the kernel table: names that do not fit are cut so that they still differ, and a collapsed
/// group with the current kernel is bold.
class KernelDelegate : public ShareBarDelegate {
    Q_OBJECT
public:
    explicit KernelDelegate(QTreeView* table);
    /// `names`: the table's names (KernelTableModel::names()).
    void setNames(const QStringList& names);
    /// The text of a cell as it is drawn into `option`.rect.
    [[nodiscard]] QString shownIn(const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    QTreeView* m_table;
    NamesApart m_names;
};

}  // namespace roofscope::gui
