// SPDX-License-Identifier: Apache-2.0
// For libroofscope_inject.so when the dynamic loader loads it, not the CUDA driver.
#include <dlfcn.h>

#include <cstdlib>

#include "collector/inject/sampling/early_sampler.h"

namespace {

/// Runs before main(). Does nothing unless LD_PRELOAD names this library. Then removes it from
/// LD_PRELOAD, because the program's children are not to be sampled, and begins to sample.
[[gnu::constructor]] void whenLoaded() {
    namespace early = roofscope::inject::early;
    try {
        constexpr const char* kVariable = "LD_PRELOAD";
        const char* const preload = std::getenv(kVariable);
        Dl_info self{};
        if (!preload || dladdr(reinterpret_cast<const void*>(&whenLoaded), &self) == 0) return;
        const auto others = early::withoutLibrary(preload, self.dli_fname);
        if (!others) return;
        if (others->empty())
            unsetenv(kVariable);
        else
            setenv(kVariable, others->c_str(), 1);
        early::begin();
    } catch (...) {
        // Out of memory: the program runs on without samples of its start.
    }
}

}  // namespace
