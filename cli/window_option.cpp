// SPDX-License-Identifier: Apache-2.0
#include "cli/window_option.h"

#include <CLI/CLI.hpp>

#include "profile/errors/usage_error.h"

namespace roofscope::cli {

void addWindowOption(CLI::App& command, std::string& value) {
    command
        .add_option("--window", value,
                    "What the program is judged by: loop (what it repeats), run (all of it), or "
                    "auto (default): the loop, unless it is less than half of the run and the "
                    "rest is not the start-up of CUDA or of a Python program")
        ->type_name("NAME");
}

Result<WindowChoice> chooseWindow(const std::string& name) {
    if (const auto window = parseWindow(name)) return *window;
    return usageError("unknown window \"" + name + "\"", "--window", "use auto, loop or run");
}

}  // namespace roofscope::cli
