// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>
#include <optional>
#include <vector>

namespace roofscope::gui {

/// Base of all table models: a read-only table, or a tree of two levels whose children belong to
/// the first column. Qt's index functions are implemented here and final. A subclass gives the
/// headings, the number of rows and the content of one cell.
///
/// cell() returns tooltips as plain text; data() escapes them, since they may contain text of the
/// profiled program.
class CellModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Role {
        SortRole = Qt::UserRole,  ///< number or text; invalid when the value is missing
        KernelIndexRole,          ///< index into Analysis::kernels; invalid for all other rows
        ShareRole,                ///< 0–1 for a bar behind the number; invalid when there is none
        ToneRole,                 ///< Tone as int
        OwnRole                   ///< first role that subclasses may define
    };
    enum class Tone {
        Plain,
        Muted,   ///< within noise, or unknown
        Better,  ///< faster beyond noise
        Worse
    };

    [[nodiscard]] QModelIndex index(int row, int column,
                                    const QModelIndex& parent = {}) const final;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const final;
    using QObject::parent;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const final;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const final;

protected:
    /// Content of a column: numbers are right-aligned, texts left-aligned.
    enum Content { Numbers, Texts };
    /// A column's name, its meaning (the tooltip) and its content.
    struct Heading {
        QString name, meaning;
        Content content = Numbers;
    };
    explicit CellModel(std::vector<Heading> headings, QObject* parent = nullptr);

    /// A position: the top-level row and, on the second level of a tree, the row below it.
    struct At {
        int row = 0;
        std::optional<int> child = {};
    };

    [[nodiscard]] virtual int rows() const = 0;
    /// Number of child rows; 0 in a table.
    [[nodiscard]] virtual int children(int /*row*/) const { return 0; }
    /// Data of a cell for Qt::DisplayRole, Qt::ToolTipRole, SortRole and so on.
    [[nodiscard]] virtual QVariant cell(const At& at, int column, int role) const = 0;
    /// False for headings and gaps.
    [[nodiscard]] virtual bool isSelectable(const At&) const { return true; }

    [[nodiscard]] static At at(const QModelIndex& index);
    [[nodiscard]] QModelIndex indexAt(const At& at, int column = 0) const;

    /// The SortRole value of a number.
    [[nodiscard]] static QVariant sortKey(const std::optional<double>& number) {
        return number ? QVariant(*number) : QVariant();
    }

    /// One per column. Add or remove columns only during a model reset.
    std::vector<Heading> m_headings;
};

/// Sorts a CellModel by its SortRole; missing values come last in both directions.
class CellSortModel : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CellSortModel(QObject* parent = nullptr);

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace roofscope::gui
