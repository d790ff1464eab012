// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "analyzer/compare/causes/causes.h"
#include "analyzer/roofline/roofline.h"

namespace roofscope::compare::causes {

namespace {

FoundCause fewerBytes(const Measured& m, std::string id, const MemoryLevel& memory) {
    return whereLess(m, std::move(id), m.bytesOf(memory.level), m.busy(memory.resource),
                     Unit::Bytes,
                     Words("the bytes that the {level} moved {fell} from {from} to {to} ({factor} "
                           "{less})"),
                     {word("level", std::string(toString(memory.level)))});
}

}  // namespace

FoundCause dramBytes(const Measured& m) { return fewerBytes(m, "dram-bytes", kDram); }

FoundCause l2Bytes(const Measured& m) { return fewerBytes(m, "l2-bytes", kL2); }

FoundCause l1Bytes(const Measured& m) {
    // Bytes that bypass the L1 are not less work.
    if (m.inBulk || bypassesL1(m.slow) || bypassesL1(m.fast)) return std::nullopt;
    return fewerBytes(m, "l1-bytes", kL1);
}

}  // namespace roofscope::compare::causes
