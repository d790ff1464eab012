// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/baseline_comparer.h"

#include <QThread>
#include <algorithm>

namespace roofscope::gui {

struct BaselineComparer::Job {
    std::shared_ptr<const Analysis> baseline, candidate;
    std::shared_ptr<const ReportBaseline> result;
};

BaselineComparer::~BaselineComparer() {
    // A comparison cannot be interrupted. If it takes too long, leak the thread and its data.
    constexpr unsigned long kPatienceMs = 3000;
    for (QThread* thread : std::as_const(m_threads))
        if (thread->wait(kPatienceMs)) delete thread;
}

void BaselineComparer::compare(std::shared_ptr<const Analysis> baseline,
                               std::shared_ptr<const Analysis> candidate) {
    const auto job = std::make_shared<Job>();
    job->baseline = std::move(baseline);
    job->candidate = std::move(candidate);
    m_wanted = job;
    QThread* thread = QThread::create([job] {
        const Analysis &from = *job->baseline, &to = *job->candidate;
        job->result = std::make_shared<const ReportBaseline>(
            ReportBaseline{job->baseline, compareProfiles(from, to, matchKernels(from, to))});
    });
    m_threads.append(thread);
    connect(thread, &QThread::finished, this, [this, thread, job] {
        m_threads.removeOne(thread);
        thread->deleteLater();
        if (m_wanted != job) return;
        m_wanted.reset();
        Q_EMIT compared(job->result, job->candidate);
    });
    thread->start();
}

std::shared_ptr<const ReportBaseline> compareKernelPair(
    const std::shared_ptr<const Analysis>& analysis, std::size_t baseline, std::size_t candidate) {
    Matching matching;
    matching.matches.push_back({.baseline = baseline,
                                .candidate = candidate,
                                .tier = MatchTier::Given,
                                .how = Words("selected in the window")});
    return std::make_shared<const ReportBaseline>(
        ReportBaseline{analysis, compareProfiles(*analysis, *analysis, matching)});
}

const KernelComparison* comparisonOf(const Comparison& comparison, std::size_t candidate) {
    const auto found = std::ranges::find_if(comparison.kernels, [&](const KernelComparison& k) {
        return k.match.candidate == candidate;
    });
    return found == comparison.kernels.end() ? nullptr : &*found;
}

}  // namespace roofscope::gui
