// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collector/inject/sampling/cpu_sampler.h"

/// Samples of a program from its start until CUDA is initialised, when the recorder would be loaded
/// otherwise: it reads its input then. For this, `record` names the library in LD_PRELOAD.
namespace roofscope::inject::early {

/// Begins to sample this process. Call it once, before main().
void begin();
/// Ends it and returns the sampler with what it saw; null if begin() was not called in this
/// process, or the second time.
[[nodiscard]] std::unique_ptr<CpuSampler> take();

/// LD_PRELOAD without the entry `library`; nullopt if it has none.
[[nodiscard]] std::optional<std::string> withoutLibrary(std::string_view preload,
                                                        std::string_view library);

}  // namespace roofscope::inject::early
