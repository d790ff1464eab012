// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/libc_variants.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace roofscope {
namespace {

/// Functions of which glibc has several variants on x86-64 or ARM. If two have the same address,
/// such as memcpy and memmove, the first one's name is used.
constexpr std::array kFunctions{
    "memcpy", "memmove", "memset", "memcmp",  "memchr", "memrchr", "strlen",  "strnlen",
    "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strchr",  "strrchr", "strcasecmp",
    "strstr", "strspn",  "wcslen", "wmemset", "exp",    "expf",    "exp2f",   "log",
    "logf",   "log2f",   "pow",    "powf",    "sin",    "sinf",    "cos",     "cosf",
    "sincos", "sincosf", "tan",    "atan",    "atan2",  "floor",   "floorf",  "ceil",
    "ceilf",  "rint",    "rintf",  "trunc",   "truncf", "fma",     "fmaf"};

using Place = std::pair<std::string, std::uint64_t>;  // real path, offset

std::string realPath(const std::string& path) {
    std::error_code error;
    return std::filesystem::canonical(path, error).string();
}

std::map<Place, std::string> variantsOfThisProcess() {
    std::map<Place, std::string> variants;
    for (const char* name : kFunctions) {
        const void* function = dlsym(RTLD_DEFAULT, name);
        Dl_info info{};
        if (!function || dladdr(function, &info) == 0 || !info.dli_fname) continue;
        const auto offset =
            static_cast<const char*>(function) - static_cast<const char*>(info.dli_fbase);
        variants.try_emplace({realPath(info.dli_fname), static_cast<std::uint64_t>(offset)}, name);
    }
    return variants;
}

}  // namespace

std::string libcVariant(const std::string& module, std::uint64_t offset) {
    static const std::map<Place, std::string> kVariants = variantsOfThisProcess();
    const auto found = kVariants.find({realPath(module), offset});
    return found == kVariants.end() ? std::string() : found->second;
}

}  // namespace roofscope
