// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/record_command.h"

#include <algorithm>
#include <string_view>

#include "reports/escape/escape.h"
#include "reports/kernels/kernel_id.h"

namespace roofscope::gui {
namespace {

/// By its name and no neighbour's: each kernel takes a run. By rank where the name is too long.
std::string choiceOf(const Analysis& analysis, std::size_t kernel) {
    const std::string pattern = exactPattern(analysis.kernels[kernel].fullName);
    const std::size_t rank = std::max<std::size_t>(3, kernel + 1);
    return pattern.empty() ? "top:" + std::to_string(rank) : pattern;
}

/// "roofscope record" with an option for the program of the recording.
QString recordCommand(const Analysis& analysis, const std::vector<std::string>& option) {
    const Capture& capture = analysis.profile->capture;
    std::string program = shellCommand(capture.command);
    // Other tools name the process, not its arguments.
    if (!program.empty() && capture.origin == "imported") program += " ARGS";
    if (program.empty()) program = "PROGRAM ARGS";
    const std::string quoted = shellCommand(option);
    if (quoted.empty()) return {};  // too long to be of use
    return QString::fromStdString("roofscope record " + quoted + " -- " + program);
}

}  // namespace

QString recordSourceCommand(const Analysis& analysis, std::size_t kernel) {
    return recordCommand(analysis, {"--source", choiceOf(analysis, kernel)});
}

QString recordOverTimeCommand(const Analysis& analysis, std::size_t kernel) {
    return recordCommand(analysis, {"--over-time", choiceOf(analysis, kernel)});
}

QString recordRangeCommand(const Analysis& analysis) {
    const auto inside = std::ranges::find_if(
        analysis.kernels, [](const KernelAnalysis& kernel) { return !kernel.range.empty(); });
    if (inside == analysis.kernels.end()) return {};
    // The option takes a glob of a range's own name.
    std::string glob;
    for (const char letter : inside->range.substr(0, inside->range.find(" > "))) {
        if (std::string_view("*?[\\").find(letter) != std::string_view::npos) glob += '\\';
        glob += letter;
    }
    return recordCommand(analysis, {"--range", glob});
}

}  // namespace roofscope::gui
