// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/language/language.h"
#include "profile/model/profile.h"

/// Words about how a profile was measured, and on which GPUs.
namespace roofscope {

/// "each launch replayed (kernel replay), 2 passes per launch".
[[nodiscard]] std::string strategyWords(const Capture& capture, Language language);
/// 13000 → "13.0".
[[nodiscard]] std::string cudaVersion(std::uint32_t version);
/// Numbers of GPUs, ascending: "0, 1", "0–3, 6".
[[nodiscard]] std::string deviceNumbers(const std::vector<std::uint32_t>& devices);
/// Features that this GPU lacks and an edit might want to use; unknown ones are not listed.
[[nodiscard]] std::vector<std::string> missingFeatures(const Device& device, Language language);

}  // namespace roofscope
