// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "analyzer/model/analysis.h"
#include "gui/models/kernels/cell_model.h"

namespace roofscope::gui {

/// Problems during recording and notes of the analysis, the most severe first.
class IssueModel : public CellModel {
    Q_OBJECT
public:
    enum Column { Severity, Message, Advice, Source };

    explicit IssueModel(QObject* parent = nullptr);
    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);

protected:
    [[nodiscard]] int rows() const override { return static_cast<int>(m_issues.size()); }
    [[nodiscard]] QVariant cell(const At& at, int column, int role) const override;

private:
    std::vector<Issue> m_issues;
};

}  // namespace roofscope::gui
