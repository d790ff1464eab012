// SPDX-License-Identifier: Apache-2.0
#include "gui/models/record_command.h"

#include <algorithm>
#include <limits>

#include "reports/ask_command.h"
#include "reports/escape.h"

namespace roofscope::gui {
namespace {

/// By name, or by rank where that takes fewer runs (each kernel takes one) or the name would need
/// quoting.
std::string choiceOf(const Analysis& analysis, std::size_t kernel) {
    const std::string pattern = kernelPattern(shortKernelName(
        analysis.kernels[kernel].fullName, std::numeric_limits<std::size_t>::max()));
    const std::vector<Kernel>& functions = analysis.profile->kernels;
    const auto named = static_cast<std::size_t>(std::count_if(
        functions.begin(), functions.end(),
        [&](const Kernel& function) { return function.name.find(pattern) != std::string::npos; }));
    const std::size_t rank = std::max<std::size_t>(3, kernel + 1);
    return pattern.empty() || named > rank ? "top:" + std::to_string(rank) : pattern;
}

}  // namespace

QString recordSourceCommand(const Analysis& analysis, std::size_t kernel) {
    const Capture& capture = analysis.profile->capture;
    std::string program = shellCommand(capture.command);
    // Other tools name the process, not its arguments.
    if (!program.empty() && capture.origin == "imported") program += " ARGS";
    if (program.empty()) program = "PROGRAM ARGS";
    return QString::fromStdString("roofscope record --source " + choiceOf(analysis, kernel) +
                                  " -- " + program);
}

}  // namespace roofscope::gui
