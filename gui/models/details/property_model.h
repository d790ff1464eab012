// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"
#include "gui/models/kernels/cell_model.h"

namespace roofscope::gui {

/// Launch shape, resources, occupancy and rates of one kernel. Columns: property, value, and how
/// the value was obtained or why it is missing. Rows whose SectionRole is true are headings.
class PropertyModel : public CellModel {
    Q_OBJECT
public:
    enum Column { Name, Value, How, ColumnCount };
    enum Role { SectionRole = OwnRole };

    explicit PropertyModel(QObject* parent = nullptr);

    void setKernel(std::shared_ptr<const Analysis> analysis, std::optional<std::size_t> kernel);

protected:
    [[nodiscard]] int rows() const override { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] QVariant cell(const At& at, int column, int role) const override;
    [[nodiscard]] bool isSelectable(const At& at) const override;

private:
    struct Row {
        bool section = false;
        QString cells[ColumnCount];
    };
    void addIdentity(const Profile& profile, const KernelAnalysis& kernel);
    void addTime(const KernelAnalysis& kernel);
    void addLaunch(const Profile& profile, const LaunchGroup& group);
    void addOccupancy(const Quantities& q);
    void addMemory(const Quantities& q);
    void addArithmetic(const Quantities& q);
    void addClocks(const Quantities& q);
    void section(const QString& name) { m_rows.push_back({true, {name}}); }
    void row(const QString& name, const QString& value, const QString& how = {}) {
        m_rows.push_back({false, {name, value, how}});
    }
    template <class T>
    void derived(const QString& name, const Derived<T>& value);
    /// Adds quantities of the catalogue by key.
    void quantity(const Quantities& q, const std::string& key);
    void quantities(const Quantities& q, std::initializer_list<const char*> keys);
    /// Adds a rate and its share of the roof.
    void rate(const Quantities& q, const std::string& key, const std::string& shareKey);
    std::vector<Row> m_rows;
};

}  // namespace roofscope::gui
