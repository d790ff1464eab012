// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace roofscope {

/// Takes the next piece of a text that is too large to be held as a whole.
using TextSink = std::function<void(std::string_view)>;
/// Gives a text piece by piece, from its beginning each time that it is called.
using TextSource = std::function<void(const TextSink&)>;

}  // namespace roofscope
