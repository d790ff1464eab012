// SPDX-License-Identifier: Apache-2.0
/// Which counters a recording reads, in how many passes and runs.
#include "collector/run/options/record_options.h"
#if ROOFSCOPE_HAVE_COLLECTOR
#include "collector/cupti/cupti_api.h"
#include "collector/plan/pass_groups.h"
#endif

namespace roofscope {

Result<RecordPlan> planRecord(const RecordOptions& options, const std::string& chip) {
    if (auto ok = checkGroups(options.groups); !ok) return ok.error();
#if ROOFSCOPE_HAVE_COLLECTOR
    std::string why;
    const CuptiApi* cupti = CuptiApi::load(&why);
    if (!cupti)
        return Error{
            .code = ErrorCode::Unavailable, .what = why, .advice = "run \"roofscope doctor\""};
    const PlanRequest request{.chip = chip, .groups = options.groups, .counters = options.counters};
    const auto whole = planCounters(*cupti, request);
    if (!whole) return whole.error();
    auto split = splitIntoPasses(*cupti, request);
    if (!split) return split.error();
    RecordPlan plan{.chip = chip,
                    .counters = whole->counters,
                    .kernelPasses = whole->passes,
                    .runs = std::move(split->groups),
                    .severalPasses = std::move(split->severalPasses)};
    for (const auto& d : whole->dropped) plan.dropped.emplace_back(d.counter, d.reason);
    return plan;
#else
    return Error{.code = ErrorCode::Unavailable,
                 .what = "this roofscope was built without the collector",
                 .where = chip,
                 .advice = "build it with a CUDA toolkit 12.8 or later"};
#endif
}

}  // namespace roofscope
