// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace roofscope {

/// Takes the next piece of a text that is too large to keep as a whole.
using TextSink = std::function<void(std::string_view)>;
/// Passes a text piece by piece to the sink. Each call starts from the beginning.
using TextSource = std::function<void(const TextSink&)>;

}  // namespace roofscope
