// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "collector/run/doctor/error_codes.h"
#include "collector/run/doctor/judge_parts.h"

namespace roofscope::doctor {
namespace {

void noDriver(const Facts& f, Check& check) {
    check.detail = f.gpu.driverError;
    check.cause = "no-driver";
    if (f.system.container.empty()) {
        check.advice = "install the NVIDIA driver (580 or later for CUDA 13)";
        check.commands = {f.system.isWsl ? "wsl.exe --update"
                                         : "sudo apt-get install nvidia-driver-580-open"};
        if (f.system.isWsl)
            check.advice = "install the NVIDIA driver in Windows (not in WSL), then update WSL";
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
}

/// cuInit failed, or found no device.
void noGpu(const Facts& f, const std::string& supports, Check& check) {
    check.detail = fmt::format("{}, but cuInit says: {}", supports, f.gpu.init.text);
    check.cause = "no-gpu";
    check.commands = {"nvidia-smi"};
    if (f.gpu.init.code == CudaError::NoDevice && f.system.visibleDevicesSet) {
        check.advice = fmt::format("CUDA_VISIBLE_DEVICES is \"{}\" and hides every GPU",
                                   f.system.visibleDevices);
        check.commands = {"unset CUDA_VISIBLE_DEVICES"};
    } else if (f.gpu.init.code == CudaError::NoDevice) {
        check.advice = "no GPU is visible: check whether nvidia-smi lists it";
    } else if (f.gpu.init.code == CudaError::SystemDriverMismatch) {
        check.advice = "the driver was updated while its kernel module was loaded: restart";
        check.commands = {"sudo reboot"};
    } else if (f.gpu.init.code == CudaError::SystemNotReady) {
        check.advice = "the NVSwitch fabric is not ready: start its manager";
        check.commands = {"sudo systemctl restart nvidia-fabricmanager"};
    } else {
        check.advice = "check that the driver works; after a driver update, restart";
    }
}

Check judgeDriver(const Facts& f) {
    Check check{.id = "driver", .title = "NVIDIA driver", .status = CheckStatus::Failed};
    const std::string module =
        f.system.moduleVersion.empty() ? "" : fmt::format("{}, ", f.system.moduleVersion);
    if (!f.gpu.driverError.empty()) {
        noDriver(f, check);
        return check;
    }
    const std::string supports =
        fmt::format("{}supports CUDA {}", module, cudaText(f.gpu.driverVersion));
    if (f.gpu.init.failed()) {
        noGpu(f, supports, check);
        return check;
    }
    if (!f.gpu.init.asked) {
        check.status = CheckStatus::Skipped;
        check.detail = "not checked";
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

}  // namespace

void judgeDriverAndGpus(const Facts& f, Checks& checks) {
    checks.push_back(judgeDriver(f));
    judgeGpus(f, checks);
}

}  // namespace roofscope::doctor
