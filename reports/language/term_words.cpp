// SPDX-License-Identifier: Apache-2.0
#include "reports/language/term_words.h"

#include "analyzer/diagnosis/rule.h"
#include "reports/language/say.h"

namespace roofscope {

std::string resourceWords(ResourceId resource, Language language) {
    switch (resource) {
        case ResourceId::SharedPipe:
            return say(language, "shared pipe");
        case ResourceId::L1DataPipe:
            return say(language, "L1 data pipe");
        case ResourceId::L2Tags:
            return say(language, "L2 tags");
        case ResourceId::L2Atomics:
            return say(language, "L2 atomics");
        case ResourceId::Tensor:
            return say(language, "tensor");
        case ResourceId::Issue:
            return say(language, "instruction issue");
        case ResourceId::BlockStarts:
            return say(language, "block start rate");
        case ResourceId::LsuRequests:
            return say(language, "LSU requests");
        case ResourceId::MemoryTotal:
            return say(language, "memory throughput");
        case ResourceId::SmTotal:
            return say(language, "SM throughput");
        case ResourceId::Integer:
            return say(language, "integer");
        case ResourceId::SpecialFunction:
            return say(language, "special functions");
        case ResourceId::Fp64:
        case ResourceId::Fp32:
        case ResourceId::Fp16:
            return say(language, "{} pipe", toString(resource));
        case ResourceId::Dram:
        case ResourceId::L2:
        case ResourceId::L1:
            break;  // the same in all languages
    }
    return toString(resource);
}

std::string arithmeticWords(const Arithmetic& arithmetic, Language language) {
    const TensorType* const type = arithmetic.tensor();
    return type ? say(language, "{} tensor", toString(*type)) : toString(arithmetic);
}

std::string limiterWords(OccupancyLimiter limiter, Language language) {
    switch (limiter) {
        case OccupancyLimiter::None:
            return {};
        case OccupancyLimiter::Registers:
            return say(language, "registers");
        case OccupancyLimiter::SharedMemory:
            return say(language, "shared memory");
        case OccupancyLimiter::BlockSize:
            return say(language, "block size");
        case OccupancyLimiter::BlocksPerSm:
            return say(language, "blocks per SM");
    }
    return {};
}

std::string durationSourceWords(DurationSource source, Language language) {
    switch (source) {
        case DurationSource::TimingRun:
            return say(language, "from the timing run");
        case DurationSource::CounterRun:
            return say(language, "from the counter run");
        case DurationSource::Trace:
            break;
    }
    return say(language, "from the imported trace");
}

std::string confidenceWords(Confidence confidence, Language language) {
    switch (confidence) {
        case Confidence::Low:
            return say(language, "low");
        case Confidence::Medium:
            return say(language, "medium");
        case Confidence::High:
            return say(language, "high");
    }
    return {};
}

std::string ruleTitle(const std::string& ruleId, Language language) {
    const Rule* rule = findRule(ruleId);
    return rule ? std::string(rule->text(language).title) : ruleId;
}

}  // namespace roofscope
