// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/frameworks/frameworks.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <utility>

#include "collector/inject/frameworks/xla_ranges.h"

namespace roofscope::inject {
namespace {

using Names = std::array<std::string_view, 1>;

constexpr std::array<std::string_view, 4> kXlaLibraries{"xla_", "libjax", "libpywrap_tensorflow",
                                                        "libtensorflow"};
/// One script marks the tuners of all three, as soon as one of their modules is loaded.
constexpr Names kTuners{"autotuners.py"};
constexpr Names kTorchOperators{"operators.py"}, kTorchLibraries{"libtorch_cuda"};

const Issue& graphsOff() {
    static const Issue issue{.severity = Severity::Info,
                             .source = "inject",
                             .code = "command-buffers-off",
                             .message =
                                 "while counters were read, XLA launched its kernels one by one "
                                 "instead of in CUDA graphs; times are those with graphs"};
    return issue;
}

std::string_view fileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Whether this process has loaded one of its libraries.
bool isLoaded(const Framework& framework) {
    const auto look = [](dl_phdr_info* info, std::size_t, void* given) {
        const std::string_view name = fileName(info->dlpi_name ? info->dlpi_name : "");
        const auto begins = [&](std::string_view begin) { return name.starts_with(begin); };
        const auto& libraries = static_cast<const Framework*>(given)->libraries;
        return std::ranges::any_of(libraries, begins) ? 1 : 0;
    };
    return dl_iterate_phdr(look, const_cast<Framework*>(&framework)) != 0;
}

}  // namespace

std::span<const Framework> frameworks() {
    static const std::array<Framework, 3> all{{
        // While any hardware counter is read, two kinds of launches end with an illegal instruction
        // (CUPTI 13.0 on GH100): kernels that XLA has tuned, and launches in its CUDA graphs
        // ("command buffers"). So XLA runs without tuning, or without graphs.
        {.name = "XLA",
         .libraries = kXlaLibraries,
         .oneByOneWhileCounted = &graphsOff(),
         .rangeName = xlaRangeName,
         .tuningScripts = kTuners},
        {.name = "Triton", .tuningScripts = kTuners},
        // PyTorch's Python functions torch.cuda.nvtx are in a different shared object than its
        // profiler.
        {.name = "PyTorch",
         .libraries = kTorchLibraries,
         .manyVariables = true,
         .operatorsLibrary = "libtorch_cuda",
         .tuningScripts = kTuners,
         .operatorScripts = kTorchOperators},
    }};
    return all;
}

std::string countedName(std::string name) {
    for (const Framework& framework : frameworks())
        if (framework.rangeName) name = framework.rangeName(std::move(name));
    return name;
}

bool launchesOneByOneWhileCounted() {
    return std::ranges::any_of(frameworks(), [](const Framework& framework) {
        return framework.oneByOneWhileCounted && isLoaded(framework);
    });
}

bool holdsManyVariables() {
    return std::ranges::any_of(frameworks(), [](const Framework& framework) {
        return framework.manyVariables && isLoaded(framework);
    });
}

bool reportsOperators(std::string_view path) {
    return std::ranges::any_of(frameworks(), [&](const Framework& framework) {
        return !framework.operatorsLibrary.empty() &&
               fileName(path).starts_with(framework.operatorsLibrary);
    });
}

}  // namespace roofscope::inject
