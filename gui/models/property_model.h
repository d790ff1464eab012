// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/analysis.h"

namespace roofscope::gui {

/// Launch shape, resources, occupancy and rates of one kernel: property, value, and how the value
/// was obtained or why there is none. Rows with SectionRole are headings.
class PropertyModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Value, How, ColumnCount };
    enum Role { SectionRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setKernel(std::shared_ptr<const Analysis> analysis, std::optional<std::size_t> kernel);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Row {
        bool section = false;
        QString name, value, how;
    };
    void addKernel(const Profile& profile, const KernelAnalysis& kernel);
    void section(const QString& name) { m_rows.push_back({true, name, {}, {}}); }
    void row(const QString& name, const QString& value, const QString& how = {}) {
        m_rows.push_back({false, name, value, how});
    }
    std::vector<Row> m_rows;
};

}  // namespace roofscope::gui
