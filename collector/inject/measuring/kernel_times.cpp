// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/measuring/kernel_times.h"

#include <chrono>
#include <cstddef>

#include "profile/text/count_text.h"

namespace roofscope::inject {

bool KernelTimes::start(const activity_timer::What& what) {
    m_asked = true;
    const auto started = activity_timer::start(m_cupti, m_spool, what);
    if (!started)
        m_issues.once({.severity = Severity::Error,
                       .source = "inject",
                       .code = "timing-unavailable",
                       .message = started.error().what,
                       .advice = started.error().advice});
    return started.ok();
}

void KernelTimes::writeRest() {
    if (!m_asked) return;
    activity_timer::flush(true);
    if (const auto lost = activity_timer::dropped(); lost > 0)
        m_spool.issue(
            {.severity = Severity::DataLoss,
             .source = "inject",
             .code = "times-dropped",
             .message = "CUPTI lost the durations of " + countText(lost, "kernel", "kernels")});
}

bool KernelTimes::areLong() const {
    constexpr std::chrono::microseconds kLong{200};
    if (!m_asked) return false;
    activity_timer::flush(true);
    // Few have ended if the program does not wait for them, which is what long kernels look like.
    const activity_timer::Written all = activity_timer::written();
    return all.kernels > 0 && all.time >= kLong * all.kernels;
}

void KernelTimes::stop() {
    if (m_asked) activity_timer::stop();
}

}  // namespace roofscope::inject
