// SPDX-License-Identifier: Apache-2.0
#include "collector/run/doctor/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace roofscope::doctor {
namespace {

using Checks = std::vector<Check>;

constexpr int kUnavailable = 69, kTemporary = 75, kNotPermitted = 77;
/// A spool of a long recording needs some room; less than this is worth a word.
constexpr std::uint64_t kLittleSpace = std::uint64_t{64} << 20;
constexpr std::size_t kMostCopiesNamed = 4;

std::string numbered(const char* id, std::size_t index) {
    return index == 0 ? id : fmt::format("{}-{}", id, index);
}

Check judgeLibrary(const SystemFacts& s) {
    if (!s.library.empty())
        return {.id = "inject-library",
                .title = "Collector library",
                .status = CheckStatus::Ok,
                .detail = s.library};
    return {.id = "inject-library",
            .title = "Collector library",
            .status = CheckStatus::Failed,
            .detail = s.libraryError.empty() ? "not looked for" : s.libraryError,
            .advice = s.libraryAdvice.empty() ? "reinstall roofscope" : s.libraryAdvice,
            .cause = "no-library",
            .commands = {"export ROOFSCOPE_INJECT=/path/to/libroofscope_inject.so"}};
}

Check judgeToolkit(const SystemFacts& s) {
    Check check{.id = "toolkit", .title = "CUDA toolkit", .status = CheckStatus::Ok};
    // Recording needs libcupti alone: no toolkit is no fault.
    check.detail =
        s.nvcc.empty() ? "nvcc is not in PATH; it is only needed to build kernels" : s.nvcc;
    return check;
}

void judgeTemporaryFolder(const SystemFacts& s, Checks& checks) {
    if (!s.temporaryChecked) return;
    Check check{.id = "temporary-folder",
                .title = "Temporary folder",
                .status = CheckStatus::Ok,
                .detail = s.temporaryFolder};
    if (!s.temporaryError.empty()) {
        check.status = CheckStatus::Failed;
        check.detail = fmt::format("{}: {}", s.temporaryFolder, s.temporaryError);
        check.advice =
            "measurements are kept there while the program runs: name a folder that "
            "can be written";
        check.cause = "temporary-folder";
        check.commands = {"mkdir -p \"$HOME/tmp\"", "export TMPDIR=\"$HOME/tmp\""};
    } else if (s.temporaryFreeBytes < kLittleSpace) {
        check.status = CheckStatus::Warning;
        check.detail =
            fmt::format("{}: {} MiB are free", s.temporaryFolder, s.temporaryFreeBytes >> 20);
        check.advice = "a recording of many launches needs more: name a folder with more space";
        check.cause = "little-space";
        check.commands = {"mkdir -p \"$HOME/tmp\"", "export TMPDIR=\"$HOME/tmp\""};
    }
    checks.push_back(std::move(check));
}

void judgeInjection(const SystemFacts& s, Checks& checks) {
    const auto judgeVariable = [&](const char* name, const char* id, const std::string& value) {
        if (value.empty() || value == s.library) return;
        checks.push_back(
            {.id = id,
             .title = "Other injected tool",
             .status = CheckStatus::Warning,
             .detail = fmt::format("{}={}", name, value),
             .advice = "a recording replaces it for the program's run, so that the other tool sees "
                       "nothing of it; without that tool it is better unset",
             .cause = "injection-set",
             .commands = {fmt::format("unset {}", name)}});
    };
    judgeVariable("CUDA_INJECTION64_PATH", "cuda-injection", s.cudaInjection);
    judgeVariable("NVTX_INJECTION64_PATH", "nvtx-injection", s.nvtxInjection);
}

void judgeContainer(const SystemFacts& s, Checks& checks) {
    if (s.container.empty()) return;
    checks.push_back({.id = "container",
                      .title = "Container",
                      .status = CheckStatus::Ok,
                      .detail = fmt::format("{}, {} the capability SYS_ADMIN{}", s.container,
                                            s.hasSysAdmin ? "with" : "without",
                                            s.inUserNamespace ? " (in a user namespace)" : "")});
}

void judgeProgram(const SystemFacts& s, Checks& checks) {
    const ProgramFile& p = s.program;
    if (!p.asked) return;
    Check check{.id = "program", .title = "Program", .status = CheckStatus::Ok, .detail = p.path};
    const auto warn = [&](const char* cause, std::string detail, std::string advice,
                          std::string command) {
        check.status = CheckStatus::Warning;
        check.cause = cause;
        check.detail = std::move(detail);
        check.advice = std::move(advice);
        check.commands = {std::move(command)};
    };
    if (p.kind == "folder") {
        warn("program-is-folder", fmt::format("{} is a folder", p.name),
             "name the program that lies in it", fmt::format("ls -l '{}'", p.name));
    } else if (p.path.empty()) {
        warn("program-not-found", fmt::format("{} was not found", p.name),
             "check the name; a program in this folder needs \"./\" in front",
             fmt::format("ls -l '{}'", p.name));
    } else if (p.privileged) {
        warn("program-privileged",
             fmt::format("{} runs with another user's rights or with capabilities", p.path),
             "such a program may ignore CUDA_INJECTION64_PATH: record a plain copy of it",
             fmt::format("cp '{}' ./plain-copy && roofscope record -- ./plain-copy", p.path));
    } else if (p.kind == "elf" && !p.is64Bit) {
        warn("program-32-bit", fmt::format("{} is a 32-bit program", p.path),
             "CUDA profiles 64-bit programs only: build it for 64 bits",
             fmt::format("file '{}'", p.path));
    } else if (p.kind == "elf" && !p.isDynamic) {
        warn("program-static", fmt::format("{} is linked statically", p.path),
             "it cannot load the driver itself, so only what it starts can be profiled; if it "
             "uses CUDA, link it dynamically (-cudart static is fine, -static is not)",
             fmt::format("file '{}'", p.path));
    } else if (p.kind == "script") {
        check.detail = fmt::format("{}, a script of {}", p.path, p.interpreter);
    } else if (p.kind == "other") {
        warn("program-not-executable",
             fmt::format("{} is neither a program nor a script with \"#!\"", p.path),
             "name its interpreter", fmt::format("roofscope record -- bash '{}'", p.path));
    }
    checks.push_back(std::move(check));
}

Check judgeDriver(const Facts& f) {
    Check check{.id = "driver", .title = "NVIDIA driver", .status = CheckStatus::Failed};
    const std::string module =
        f.system.moduleVersion.empty() ? "" : fmt::format("{}, ", f.system.moduleVersion);
    if (!f.gpu.driverError.empty()) {
        check.detail = f.gpu.driverError;
        check.cause = "no-driver";
        if (f.system.container.empty()) {
            check.advice = "install the NVIDIA driver (580 or later for CUDA 13)";
            check.commands = {f.system.isWsl ? "wsl.exe --update"
                                             : "sudo apt-get install nvidia-driver-580-open"};
            if (f.system.isWsl)
                check.advice = "install the NVIDIA driver in Windows, none in WSL, then update WSL";
        } else {
            check.advice =
                "the container has no access to the driver: start it with the GPUs, "
                "where the NVIDIA container toolkit is installed";
            check.commands = {f.system.container == "apptainer"
                                  ? std::string("apptainer exec --nv IMAGE PROGRAM")
                              : f.system.container == "podman"
                                  ? std::string("podman run --device nvidia.com/gpu=all IMAGE")
                              : f.system.container == "kubernetes"
                                  ? std::string("resources: {limits: {nvidia.com/gpu: 1}}")
                                  : std::string("docker run --gpus all IMAGE")};
        }
        return check;
    }
    const std::string supports =
        fmt::format("{}supports CUDA {}", module, cudaText(f.gpu.driverVersion));
    if (f.gpu.init.failed()) {
        constexpr int kNoDevice = 100, kSystemDriverMismatch = 803, kNotReady = 802;
        check.detail = fmt::format("{}, but cuInit says: {}", supports, f.gpu.init.text);
        check.cause = "no-gpu";
        check.commands = {"nvidia-smi"};
        if (f.gpu.init.code == kNoDevice && f.system.visibleDevicesSet) {
            check.advice = fmt::format("CUDA_VISIBLE_DEVICES is \"{}\" and hides every GPU",
                                       f.system.visibleDevices);
            check.commands = {"unset CUDA_VISIBLE_DEVICES"};
        } else if (f.gpu.init.code == kNoDevice) {
            check.advice = "no GPU is visible: see whether the system knows it";
        } else if (f.gpu.init.code == kSystemDriverMismatch) {
            check.advice = "the driver was updated while its kernel module was loaded: restart";
            check.commands = {"sudo reboot"};
        } else if (f.gpu.init.code == kNotReady) {
            check.advice = "the NVSwitch fabric is not ready: start its manager";
            check.commands = {"sudo systemctl restart nvidia-fabricmanager"};
        } else {
            check.advice =
                "see whether the driver works; after an update of it a restart is often missing";
        }
        return check;
    }
    if (!f.gpu.init.asked) {
        check.status = CheckStatus::Skipped;
        check.detail = "was not asked";
        return check;
    }
    check.status = CheckStatus::Ok;
    check.detail = supports;
    return check;
}

void judgeGpus(const Facts& f, Checks& checks) {
    for (std::size_t i = 0; i < f.gpu.gpus.size(); ++i) {
        const GpuFacts& gpu = f.gpu.gpus[i];
        checks.push_back(
            {.id = numbered("gpu", i),
             .title = "GPU",
             .status = CheckStatus::Ok,
             .detail =
                 gpu.name + (gpu.smCount ? fmt::format(", {} SMs", gpu.smCount) : "") +
                 (gpu.memoryBytes ? fmt::format(", {:.0f} GiB",
                                                static_cast<double>(gpu.memoryBytes) / (1 << 30))
                                  : "")});
    }
}

/// Whether any GPU's counters could be started: then whatever looks odd does no harm.
bool countersWork(const GpuProbe& probe) {
    return std::any_of(probe.gpus.begin(), probe.gpus.end(),
                       [](const GpuFacts& gpu) { return gpu.enable.ok() && !gpu.start.failed(); });
}

}  // namespace

const CuptiFile* betterCupti(const Facts& f) {
    for (const CuptiFile& file : f.system.cuptis)
        if (file.complete && !isTooOld(file) && file.realPath != f.gpu.cuptiRealPath) return &file;
    return nullptr;
}

namespace {

std::vector<std::string> otherCupti(const Facts& f) {
    if (const CuptiFile* file = betterCupti(f))
        return {fmt::format("export ROOFSCOPE_CUPTI={}", file->path)};
    return {"pip install nvidia-cuda-cupti",
            "export ROOFSCOPE_CUPTI=$(python3 -c 'import nvidia, glob; "
            "print(glob.glob(nvidia.__path__[0] + \"/*/lib/libcupti.so.*\")[0])')"};
}

void judgeCupti(const Facts& f, Checks& checks) {
    const GpuProbe& probe = f.gpu;
    if (!probe.cuptiTried) {
        checks.push_back({.id = "cupti",
                          .title = "CUPTI library",
                          .status = CheckStatus::Skipped,
                          .detail = "was not looked for"});
        return;
    }
    if (!probe.cuptiError.empty() || probe.cuptiPath.empty()) {
        checks.push_back({.id = "cupti",
                          .title = "CUPTI library",
                          .status = CheckStatus::Failed,
                          .detail = probe.cuptiError,
                          .advice = "install CUPTI of CUDA 12.8 or later, or name the one to use",
                          .cause = "no-cupti",
                          .commands = otherCupti(f)});
        return;
    }
    checks.push_back(
        {.id = "cupti",
         .title = "CUPTI library",
         .status = CheckStatus::Ok,
         .detail = fmt::format("{} (API version {})", probe.cuptiPath, probe.cuptiVersion)});

    if (f.system.cuptis.size() > 1) {
        Check check{.id = "cupti-copies",
                    .title = "Copies of CUPTI",
                    .status = CheckStatus::Ok,
                    .detail = fmt::format("{} found; a program that loads one of its own is "
                                          "profiled with that:",
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
                "LD_LIBRARY_PATH leads to {}, which is older than CUDA 12.8: a program that loads "
                "it cannot be profiled with it; name the one to use",
                old->path);
            check.commands = {fmt::format("export ROOFSCOPE_CUPTI={}", probe.cuptiPath)};
        }
        checks.push_back(std::move(check));
    }

    const std::filesystem::path folder = std::filesystem::path(probe.cuptiPath).parent_path();
    // CUPTI finds its helpers by the loader's path, too: when counters start, nothing is missing.
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
                          .advice = "CUPTI's list of counters cannot be read, mostly because its "
                                    "helper libraries are missing: use a complete CUPTI",
                          .cause = "no-nvperf",
                          .commands = otherCupti(f)});
    else if (probe.host.ok())
        checks.push_back({.id = "cupti-host",
                          .title = "CUPTI counters",
                          .status = CheckStatus::Ok,
                          .detail = fmt::format("{} chips known", probe.chips)});

    // Within a major version an older driver works; across one it does not.
    const int needed = cudaVersionOf(probe.cuptiVersion);
    if (needed > 0 && probe.driverVersion > 0 && probe.driverVersion / 1000 < needed / 1000)
        checks.push_back(
            {.id = "driver-age",
             .title = "Driver and CUPTI",
             .status = countersWork(probe) ? CheckStatus::Warning : CheckStatus::Failed,
             .detail = fmt::format("the driver is of CUDA {}, CUPTI of CUDA {}",
                                   cudaText(probe.driverVersion), cudaText(needed)),
             .advice = fmt::format("install a driver of CUDA {} or later, or a CUPTI of CUDA {}",
                                   needed / 1000, probe.driverVersion / 1000),
             .cause = "old-driver",
             .commands = {fmt::format("pip install \"nvidia-cuda-cupti-cu{0}>={0}.8\"",
                                      probe.driverVersion / 1000)}});

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

void judgeCounters(const Facts& f, Checks& checks) {
    const GpuProbe& probe = f.gpu;
    bool any = false;
    for (std::size_t i = 0; i < probe.gpus.size(); ++i) {
        const GpuFacts& gpu = probe.gpus[i];
        if (!gpu.initialize.asked) continue;
        any = true;
        if (gpu.chipName.ok())
            checks.push_back(
                {.id = numbered("chip", i),
                 .title = "Chip",
                 .status = !gpu.tableError.empty() ? CheckStatus::Failed
                           : gpu.tableVerified     ? CheckStatus::Ok
                                                   : CheckStatus::Warning,
                 .detail = !gpu.tableError.empty()
                               ? gpu.tableError
                               : fmt::format("{} (compute capability {}.{}){}", gpu.chip,
                                             gpu.computeMajor, gpu.computeMinor,
                                             gpu.tableVerified
                                                 ? ""
                                                 : ", no table of its own: its family's is used"),
                 .advice = gpu.tableError.empty()
                               ? ""
                               : "a newer roofscope may know it; ask for a table for this chip",
                 .cause = gpu.tableError.empty() ? "" : "unknown-chip"});
        if (gpu.context.failed()) {
            checks.push_back({.id = numbered("counter-permission", i),
                              .title = "Counter permission",
                              .status = CheckStatus::Failed,
                              .detail = "no CUDA context could be made: " + gpu.context.text,
                              .advice = "the GPU may be full, broken or in exclusive use",
                              .cause = "no-context",
                              .commands = {"nvidia-smi"}});
            continue;
        }
        const Answer* refusal = nullptr;
        for (const Answer* call :
             {&gpu.initialize, &gpu.chipName, &gpu.availability, &gpu.enable, &gpu.start})
            if (!refusal && call->failed()) refusal = call;
        if (refusal) {
            checks.push_back(judgeRefusal(f, gpu, i, *refusal));
        } else if (gpu.enable.ok()) {
            checks.push_back({.id = numbered("counter-permission", i),
                              .title = "Counter permission",
                              .status = CheckStatus::Ok,
                              .detail = fmt::format("counters of {} can be read{}{}", gpu.name,
                                                    f.system.restriction.empty() ? "" : "; ",
                                                    f.system.restriction)});
        }
    }
    if (any) return;
    const char* reason = probe.gpus.empty() ? "needs a GPU" : "needs a working CUPTI";
    checks.push_back({.id = "chip", .title = "Chip", .detail = reason});
    checks.push_back({.id = "counter-permission", .title = "Counter permission", .detail = reason});
    // Nobody could try, but the module says already what would come of it.
    if (f.system.restriction.ends_with("1") && !f.system.hasSysAdmin) {
        Check check = judgeRefusal(f, {}, 0, {true, 35, "not tried"});
        check.id = "counter-restriction";
        check.title = "Counter restriction";
        check.status = CheckStatus::Warning;
        check.detail = f.system.restriction;
        checks.push_back(std::move(check));
    }
}

void judgeSharing(const Facts& f, Checks& checks) {
    const SystemFacts& s = f.system;
    if (!s.mpsServers.empty())
        checks.push_back(
            {.id = "mps",
             .title = "CUDA MPS",
             .status = CheckStatus::Warning,
             .detail =
                 fmt::format("its server runs (pid {}){}{}", s.mpsServers.front(),
                             s.mpsPipe.empty() ? "" : "; CUDA_MPS_PIPE_DIRECTORY=", s.mpsPipe),
             .advice = "CUPTI does not support programs that share the GPU through MPS: counters "
                       "are refused, or count the work of others; end it while you record",
             .cause = "mps",
             .commands = {"echo quit | nvidia-cuda-mps-control"}});
    else if (!s.mpsPipe.empty())
        checks.push_back({.id = "mps",
                          .title = "CUDA MPS",
                          .status = CheckStatus::Ok,
                          .detail = fmt::format("CUDA_MPS_PIPE_DIRECTORY={}, but no server of it "
                                                "can be seen",
                                                s.mpsPipe)});
    for (std::size_t i = 0; i < f.gpu.gpus.size(); ++i) {
        const GpuFacts& gpu = f.gpu.gpus[i];
        // The driver names a part of a GPU "NVIDIA A100-SXM4-40GB MIG 1g.5gb".
        if (gpu.name.find(" MIG ") == std::string::npos || !gpu.enable.ok()) continue;
        checks.push_back(
            {.id = numbered("mig", i),
             .title = "MIG",
             .status = CheckStatus::Warning,
             .detail = gpu.name,
             .advice = "counters can be read, but other work in the same GPU instance is counted "
                       "along: record while nothing else runs there",
             .cause = "mig-shared",
             .commands = {"nvidia-smi"}});
    }
    const bool busy = std::any_of(checks.begin(), checks.end(),
                                  [](const Check& check) { return check.cause == "busy"; });
    // Whoever runs here lets us read: worth knowing when a recording is refused later.
    if (!s.holders.empty() && !busy)
        checks.push_back(
            {.id = "other-profilers",
             .title = "Other profilers",
             .status = CheckStatus::Ok,
             .detail = fmt::format("{}; if a recording finds the counters busy: {}", holdersText(s),
                                   std::any_of(s.holders.begin(), s.holders.end(), isDcgm)
                                       ? "dcgmi profile --pause"
                                       : "end them")});
}

/// The child that asked did not come back in order: that is a finding, too.
void judgeEnding(const Facts& f, Checks& checks) {
    const auto add = [&](const Ending& ending, const char* id, const char* title,
                         std::string advice, std::string command, bool fatal) {
        if (ending.inOrder()) return;
        Check check{
            .id = id, .title = title, .status = fatal ? CheckStatus::Failed : CheckStatus::Warning};
        check.advice = std::move(advice);
        check.commands = {std::move(command)};
        const std::string where = ending.step.empty() ? "" : fmt::format(" ({})", ending.step);
        if (!ending.started) {
            check.cause = "not-started";
            check.detail = "the check could not be started";
        } else if (ending.timedOut) {
            check.cause = "hangs";
            check.detail = fmt::format("no answer within {} s{}", ending.seconds, where);
        } else {
            check.cause = "crashed";
            const char* name = strsignal(ending.signal);
            check.detail = fmt::format("crashed with signal {} ({}){}", ending.signal,
                                       name ? name : "?", where);
        }
        checks.push_back(std::move(check));
    };
    add(f.gpuEnding, "driver-answer", "Driver and CUPTI",
        f.gpuEnding.signal != 0
            ? "driver and CUPTI do not fit together: install both from one CUDA version"
            : "the GPU may have fallen off the bus: see what the kernel says",
        f.gpuEnding.signal != 0 ? "pip install nvidia-cuda-cupti"
                                : "sudo dmesg | grep -i -e nvrm -e xid",
        true);
    add(f.systemEnding, "system-answer", "System",
        "some of the checks are missing; a file system or a process may be stuck",
        "sudo dmesg | tail", false);
}

int exitCodeOf(const Checks& checks) {
    for (const Check& check : checks) {
        if (check.status != CheckStatus::Failed) continue;
        if (check.cause == "busy") return kTemporary;
        // Only the system's refusal, with which nothing is missing or broken.
        if (check.cause == "not-permitted" || check.cause == "wsl") return kNotPermitted;
        return kUnavailable;
    }
    // Saying yes takes a check that said yes.
    const bool allowed = std::any_of(checks.begin(), checks.end(), [](const Check& check) {
        return check.id.starts_with("counter-permission") && check.status == CheckStatus::Ok;
    });
    return allowed ? 0 : kUnavailable;
}

}  // namespace

bool isDcgm(const CounterHolder& holder) {
    return holder.name == "nv-hostengine" || holder.name.starts_with("dcgm");
}

std::string holdersText(const SystemFacts& system) {
    std::string text;
    for (const auto& holder : system.holders)
        text += fmt::format("{}{} (pid {})", text.empty() ? "" : ", ", holder.name, holder.pid);
    return text;
}

int cudaVersionOf(std::uint32_t cuptiVersion) {
    // From CUDA 13.0 on the API version is that of the toolkit: 130001 is the first of 13.0.
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

Diagnosis judge(const Facts& f) {
    Diagnosis diagnosis;
    Checks& checks = diagnosis.checks;
    checks.push_back(judgeLibrary(f.system));
    judgeTemporaryFolder(f.system, checks);
    judgeInjection(f.system, checks);
    judgeProgram(f.system, checks);
    checks.push_back(judgeToolkit(f.system));
    judgeContainer(f.system, checks);
    if (f.gpu.built) {
        checks.push_back(judgeDriver(f));
        judgeGpus(f, checks);
        judgeCupti(f, checks);
        judgeCounters(f, checks);
    }
    judgeSharing(f, checks);
    judgeEnding(f, checks);
    diagnosis.exitCode = exitCodeOf(checks);
    return diagnosis;
}

}  // namespace roofscope::doctor
