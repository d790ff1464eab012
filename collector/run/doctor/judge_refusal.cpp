// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "collector/run/doctor/error_codes.h"
#include "collector/run/doctor/judge_parts.h"

namespace roofscope::doctor {
namespace {

constexpr const char* kModuleOption =
    "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee "
    "/etc/modprobe.d/nvidia-profiling.conf";

std::vector<std::string> openHost(const SystemFacts& system) {
    std::vector<std::string> commands{kModuleOption};
    // The module is often loaded from the initial file system (initramfs), which has
    // its own copy of the options.
    if (!system.initramfsTool.empty()) commands.push_back("sudo " + system.initramfsTool);
    commands.emplace_back("sudo reboot");
    return commands;
}

void notPermitted(const SystemFacts& system, Check& check) {
    check.cause = "not-permitted";
    if (system.isWsl) {
        check.cause = "wsl";
        check.advice =
            "in Windows, as administrator: NVIDIA Control Panel, Desktop, Enable Developer "
            "Settings; Developer, Manage GPU Performance Counters, \"Allow access to the GPU "
            "performance counters to all users\"; then restart WSL";
        check.commands = {"wsl.exe --shutdown"};
        return;
    }
    if (system.container == "kubernetes") {
        check.advice =
            "counters are reserved for administrators: give the container the capability SYS_ADMIN "
            "in the pod's specification, or allow all users to read counters on the node";
        check.commands = {"securityContext: {capabilities: {add: [\"SYS_ADMIN\"]}}"};
        return;
    }
    if (system.container == "docker" || system.container == "podman") {
        check.advice = fmt::format(
            "counters are reserved for administrators: start the container with the capability "
            "SYS_ADMIN{}, or allow all users to read counters on the host",
            system.inUserNamespace ? " as root of the host (a rootless container cannot pass it on)"
                                   : "");
        check.commands = {fmt::format("{}{} run --gpus all --cap-add SYS_ADMIN IMAGE",
                                      system.inUserNamespace ? "sudo " : "", system.container)};
        return;
    }
    if (!system.container.empty() || system.inUserNamespace) {
        check.advice =
            "counters are reserved for administrators, and root inside a container is not one: on "
            "the host, allow all users to read counters (once)";
        check.commands = openHost(system);
        return;
    }
    check.advice =
        "counters are reserved for administrators: run as root, or allow all users to read them "
        "(the first command runs one recording as root; the others allow it permanently)";
    check.commands = {"sudo -E env \"PATH=$PATH\" roofscope record -- PROGRAM"};
    for (auto& command : openHost(system)) check.commands.push_back(std::move(command));
}

void busy(const SystemFacts& system, Check& check) {
    check.cause = "busy";
    const std::string holders = holdersText(system);
    const bool dcgm = std::ranges::any_of(system.holders, isDcgm);
    check.detail += holders.empty() ? "; none of the visible processes is known to read counters"
                                    : "; possibly held by: " + holders;
    if (dcgm || holders.empty()) {
        check.advice = fmt::format(
            "another program holds the GPU's counters, {}: pause it while you record, and resume "
            "it afterwards with \"dcgmi profile --resume\"{}",
            dcgm ? "probably DCGM's monitoring" : "most often DCGM's monitoring",
            system.container.empty() ? ""
                                     : "; if it runs outside of this container, do it on the host");
        check.commands = {"dcgmi profile --pause"};
        return;
    }
    check.advice = "another program holds the GPU's counters: wait until it ends, or stop it";
    for (const auto& holder : system.holders)
        check.commands.push_back(fmt::format("kill {}  # {}", holder.pid, holder.name));
}

void mismatch(const Facts& facts, Check& check) {
    check.cause = "cupti-driver";
    check.advice =
        "the driver is too old for this CUPTI, or libnvperf_host.so and libnvperf_target.so are "
        "not beside it: install the driver of CUPTI's CUDA version, or use another libcupti";
    if (const CuptiFile* file = betterCupti(facts))
        check.commands = {fmt::format("export ROOFSCOPE_CUPTI={}", file->path)};
    else
        check.commands = {"pip install nvidia-cuda-cupti"};
}

bool names(const GpuFacts& gpu, const char* part) {
    return std::ranges::find(gpu.unsupported, part) != gpu.unsupported.end();
}

/// Refusals whose remedy is the same on every machine.
struct Remedy {
    int code;
    const char* cause;
    const char* advice;
    const char* command;
};
constexpr const char* kVgpuAdvice =
    "the virtual GPU does not allow profiling: the administrator of the host has to switch it on "
    "for this machine (one command per vGPU; the plugin parameter is enable_profiling) and restart "
    "it";
constexpr const char* kVgpuCommand =
    "echo \"enable_profiling=1\" | sudo tee /sys/bus/mdev/devices/UUID/nvidia/vgpu_params";
constexpr Remedy kRemedies[] = {
    {CuptiError::VirtualizedDeviceNotSupported, "vgpu", kVgpuAdvice, kVgpuCommand},
    {CuptiError::VirtualizedDeviceInsufficientPrivileges, "vgpu", kVgpuAdvice, kVgpuCommand},
    {CuptiError::MultipleSubscribersNotSupported, "subscriber",
     "another tool (Nsight, torch.profiler, Proton) is attached to CUPTI in this process: switch "
     "it off",
     "env -u LD_PRELOAD roofscope record -- PROGRAM"},
    {CuptiError::ConfidentialComputingNotSupported, "confidential-compute",
     "counters cannot be read in confidential-compute mode: the host has to switch the GPU to "
     "devtools mode, or leave the mode, and reset it (the command shows the mode)",
     "nvidia-smi conf-compute -f"},
    {CuptiError::CmpDeviceNotSupported, "cmp",
     "mining cards (CMP) have no readable counters: use another GPU",
     "CUDA_VISIBLE_DEVICES=N roofscope record -- PROGRAM"},
    {CuptiError::SliDeviceNotSupported, "sli",
     "counters cannot be read while GPUs are linked by SLI: switch it off and restart the X "
     "server",
     "sudo nvidia-xconfig --sli=Off"},
    {CuptiError::InvalidChipName, "unknown-chip",
     "this CUPTI does not know the chip: use that of a newer CUDA version",
     "pip install --upgrade nvidia-cuda-cupti"},
};

/// The cause of a refusal. Some codes only say that the configuration is unsupported; then the
/// details say which part of it.
int specific(const GpuFacts& gpu, int code) {
    switch (code) {
        case CuptiError::NotInitialized:
        case CuptiError::HardwareBusy:
        case CuptiError::VirtualizedDeviceNotSupported:
        case CuptiError::InsufficientPrivileges:
        case CuptiError::MultipleSubscribersNotSupported:
        case CuptiError::VirtualizedDeviceInsufficientPrivileges:
        case CuptiError::ConfidentialComputingNotSupported:
        case CuptiError::CmpDeviceNotSupported:
        case CuptiError::MigDeviceNotSupported:
        case CuptiError::SliDeviceNotSupported:
        case CuptiError::WslDeviceNotSupported:
        case CuptiError::InvalidChipName:
            return code;
        default:
            break;
    }
    if (names(gpu, "vgpu")) return CuptiError::VirtualizedDeviceNotSupported;
    if (names(gpu, "confidential-compute")) return CuptiError::ConfidentialComputingNotSupported;
    if (names(gpu, "cmp")) return CuptiError::CmpDeviceNotSupported;
    if (names(gpu, "sli")) return CuptiError::SliDeviceNotSupported;
    if (names(gpu, "wsl")) return CuptiError::WslDeviceNotSupported;
    return code;
}

}  // namespace

Check judgeRefusal(const Facts& facts, const GpuFacts& gpu, std::size_t index, const Answer& call) {
    const SystemFacts& system = facts.system;
    Check check{
        .id = index == 0 ? "counter-permission" : fmt::format("counter-permission-{}", index),
        .title = "Counter permission",
        .status = CheckStatus::Failed,
        .detail = call.text};
    if (!system.restriction.empty()) check.detail += "; " + system.restriction;
    const int code = specific(gpu, call.code);
    if (code == CuptiError::NotInitialized) {
        mismatch(facts, check);
    } else if (code == CuptiError::HardwareBusy) {
        busy(system, check);
    } else if (code == CuptiError::InsufficientPrivileges) {
        notPermitted(system, check);
    } else if (code == CuptiError::WslDeviceNotSupported) {
        SystemFacts wsl = system;
        wsl.isWsl = true;
        notPermitted(wsl, check);
    } else if (code == CuptiError::MigDeviceNotSupported) {
        check.cause = "mig";
        check.advice =
            "counters cannot be read on this MIG configuration: use a GPU instance with one "
            "compute instance, or switch MIG off (no program may use the GPU then)";
        check.commands = {fmt::format("sudo nvidia-smi -i {} -mig 0", index)};
    } else if (const auto* known = std::ranges::find(kRemedies, code, &Remedy::code);
               known != std::end(kRemedies)) {
        check.cause = known->cause;
        check.advice = known->advice;
        check.commands = {known->command};
    } else {
        check.cause = "other";
        check.advice =
            names(gpu, "architecture")
                ? "the GPU is too old: CUPTI's range profiler needs compute capability 7.5 or later"
                : "check that the GPU is healthy; if it is, please report this";
        check.commands = {"nvidia-smi -q"};
    }
    return check;
}

}  // namespace roofscope::doctor
