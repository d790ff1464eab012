// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "kernels/app/commands.h"
#include "kernels/ceilings/measure_ceiling.h"
#include "profile/codec/codec.h"

namespace roofscope::kernels::app {
namespace {

struct CeilingsOptions {
    std::vector<std::string> only;
    double seconds = 1.0;
    bool json = false, list = false;
};

const char* kindName(Ceiling::Kind kind) {
    return kind == Ceiling::Kind::Bandwidth ? "bandwidth" : "compute";
}

Result<std::vector<const Probe*>> selectProbes(const std::vector<std::string>& patterns) {
    std::vector<const Probe*> chosen;
    for (const Probe* probe : allProbes())
        if (patterns.empty() ||
            std::any_of(patterns.begin(), patterns.end(), [probe](const std::string& pattern) {
                return fnmatch(pattern.c_str(), std::string(probe->name).c_str(), 0) == 0;
            }))
            chosen.push_back(probe);
    for (const std::string& pattern : patterns)
        if (std::none_of(chosen.begin(), chosen.end(), [&](const Probe* probe) {
                return fnmatch(pattern.c_str(), std::string(probe->name).c_str(), 0) == 0;
            })) {
            std::string known;
            for (const Probe* probe : allProbes())
                known += (known.empty() ? "" : ", ") + std::string(probe->name);
            return Error{.code = ErrorCode::Usage,
                         .what = "there is no roof '" + pattern + "'",
                         .where = "--only",
                         .advice = "known: " + known};
        }
    return chosen;
}

void printList(const std::vector<const Probe*>& probes, bool json) {
    if (!json) {
        for (const Probe* probe : probes)
            fmt::print("{:<14} {:<10} {}\n", probe->name, kindName(probe->kind), probe->summary);
        return;
    }
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Probe* probe : probes)
        list.push_back(
            {{"name", probe->name}, {"kind", kindName(probe->kind)}, {"summary", probe->summary}});
    fmt::print("{}\n", list.dump(2));
}

/// A profile without launches: only the GPU and its measured roofs.
Profile profileOf(const ProbeGpu& gpu) {
    Profile profile;
    profile.capture.tool = "roofscope-kernels";
    profile.capture.toolVersion = ROOFSCOPE_VERSION;
    profile.capture.createdUtc = fmt::format(
        "{:%Y-%m-%dT%H:%M:%SZ}",
        fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
    profile.capture.strategy = "ceilings";
    Device device;
    device.name = gpu.name;
    device.uuid = gpu.uuid;
    device.computeMajor = gpu.computeCapability / 10;
    device.computeMinor = gpu.computeCapability % 10;
    device.smCount = static_cast<std::uint32_t>(gpu.smCount);
    if (gpu.l2Bytes > 0) device.l2Bytes = gpu.l2Bytes;
    device.memoryBytes = gpu.memoryBytes;
    device.smClockMax = gpu.smClockMax;
    device.memoryClockMax = gpu.memoryClockMax;
    profile.devices.push_back(std::move(device));
    return profile;
}

std::string prefixed(double rate, Ceiling::Kind kind) {
    const bool bandwidth = kind == Ceiling::Kind::Bandwidth;
    return fmt::format("{:.3f} {}", rate * 1e-12, bandwidth ? "TB/s" : "TOP/s");
}

void printLine(const Ceiling& c) {
    const std::string sustained = c.sustained ? prefixed(*c.sustained, c.kind) : "-";
    const std::string spread = c.spread ? fmt::format("{:.2f} %", c.spread->value * 100) : "-";
    const std::string share =
        c.theoretical ? fmt::format("{:.1f} %", c.burst / *c.theoretical * 100) : "-";
    fmt::print("{:<14} {:>16} {:>16} {:>8} {:>9}  {}{}\n", c.name, prefixed(c.burst, c.kind),
               sustained, spread, share, c.method,
               c.throttleReasons.empty() ? "" : "; throttled in " + c.throttleReasons);
    std::fflush(stdout);
}

void addNote(Profile& profile, const char* code, std::string message) {
    profile.issues.push_back({.severity = Severity::Info,
                              .source = "ceilings",
                              .code = code,
                              .message = std::move(message)});
}

Result<int> launchProbes(const std::vector<const Probe*>& probes, const ProbeGpu& gpu) {
    for (const Probe* probe : probes)
        if (probe->refusal(gpu).empty())
            if (auto launched = launchOnce(*probe, gpu); !launched) return launched.error();
    return 0;
}

Result<int> measureAll(const CeilingsOptions& options) {
    auto probes = selectProbes(options.only);
    if (!probes) return probes.error();
    if (options.list) {
        printList(*probes, options.json);
        return 0;
    }
    Result<ProbeGpu> gpu = probeGpu();
    if (!gpu) return gpu.error();
    if (beingProfiled()) return launchProbes(*probes, *gpu);

    ClockWatch clocks(gpu->uuid);
    Profile profile = profileOf(*gpu);
    if (!clocks.whyNot().empty())
        addNote(profile, "clocks-not-watched",
                clocks.whyNot() + ": it is unknown whether clocks were throttled");
    if (!options.json)
        fmt::print("{}\n{:<14} {:>16} {:>16} {:>8} {:>9}  {}\n", gpu->name, "roof", "burst",
                   "sustained", "spread", "of chip", "method");
    Progress progress(probes->size());
    for (const Probe* probe : *probes) {
        progress.next(std::string(probe->name));
        if (const std::string why = probe->refusal(*gpu); !why.empty()) {
            addNote(profile, "ceiling-skipped", std::string(probe->name) + ": " + why);
            continue;
        }
        auto ceiling =
            measureCeiling(*probe, *gpu, {.sustained = Seconds{options.seconds}}, clocks);
        if (!ceiling) return ceiling.error();
        if (!options.json) printLine(*ceiling);
        profile.devices.front().ceilings.push_back(std::move(*ceiling));
    }
    if (options.json)
        fmt::print("{}", formatProfile(profile));
    else
        for (const Issue& issue : profile.issues) fmt::print("{}\n", issue.message);
    return 0;
}

}  // namespace

void addCeilingsCommand(CLI::App& app, Action& run) {
    CLI::App* const command =
        app.add_subcommand("ceilings", "measures the GPU's roofs: bandwidths and arithmetic rates");
    auto options = std::make_shared<CeilingsOptions>();
    command->add_option("--only", options->only, "names or patterns: dram_read, 'tensor_*'")
        ->allow_extra_args(false);
    command->add_option("--seconds", options->seconds, "length of the sustained run (1)")
        ->check(CLI::Range(0.01, 600.0));
    command->add_flag("--json", options->json, "as JSON: a profile without launches");
    command->add_flag("--list", options->list,
                      "lists the roofs that can be measured; needs no GPU");
    command->callback([=, &run] { run = [=] { return measureAll(*options); }; });
}

}  // namespace roofscope::kernels::app
