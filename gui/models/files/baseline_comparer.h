// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <memory>

#include "reports/report.h"

class QThread;

namespace roofscope::gui {

/// Compares two profiles on a thread of its own: a large pair takes seconds.
class BaselineComparer : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Waits a few seconds for a comparison that is still going on, then leaves it behind.
    ~BaselineComparer() override;

    /// Starts a comparison. One that is still going on ends unheard.
    void compare(std::shared_ptr<const Analysis> baseline,
                 std::shared_ptr<const Analysis> candidate);
    /// No compared() comes any more for what was begun.
    void forget() { m_wanted.reset(); }
    [[nodiscard]] bool busy() const { return m_wanted != nullptr; }

Q_SIGNALS:
    /// `candidate` is the one that was given.
    void compared(std::shared_ptr<const roofscope::ReportBaseline> baseline,
                  std::shared_ptr<const roofscope::Analysis> candidate);

private:
    struct Job;
    std::shared_ptr<Job> m_wanted;
    QList<QThread*> m_threads;
};

/// Two kernels of one profile as a comparison: the second against the first.
[[nodiscard]] std::shared_ptr<const ReportBaseline> compareTwo(
    const std::shared_ptr<const Analysis>& analysis, std::size_t baseline, std::size_t candidate);

/// What a comparison says of one kernel (an index into the candidate's kernels); nullptr when it
/// has no partner.
[[nodiscard]] const KernelComparison* comparisonOf(const Comparison& comparison,
                                                   std::size_t candidate);

}  // namespace roofscope::gui
