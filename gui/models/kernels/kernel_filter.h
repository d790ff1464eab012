// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/errors/result.h"

namespace roofscope::gui {

/// The parsed filter line: words and comparisons that must all hold.
///
///     gemm                      name, full name or NVTX range contains "gemm"
///     -gemm                     none of them contains "gemm"
///     bw > 60%                  DRAM bandwidth as a share of its roof
///     bw > 2TB/s  time > 100us  in units
///     conflict > 0.1  occupancy < 50%  verdict = memory-bound
///
/// A kernel whose value is missing matches no comparison.
class KernelFilter {
public:
    /// Parses one line. A text like "copy<float, 4>" is part of a name, not a comparison. Errors
    /// quote the wrong part and say what would be right.
    static Result<KernelFilter> parse(const QString& line);

    [[nodiscard]] bool matches(const KernelAnalysis& kernel) const;
    [[nodiscard]] bool empty() const { return m_terms.empty(); }

    /// Names of the fields that can be compared, for help texts.
    [[nodiscard]] static QStringList fieldNames();
    /// Completions of a half-typed line, for its text from `start` on: a field with its operator
    /// ("bw > ") or, after `verdict =`, a verdict. `words` is empty if there is none.
    struct Completion {
        qsizetype start = 0;
        QStringList words;
    };
    [[nodiscard]] static Completion completion(const QString& line);

private:
    std::vector<std::function<bool(const KernelAnalysis&)>> m_terms;
};

}  // namespace roofscope::gui
