// SPDX-License-Identifier: Apache-2.0
#include "reports/quantities/tensor_memory_words.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyzer/quantities/tensor_memory.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"

namespace roofscope {

namespace {

std::string countText(double count) { return formatNumber(count, Unit::Count); }

/// "8,192 reads (of accumulators 6,144, tcgen05.ld 2,048)"; parts that are 0 are left out.
std::string partsOf(const std::string& whole,
                    const std::vector<std::pair<Derived<double>, std::string>>& parts, Language l) {
    std::string list;
    for (const auto& [count, words] : parts)
        if (count.has() && *count > 0)
            list += (list.empty() ? std::string() : std::string(marksOf(l).comma)) + words + " " +
                    countText(*count);
    return list.empty() ? whole : bracketed(l, whole, list);
}

}  // namespace

std::string tensorMemoryWords(const Profile& profile, const KernelAnalysis& kernel, Language l) {
    const auto use = tensorMemoryUse(profile, kernel.group);
    if (!use) return {};
    if (!(use->instructions > 0)) {
        constexpr double kInUse = 0.05;
        const Derived<Ratio>& pipe = kernel.quantities.tensorInstructions;
        return pipe.has() && pipe->value >= kInUse
                   ? say(l,
                         "Its products are issued as mma.sync: it executes no tcgen05 "
                         "instruction.")
                   : std::string();
    }
    std::vector<std::string> parts{
        say(l, "tcgen05: {} instructions, {} of them for block pairs", countText(use->instructions),
            formatNumber(use->ofPairs / use->instructions, Unit::Share))};
    if (use->active.has())
        parts.push_back(say(l, "tensor memory active {} of the time",
                            formatNumber(use->active->value, Unit::Share)));
    if (use->reads.has())
        parts.push_back(partsOf(
            say(l, "{} reads", countText(*use->reads)),
            {{use->accumulators, say(l, "of accumulators")}, {use->loads, "tcgen05.ld"}}, l));
    if (use->writes.has())
        parts.push_back(partsOf(say(l, "{} writes", countText(*use->writes)),
                                {{use->results, say(l, "of products")},
                                 {use->copies, "tcgen05.cp"},
                                 {use->stores, "tcgen05.st"}},
                                l));
    if (use->operandsA.has() && use->operandsB.has())
        parts.push_back(say(l, "operands from shared memory in {} wavefronts (A {}, B {})",
                            countText(*use->operandsA + *use->operandsB),
                            countText(*use->operandsA), countText(*use->operandsB)));
    return fmt::format("{}{}", fmt::join(parts, marksOf(l).semicolon), marksOf(l).stop);
}

}  // namespace roofscope
