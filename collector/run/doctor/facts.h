// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The facts that doctor collects about a machine before judging them. read_system.cpp gets them
/// from files and the environment, gpu_probe.cpp from the driver and CUPTI. Child processes send
/// them as JSON. The judge*.cpp files judge them with pure functions.
namespace roofscope::doctor {

/// The result of a call; `asked` is false if it was never made.
struct Answer {
    bool asked = false;
    int code = 0;
    std::string text;  ///< "CUPTI_ERROR_HARDWARE_BUSY (26)"
    [[nodiscard]] bool ok() const { return asked && code == 0; }
    [[nodiscard]] bool failed() const { return asked && code != 0; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Answer, asked, code, text)

/// One GPU, and how far CUPTI got on it. The calls are in the order in which they are made.
struct GpuFacts {
    std::string name;
    int computeMajor = 0, computeMinor = 0;
    std::uint32_t smCount = 0;
    std::uint64_t memoryBytes = 0;  ///< 0: the driver did not say
    std::string chip;               ///< CUPTI's name, "GH100"
    std::string tableError;         ///< why there is no chip table; empty when there is one
    bool tableVerified = false;     ///< the chip has a table of its own
    Answer initialize, chipName, context, availability, enable, start;
    /// What cuptiProfilerDeviceSupported reports as unsupported: "sli", "vgpu",
    /// "confidential-compute", "cmp", "wsl", "architecture". It can explain a failure,
    /// but is not one by itself.
    std::vector<std::string> unsupported;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuFacts, name, computeMajor, computeMinor, smCount, memoryBytes,
                                   chip, tableError, tableVerified, initialize, chipName, context,
                                   availability, enable, start, unsupported)

/// What the driver and CUPTI said.
struct GpuProbe {
    bool built = true;  ///< false: this roofscope was built without collector, so nothing was asked
    std::string driverError;
    int driverVersion = 0;  ///< CUDA version that the driver supports: 13000
    Answer init;            ///< cuInit and cuDeviceGetCount
    std::vector<GpuFacts> gpus;
    bool cuptiTried = false;
    std::string cuptiError, cuptiPath;
    std::string cuptiRealPath;       ///< with links resolved
    bool cuptiComplete = false;      ///< libnvperf_host.so and libnvperf_target.so are beside it
    std::uint32_t cuptiVersion = 0;  ///< CUPTI_API_VERSION: 130001
    Answer host;                     ///< reading the list of chips
    std::uint32_t chips = 0;         ///< how many chips CUPTI knows
    Answer subscribe;
    std::string subscriber;  ///< name of the tool that holds the subscription instead of us
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuProbe, built, driverError, driverVersion, init, gpus,
                                   cuptiTried, cuptiError, cuptiPath, cuptiRealPath, cuptiComplete,
                                   cuptiVersion, host, chips, subscribe, subscriber)

/// A process that may hold the counters.
struct CounterHolder {
    std::int64_t pid = 0;
    std::string name;  ///< as the kernel knows it, 15 characters at most: "nv-hostengine"
    /// Known to be a profiler by its name; otherwise it only has a counter library loaded.
    bool certain = false;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CounterHolder, pid, name, certain)

/// A libcupti on this machine.
struct CuptiFile {
    std::string path;       ///< as it was found
    std::string realPath;   ///< with links resolved
    std::string release;    ///< from its file name: "2025.3.1"; empty if that does not tell
    std::string origin;     ///< "LD_LIBRARY_PATH", "toolkit", "python"
    bool complete = false;  ///< libnvperf_host.so and libnvperf_target.so are beside it
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CuptiFile, path, realPath, release, origin, complete)

/// The file of the program that is going to be recorded.
struct ProgramFile {
    bool asked = false;
    std::string name, path;   ///< path is empty if the file was not found
    std::string kind;         ///< "elf", "script", "other"; or "folder", then without a path
    std::string interpreter;  ///< of a script
    bool is64Bit = true, isDynamic = true;
    bool privileged = false;  ///< set-user-ID, set-group-ID or file capabilities
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramFile, asked, name, path, kind, interpreter, is64Bit,
                                   isDynamic, privileged)

/// What is known from files, processes and the environment.
struct SystemFacts {
    std::string library, libraryError, libraryAdvice;  ///< libroofscope_inject.so
    std::string nvcc;
    std::string restriction;  ///< "RmProfilingAdminOnly: 1", empty when the module does not say
    bool isRoot = false, hasSysAdmin = false;
    bool inUserNamespace = false;  ///< capabilities do not count outside of the namespace
    std::string container;         ///< "docker", "podman", "kubernetes", "apptainer", …; or empty
    std::string initramfsTool;     ///< "update-initramfs -u", "dracut --force", or empty
    bool isWsl = false;
    std::string moduleVersion;                 ///< of the kernel module: "580.159.03"
    std::string cudaInjection, nvtxInjection;  ///< CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH
    std::string visibleDevices;                ///< CUDA_VISIBLE_DEVICES
    bool visibleDevicesSet = false;
    std::string mpsPipe;                   ///< CUDA_MPS_PIPE_DIRECTORY
    std::vector<std::int64_t> mpsServers;  ///< pids of nvidia-cuda-mps-control and -server
    std::string temporaryFolder, temporaryError;
    std::uint64_t temporaryFreeBytes = 0;
    bool temporaryChecked = false;
    std::vector<CuptiFile> cuptis;
    std::vector<CounterHolder> holders;
    bool processesRead = false;
    ProgramFile program;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SystemFacts, library, libraryError, libraryAdvice, nvcc,
                                   restriction, isRoot, hasSysAdmin, inUserNamespace, container,
                                   initramfsTool, isWsl, moduleVersion, cudaInjection,
                                   nvtxInjection, visibleDevices, visibleDevicesSet, mpsPipe,
                                   mpsServers, temporaryFolder, temporaryError, temporaryFreeBytes,
                                   temporaryChecked, cuptis, holders, processesRead, program)

/// How a child process ended.
struct Ending {
    bool timedOut = false;
    int seconds = 0;  ///< the limit, when timedOut
    int signal = 0;   ///< signal that ended it; 0: none
    bool started = true;
    std::string step;  ///< the last step that it reported: "cuInit"
    [[nodiscard]] bool inOrder() const { return started && !timedOut && signal == 0; }
};

struct Facts {
    SystemFacts system;
    GpuProbe gpu;
    Ending systemEnding, gpuEnding;
};

}  // namespace roofscope::doctor
