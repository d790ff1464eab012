// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "extract/driver/cuda_driver.h"
#include "extract/driver/launch_memory.h"
#include "extract/driver/replay_options.h"
#include "extract/driver/replayed_kernel.h"

namespace roofscope::replay {

/// Loads zlib, which nearly every machine has.
[[nodiscard]] inline capture::ZlibFunctions loadZlib() {
    void* const library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    capture::ZlibFunctions zlib;
    if (library) {
        zlib.uncompress = reinterpret_cast<decltype(zlib.uncompress)>(dlsym(library, "uncompress"));
        zlib.crc32 = reinterpret_cast<decltype(zlib.crc32)>(dlsym(library, "crc32"));
    }
    if (!zlib.uncompress || !zlib.crc32)
        throw std::runtime_error("zlib (libz.so.1) is missing: install zlib1g");
    return zlib;
}

/// The first GPU with its primary context, and the captured launch loaded there.
class Session {
public:
    explicit Session(const ReplayOptions& options)
        : m_folder(options.folder), m_launch(LaunchDescription::read(options.folder)) {
        m_driver.check(m_driver.init(0), "starting CUDA");
        m_driver.check(m_driver.deviceGet(&m_device, 0), "finding a GPU");
        char name[256] = {};
        m_driver.deviceName(name, sizeof name - 1, m_device);
        m_gpu = name;
        int major = 0;
        constexpr int kComputeMajor = 75;
        m_driver.deviceAttribute(&major, kComputeMajor, m_device);
        if (major != m_launch.computeMajor)
            throw NotComparable("the launch was captured on " + m_launch.gpu +
                                ", whose code this GPU (" + m_gpu + ") does not run");
        m_fixed = std::make_unique<FixedMemory>(m_driver, m_launch, m_device);
        Handle context = nullptr;
        m_driver.check(m_driver.retainContext(&context, m_device), "making a CUDA context");
        m_driver.check(m_driver.setContext(context), "using a CUDA context");
        m_fixed->map();
        m_memory =
            std::make_unique<LaunchMemory>(m_driver, m_launch, *m_fixed, m_folder, loadZlib());
    }

    [[nodiscard]] const CudaDriver& driver() const { return m_driver; }
    [[nodiscard]] const LaunchDescription& launch() const { return m_launch; }
    [[nodiscard]] LaunchMemory& memory() { return *m_memory; }
    [[nodiscard]] int device() const { return m_device; }
    [[nodiscard]] const std::string& gpu() const { return m_gpu; }
    [[nodiscard]] const std::string& folder() const { return m_folder; }
    [[nodiscard]] ReplayedKernel original() const {
        return ReplayedKernel::original(m_driver, m_launch, m_folder);
    }
    /// Restores memory, runs the kernel and waits for it.
    void run(const ReplayedKernel& kernel) {
        m_memory->restore(kernel);
        kernel.launch(nullptr);
        m_driver.check(m_driver.synchronise(), "running the kernel");
    }

private:
    std::string m_folder;
    LaunchDescription m_launch;
    CudaDriver m_driver;
    int m_device = 0;
    std::string m_gpu;
    std::unique_ptr<FixedMemory> m_fixed;
    std::unique_ptr<LaunchMemory> m_memory;
};

}  // namespace roofscope::replay
