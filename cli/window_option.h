// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/program/program.h"
#include "profile/errors/result.h"

namespace CLI {
class App;
}

namespace roofscope::cli {

/// Adds `--window NAME`: the part of a run by which the program is judged.
void addWindowOption(CLI::App& command, std::string& value);
/// The choice with that name, or an error that lists all names.
Result<WindowChoice> chooseWindow(const std::string& name);

}  // namespace roofscope::cli
