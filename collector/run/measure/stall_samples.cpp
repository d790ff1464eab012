// SPDX-License-Identifier: Apache-2.0
#include "collector/run/measure/stall_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace roofscope {
namespace {

/// CUPTI takes one sample per SM and period. On an H200 with a period of 256 cycles, that is
/// 500,000 in 0.5 ms.
constexpr double kWantedSamples = 50'000;
/// The GPU's buffer of 256 MiB takes 64 bytes per sample.
constexpr double kMostSamples = 4'000'000;
/// Periods as powers of two, in cycles. A shorter period gains nothing for kernels that take long
/// enough to matter, and may overflow the buffer.
constexpr double kShortestPeriod = 7, kLongestPeriod = 31;
/// Assumed for an unknown GPU or launch (Hz, SMs, seconds).
constexpr double kUnknownClock = 1.5e9, kUnknownSms = 100, kUnknownDuration = 1e-3;

/// How many samples a period of one cycle would give.
double samplesOf(const Profile& timing, const SourceTarget& target) {
    const Launch& launch = timing.launches[target.launch];
    const Device* device =
        launch.device < timing.devices.size() ? &timing.devices[launch.device] : nullptr;
    const double clock = device && device->smClockMax ? device->smClockMax->value : kUnknownClock;
    const double sms = device && device->smCount > 0 ? device->smCount : kUnknownSms;
    return sms * clock * (launch.duration ? launch.duration->value : kUnknownDuration);
}

/// Whether a column is that of a stall state. The twins "…_not_issued"
/// count the same samples again.
bool isState(const std::string& name) { return !name.ends_with("_not_issued"); }

constexpr const char* kSampleCount = "smsp__pcsamp_sample_count";

/// A warp is sampled at the instruction after the one that it issued last. So there are samples
/// after a jump until it is resolved, and after an EXIT until its stores are done ("drain"). This
/// moves samples of instructions that are never executed to the instruction before them, and drain
/// samples to their EXIT.
void moveSamplesToExecuted(SourcePass& pass) {
    constexpr std::string_view kSamples = "smsp__pcsamp_";
    const auto executed = pass.counters.column("smsp__sass_inst_executed");
    for (const std::string& name : pass.counters.names()) {
        if (!name.starts_with(kSamples) || name == kSampleCount) continue;
        const bool drain = name.find("_stalled_drain") != name.npos;
        for (std::size_t row = 1; row < pass.instructions.size(); ++row) {
            const bool left = pass.instructions[row - 1].sass.find("EXIT") != std::string::npos;
            // The instruction without a count is the jump to itself at the end of the code.
            const bool beyond =
                !executed.empty() &&
                (std::isnan(executed[row]) ? left : executed[row] == 0 && executed[row - 1] > 0);
            const double seen = pass.counters.column(name)[row];
            if ((!(left && drain) && !beyond) || !(seen > 0)) continue;
            const auto move = [&](const std::string& column) {
                const auto values = pass.counters.column(column);
                const double before = values[row - 1], here = values[row];
                pass.counters.set(column, row - 1, before + seen);
                pass.counters.set(column, row, here - seen);
            };
            move(name);
            if (isState(name)) move(kSampleCount);
        }
    }
}

}  // namespace

std::uint32_t samplingPeriod(const Profile& timing, std::span<const SourceTarget> targets) {
    double least = 0, most = 0;
    for (const SourceTarget& target : targets) {
        const double samples = samplesOf(timing, target);
        least = least > 0 ? std::min(least, samples) : samples;
        most = std::max(most, samples);
    }
    const double enough = std::floor(std::log2(std::max(1.0, least / kWantedSamples)));
    const double fits = std::ceil(std::log2(std::max(1.0, most / kMostSamples)));
    return static_cast<std::uint32_t>(
        std::clamp(std::max(enough, fits), kShortestPeriod, kLongestPeriod));
}

Result<void> mergeSamples(SourcePass& pass, const SourcePass& samples) {
    std::map<std::uint32_t, Instruction> all;
    std::map<std::uint32_t, std::size_t> counted, sampled;
    const bool complete = std::ranges::any_of(pass.instructions,
                                              [](const Instruction& i) { return !i.sass.empty(); });
    for (std::size_t row = 0; row < pass.instructions.size(); ++row) {
        all[pass.instructions[row].offset] = pass.instructions[row];
        counted[pass.instructions[row].offset] = row;
    }
    for (std::size_t row = 0; row < samples.instructions.size(); ++row) {
        const std::uint32_t offset = samples.instructions[row].offset;
        if (complete && !counted.contains(offset))
            return Error{.code = ErrorCode::BadData,
                         .what = fmt::format("there is no instruction at +{:#x}: the program ran "
                                             "different code than in the run with counters",
                                             offset)};
        all[offset].offset = offset;
        sampled[offset] = row;
    }
    CounterTable table(all.size());
    const auto add = [&](const std::string& name, const auto& rows, std::span<const double> values,
                         double absent) {
        std::vector<double> column;
        for (const auto& [offset, instruction] : all) {
            const auto row = rows.find(offset);
            column.push_back(row == rows.end() ? absent : values[row->second]);
        }
        table.addColumn(name, std::move(column));
    };
    for (const std::string& name : pass.counters.names())
        add(name, counted, pass.counters.column(name).all(), std::nan(""));
    std::vector<double> count(samples.instructions.size());
    for (const std::string& name : samples.counters.names()) {
        const std::vector<double> values = samples.counters.column(name).all();
        add(name, sampled, values, 0);
        if (isState(name))
            for (std::size_t row = 0; row < count.size(); ++row) count[row] += values[row];
    }
    add(kSampleCount, sampled, count, 0);
    pass.instructions.clear();
    for (auto& [offset, instruction] : all) pass.instructions.push_back(std::move(instruction));
    pass.counters = std::move(table);
    moveSamplesToExecuted(pass);
    return {};
}

}  // namespace roofscope
