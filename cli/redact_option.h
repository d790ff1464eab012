// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "profile/errors/result.h"
#include "profile/operations/redact.h"

namespace CLI {
class App;
}

namespace roofscope::cli {

/// Adds "--redact[=names]"; `value` stays empty if it is not given.
void addRedactOption(CLI::App& command, std::string& value);

/// What to redact, including the names of this user and this machine; absent if the option was not
/// given.
[[nodiscard]] Result<std::optional<RedactOptions>> chooseRedaction(const std::string& option);

}  // namespace roofscope::cli
