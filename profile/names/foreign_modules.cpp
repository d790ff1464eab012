// SPDX-License-Identifier: Apache-2.0
#include "profile/names/foreign_modules.h"

#include <algorithm>

namespace roofscope {
namespace {

bool isPackagePath(std::string_view path) {
    return path.find("/site-packages/") != path.npos || path.find("/dist-packages/") != path.npos;
}

/// Whether a path is below the `include` folder of a CUDA toolkit: cuda/include/,
/// cuda-13.0/include/, cuda/13.0/include/, cuda/targets/NAME/include/. Folders `cuda/` and
/// `cuda-solver/` of a program itself do not count.
bool isToolkitHeader(std::string_view path) {
    constexpr std::string_view kFolder = "/cuda", kTargets = "/targets/";
    const auto skipVersion = [](std::string_view& rest, char before) {
        if (!rest.starts_with(before)) return;
        const auto end = rest.find_first_not_of("0123456789.", 1);
        if (end != rest.npos && end > 1) rest.remove_prefix(end);
    };
    for (auto at = path.find(kFolder); at != path.npos; at = path.find(kFolder, at + 1)) {
        std::string_view rest = path.substr(at + kFolder.size());
        skipVersion(rest, '-');
        skipVersion(rest, '/');
        if (rest.starts_with(kTargets)) {
            const auto end = rest.find('/', kTargets.size());
            rest.remove_prefix(std::min(end, rest.size()));
        }
        if (rest.starts_with("/include/")) return true;
    }
    return false;
}

}  // namespace

bool isForeignModule(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    for (const std::string_view start :
         {"libcuda", "libcupti", "libnv", "libcu", "libnccl", "libroofscope", "libc.so", "libc-",
          "libstdc++", "libgcc", "libpthread", "ld-linux", "libtorch", "libc10", "libtriton",
          "xla_cuda", "libjax", "libpython"})
        if (name.starts_with(start)) return true;
    return name.empty();
}

bool isInstalledModule(std::string_view path) {
    if (isForeignModule(path) || isPackagePath(path)) return true;
    for (const std::string_view start :
         {"/lib/", "/lib64/", "/usr/lib", "linux-vdso", "/usr/local/cuda", "/usr/bin/python",
          "/usr/local/bin/python"})
        if (path.starts_with(start)) return true;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with("python3") || path.find("/lib/python3") != path.npos;
}

bool isCudaRuntime(std::string_view function) {
    for (const std::string_view start :
         {"libcudart_static_", "__cuda", "__device_stub", "cudart::", "cudaLaunch", "cudaMem",
          "cudaStream", "cudaDevice", "cudaEvent", "cudaFree", "cudaMalloc", "cudaGraph"})
        if (function.starts_with(start)) return true;
    return false;
}

bool isInstalledHeader(std::string_view path) {
    if (path.starts_with("/usr/local/cuda") || isPackagePath(path) || isToolkitHeader(path))
        return true;
    for (const std::string_view part : {"/usr/include/", "/include/c++/"})
        if (path.find(part) != path.npos) return true;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    // "app.cudafe1.stub.c": nvcc's code between a launch and the runtime.
    if (name.starts_with("cuda_runtime") || name.ends_with(".cudafe1.stub.c")) return true;
    if (name.ends_with(".cu") || name.ends_with(".cpp") || name.ends_with(".cc")) return false;
    for (const std::string_view library : {"/cub/", "/thrust/", "/cccl/"})
        if (path.find(library) != path.npos) return true;
    return false;
}

bool isInstalledPython(std::string_view path) {
    return path.starts_with('<') || isPackagePath(path) || path.find("/lib/python3") != path.npos ||
           path.find("/lib64/python3") != path.npos;
}

}  // namespace roofscope
