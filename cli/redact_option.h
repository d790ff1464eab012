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

/// Adds "--redact[=names]"; `value` stays empty when it is not given.
void addRedactOption(CLI::App& command, std::string& value);

/// What --redact leaves out, the names of this user and this machine included; absent when the
/// option was not given.
[[nodiscard]] Result<std::optional<RedactOptions>> chooseRedaction(const std::string& option);

}  // namespace roofscope::cli
