// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace roofscope::inject {

/// Starts a thread of ours that nobody waits for. It blocks all signals, because they are meant for
/// the program. `name`: at most 15 characters. Exceptions of `main` are ignored. False if no thread
/// can be created.
[[nodiscard]] bool startDetached(const char* name, std::function<void()> main);

}  // namespace roofscope::inject
