// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "analyzer/honesty/args.h"
#include "analyzer/honesty/checks.h"

namespace roofscope::honesty {
namespace {

/// Requested bytes are exact; this allows for the rounding of per-launch means.
constexpr double kRounding = 0.999;
/// Clocks of counter runs and timing runs differ by at most this factor.
constexpr double kClocks = 0.97;
/// A type with a smaller share of the operations does not determine the result.
constexpr double kMainShare = 0.1;

std::optional<double> theoreticalRoof(const Analysis& analysis, Roof::Kind kind) {
    std::optional<double> best;
    for (const Roof& roof : analysis.roofs)
        if (roof.kind == kind && !roof.measured &&
            (kind == Roof::Kind::Compute || roof.level == Level::Dram))
            best = std::max(best.value_or(0), roof.rate);
    return best;
}

double l2Bytes(const Analysis& analysis) {
    double most = 0;
    for (const Device& device : analysis.profile->devices)
        if (device.l2Bytes) most = std::max(most, static_cast<double>(*device.l2Bytes));
    return most;
}

/// Whether the baseline reads the whole input. Only then must a candidate read it, too.
bool readsWholeInput(const Evidence& e) {
    return e.facts.inputBytes && e.calls.baseline && e.calls.baseline->loaded &&
           e.calls.baseline->loaded->value >= static_cast<double>(*e.facts.inputBytes) * kRounding;
}

/// Operations by the number of mantissa bits that they keep.
struct Arithmetics {
    struct Kind {
        const char* name;
        int bits;  ///< of the mantissa, including the hidden bit
        double operations = 0;
    };
    std::array<Kind, 10> kinds{{{"FP64", 53},
                                {"FP32", 24},
                                {"FP16", 11},
                                {"FP64 tensor", 53},
                                {"TF32 tensor", 11},
                                {"BF16 tensor", 8},
                                {"FP16 tensor", 11},
                                {"FP8 tensor", 4},
                                {"INT8 tensor", 8},
                                {"FP4 tensor", 2}}};
    [[nodiscard]] double total() const {
        double sum = 0;
        for (const Kind& kind : kinds) sum += kind.operations;
        return sum;
    }
    /// The kind with the fewest bits that does a main share; null without arithmetic.
    [[nodiscard]] const Kind* coarsest() const {
        const Kind* found = nullptr;
        for (const Kind& kind : kinds)
            if (kind.operations >= kMainShare * total() && kind.operations > 0 &&
                (!found || kind.bits < found->bits))
                found = &kind;
        return found;
    }
};

/// Packed FP16 instructions also move constants and convert values. They are certainly arithmetic
/// only if `one` has hardly any FP32 and FP64 operations compared with `other`.
void dropUncertainFp16(Arithmetics& one, const Arithmetics& other) {
    constexpr double kHardlyAny = 0.1;
    const auto wide = [](const Arithmetics& a) {
        return a.kinds[0].operations + a.kinds[1].operations;
    };
    if (wide(one) >= kHardlyAny * wide(other)) one.kinds[2].operations = 0;
}

/// Absent if a kernel's operations were not counted.
std::optional<Arithmetics> arithmetics(const Analysis& analysis) {
    Arithmetics result;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const auto launches = static_cast<double>(kernel.group.launches.size());
        const Quantities& q = kernel.quantities;
        std::size_t at = 0;
        for (const Precision precision : kPrecisions) {
            if (!q.flops[precision].has()) return std::nullopt;
            result.kinds[at++].operations += q.flops[precision]->value * launches;
        }
        // An idle pipe did no operations of any type.
        const bool idle = q.tensorInstructions.has() && q.tensorInstructions->value == 0;
        const bool counted = !q.tensor.empty() && !q.tensor.front().byBusyCycles;
        if (!counted && !idle) return std::nullopt;
        for (const TensorWork& work : q.tensor) {
            if (!work.operations.has()) continue;
            result.kinds[kPrecisions.size() + static_cast<std::size_t>(work.type)].operations +=
                work.operations->value * launches;
        }
    }
    return result;
}

}  // namespace

Check fewerBytes(const Evidence& e) {
    Check check{.id = "fewer-bytes", .title = Words("Fewer bytes than the result needs")};
    const auto& call = e.calls.candidate;
    if (!e.facts.outputBytes || !call || !call->stored || !call->loaded)
        return cannotTell(std::move(check), Words("the bytes that a call moves were not counted"));
    const auto output = static_cast<double>(*e.facts.outputBytes);
    const bool baselineWrites = e.calls.baseline && e.calls.baseline->stored &&
                                e.calls.baseline->stored->value >= output * kRounding;
    if (baselineWrites && call->stored->value < output * kRounding)
        return suspicious(
            std::move(check),
            Words("A repeated call stores {stored}, but its output has {output}."),
            Words("An output that is a view of an input, or that is kept from an earlier "
                  "call on purpose."),
            {bytesArg("stored", call->stored->value), bytesArg("output", output)});
    if (!e.facts.inputBytes) return clear(std::move(check));
    const auto input = static_cast<double>(*e.facts.inputBytes);
    if (readsWholeInput(e) && call->loaded->value < input * kRounding)
        return suspicious(
            std::move(check),
            Words("A repeated call loads {loaded}; its inputs have {input}, and the baseline loads "
                  "{baseline}."),
            Words("Parts of the inputs that the result does not depend on, or loads through "
                  "textures, "
                  "which are not counted."),
            {bytesArg("loaded", call->loaded->value), bytesArg("input", input),
             bytesArg("baseline", e.calls.baseline->loaded->value)});
    return clear(std::move(check));
}

Check fasterThanRoof(const Evidence& e) {
    Check check{.id = "faster-than-roof", .title = Words("Faster than this GPU can be")};
    // A candidate that launches nothing has no counters, and so no peaks of the device.
    const Analysis* analysis = e.profiles.baseline ? e.profiles.baseline : e.profiles.candidate;
    const auto dram = analysis ? theoreticalRoof(*analysis, Roof::Kind::Bandwidth) : std::nullopt;
    if (!dram || !e.facts.outputBytes || !e.facts.inputBytes ||
        (!e.facts.eventTime && !e.calls.flushed))
        return cannotTell(std::move(check),
                          Words("the roofs of the GPU, or the time of a call, are not "
                                "known"));
    const double l2 = l2Bytes(*analysis);
    const double input = readsWholeInput(e) ? static_cast<double>(*e.facts.inputBytes) : 0;
    const auto output = static_cast<double>(*e.facts.outputBytes);
    const Words innocent{"The result needs only a part of the inputs."};
    // With an empty L2, all that is read comes from the DRAM. What is written may partly stay in
    // the L2.
    if (e.calls.flushed && e.calls.flushed->kernelTime) {
        const double time = e.calls.flushed->kernelTime->value;
        const double needed = input + std::max(output - l2, 0.0);
        if (needed > 0 && time < kClocks * needed / *dram)
            return suspicious(
                std::move(check),
                Words("With an empty L2 the kernels of a call take {time}. {needed} of "
                      "inputs and output have to cross the DRAM, which takes {least}."),
                innocent,
                {secondsArg("time", time), bytesArg("needed", needed),
                 secondsArg("least", needed / *dram)});
    }
    if (e.facts.eventTime) {
        const double time = e.facts.eventTime->value;
        const double needed = std::max(input + output - 2 * l2, 0.0);
        if (needed > 0 && time < kClocks * needed / *dram)
            return suspicious(
                std::move(check),
                Words("A call takes {time} between its events. At least {needed} of inputs "
                      "and output fit no L2 and have to cross the DRAM, which takes {least}."),
                innocent,
                {secondsArg("time", time), bytesArg("needed", needed),
                 secondsArg("least", needed / *dram)});
        const auto arithmetic = theoreticalRoof(*analysis, Roof::Kind::Compute);
        if (e.facts.flops && arithmetic && time < kClocks * *e.facts.flops / *arithmetic)
            return suspicious(
                std::move(check),
                Words("A call takes {time} between its events. The declared operations take "
                      "{least} on "
                      "the fastest unit of this GPU."),
                Words("An algorithm that needs fewer operations than were declared."),
                {secondsArg("time", time), secondsArg("least", *e.facts.flops / *arithmetic)});
    }
    return clear(std::move(check));
}

Check lowerPrecision(const Evidence& e) {
    Check check{.id = "lower-precision", .title = Words("Computes with fewer bits")};
    auto before = e.profiles.baseline ? arithmetics(*e.profiles.baseline) : std::nullopt;
    auto after = e.profiles.candidate ? arithmetics(*e.profiles.candidate) : std::nullopt;
    if (!before || !after)
        return cannotTell(std::move(check), Words("operations were not counted by their type"));
    dropUncertainFp16(*before, *after);
    dropUncertainFp16(*after, *before);
    const auto* from = before->coarsest();
    const auto* to = after->coarsest();
    if (!from || !to || to->bits >= from->bits) return clear(std::move(check));
    return suspicious(
        std::move(check),
        Words("{share} of the candidate's operations are {to} ({tobits} bits of mantissa); the "
              "baseline's least precise ones are {from} ({frombits})."),
        Words("Lower precision that was agreed on, or inputs that have no more bits."),
        {shareArg("share", to->operations / after->total()), nameArg("to", to->name),
         countArg("tobits", static_cast<double>(to->bits)), nameArg("from", from->name),
         countArg("frombits", static_cast<double>(from->bits))});
}

}  // namespace roofscope::honesty
