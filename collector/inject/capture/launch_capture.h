// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collector/capture/page_writer.h"
#include "collector/configuration/run_configuration.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/capture/module_images.h"
#include "collector/inject/capture/reachable_memory.h"
#include "collector/inject/launches/launch_request.h"
#include "profile/errors/result.h"

namespace roofscope::inject {

/// Captures one launch (collector/capture/captured_launch.h). begin() and end() wait for the GPU,
/// so that memory is as the launch finds and leaves it. If a launch cannot be captured completely,
/// no files are left.
class LaunchCapture {
public:
    LaunchCapture(const DriverApi& driver, const CaptureMode& mode);
    ~LaunchCapture();
    LaunchCapture(const LaunchCapture&) = delete;
    LaunchCapture& operator=(const LaunchCapture&) = delete;

    /// From any thread.
    void moduleLoaded(const void* cubin, std::size_t bytes) { m_images.loaded(cubin, bytes); }
    /// Before the launch, in its context: copies arguments and memory. `device` is the context's.
    Result<void> begin(const LaunchRequest& request, const std::string& symbol, CUdevice device);
    /// Call after the launch: copies memory again and writes the rest.
    Result<void> end();
    /// The launch failed: discards what begin() copied.
    void cancel();

private:
    struct Parameter {
        std::size_t offset = 0;
        std::vector<unsigned char> bytes;
    };
    struct Variable {
        std::string name;
        std::size_t region = 0;
    };
    /// The launch as it is written to the file.
    struct Launch {
        CUfunction function = nullptr;
        std::string symbol;
        Dim3 grid, block;
        std::optional<Dim3> cluster;
        std::uint64_t dynamicSharedBytes = 0;
        bool cooperative = false;
        CUdevice device = 0;
    };

    Result<void> readParameters(const LaunchRequest& request);
    Result<void> takeImages();
    Result<void> readVariables(ReachableMemory& reachable);
    Result<void> readMemory(ReachableMemory& reachable);
    /// Passes the bytes of a region to `use`, piece by piece.
    template <class Use>
    Result<void> read(const ReachedMemory& region, const Use& use);
    Result<void> addRegion(const ReachedMemory& region);
    Result<void> synchronise(const char* when) const;
    Result<void> writeFacts() const;

    const DriverApi& m_driver;
    const CaptureMode m_mode;
    const std::filesystem::path m_folder;
    ModuleImages m_images;
    Launch m_launch;
    std::vector<Parameter> m_parameters;
    std::vector<ModuleImages::Image> m_modules;
    std::vector<ReachedMemory> m_regions;
    std::vector<Variable> m_variables;
    std::vector<std::string> m_notes;
    std::uint64_t m_bytes = 0;
    std::vector<unsigned char> m_buffer;
    std::unique_ptr<capture::PageWriter> m_writer;
    bool m_complete = false;
};

}  // namespace roofscope::inject
