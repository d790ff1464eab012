// SPDX-License-Identifier: Apache-2.0
#include "reports/findings/roof_advice.h"

#include "reports/language/say.h"

namespace roofscope {

std::string roofAdvice(const Verdict& verdict, Language language) {
    if (verdict.cls != VerdictClass::NearRoof) return {};
    if (verdict.limiter == ResourceId::Dram)
        return say(language,
                   "fewer bytes per launch (fuse it with a neighbour that reads or writes the same "
                   "arrays, smaller types)");
    if (verdict.limiter == ResourceId::L2)
        return say(
            language,
            "fewer bytes from the L2 (keep what is used again in shared memory or registers)");
    if (verdict.limiter == ResourceId::L1 || verdict.limiter == ResourceId::L1DataPipe)
        return say(language, "fewer accesses (wider ones, and registers for what is used again)");
    if (verdict.limiter == ResourceId::SharedPipe)
        return say(
            language,
            "fewer shared-memory accesses (several results per thread from operands that it keeps "
            "in registers)");
    return {};
}

}  // namespace roofscope
