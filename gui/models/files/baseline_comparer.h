// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <memory>

#include "reports/report.h"

class QThread;

namespace roofscope::gui {

/// Compares two profiles on a separate thread: large profiles take seconds.
class BaselineComparer : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Waits a few seconds for a running comparison, then abandons it.
    ~BaselineComparer() override;

    /// Starts a comparison. An earlier one that still runs sends no compared().
    void compare(std::shared_ptr<const Analysis> baseline,
                 std::shared_ptr<const Analysis> candidate);
    /// Drops the running comparison: it will not send compared().
    void forget() { m_wanted.reset(); }
    [[nodiscard]] bool busy() const { return m_wanted != nullptr; }

Q_SIGNALS:
    /// `candidate` is the pointer that was passed to compare().
    void compared(std::shared_ptr<const roofscope::ReportBaseline> baseline,
                  std::shared_ptr<const roofscope::Analysis> candidate);

private:
    struct Job;
    std::shared_ptr<Job> m_wanted;
    QList<QThread*> m_threads;
};

/// Compares two kernels of one profile: `candidate` against `baseline`.
[[nodiscard]] std::shared_ptr<const ReportBaseline> compareKernelPair(
    const std::shared_ptr<const Analysis>& analysis, std::size_t baseline, std::size_t candidate);

/// The comparison of one kernel (an index into the candidate's kernels); nullptr if it has no match
/// in the baseline.
[[nodiscard]] const KernelComparison* comparisonOf(const Comparison& comparison,
                                                   std::size_t candidate);

}  // namespace roofscope::gui
