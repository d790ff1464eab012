// SPDX-License-Identifier: Apache-2.0
#include "tests/profile/random_profile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace roofscope::test {
namespace {

class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_engine(seed) {}

    std::uint64_t upTo(std::uint64_t max) {
        return std::uniform_int_distribution<std::uint64_t>(0, max)(m_engine);
    }
    bool coin() { return upTo(1) == 1; }
    std::uint32_t u32() { return static_cast<std::uint32_t>(upTo(coin() ? 4096 : 0xffffffffULL)); }
    /// A random index below `size`.
    std::uint32_t below(std::size_t size) { return static_cast<std::uint32_t>(upTo(size - 1)); }
    /// Whole nanoseconds survive; other times may change by one unit in the last place.
    Seconds seconds() { return Seconds{static_cast<double>(upTo(1ULL << 40)) / 1e9}; }

    template <class T, class Make>
    std::optional<T> maybe(Make make) {
        if (coin()) return std::nullopt;
        return T(make());
    }

    /// A value that a counter can have (profile/codec/plausible.h), with all its bits.
    double number() {
        switch (upTo(7)) {
            case 0:
                return 0.0;
            case 1:
                return -0.0;
            case 2:
                return static_cast<double>(upTo(1ULL << 53));
            case 3:
                return 18446744073709551616.0;  // 2^64
            case 4:
                return 1e-16;
            case 5:
                return 1.0 / static_cast<double>(upTo(1000) + 3);
            case 6:
                return static_cast<double>(upTo(1000));
            default:
                while (true) {  // any bit pattern
                    const double value = std::bit_cast<double>(m_engine());
                    if (value >= 1e-16 && value <= 18446744073709551616.0) return value;
                }
        }
    }

    /// Values of a column, some missing.
    std::vector<double> column(std::size_t rows) {
        std::vector<double> values(rows);
        for (double& value : values)
            value = coin() ? number() : std::numeric_limits<double>::quiet_NaN();
        return values;
    }

    std::string text() {
        static const char* const kPieces[] = {
            "kernel", "<float, 4>", "\"quoted\"", "\\", "\n",       "\t",   "\x01", "核函数",
            "ü",      "🚀",          "</script>",  "`",  "\x1b[31m", "\x7f", " > "};
        std::string text;
        for (std::uint64_t n = upTo(5); n > 0; --n) text += kPieces[upTo(std::size(kPieces) - 1)];
        if (upTo(9) == 0) text += '\0';
        return text;
    }
    std::vector<std::string> texts() {
        std::vector<std::string> list(upTo(3));
        for (auto& item : list) item = text();
        return list;
    }

private:
    std::mt19937_64 m_engine;
};

Dim3 randomDim(Dice& dice) {
    return {1 + dice.u32() / 2, 1 + static_cast<std::uint32_t>(dice.upTo(3)), 1};
}

Ceiling randomCeiling(Dice& dice) {
    Ceiling ceiling;
    ceiling.name = "ceiling" + dice.text();
    ceiling.kind = dice.coin() ? Ceiling::Kind::Bandwidth : Ceiling::Kind::Compute;
    const auto rate = [&] { return 1e-3 + 1e9 * static_cast<double>(dice.upTo(1ULL << 30)); };
    ceiling.burst = rate();
    ceiling.burstMedian = dice.maybe<double>(rate);
    ceiling.sustained = dice.maybe<double>(rate);
    ceiling.spread =
        dice.maybe<Ratio>([&] { return Ratio{static_cast<double>(dice.upTo(1000)) / 1000}; });
    ceiling.theoretical = dice.maybe<double>(rate);
    ceiling.bufferBytes = dice.maybe<std::uint64_t>([&] { return dice.upTo(1ULL << 50); });
    ceiling.method = dice.text();
    ceiling.measuredUtc = dice.text();
    ceiling.sustainedSmClock =
        dice.maybe<Hertz>([&] { return Hertz{static_cast<double>(dice.upTo(4'000'000'000))}; });
    ceiling.throttled = dice.maybe<bool>([&] { return dice.coin(); });
    ceiling.throttleReasons = dice.text();
    return ceiling;
}

ObservedClocks randomObserved(Dice& dice) {
    ObservedClocks observed;
    const auto clock = [&] { return Hertz{static_cast<double>(dice.upTo(4'000'000'000))}; };
    observed.samples = dice.u32();
    observed.smLowest = dice.maybe<Hertz>(clock);
    observed.smHighest = dice.maybe<Hertz>(clock);
    observed.memoryLowest = dice.maybe<Hertz>(clock);
    observed.memoryHighest = dice.maybe<Hertz>(clock);
    observed.throttledSamples =
        dice.maybe<std::uint32_t>([&] { return dice.upTo(observed.samples); });
    observed.throttledBy = dice.texts();
    observed.temperatureHighestC = dice.maybe<double>([&] { return dice.number(); });
    observed.powerHighestW = dice.maybe<double>([&] { return dice.number(); });
    return observed;
}

Device randomDevice(Dice& dice) {
    Device device;
    device.name = dice.text();
    device.uuid = dice.text();
    for (std::uint64_t n = dice.upTo(3); n > 0; --n) device.ceilings.push_back(randomCeiling(dice));
    device.chip = dice.text();
    device.computeMajor = static_cast<int>(dice.upTo(12));
    device.computeMinor = static_cast<int>(dice.upTo(9));
    device.smCount = dice.u32();
    const auto u32 = [&] { return dice.u32(); };
    // If an SM cannot hold a warp, the reader drops that number.
    device.maxThreadsPerSm = dice.maybe<std::uint32_t>(u32);
    if (device.maxThreadsPerSm)
        device.maxThreadsPerSm = std::max(*device.maxThreadsPerSm, device.warpSize);
    device.maxThreadsPerBlock = dice.maybe<std::uint32_t>(u32);
    device.maxBlocksPerSm = dice.maybe<std::uint32_t>(u32);
    device.registersPerSm = dice.maybe<std::uint32_t>(u32);
    device.sharedPerSmBytes = dice.maybe<std::uint32_t>(u32);
    device.sharedPerBlockOptinBytes = dice.maybe<std::uint32_t>(u32);
    device.sharedReservedPerBlockBytes = dice.maybe<std::uint32_t>(u32);
    device.l2Bytes = dice.maybe<std::uint64_t>([&] { return dice.upTo(1ULL << 53); });
    device.memoryBytes = dice.maybe<std::uint64_t>([&] { return dice.upTo(1ULL << 40); });
    const auto clock = [&] { return 1e3 + 0.37 * static_cast<double>(dice.upTo(4'000'000'000)); };
    if (dice.coin()) device.smClockMax = Hertz{clock()};
    if (dice.coin()) device.memoryClockMax = Hertz{clock()};
    for (std::uint64_t n = dice.upTo(3); n > 0; --n) device.peaks[dice.text()] = clock();
    if (dice.coin()) device.observed = randomObserved(dice);
    return device;
}

TimeSpan randomSpan(Dice& dice) {
    const auto start = static_cast<Nanoseconds>(dice.upTo(1ULL << 52)) -
                       (dice.coin() ? 0 : (Nanoseconds{1} << 51));
    return {start, start + static_cast<Nanoseconds>(dice.upTo(dice.coin() ? 9 : 1ULL << 52))};
}

Timeline randomTimeline(Dice& dice, const Profile& profile) {
    Timeline t;
    const auto below = [&](std::size_t size) { return dice.below(size); };
    for (std::uint64_t n = 1 + dice.upTo(2); n > 0; --n)
        t.threads.push_back({.process = below(profile.processes.size()),
                             .id = static_cast<std::int64_t>(dice.upTo(1ULL << 40)) - 5,
                             .name = dice.text(),
                             .worker = dice.coin()});
    for (int kind = 0; kind <= static_cast<int>(CallKind::Other); ++kind)
        t.callNames.push_back({.name = dice.text(), .kind = static_cast<CallKind>(kind)});
    for (std::uint64_t n = dice.upTo(20); n > 0; --n) {
        const auto memory = [&] { return static_cast<MemoryKind>(dice.upTo(4)); };
        t.transfers.push_back(
            {.kind = static_cast<TransferKind>(
                 dice.upTo(static_cast<std::uint64_t>(TransferKind::Other))),
             .source = memory(),
             .target = memory(),
             .process = below(profile.processes.size()),
             .device = below(profile.devices.size()),
             .peer = dice.maybe<std::uint32_t>([&] { return below(profile.devices.size()); }),
             .stream = dice.u32(),
             .bytes = dice.upTo(1ULL << 53),
             .time = randomSpan(dice),
             .fromGraph = dice.coin()});
    }
    for (std::uint64_t n = dice.upTo(20); n > 0; --n) {
        Call call{.name = below(t.callNames.size()),
                  .thread = below(t.threads.size()),
                  .time = randomSpan(dice)};
        const std::size_t work = t.callNames[call.name].kind == CallKind::Transfer
                                     ? t.transfers.size()
                                     : profile.launches.size();
        if (work > 0 && dice.coin()) call.work = below(work);
        t.calls.push_back(call);
    }
    for (std::uint64_t n = profile.ranges.empty() ? 0 : dice.upTo(4); n > 0; --n)
        t.ranges.push_back({.range = below(profile.ranges.size()),
                            .thread = below(t.threads.size()),
                            .time = randomSpan(dice),
                            .gpu = dice.maybe<TimeSpan>([&] { return randomSpan(dice); })});
    for (std::uint64_t n = dice.upTo(2); n > 0; --n)
        t.profiler.push_back(
            {.process = below(profile.processes.size()), .time = randomSpan(dice)});
    for (std::uint64_t n = dice.upTo(2); n > 0; --n) {
        const auto launch = [&] { return below(profile.launches.size()); };
        t.untimed.push_back({.process = below(profile.processes.size()),
                             .device = below(profile.devices.size()),
                             .time = randomSpan(dice)});
        if (!profile.launches.empty()) t.untimed.back().launch = dice.maybe<std::uint32_t>(launch);
    }
    return t;
}

Capture randomCapture(Dice& dice) {
    Capture capture;
    capture.toolVersion = dice.text();
    capture.createdUtc = dice.text();
    capture.origin = "synthetic";
    capture.strategy = dice.text();
    capture.groups = dice.texts();
    capture.counters = dice.texts();
    capture.filters = dice.texts();
    capture.passes = dice.u32();
    capture.perKernel = dice.maybe<std::uint32_t>([&] { return dice.u32(); });
    capture.timingRuns = dice.u32();
    capture.command = dice.texts();
    capture.toolCommand = dice.texts();
    capture.exitCode = dice.maybe<int>([&] { return static_cast<int>(dice.upTo(255)) - 128; });
    capture.termSignal = dice.maybe<int>([&] { return dice.upTo(31); });
    capture.snap = dice.maybe<Snap>([&] {
        return Snap{.steps = dice.maybe<std::uint32_t>([&] { return dice.upTo(99); }),
                    .recorded = Seconds{0.25},
                    .age = Seconds{1024},
                    .endedEarly = dice.text()};
    });
    return capture;
}

/// A process without the parts of the timeline that it recorded.
Process randomProcess(Dice& dice) {
    const auto count = [&] { return dice.upTo(1ULL << 53); };
    return {.pid = static_cast<std::int64_t>(dice.upTo(1ULL << 22)) - 10,
            .host = dice.text(),
            .rank = dice.maybe<std::uint32_t>([&] { return dice.upTo(9); }),
            .localRank = dice.maybe<std::uint32_t>([&] { return dice.u32(); }),
            .worldSize = dice.maybe<std::uint32_t>([&] { return 10 + dice.upTo(9); }),
            .cuptiPath = dice.text(),
            .cuptiVersion = dice.u32(),
            .driverVersion = dice.u32(),
            .launchesSeen = count(),
            .autotuningLaunches = dice.maybe<std::uint64_t>(count),
            .unchosenLaunches = dice.maybe<std::uint64_t>(count),
            .endedCleanly = dice.coin(),
            .tracedLaunch = dice.maybe<Seconds>([&] { return dice.seconds(); }),
            .pinnedBytes = dice.maybe<std::uint64_t>(count)};
}

ProcessRun randomRun(Dice& dice) {
    const auto upTo = [&](std::uint64_t most) { return static_cast<Nanoseconds>(dice.upTo(most)); };
    constexpr std::uint64_t kMost = 1ULL << 40;
    ProcessRun run;
    run.time.start = upTo(kMost) - (Nanoseconds{1} << 39);
    run.setup.start = run.time.start + upTo(kMost);
    run.setup.end = run.setup.start + upTo(kMost);
    run.time.end = run.setup.end + upTo(kMost);
    for (auto* moment : {&run.firstContext, &run.firstLaunch, &run.countedUntil})
        *moment = dice.maybe<Nanoseconds>([&] {
            return run.setup.end + upTo(1 + static_cast<std::uint64_t>(run.time.end) -
                                        static_cast<std::uint64_t>(run.setup.end));
        });
    return run;
}

/// Samples of the threads of a process; none if it has no thread.
void addCpuSamples(Dice& dice, Profile& profile, std::uint32_t process) {
    std::vector<std::uint32_t> threads;
    for (std::uint32_t t = 0; t < profile.timeline.threads.size(); ++t)
        if (profile.timeline.threads[t].process == process) threads.push_back(t);
    if (threads.empty() || dice.coin()) return;
    CpuSamples samples{.period = static_cast<Nanoseconds>(dice.upTo(1ULL << 30)),
                       .cpus = dice.maybe<std::uint32_t>([&] { return dice.below(1000) + 1; })};
    for (std::uint64_t n = 1 + dice.upTo(4); n > 0; --n)
        samples.frames.push_back({.module = dice.text(),
                                  .offset = dice.upTo(1ULL << 53),
                                  .function = dice.text(),
                                  .file = dice.text(),
                                  .line = dice.u32()});
    for (std::uint64_t n = 1 + dice.upTo(3); n > 0; --n) {
        auto& stack = samples.stacks.emplace_back();
        for (std::uint64_t depth = dice.upTo(5); depth > 0; --depth)
            stack.push_back(dice.below(samples.frames.size()));
    }
    for (std::uint64_t n = dice.upTo(9); n > 0; --n)
        samples.samples.push_back(
            {.time = static_cast<Nanoseconds>(dice.upTo(1ULL << 41)) - (Nanoseconds{1} << 40),
             .thread = threads[dice.below(threads.size())],
             .stack = dice.below(samples.stacks.size()),
             .wait = kCpuWaits.at(dice.below(kCpuWaits.size())).second});
    profile.processes[process].cpuSamples = std::move(samples);
    profile.processes[process].pace =
        LaunchPace{.traced = {{2, -7}, {5, 90}}, .alone = {{1, 0}}, .after = {{7, 0}, {9, 4}}};
}

void addTimelineParts(Dice& dice, Process& process) {
    process.run = dice.maybe<ProcessRun>([&] { return randomRun(dice); });
    process.clockZero = dice.maybe<std::uint64_t>([&] { return dice.upTo(~0ULL); });
    if (dice.coin()) return;
    process.timeline.emplace();
    for (const auto& [name, part] : kTimelineParts) (*process.timeline).*part = dice.coin();
}

Kernel randomKernel(Dice& dice) {
    const auto u32 = [&] { return dice.u32(); };
    return {.name = dice.text(),
            .symbol = dice.text(),
            .registersPerThread = dice.maybe<std::uint32_t>(u32),
            .staticSharedBytes = dice.maybe<std::uint32_t>(u32),
            .localBytesPerThread = dice.maybe<std::uint32_t>(u32),
            .maxThreadsPerBlock = dice.maybe<std::uint32_t>(u32),
            .ptxVersion = dice.maybe<std::uint32_t>(u32),
            .binaryVersion = dice.maybe<std::uint32_t>(u32)};
}

void addArguments(Dice& dice, Profile& profile) {
    for (std::uint64_t n = dice.upTo(4); n > 0; --n)
        profile.buffers.push_back({.allocation = dice.u32(),
                                   .offsetBytes = dice.coin() ? 0 : dice.upTo(1ULL << 53),
                                   .bytes = 1 + dice.upTo(1ULL << 40)});
    for (std::uint64_t n = dice.upTo(4); n > 0; --n) {
        std::vector<BufferArgument> list(profile.buffers.empty() ? 0 : dice.upTo(3));
        for (auto& argument : list)
            argument = {.buffer = dice.below(profile.buffers.size()), .parameter = dice.u32()};
        profile.argumentLists.add(list);
    }
}

/// Grid and block are `shape`, if that is given.
Launch randomLaunch(Dice& dice, const Profile& profile, const std::optional<Dim3>& shape) {
    Launch launch;
    launch.kernel = dice.below(profile.kernels.size());
    launch.device = dice.below(profile.devices.size());
    launch.process = dice.below(profile.processes.size());
    launch.stream = dice.u32();
    launch.grid = shape ? *shape : randomDim(dice);
    launch.block = shape ? *shape : randomDim(dice);
    launch.cluster = dice.maybe<Dim3>([&] { return randomDim(dice); });
    launch.dynamicSharedBytes = shape ? 0 : dice.upTo(1ULL << 53);
    launch.residentBlocksPerSm = dice.maybe<std::uint32_t>([&] { return dice.u32(); });
    if (!profile.ranges.empty() && dice.coin()) launch.range = dice.below(profile.ranges.size());
    if (dice.coin()) launch.duration = dice.seconds();
    if (dice.coin()) launch.start = dice.seconds();
    launch.fromGraph = dice.coin();
    launch.afterSync = dice.coin();
    if (!profile.argumentLists.empty() && dice.coin())
        launch.arguments = dice.below(profile.argumentLists.size());
    launch.declaredBytes =
        dice.maybe<std::uint64_t>([&] { return 1 + dice.upTo((1ULL << 53) - 1); });
    return launch;
}

void addLaunches(Dice& dice, Profile& profile) {
    const bool constantShape = dice.coin();
    const Dim3 shape = randomDim(dice);
    for (std::uint64_t n = dice.upTo(30); n > 0; --n)
        profile.launches.push_back(
            randomLaunch(dice, profile, constantShape ? std::optional(shape) : std::nullopt));
    for (std::uint64_t n = profile.launches.empty() ? 0 : dice.upTo(2); n > 0; --n)
        profile.capture.further.push_back({.groups = dice.texts(),
                                           .launches = {dice.below(profile.launches.size())},
                                           .passes = dice.u32()});
}

/// Columns that are constant, missing, missing in places, or complete.
void addCounters(Dice& dice, Profile& profile) {
    profile.counters.resize(profile.launches.size());
    for (std::uint64_t n = dice.upTo(6); n > 0; --n) {
        std::vector<double> values(profile.launches.size());
        const double constant = dice.number();
        const auto kind = dice.upTo(3);
        for (double& value : values) {
            value = kind == 0 ? constant : dice.number();
            const bool missing = kind == 1 || (kind == 2 && dice.coin());
            if (missing) value = std::numeric_limits<double>::quiet_NaN();
        }
        profile.counters.addColumn(dice.text() + std::to_string(n) + ".sum", std::move(values));
    }
}

void addRangeMeasurements(Dice& dice, Profile& profile) {
    for (std::uint64_t n = profile.ranges.empty() ? 0 : dice.upTo(4); n > 0; --n) {
        RangeMeasurement m{.range = dice.below(profile.ranges.size()),
                           .process = dice.below(profile.processes.size()),
                           .device = dice.below(profile.devices.size()),
                           .ordinal = dice.u32(),
                           .depth = dice.u32()};
        m.launches = dice.maybe<std::uint64_t>([&] { return dice.upTo(1ULL << 53); });
        m.work = dice.maybe<std::uint64_t>([&] { return dice.upTo((1ULL << 53) - 1); });
        if (dice.coin()) m.duration = dice.seconds();
        profile.rangeMeasurements.push_back(m);
    }
    const std::size_t rows = profile.rangeMeasurements.size();
    profile.rangeCounters.resize(rows);
    if (rows > 0) profile.rangeCounters.addColumn("gpu__time_duration.sum", dice.column(rows));
}

SourcePass randomSource(Dice& dice, const Profile& profile) {
    SourcePass source{.kernel = dice.below(profile.kernels.size()), .files = dice.texts()};
    source.files.push_back(dice.text());
    std::uint32_t offset = 0;
    for (std::uint64_t i = dice.upTo(5); i > 0; --i) {
        offset += 1 + static_cast<std::uint32_t>(dice.upTo(1000));
        source.instructions.push_back({.offset = offset, .sass = dice.text()});
        if (dice.coin()) {
            source.instructions.back().file = 0;
            source.instructions.back().line = dice.u32();
        }
    }
    source.counters.resize(source.instructions.size());
    source.counters.addColumn("smsp__sass_inst_executed", dice.column(source.instructions.size()));
    source.texts.push_back({.file = 0, .firstLine = dice.u32(), .lines = dice.texts()});
    return source;
}

OverTime randomOverTime(Dice& dice, const Profile& profile) {
    OverTime trace{.kernel = dice.below(profile.kernels.size())};
    double end = 0;
    for (std::uint64_t i = dice.upTo(5); i > 0; --i)
        trace.ends.push_back({(end += 1 + static_cast<double>(dice.upTo(5000))) / 1e9});
    trace.counters.resize(trace.ends.size());
    trace.counters.addColumn("dram__bytes_read.sum", dice.column(trace.ends.size()));
    return trace;
}

CallSite randomCallSite(Dice& dice, const Profile& profile) {
    CallSite site{.file = dice.text(),
                  .line = dice.u32(),
                  .function = dice.text(),
                  .indirect = dice.coin(),
                  .count = 1 + dice.upTo(1ULL << 40)};
    if (dice.coin()) {
        site.kernel = dice.below(profile.kernels.size());
        if (dice.coin())
            site.shape =
                LaunchShape{.grid = {.x = 1 + dice.u32() / 2}, .block = {.y = 1 + dice.u32() / 2}};
        return site;
    }
    site.call = "cuMemcpyHtoDAsync" + dice.text();
    for (std::uint64_t sizes = dice.upTo(3); sizes > 0; --sizes) {
        HostCopies copies{.bytes = 1 + dice.upTo(1ULL << 40), .copies = 1 + dice.upTo(1ULL << 40)};
        copies.read = dice.upTo(copies.copies);
        copies.repeated = dice.upTo(copies.read);
        copies.distinct = copies.read > 0 ? 1 + dice.upTo(copies.read - 1) : 0;
        copies.inTurn = dice.upTo(copies.repeated);
        site.hostCopies.push_back(copies);
    }
    return site;
}

Issue randomIssue(Dice& dice) {
    return {.severity = static_cast<Severity>(dice.upTo(2)),
            .source = dice.text(),
            .code = dice.text(),
            .message = dice.text(),
            .advice = dice.text()};
}

}  // namespace

Profile randomProfile(std::uint64_t seed) {
    Dice dice(seed);
    Profile profile;
    profile.capture = randomCapture(dice);
    for (std::uint64_t n = 1 + dice.upTo(2); n > 0; --n)
        profile.processes.push_back(randomProcess(dice));
    for (std::uint64_t n = 1 + dice.upTo(2); n > 0; --n)
        profile.devices.push_back(randomDevice(dice));
    for (std::uint64_t n = 1 + dice.upTo(4); n > 0; --n)
        profile.kernels.push_back(randomKernel(dice));
    profile.ranges = dice.texts();
    addArguments(dice, profile);
    addLaunches(dice, profile);
    addCounters(dice, profile);
    addRangeMeasurements(dice, profile);
    for (std::uint64_t n = dice.upTo(2); n > 0; --n)
        profile.sources.push_back(randomSource(dice, profile));
    for (std::uint64_t n = dice.upTo(2); n > 0; --n)
        profile.overTime.push_back(randomOverTime(dice, profile));
    if (dice.coin()) profile.timeline = randomTimeline(dice, profile);
    for (std::uint64_t n = dice.upTo(3); n > 0; --n)
        profile.callSites.push_back(randomCallSite(dice, profile));
    for (Process& process : profile.processes) addTimelineParts(dice, process);
    for (std::uint32_t p = 0; p < profile.processes.size(); ++p) addCpuSamples(dice, profile, p);
    for (std::uint64_t n = dice.upTo(3); n > 0; --n) profile.issues.push_back(randomIssue(dice));
    return profile;
}

bool sameProfile(const Profile& a, const Profile& b) {
    const auto tieCapture = [](const Capture& c) {
        return std::tie(c.tool, c.toolVersion, c.createdUtc, c.origin, c.strategy, c.groups,
                        c.counters, c.filters, c.perKernel, c.passes, c.timingRuns, c.further,
                        c.cacheControl, c.clockControl, c.command, c.toolCommand, c.exitCode,
                        c.termSignal, c.snap);
    };
    const auto tieProcess = [](const Process& p) {
        return std::tie(p.pid, p.host, p.rank, p.localRank, p.worldSize, p.cuptiPath,
                        p.cuptiVersion, p.driverVersion, p.launchesSeen, p.autotuningLaunches,
                        p.unchosenLaunches, p.endedCleanly, p.tracedLaunch, p.pinnedBytes,
                        p.clockZero, p.run, p.cpuSamples, p.pace);
    };
    const auto tieDevice = [](const Device& d) {
        return std::tie(d.name, d.chip, d.computeMajor, d.computeMinor, d.smCount, d.warpSize,
                        d.maxThreadsPerSm, d.maxThreadsPerBlock, d.maxBlocksPerSm, d.registersPerSm,
                        d.sharedPerSmBytes, d.sharedPerBlockOptinBytes,
                        d.sharedReservedPerBlockBytes, d.l2Bytes, d.memoryBytes, d.smClockMax,
                        d.memoryClockMax, d.peaks);
    };
    const auto tieKernel = [](const Kernel& k) {
        return std::tie(k.name, k.symbol, k.registersPerThread, k.staticSharedBytes,
                        k.localBytesPerThread, k.maxThreadsPerBlock, k.ptxVersion, k.binaryVersion);
    };
    const auto tieLaunch = [](const Launch& l) {
        return std::tie(l.kernel, l.device, l.process, l.stream, l.grid, l.block, l.cluster,
                        l.dynamicSharedBytes, l.residentBlocksPerSm, l.range, l.duration, l.start,
                        l.fromGraph, l.afterSync, l.arguments, l.declaredBytes);
    };
    const auto sameObserved = [](const Device& x, const Device& y) {
        const auto tie = [](const ObservedClocks& o) {
            return std::tie(o.samples, o.smLowest, o.smHighest, o.memoryLowest, o.memoryHighest,
                            o.throttledSamples, o.throttledBy, o.temperatureHighestC,
                            o.powerHighestW);
        };
        return x.observed.has_value() == y.observed.has_value() &&
               (!x.observed || tie(*x.observed) == tie(*y.observed));
    };
    const auto tieIssue = [](const Issue& i) {
        return std::tie(i.severity, i.source, i.code, i.message, i.advice);
    };
    const auto same = [](const auto& x, const auto& y, const auto& tie) {
        return std::ranges::equal(x, y,
                                  [&](const auto& i, const auto& j) { return tie(i) == tie(j); });
    };
    if (tieCapture(a.capture) != tieCapture(b.capture) ||
        !same(a.processes, b.processes, tieProcess) || a.timeline != b.timeline ||
        a.callSites != b.callSites ||
        !std::ranges::equal(a.processes, b.processes, {}, &Process::timeline, &Process::timeline) ||
        !same(a.devices, b.devices, tieDevice) ||
        !std::ranges::equal(a.devices, b.devices, sameObserved) ||
        !same(a.kernels, b.kernels, tieKernel) || !same(a.launches, b.launches, tieLaunch) ||
        !same(a.issues, b.issues, tieIssue) || a.ranges != b.ranges || a.buffers != b.buffers ||
        a.argumentLists != b.argumentLists || a.counters.names() != b.counters.names() ||
        a.counters.rows() != b.counters.rows()) {
        return false;
    }
    const auto sameCounters = [](const CounterTable& x, const CounterTable& y) {
        return x.names() == y.names() && x.rows() == y.rows() &&
               std::ranges::all_of(x.names(), [&](const auto& name) {
                   return std::ranges::equal(x.column(name).all(), y.column(name).all(),
                                             [](double v, double w) {
                                                 return v == w || (std::isnan(v) && std::isnan(w));
                                             });
               });
    };
    if (!std::ranges::equal(a.sources, b.sources, [&](const SourcePass& x, const SourcePass& y) {
            return x.kernel == y.kernel && x.launch == y.launch && x.files == y.files &&
                   x.instructions == y.instructions && x.texts == y.texts &&
                   sameCounters(x.counters, y.counters);
        }))
        return false;
    if (!std::ranges::equal(a.overTime, b.overTime, [&](const OverTime& x, const OverTime& y) {
            return x.kernel == y.kernel && x.launch == y.launch &&
                   std::ranges::equal(x.ends, y.ends, {}, &Seconds::value, &Seconds::value) &&
                   sameCounters(x.counters, y.counters);
        }))
        return false;
    const auto tieRange = [](const RangeMeasurement& m) {
        return std::tie(m.range, m.process, m.device, m.ordinal, m.depth, m.launches, m.work,
                        m.duration);
    };
    if (!same(a.rangeMeasurements, b.rangeMeasurements, tieRange) ||
        !sameCounters(a.rangeCounters, b.rangeCounters))
        return false;
    return std::ranges::all_of(a.counters.names(), [&](const auto& name) {
        return std::ranges::equal(
            a.counters.column(name).all(), b.counters.column(name).all(), [](double x, double y) {
                if (std::isnan(x) || std::isnan(y)) {
                    return std::isnan(x) && std::isnan(y);
                }
                return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
            });
    });
}

}  // namespace roofscope::test
