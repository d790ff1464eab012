// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>
#include <optional>
#include <vector>

namespace roofscope::gui {

/// What all tables of the window have in common: a read-only table, or a tree of two levels whose
/// children hang on the first column. Qt's index mechanics are here and final; a table gives its
/// headings, says how many rows it has, and what stands in one cell.
///
/// Texts that a cell gives as tooltip are plain: they may hold what the profiled program wrote.
class CellModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Role {
        SortRole = Qt::UserRole,  ///< number or text; invalid when the value is missing
        KernelIndexRole,          ///< index into Analysis::kernels; invalid for all other rows
        ShareRole,                ///< 0–1 for a bar behind the number; invalid when there is none
        ToneRole,                 ///< Tone as int
        OwnRole                   ///< the first one that a table may give a meaning
    };
    enum class Tone {
        Plain,
        Muted,   ///< inside the noise, or nothing can be said
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
    /// What a column holds: numbers end at the right, texts start at the left.
    enum Content { Numbers, Texts };
    /// A column: its name, what it means (a tooltip), and what it holds.
    struct Heading {
        QString name, meaning;
        Content content = Numbers;
    };
    explicit CellModel(std::vector<Heading> headings, QObject* parent = nullptr);

    /// A row, and of a tree's second level the row below it.
    struct At {
        int row = 0;
        std::optional<int> child = {};
    };

    [[nodiscard]] virtual int rows() const = 0;
    /// How many rows hang below one; none in a table.
    [[nodiscard]] virtual int children(int /*row*/) const { return 0; }
    /// What stands in a cell: Qt::DisplayRole, Qt::ToolTipRole, SortRole and the others.
    [[nodiscard]] virtual QVariant cell(const At& at, int column, int role) const = 0;
    /// Headings and gaps are no choice.
    [[nodiscard]] virtual bool isSelectable(const At&) const { return true; }

    [[nodiscard]] static At at(const QModelIndex& index);
    [[nodiscard]] QModelIndex indexAt(const At& at, int column = 0) const;

    /// What SortRole gives of a number.
    [[nodiscard]] static QVariant sortKey(const std::optional<double>& number) {
        return number ? QVariant(*number) : QVariant();
    }

    /// One per column. Those that come and go do so while the model is reset.
    std::vector<Heading> m_headings;
};

/// Sorts a CellModel by its SortRole; what is missing comes last in both directions.
class CellSortModel : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CellSortModel(QObject* parent = nullptr);

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace roofscope::gui
