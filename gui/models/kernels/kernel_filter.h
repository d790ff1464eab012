// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/errors/result.h"

namespace roofscope::gui {

/// What the filter line says, parsed: words and comparisons that must all hold.
///
///     -gemm                     none of them contains it
///     gemm                      name, full name or NVTX range contains "gemm"
///     bw > 60%                  DRAM bandwidth as a share of its roof
///     bw > 2TB/s  time > 100us  in units
///     conflict > 0.1  occupancy < 50%  verdict = memory-bound
///
/// A kernel whose value is missing matches no comparison.
class KernelFilter {
public:
    /// Parses one line. A text like "copy<float, 4>" is a name and no comparison. Errors name the
    /// part that is wrong and what would be right.
    static Result<KernelFilter> parse(const QString& line);

    [[nodiscard]] bool matches(const KernelAnalysis& kernel) const;
    [[nodiscard]] bool empty() const { return m_terms.empty(); }

    /// Names of the fields that can be compared, for help texts.
    [[nodiscard]] static QStringList fieldNames();
    /// What the end of a half-typed line may become, from `start` on: a field with its operator
    /// ("bw > "), behind `verdict =` a verdict. No words where nothing is to be completed.
    struct Completion {
        qsizetype start = 0;
        QStringList words;
    };
    [[nodiscard]] static Completion completion(const QString& line);

private:
    std::vector<std::function<bool(const KernelAnalysis&)>> m_terms;
};

}  // namespace roofscope::gui
