// SPDX-License-Identifier: Apache-2.0
#include "profile/names/foreign_modules.h"

namespace roofscope {
namespace {

bool isPackagePath(std::string_view path) {
    return path.find("/site-packages/") != path.npos || path.find("/dist-packages/") != path.npos;
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
    if (path.starts_with("/usr/local/cuda")) return true;
    for (const std::string_view part : {"/usr/include/", "/include/c++/", "/cuda/include/"})
        if (path.find(part) != path.npos) return true;
    return false;
}

bool isInstalledPython(std::string_view path) {
    return path.starts_with('<') || isPackagePath(path) || path.find("/lib/python3") != path.npos ||
           path.find("/lib64/python3") != path.npos;
}

}  // namespace roofscope
