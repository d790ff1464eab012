// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "analyzer/model/analysis.h"
#include "gui/models/kernels/cell_model.h"

namespace roofscope::gui {

enum class RangeColumn {
    Name,
    Device,
    Occurrences,
    Launches,
    Duration,
    Total,
    Busy,
    DramBytes,
    DramRate,
    DramShare,
    L2Rate,
    L2Share,
    Fp32Rate,
    Fp64Rate,
    Tensor
};
inline constexpr int kRangeColumns = 15;

/// NVTX ranges that were measured as a whole (roofscope record --range), one row each, the one with
/// the most time first. Same content as in the reports. "–" means not measured or not applicable;
/// the tooltip says which.
class RangeTableModel : public CellModel {
    Q_OBJECT
public:
    explicit RangeTableModel(QObject* parent = nullptr);

    void setAnalysis(std::shared_ptr<const Analysis> analysis);

protected:
    [[nodiscard]] int rows() const override;
    [[nodiscard]] QVariant cell(const At& at, int column, int role) const override;

private:
    std::shared_ptr<const Analysis> m_analysis;
};

}  // namespace roofscope::gui
