// SPDX-License-Identifier: Apache-2.0
#include "reports/findings/roof_advice.h"

#include "reports/language/say.h"

namespace roofscope {

std::string roofAdvice(const Verdict& verdict, Language language) {
    if (verdict.cls != VerdictClass::NearRoof) return {};
    if (verdict.limiter == ResourceId::Dram)
        return say(language,
                   "fewer bytes per launch (fuse it with a neighbour that reads or writes the same "
                   "arrays, smaller types)",
                   "减少每次启动的字节数（与读写相同数组的相邻内核融合，改用更小的类型）");
    if (verdict.limiter == ResourceId::L2)
        return say(
            language,
            "fewer bytes from the L2 (keep what is used again in shared memory or registers)",
            "减少来自 L2 的字节数（重复使用的数据留在共享内存或寄存器中）");
    if (verdict.limiter == ResourceId::L1 || verdict.limiter == ResourceId::L1DataPipe)
        return say(language, "fewer accesses (wider ones, and registers for what is used again)",
                   "减少访问次数（加宽访问，重复使用的数据留在寄存器中）");
    if (verdict.limiter == ResourceId::SharedPipe)
        return say(
            language,
            "fewer shared-memory accesses (several results per thread from operands that it keeps "
            "in registers)",
            "减少共享内存访问（每个线程用留在寄存器中的操作数计算多个结果）");
    return {};
}

}  // namespace roofscope
