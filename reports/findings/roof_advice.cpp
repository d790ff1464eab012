// SPDX-License-Identifier: Apache-2.0
#include "reports/findings/roof_advice.h"

#include "reports/language/say.h"

namespace roofscope {

std::string roofAdvice(const Verdict& verdict, Language language) {
    if (verdict.cls != VerdictClass::NearRoof) return {};
    const std::string& limiter = verdict.limiter;
    if (limiter == "DRAM")
        return say(language,
                   "fewer bytes per launch (fuse it with a neighbour that reads or writes the same "
                   "arrays, smaller types)");
    if (limiter == "L2")
        return say(
            language,
            "fewer bytes from the L2 (keep what is used again in shared memory or registers)");
    if (limiter == "L1" || limiter == "L1 data pipe")
        return say(language, "fewer accesses (wider ones, and registers for what is used again)");
    if (limiter == "shared pipe")
        return say(
            language,
            "fewer shared-memory accesses (several results per thread from operands that it keeps "
            "in registers)");
    return {};
}

}  // namespace roofscope
