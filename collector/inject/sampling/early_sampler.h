// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collector/inject/sampling/cpu_sampler.h"

/// Samples a program from its start until CUDA is initialised. Without this, the library would be
/// loaded only then, after the program has read its input. For this purpose `record` names the
/// library in LD_PRELOAD.
namespace roofscope::inject::early {

/// Begins to sample this process. Call it once, before main().
void begin();
/// Stops sampling and returns the sampler with its samples. Null if begin() was not called in this
/// process, or if take() was called before.
[[nodiscard]] std::unique_ptr<CpuSampler> take();

/// LD_PRELOAD without the entry `library`; nullopt if it has none.
[[nodiscard]] std::optional<std::string> withoutLibrary(std::string_view preload,
                                                        std::string_view library);

}  // namespace roofscope::inject::early
