// SPDX-License-Identifier: Apache-2.0
#include "analyzer/honesty/loop.h"

#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/honesty/args.h"
#include "analyzer/honesty/bulk_copies.h"
#include "analyzer/numbers/median.h"

namespace roofscope::honesty {
namespace {

/// On an otherwise idle GPU, the clocks of two runs agree to this factor.
constexpr double kSameClock = 1.03;
/// Fewer launches show no trend.
constexpr std::size_t kTrend = 20;
/// The first tenth of the launches may still warm up.
constexpr std::size_t kFirstShare = 10;

Arg factor(const char* name, double value) {
    return {.name = name, .value = value, .unit = Unit::Factor};
}
Arg hertz(const char* name, double value) {
    return {.name = name, .value = value, .unit = Unit::Hertz};
}

LoopSide sideOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    const Quantities& q = kernel.quantities;
    const auto& observed = analysis.profile->devices[kernel.group.device].observed;
    return {.time = q.duration.median,
            .launches = kernel.group.launches.size(),
            .dramRead = q.dramRead,
            .dramWrite = q.dramWrite,
            .l2 = q.bytes[Level::L2],
            .smClock = q.smClock,
            .lowestClock = observed && observed->samples > 0 ? observed->smLowest : std::nullopt};
}

bool sameShape(const LaunchGroup& a, const LaunchGroup& b) {
    return a.grid == b.grid && a.block == b.block && a.dynamicSharedBytes == b.dynamicSharedBytes;
}

/// The same kernel in another recording, by name and launch shape. With `anyShape`, also the only
/// kernel of that name, whatever its shape.
const KernelAnalysis* partner(const Analysis* analysis, const KernelAnalysis& kernel,
                              bool anyShape = false) {
    if (!analysis) return nullptr;
    const KernelAnalysis* named = nullptr;
    std::size_t count = 0;
    for (const KernelAnalysis& other : analysis->kernels) {
        if (other.fullName != kernel.fullName || other.quantities.duration.count == 0) continue;
        if (sameShape(other.group, kernel.group)) return &other;
        named = &other;
        ++count;
    }
    return anyShape && count == 1 ? named : nullptr;
}

std::optional<LoopSide> sideIn(const Analysis* analysis, const KernelAnalysis& kernel,
                               bool anyShape = false) {
    const KernelAnalysis* other = partner(analysis, kernel, anyShape);
    return other ? std::optional(sideOf(*analysis, *other)) : std::nullopt;
}

class Judge {
public:
    Judge(const LoopProfiles& profiles, const KernelAnalysis& kernel)
        : m_profiles(profiles), m_kernel(kernel) {
        m_result.name = kernel.name;
        m_result.fullName = kernel.fullName;
        m_result.inPlace = sideOf(*profiles.inPlace, kernel);
        m_result.replayed = sideIn(profiles.replayed, kernel);
        m_result.flushed = sideIn(profiles.flushed, kernel);
        m_result.program = sideIn(profiles.program, kernel, true);
    }

    LoopKernel run() {
        const double loop = m_result.inPlace.time.value;
        if (const auto& real = m_result.program ? m_result.program : m_result.flushed;
            real && loop > 0)
            m_result.optimism = real->time.value / loop;
        warmCache();
        inProgram();
        firstLaunches();
        noResult();
        return std::move(m_result);
    }

private:
    void found(LoopFault fault, Words sentence, std::vector<Arg> args) {
        m_result.findings.push_back(
            {.fault = fault, .sentence = std::move(sentence), .args = std::move(args)});
    }

    /// With an empty L2, a launch reads more from the DRAM and takes longer.
    void warmCache() {
        const LoopSide& warm = m_result.inPlace;
        const auto& cold = m_result.flushed;
        if (!m_profiles.flushed) return;
        if (!cold) {
            m_result.unknown.push_back(Words("it was not launched again with an empty L2"));
            return;
        }
        if (cold->time.value < kLoopDiffers * warm.time.value) return;
        if (!warm.dramRead.has() || !cold->dramRead.has()) {
            m_result.unknown.push_back(Words("bytes of the DRAM were not counted"));
            return;
        }
        const double saved = cold->dramRead->value - warm.dramRead->value;
        if (!(saved > 0)) return;
        found(LoopFault::WarmCache,
              Words("Its data are still in the L2: a launch reads {warm} from the DRAM in the "
                    "loop, and {cold} with an empty L2, where it takes {coldtime} instead of "
                    "{warmtime} ({factor}). Rotate over inputs that together exceed twice the L2, "
                    "or empty the L2 before each launch."),
              {bytesArg("warm", warm.dramRead->value), bytesArg("cold", cold->dramRead->value),
               secondsArg("warmtime", warm.time.value), secondsArg("coldtime", cold->time.value),
               factor("factor", cold->time.value / warm.time.value)});
    }

    void inProgram() {
        const auto& program = m_result.program;
        if (!m_profiles.program) return;
        if (!program) {
            m_result.unknown.push_back(
                Words("the program does not launch it, or launches it in several shapes"));
            return;
        }
        const LoopSide& loop = m_result.inPlace;
        const double ratio = program->time.value / loop.time.value;
        if (ratio < kLoopDiffers && ratio > 1 / kLoopDiffers) return;
        otherClocks(loop, *program);
        if (!loop.dramRead.has() || !program->dramRead.has()) return;
        found(
            LoopFault::OtherInputs,
            Words(
                "In the program a launch takes {program}, in the loop {loop} ({factor}); it reads "
                "{programread} from the DRAM there, and {loopread} here."),
            {secondsArg("program", program->time.value), secondsArg("loop", loop.time.value),
             factor("factor", ratio), bytesArg("programread", program->dramRead->value),
             bytesArg("loopread", loop.dramRead->value)});
    }

    /// Reports a lower clock where the kernel takes longer. Prefers clocks seen while launches were
    /// timed: a GPU that launches kernels one by one to count them is cooler.
    void otherClocks(const LoopSide& loop, const LoopSide& program) {
        const bool timed = loop.lowestClock && program.lowestClock;
        if (!timed && !(loop.smClock.has() && program.smClock.has())) return;
        const double here = timed ? loop.lowestClock->value : loop.smClock->value;
        const double there = timed ? program.lowestClock->value : program.smClock->value;
        const bool longer = program.time.value > loop.time.value;
        if ((longer ? here / there : there / here) <= kSameClock) return;
        found(LoopFault::OtherClocks,
              timed ? Words{"While launches are timed, the clock of the SMs falls to {loop} in the "
                            "loop, and to {program} in the program."}
                    : Words{"The SMs run at {loop} while the loop is counted, and at {program} in "
                            "the program."},
              {hertz("loop", here), hertz("program", there)});
    }

    /// The mean of a loop includes its first launches.
    void firstLaunches() {
        std::vector<double> times;
        for (const std::uint32_t row : m_kernel.group.launches)
            if (const auto& time = m_profiles.inPlace->profile->launches[row].duration)
                times.push_back(time->value);
        if (times.size() < kTrend) return;
        const auto some = static_cast<std::ptrdiff_t>(times.size() / kFirstShare);
        const double first = medianOf({times.begin(), times.begin() + some});
        const double rest = medianOf({times.begin() + some, times.end()});
        if (first < kLoopDiffers * rest) return;
        found(
            LoopFault::FirstLaunches,
            Words(
                "The first {count} launches take {first}, the others {rest}: clocks rise, or code "
                "and data are cold. Leave them out of the mean."),
            {{.name = "count", .value = static_cast<double>(some)},
             secondsArg("first", first),
             secondsArg("rest", rest)});
    }

    void noResult() {
        // Bulk copies are counted only with an empty L2; a launch writes the same there.
        const Analysis* counted = m_profiles.inPlace;
        const KernelAnalysis* kernel = &m_kernel;
        if (const KernelAnalysis* cold = partner(m_profiles.flushed, m_kernel)) {
            counted = m_profiles.flushed;
            kernel = cold;
        }
        const Profile& profile = *counted->profile;
        const GroupSums sums(profile.counters, kernel->group.launches);
        const auto global =
            sums.joint({counter::kGlobalBytes, counter::kGlobalLoadBytes, counter::kAsyncCopies});
        if (!global.ok()) return;
        // Besides loads: stores, atomics, and asynchronous copies, which are neither loads nor
        // stores.
        if (global[0] - global[1] > 0 || global[2] > 0) return;
        if (hasBulkCopies(profile.devices[kernel->group.device])) {
            const auto bulk = sums.joint({counter::kBulkWriteBytes});
            if (!bulk.ok()) {
                m_result.unknown.push_back(
                    Words("whether it writes anything: bulk copies were not counted (group tma)"));
                return;
            }
            if (bulk[0] > 0) return;
        }
        found(
            LoopFault::NoResult,
            Words(
                "It writes nothing to global memory: the compiler may have removed the work whose "
                "result nobody uses."),
            {});
    }

    const LoopProfiles& m_profiles;
    const KernelAnalysis& m_kernel;
    LoopKernel m_result;
};

}  // namespace

const char* toString(LoopFault fault) {
    switch (fault) {
        case LoopFault::WarmCache:
            return "warm-cache";
        case LoopFault::OtherInputs:
            return "other-inputs";
        case LoopFault::OtherClocks:
            return "other-clocks";
        case LoopFault::FirstLaunches:
            return "first-launches";
        case LoopFault::NoResult:
            return "no-result";
    }
    return "";
}

std::vector<LoopKernel> judgeLoop(const LoopProfiles& profiles) {
    constexpr double kLeastShare = 0.01;
    std::vector<LoopKernel> kernels;
    double all = 0;
    for (const KernelAnalysis& kernel : profiles.inPlace->kernels)
        all += kernel.quantities.duration.total.value;
    for (const KernelAnalysis& kernel : profiles.inPlace->kernels) {
        const DurationStats& duration = kernel.quantities.duration;
        if (duration.count == 0 || duration.total.value < kLeastShare * all) continue;
        kernels.push_back(Judge(profiles, kernel).run());
        kernels.back().share = Ratio{duration.total.value / all};
    }
    return kernels;
}

}  // namespace roofscope::honesty
