// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "collector/run/doctor/judge_parts.h"

namespace roofscope::doctor {
namespace {

constexpr std::size_t kMostCopiesNamed = 4;

std::vector<std::string> otherCupti(const Facts& f) {
    if (const CuptiFile* file = betterCupti(f))
        return {fmt::format("export ROOFSCOPE_CUPTI={}", file->path)};
    return {"pip install nvidia-cuda-cupti",
            "export ROOFSCOPE_CUPTI=$(python3 -c 'import nvidia, glob; "
            "print(glob.glob(nvidia.__path__[0] + \"/*/lib/libcupti.so.*\")[0])')"};
}

/// There are several copies of CUPTI: a program may load a different one than we do.
void judgeCopies(const Facts& f, Checks& checks) {
    if (f.system.cuptis.size() < 2) return;
    Check check{.id = "cupti-copies",
                .title = "Copies of CUPTI",
                .status = CheckStatus::Ok,
                .detail = fmt::format(
                    "{} found; a program that loads its own copy is profiled with that one:",
                    f.system.cuptis.size())};
    std::size_t named = 0;
    const CuptiFile* old = nullptr;
    for (const CuptiFile& file : f.system.cuptis) {
        if (named++ < kMostCopiesNamed)
            check.detail += fmt::format("{} {}{}", named == 1 ? "" : ",", file.path,
                                        file.release.empty() ? "" : " (" + file.release + ")");
        if (!old && file.origin == "LD_LIBRARY_PATH" && isTooOld(file)) old = &file;
    }
    if (named > kMostCopiesNamed) check.detail += ", …";
    if (old) {
        check.status = CheckStatus::Warning;
        check.cause = "old-cupti-first";
        check.advice = fmt::format(
            "LD_LIBRARY_PATH leads to {}, which is older than CUDA 12.8: a program that loads it "
            "cannot be profiled; choose a newer one",
            old->path);
        check.commands = {fmt::format("export ROOFSCOPE_CUPTI={}", f.gpu.cuptiPath)};
    }
    checks.push_back(std::move(check));
}

/// The libraries beside libcupti, and the list of chips that needs them.
void judgeHelpers(const Facts& f, Checks& checks) {
    const GpuProbe& probe = f.gpu;
    const std::filesystem::path folder = std::filesystem::path(probe.cuptiPath).parent_path();
    // CUPTI also finds its helpers by the loader's path: if counters start, nothing is missing.
    if (!probe.cuptiComplete && !countersWork(probe))
        checks.push_back({.id = "nvperf",
                          .title = "CUPTI helpers",
                          .status = probe.host.ok() ? CheckStatus::Warning : CheckStatus::Failed,
                          .detail = fmt::format("libnvperf_host.so or libnvperf_target.so is not "
                                                "in {}",
                                                folder.string()),
                          .advice = "use a complete CUPTI",
                          .cause = "no-nvperf",
                          .commands = otherCupti(f)});
    else
        checks.push_back(
            {.id = "nvperf",
             .title = "CUPTI helpers",
             .status = CheckStatus::Ok,
             .detail = probe.cuptiComplete ? "beside libcupti" : "found by the loader"});

    if (probe.host.failed())
        checks.push_back({.id = "cupti-host",
                          .title = "CUPTI counters",
                          .status = CheckStatus::Failed,
                          .detail = probe.host.text,
                          .advice = "CUPTI's list of counters cannot be read, usually because its "
                                    "helper libraries are missing: use a complete CUPTI",
                          .cause = "no-nvperf",
                          .commands = otherCupti(f)});
    else if (probe.host.ok())
        checks.push_back({.id = "cupti-host",
                          .title = "CUPTI counters",
                          .status = CheckStatus::Ok,
                          .detail = fmt::format("{} chips known", probe.chips)});
}

/// Whether the driver is too old for this CUPTI.
void judgeAge(const GpuProbe& probe, Checks& checks) {
    // An older driver works with a newer CUPTI of the same major version, but not of a later one.
    const int needed = cudaVersionOf(probe.cuptiVersion);
    if (needed > 0 && probe.driverVersion > 0 && probe.driverVersion / 1000 < needed / 1000)
        checks.push_back(
            {.id = "driver-age",
             .title = "Driver and CUPTI",
             .status = countersWork(probe) ? CheckStatus::Warning : CheckStatus::Failed,
             .detail = fmt::format("driver for CUDA {}, CUPTI for CUDA {}",
                                   cudaText(probe.driverVersion), cudaText(needed)),
             .advice = fmt::format("install a driver of CUDA {} or later, or a CUPTI of CUDA {}",
                                   needed / 1000, probe.driverVersion / 1000),
             .cause = "old-driver",
             .commands = {fmt::format("pip install \"nvidia-cuda-cupti-cu{0}>={0}.8\"",
                                      probe.driverVersion / 1000)}});
}

void judgeSubscriber(const GpuProbe& probe, Checks& checks) {
    if (probe.subscribe.failed())
        checks.push_back(
            {.id = "cupti-subscriber",
             .title = "CUPTI subscriber",
             .status = CheckStatus::Failed,
             .detail = probe.subscribe.text +
                       (probe.subscriber.empty() ? "" : "; it is held by " + probe.subscriber),
             .advice = "another tool (Nsight, torch.profiler, Proton) is attached to CUPTI, often "
                       "through LD_PRELOAD: switch it off",
             .cause = "subscriber",
             .commands = {"env -u LD_PRELOAD roofscope record -- PROGRAM"}});
}

}  // namespace

void judgeCupti(const Facts& f, Checks& checks) {
    const GpuProbe& probe = f.gpu;
    if (!probe.cuptiTried) {
        checks.push_back({.id = "cupti",
                          .title = "CUPTI library",
                          .status = CheckStatus::Skipped,
                          .detail = "not checked"});
        return;
    }
    if (!probe.cuptiError.empty() || probe.cuptiPath.empty()) {
        checks.push_back(
            {.id = "cupti",
             .title = "CUPTI library",
             .status = CheckStatus::Failed,
             .detail = probe.cuptiError,
             .advice = "install CUPTI of CUDA 12.8 or later, or set ROOFSCOPE_CUPTI to it",
             .cause = "no-cupti",
             .commands = otherCupti(f)});
        return;
    }
    checks.push_back(
        {.id = "cupti",
         .title = "CUPTI library",
         .status = CheckStatus::Ok,
         .detail = fmt::format("{} (API version {})", probe.cuptiPath, probe.cuptiVersion)});
    judgeCopies(f, checks);
    judgeHelpers(f, checks);
    judgeAge(probe, checks);
    judgeSubscriber(probe, checks);
}

const CuptiFile* betterCupti(const Facts& f) {
    for (const CuptiFile& file : f.system.cuptis)
        if (file.complete && !isTooOld(file) && file.realPath != f.gpu.cuptiRealPath) return &file;
    return nullptr;
}

int cudaVersionOf(std::uint32_t cuptiVersion) {
    // From CUDA 13.0 on, the API version contains the toolkit's version: 130001 is the first of
    // 13.0.
    if (cuptiVersion < 130'000 || cuptiVersion > 1'000'000) return 0;
    const auto major = static_cast<int>(cuptiVersion / 10'000);
    const auto minor = static_cast<int>(cuptiVersion / 100 % 100);
    return major * 1000 + minor * 10;
}

std::string cudaText(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

bool isTooOld(const CuptiFile& file) {
    // 2025.1 came with CUDA 12.8; before CUDA 11.0 the file had the toolkit's own number.
    constexpr int kFirstYear = 2025;
    if (file.release.empty()) return false;
    return std::atoi(file.release.c_str()) < kFirstYear;
}

}  // namespace roofscope::doctor
