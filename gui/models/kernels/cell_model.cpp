// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/cell_model.h"

#include "gui/models/text/plain_tip.h"

namespace roofscope::gui {
namespace {

/// internalId() of top-level rows. A child row's is its parent's row + 1.
constexpr quintptr kTop = 0;

}  // namespace

CellModel::CellModel(std::vector<Heading> headings, QObject* parent)
    : QAbstractItemModel(parent), m_headings(std::move(headings)) {}

CellModel::At CellModel::at(const QModelIndex& index) {
    if (index.internalId() == kTop) return {.row = index.row()};
    return {.row = int(index.internalId() - 1), .child = index.row()};
}

QModelIndex CellModel::indexAt(const At& at, int column) const {
    return at.child ? createIndex(*at.child, column, quintptr(at.row) + 1)
                    : createIndex(at.row, column, kTop);
}

QModelIndex CellModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : kTop);
}

QModelIndex CellModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == kTop) return {};
    return createIndex(int(index.internalId() - 1), 0, kTop);
}

int CellModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return rows();
    return parent.internalId() == kTop && parent.column() == 0 ? children(parent.row()) : 0;
}

int CellModel::columnCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : int(m_headings.size());
}

QVariant CellModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    if (role == Qt::TextAlignmentRole) return headerData(index.column(), Qt::Horizontal, role);
    QVariant value = cell(at(index), index.column(), role);
    // Escape: names come from the profiled program.
    return role == Qt::ToolTipRole && value.isValid() ? plainTip(value.toString()) : value;
}

QVariant CellModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Heading& heading = m_headings[std::size_t(section)];
    switch (role) {
        case Qt::DisplayRole:
            return heading.name;
        case Qt::ToolTipRole:
            return heading.meaning;
        case Qt::TextAlignmentRole:
            return int((heading.content == Texts ? Qt::AlignLeft : Qt::AlignRight) |
                       Qt::AlignVCenter);
        case Qt::InitialSortOrderRole:  // of numbers, one looks for the largest
            return int(heading.content == Texts ? Qt::AscendingOrder : Qt::DescendingOrder);
        default:
            return {};
    }
}

Qt::ItemFlags CellModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    return isSelectable(at(index)) ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::ItemIsEnabled;
}

CellSortModel::CellSortModel(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(CellModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

bool CellSortModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(sortRole()), b = right.data(sortRole());
    const bool hasLeft = a.isValid(), hasRight = b.isValid();
    // Shortcut for the common case, without fetching the data again: sorting a large table makes
    // millions of comparisons.
    if (a.typeId() == QMetaType::Double && b.typeId() == QMetaType::Double)
        return a.toDouble() < b.toDouble();
    if (hasLeft && hasRight) return QSortFilterProxyModel::lessThan(left, right);
    if (!hasLeft && !hasRight) return false;
    // For descending order the proxy inverts the result.
    return sortOrder() == Qt::AscendingOrder ? hasLeft : hasRight;
}

}  // namespace roofscope::gui
