// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "analyzer/analysis.h"

namespace roofscope::gui {

/// Problems met while recording, the worst first, and notes of the analysis.
class IssueModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Severity, Message, Advice, Source, ColumnCount };
    enum Role { SeverityRole = Qt::UserRole };  ///< roofscope::Severity as int

    using QAbstractTableModel::QAbstractTableModel;

    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    std::vector<Issue> m_issues;
};

}  // namespace roofscope::gui
