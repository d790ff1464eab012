// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/text_checks.h"

namespace roofscope::cli {

/// Adds `--folder`: the folder with the sockets of armed processes.
inline void addArmFolderOption(CLI::App& command, std::string& folder) {
    command
        .add_option("--folder", folder,
                    "Folder of the sockets of armed processes (default: $ROOFSCOPE_ARM, else "
                    "roofscope in $XDG_RUNTIME_DIR, else /tmp/roofscope-UID)")
        ->check(fileName());
}

}  // namespace roofscope::cli
