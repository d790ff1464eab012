// SPDX-License-Identifier: Apache-2.0
#include "tests/support/synthetic_profile.h"

#include <algorithm>

namespace roofscope::test {

Device SyntheticProfile::h200() {
    Device device;
    device.name = "NVIDIA H200";
    device.chip = "GH100";
    device.computeMajor = 9;
    device.computeMinor = 0;
    device.smCount = 132;
    device.maxThreadsPerSm = 2048;
    device.maxThreadsPerBlock = 1024;
    device.maxBlocksPerSm = 32;
    device.registersPerSm = 65536;
    device.sharedPerSmBytes = 233472;
    device.sharedPerBlockOptinBytes = 232448;
    device.sharedReservedPerBlockBytes = 1024;
    device.l2Bytes = 62914560;
    device.memoryBytes = 150323855360;
    device.smClockMax = Hertz{1.98e9};
    device.memoryClockMax = Hertz{3.201e9};
    // Per cycle of the unit's clock, as reported by an H200: DRAM 1504 B; the L2 returns 188
    // sectors of 32 B; an SM's L1 writes back, and its shared pipe moves, one 128 B wavefront; per
    // SM 128 FP32, 64 FP64 and 128 packed FP16 fused multiply-adds.
    device.peaks = {
        {"dram__bytes.sum.peak_sustained", 1504.0},
        {"lts__lts2xbar_cycles_active.sum.peak_sustained", 188.0},
        {"l1tex__lsu_writeback_active_mem_lgds.sum.peak_sustained", 132.0},
        {"l1tex__data_pipe_lsu_wavefronts.sum.peak_sustained", 132.0},
        {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 132.0 * 128},
        {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained", 132.0 * 64},
        {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", 132.0 * 128},
    };
    return device;
}

SyntheticProfile::SyntheticProfile() : SyntheticProfile(h200()) {}

SyntheticProfile::SyntheticProfile(Device device) {
    m_profile.capture.origin = "synthetic";
    m_profile.capture.toolVersion = "0.1.0";
    m_profile.capture.createdUtc = "2026-11-21T09:30:00Z";
    m_profile.capture.strategy = "kernel";
    m_profile.capture.groups = {"default"};
    m_profile.capture.passes = 2;
    m_profile.capture.command = {"./app"};
    m_profile.capture.exitCode = 0;
    m_profile.processes.push_back({.pid = 4711,
                                   .cuptiPath = "libcupti.so.13",
                                   .cuptiVersion = 130001,
                                   .driverVersion = 13000,
                                   .launchesSeen = 0,
                                   .endedCleanly = true});
    m_profile.devices.push_back(std::move(device));
}

std::uint32_t SyntheticProfile::kernel(std::string_view name, std::uint32_t registers,
                                       std::uint32_t staticSharedBytes) {
    Kernel kernel;
    kernel.name = name;
    kernel.symbol = name;
    kernel.registersPerThread = registers;
    kernel.staticSharedBytes = staticSharedBytes;
    kernel.localBytesPerThread = 0;
    kernel.maxThreadsPerBlock = 1024;
    m_profile.kernels.push_back(std::move(kernel));
    return static_cast<std::uint32_t>(m_profile.kernels.size() - 1);
}

SyntheticProfile::LaunchRef SyntheticProfile::launch(std::uint32_t kernel, Dim3 grid, Dim3 block) {
    Launch launch;
    launch.kernel = kernel;
    launch.grid = grid;
    launch.block = block;
    m_profile.launches.push_back(std::move(launch));
    m_profile.counters.resize(m_profile.launches.size());
    ++m_profile.processes.front().launchesSeen;
    return {*this, m_profile.launches.size() - 1};
}

std::uint32_t SyntheticProfile::addDevice(Device device) {
    m_profile.devices.push_back(std::move(device));
    return static_cast<std::uint32_t>(m_profile.devices.size() - 1);
}

SyntheticProfile& SyntheticProfile::issue(Severity severity, std::string_view code,
                                          std::string_view message, std::string_view advice) {
    m_profile.issues.push_back({.severity = severity,
                                .source = "record",
                                .code = std::string(code),
                                .message = std::string(message),
                                .advice = std::string(advice)});
    return *this;
}

using LaunchRef = SyntheticProfile::LaunchRef;

Launch& LaunchRef::launch() { return m_owner->m_profile.launches[m_row]; }

LaunchRef& LaunchRef::set(std::string_view counter, double value) {
    m_owner->m_profile.counters.set(counter, m_row, value);
    return *this;
}

LaunchRef& LaunchRef::setAll(const std::vector<std::string>& counters, double value) {
    for (const auto& counter : counters) set(counter, value);
    return *this;
}

LaunchRef& LaunchRef::counterDurationUs(double microseconds) {
    set("gpu__time_duration.sum", microseconds * 1e3);  // CUPTI reports nanoseconds
    set("sm__cycles_elapsed.avg.per_second", kSmClockHz);
    set("l1tex__cycles_elapsed.avg.per_second", kSmClockHz);
    set("lts__cycles_elapsed.avg.per_second", kL2ClockHz);
    set("dram__cycles_elapsed.avg.per_second", kDramClockHz);
    return set("sm__cycles_elapsed.avg", microseconds * 1e-6 * kSmClockHz);
}

LaunchRef& LaunchRef::durationUs(double microseconds) {
    launch().duration = Seconds{microseconds * 1e3 / 1e9};  // whole nanoseconds stay exact
    return *this;
}

LaunchRef& LaunchRef::dynamicSharedBytes(std::uint64_t bytes) {
    launch().dynamicSharedBytes = bytes;
    return *this;
}

LaunchRef& LaunchRef::residentBlocksPerSm(std::uint32_t blocks) {
    launch().residentBlocksPerSm = blocks;
    return *this;
}

LaunchRef& LaunchRef::cluster(Dim3 extents) {
    launch().cluster = extents;
    return *this;
}

LaunchRef& LaunchRef::stream(std::uint32_t stream) {
    launch().stream = stream;
    return *this;
}

LaunchRef& LaunchRef::device(std::uint32_t device) {
    launch().device = device;
    return *this;
}

LaunchRef& LaunchRef::range(std::string_view name) {
    auto& ranges = m_owner->m_profile.ranges;
    const auto found = std::find(ranges.begin(), ranges.end(), name);
    launch().range = static_cast<std::uint32_t>(found - ranges.begin());
    if (found == ranges.end()) ranges.emplace_back(name);
    return *this;
}

SyntheticProfile::SourceRef SyntheticProfile::sourcePass(LaunchRef launch) {
    m_profile.sources.push_back(
        {.kernel = launch.launch().kernel, .launch = static_cast<std::uint32_t>(launch.row())});
    return {*this, m_profile.sources.size() - 1};
}

SyntheticProfile::OverTimeRef SyntheticProfile::overTime(LaunchRef launch, double microseconds) {
    m_profile.overTime.push_back(
        {.kernel = launch.launch().kernel, .launch = static_cast<std::uint32_t>(launch.row())});
    return {*this, m_profile.overTime.size() - 1, microseconds};
}

OverTime& SyntheticProfile::OverTimeRef::trace() { return m_owner->m_profile.overTime[m_index]; }

SyntheticProfile::OverTimeRef& SyntheticProfile::OverTimeRef::intervals(std::size_t count,
                                                                        const Activity& activity) {
    const Profile& profile = m_owner->m_profile;
    const Device& device = profile.devices[profile.launches[trace().launch.value()].device];
    const double seconds = m_microseconds * 1e-6, cycles = seconds * kSmClockHz;
    const double bytes =
        activity.dram * device.peaks.at("dram__bytes.sum.peak_sustained") * kDramClockHz * seconds;
    for (std::size_t i = 0; i < count; ++i) {
        OverTime& to = trace();
        const std::size_t row = to.ends.size();
        to.ends.push_back({static_cast<double>(row + 1) * seconds});
        to.counters.resize(row + 1);
        to.counters.set("dram__bytes_read.sum", row, bytes / 2);
        to.counters.set("dram__bytes_write.sum", row, bytes / 2);
        to.counters.set("lts__t_sectors.sum", row, activity.l2 * seconds / 32);
        to.counters.set("sm__cycles_active.avg", row, activity.sms * cycles);
        to.counters.set("sm__cycles_elapsed.max", row, cycles);
        to.counters.set("sm__inst_executed.sum", row, activity.issue * 4 * device.smCount * cycles);
        to.counters.set("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", row,
                        100 * activity.tensor);
    }
    return *this;
}

SourcePass& SyntheticProfile::SourceRef::pass() { return m_owner->m_profile.sources[m_index]; }

std::uint32_t SyntheticProfile::SourceRef::file(std::string_view path) {
    std::vector<std::string>& files = pass().files;
    const auto known = std::find(files.begin(), files.end(), path);
    const auto index = static_cast<std::uint32_t>(known - files.begin());
    if (known == files.end()) files.emplace_back(path);
    return index;
}

SyntheticProfile::SourceRef& SyntheticProfile::SourceRef::instruction(std::string_view sass,
                                                                      std::string_view path,
                                                                      std::uint32_t line) {
    Instruction instruction{.offset = static_cast<std::uint32_t>(16 * pass().instructions.size()),
                            .sass = std::string(sass),
                            .file = std::nullopt,
                            .line = line};
    if (!path.empty()) instruction.file = file(path);
    pass().instructions.push_back(std::move(instruction));
    pass().counters.resize(pass().instructions.size());
    return *this;
}

SyntheticProfile::SourceRef& SyntheticProfile::SourceRef::set(std::string_view counter,
                                                              double value) {
    pass().counters.set(counter, pass().instructions.size() - 1, value);
    return *this;
}

SyntheticProfile::SourceRef& SyntheticProfile::SourceRef::executed(double warps) {
    set("smsp__sass_inst_executed", warps);
    return set("smsp__sass_thread_inst_executed_pred_on", 32 * warps);
}

SyntheticProfile::SourceRef& SyntheticProfile::SourceRef::sectors(double count, double ideal) {
    set("smsp__sass_sectors_mem_global", count);
    return set("smsp__sass_sectors_mem_global_ideal", ideal);
}

SyntheticProfile::SourceRef& SyntheticProfile::SourceRef::wavefronts(double count, double ideal) {
    set("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", count);
    return set("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", ideal);
}

SyntheticProfile::SourceRef& SyntheticProfile::SourceRef::text(std::string_view path,
                                                               std::uint32_t firstLine,
                                                               std::vector<std::string> lines) {
    const std::uint32_t index = file(path);
    pass().texts.push_back({.file = index, .firstLine = firstLine, .lines = std::move(lines)});
    return *this;
}

}  // namespace roofscope::test
