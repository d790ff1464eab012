// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/cupti_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>

namespace roofscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSonames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

/// Folders in which Python's package installers and conda keep libcupti: first the environment that
/// pip installed this file into, then the active ones.
std::vector<std::string> environmentFolders() {
    std::vector<std::string> folders;
    const auto addSitePackages = [&folders](const fs::path& site) {
        folders.push_back((site / "nvidia/cu13/lib").string());
        folders.push_back((site / "nvidia/cuda_cupti/lib").string());
    };
    const auto addPrefix = [&](const fs::path& prefix) {
        std::vector<fs::path> pythons;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(prefix / "lib", error))
            if (entry.path().filename().string().starts_with("python3"))
                pythons.push_back(entry.path());
        std::sort(pythons.rbegin(), pythons.rend());
        for (const auto& python : pythons)
            for (const char* packages : {"site-packages", "dist-packages"})
                addSitePackages(python / packages);
    };
    // SITE/roofscope/_native/bin/roofscope and SITE/roofscope/_native/lib/libroofscope_inject.so
    Dl_info self{};
    if (dladdr(reinterpret_cast<const void*>(kSonames), &self) && self.dli_fname) {
        std::error_code error;
        if (const fs::path file = fs::canonical(self.dli_fname, error);
            !error && file.parent_path().parent_path().filename() == "_native")
            addSitePackages(file.parent_path().parent_path().parent_path().parent_path());
    }
    if (const char* venv = std::getenv("VIRTUAL_ENV"); venv && *venv) addPrefix(venv);
    if (const char* conda = std::getenv("CONDA_PREFIX"); conda && *conda) {
        addPrefix(conda);
        folders.push_back(std::string(conda) + "/lib");
        folders.push_back(std::string(conda) + "/targets/x86_64-linux/lib");
        folders.push_back(std::string(conda) + "/targets/sbsa-linux/lib");
    }
    return folders;
}

/// Folders in which toolkits keep libcupti: the toolkit of the build, CUDA_PATH, CUDA_HOME, then
/// those in /usr/local, newest first.
std::vector<std::string> toolkitFolders() {
    std::vector<std::string> roots;
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (const char* value = std::getenv(variable)) roots.emplace_back(value);
    roots.emplace_back("/usr/local/cuda");
    std::vector<std::string> versioned;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/usr/local", error))
        if (entry.path().filename().string().starts_with("cuda-"))
            versioned.push_back(entry.path().string());
    std::sort(versioned.rbegin(), versioned.rend());
    roots.insert(roots.end(), versioned.begin(), versioned.end());

    std::vector<std::string> folders;
#ifdef ROOFSCOPE_CUPTI_LIBRARY_DIR
    if (*ROOFSCOPE_CUPTI_LIBRARY_DIR) folders.emplace_back(ROOFSCOPE_CUPTI_LIBRARY_DIR);
#endif
    for (const auto& root : roots)
        for (const char* sub : {"/extras/CUPTI/lib64", "/lib64", "/targets/x86_64-linux/lib",
                                "/targets/sbsa-linux/lib", "/lib"})
            folders.push_back(root + sub);
    return folders;
}

/// Loads CUPTI's helper libraries. CUPTI opens them by name only, so this makes
/// LD_LIBRARY_PATH unnecessary.
void loadHelpersBeside(const std::string& cupti) {
    const fs::path folder = fs::path(cupti).parent_path();
    if (folder.empty()) return;
    for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"})
        if (const std::string path = (folder / name).string(); fs::exists(path))
            (void)dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Whether it has every function that the collector calls. An older libcupti is used only if
/// there is no complete one.
bool isComplete(void* handle) {
#define ROOFSCOPE_CUPTI_HAS(name) &&dlsym(handle, "cupti" #name)
    return handle ROOFSCOPE_CUPTI_FUNCTIONS(ROOFSCOPE_CUPTI_HAS);
#undef ROOFSCOPE_CUPTI_HAS
}

void* openFirst(std::string& tried) {
    const auto attempt = [&](const std::string& name, int flags) -> void* {
        void* handle = dlopen(name.c_str(), flags | RTLD_NOW | RTLD_LOCAL);
        if (!handle) tried += (tried.empty() ? "" : ", ") + name;
        return handle;
    };
    // An explicit choice is final: a silent fallback would measure with a different library.
    if (const char* chosen = std::getenv("ROOFSCOPE_CUPTI"); chosen && *chosen) {
        if (!fs::is_directory(chosen)) return attempt(chosen, 0);
        for (const char* soname : kSonames)
            if (void* handle = attempt(std::string(chosen) + "/" + soname, 0)) return handle;
        return nullptr;
    }
    for (const char* soname : kSonames)
        if (void* handle = dlopen(soname, RTLD_NOLOAD | RTLD_NOW | RTLD_LOCAL)) return handle;
    std::vector<std::string> folders = environmentFolders();
    for (std::string& folder : toolkitFolders()) folders.push_back(std::move(folder));
    void* old = nullptr;
    for (const auto& folder : folders)
        for (const char* soname : kSonames)
            if (std::error_code error; fs::exists(folder + "/" + soname, error))
                if (void* handle = attempt(folder + "/" + soname, 0)) {
                    if (isComplete(handle)) return handle;
                    if (old) dlclose(handle);
                    if (!old) old = handle;
                }
    for (const char* soname : kSonames)
        if (void* handle = attempt(soname, 0)) {
            if (isComplete(handle) || !old) return handle;
            dlclose(handle);
        }
    return old;
}

std::string loadInto(CuptiApi& api) {
    std::string tried;
    api.handle = openFirst(tried);
    if (!api.handle) {
        const char* last = dlerror();
        return fmt::format("libcupti could not be loaded (tried: {}{}{})", tried, last ? "; " : "",
                           last ? last : "");
    }
    std::string missing;
#define ROOFSCOPE_CUPTI_RESOLVE(name)                                                  \
    api.name = reinterpret_cast<decltype(api.name)>(dlsym(api.handle, "cupti" #name)); \
    if (!api.name) missing += " cupti" #name;
    ROOFSCOPE_CUPTI_FUNCTIONS(ROOFSCOPE_CUPTI_RESOLVE)
#undef ROOFSCOPE_CUPTI_RESOLVE
    Dl_info info{};
    if (api.GetVersion && dladdr(reinterpret_cast<void*>(api.GetVersion), &info) && info.dli_fname)
        api.path = info.dli_fname;
    if (!missing.empty())
        return fmt::format("{} is too old (CUDA 12.8 or later is needed): it lacks{}", api.path,
                           missing);
    api.GetVersion(&api.version);
    return {};
}

}  // namespace

const CuptiApi* CuptiApi::load(std::string* whyNot, CuptiUse use) {
    static CuptiApi api;
    static std::string failure;
    static std::once_flag once, helpersOnce;
    std::call_once(once, [] { failure = loadInto(api); });
    if (use == CuptiUse::Counters) std::call_once(helpersOnce, [] { loadHelpersBeside(api.path); });
    if (failure.empty()) return &api;
    if (whyNot) *whyNot = failure;
    return nullptr;
}

std::string CuptiApi::describe(CUptiResult result) const {
    const char* text = nullptr;
    if (!GetResultString || GetResultString(result, &text) != CUPTI_SUCCESS || !text)
        return fmt::format("CUPTI error {}", static_cast<int>(result));
    return fmt::format("{} ({})", text, static_cast<int>(result));
}

std::string cuptiAdvice(CUptiResult result) {
    switch (result) {
        case CUPTI_ERROR_NOT_INITIALIZED:
            return "the driver does not match this CUPTI, or libnvperf_host.so and "
                   "libnvperf_target.so are not beside libcupti.so; install the driver of this "
                   "CUDA version or point ROOFSCOPE_CUPTI to the toolkit's own libcupti";
        case CUPTI_ERROR_HARDWARE_BUSY:
            return "another process is reading this GPU's counters, and only one can at a time: a "
                   "rank or recording on the same GPU, another profiler, or DCGM (run \"dcgmi "
                   "profile --pause\" first and \"--resume\" afterwards)";
        case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
        case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
            return "the virtual GPU does not allow profiling: ask the administrator to enable it "
                   "in the vGPU's configuration";
        case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
            return "performance counters are reserved for administrators: run as root, or once "
                   "\"echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee "
                   "/etc/modprobe.d/nvidia-profiling.conf\" and reboot; in a container add "
                   "\"--cap-add SYS_ADMIN\"";
        case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
            return "another tool (Nsight, torch.profiler, Proton) is attached to CUPTI in this "
                   "process: switch it off";
        case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
            return "counters cannot be read in confidential-compute mode";
        case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
            return "mining cards (CMP) have no readable counters";
        case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
            return "counters cannot be read on this MIG configuration: use a whole GPU";
        case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
            return "counters cannot be read in an SLI configuration";
        case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
            return "allow access under WSL: NVIDIA Control Panel, Developer, Manage GPU "
                   "Performance Counters, \"allow access to all users\"";
        case CUPTI_ERROR_INVALID_CHIP_NAME:
            return "this CUPTI does not know the chip: install a newer CUDA toolkit";
        default:
            return {};
    }
}

}  // namespace roofscope
