// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/record_again_command.h"

#include <algorithm>
#include <string_view>

#include "reports/escape/escape.h"
#include "reports/kernels/kernel_id.h"

namespace roofscope::gui {
namespace {

/// The option value that chooses the kernel. By exact name, since each chosen kernel costs a run.
/// If the name is too long: by rank, with the kernels above it.
std::string choiceOf(const Analysis& analysis, std::size_t kernel) {
    const std::string pattern = exactPattern(analysis.kernels[kernel].fullName);
    const std::size_t rank = std::max<std::size_t>(3, kernel + 1);
    return pattern.empty() ? "top:" + std::to_string(rank) : pattern;
}

/// "roofscope record" with an option, for the recorded program.
QString recordCommand(const Analysis& analysis, const std::vector<std::string>& option) {
    const Capture& capture = analysis.profile->capture;
    std::string program = shellCommand(capture.command);
    // Imported profiles name the program, but not its arguments.
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
    // --range takes a glob for the name of one range: escape its special characters.
    std::string glob;
    for (const char letter : inside->range.substr(0, inside->range.find(" > "))) {
        if (std::string_view("*?[\\").find(letter) != std::string_view::npos) glob += '\\';
        glob += letter;
    }
    return recordCommand(analysis, {"--range", glob});
}

}  // namespace roofscope::gui
