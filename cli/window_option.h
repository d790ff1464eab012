// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/program/program.h"
#include "profile/errors/result.h"

namespace CLI {
class App;
}

namespace roofscope::cli {

/// Adds `--window NAME`: by what part of its run a program is judged.
void addWindowOption(CLI::App& command, std::string& value);
/// The choice of that name, or an error that lists them.
Result<WindowChoice> chooseWindow(const std::string& name);

}  // namespace roofscope::cli
