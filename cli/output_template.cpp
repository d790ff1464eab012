// SPDX-License-Identifier: Apache-2.0
#include "cli/output_template.h"

#include <fmt/format.h>
#include <unistd.h>

#include "collector/rank/rank.h"

namespace roofscope::cli {

Result<std::string> expandOutput(const std::string& pattern, const OutputPlaceholders& marks) {
    const auto refuse = [](std::string what, const char* advice) {
        return Error{
            .code = ErrorCode::Usage, .what = std::move(what), .where = "--out", .advice = advice};
    };
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            text += pattern[i];
            continue;
        }
        const char mark = ++i < pattern.size() ? pattern[i] : '\0';
        if (mark == '%') {
            text += '%';
        } else if (mark == 'p') {
            text += std::to_string(marks.pid);
        } else if (mark == 'h') {
            if (marks.host.empty()) return refuse("%h: this machine has no name", "use %p");
            // A host name must not add folders to the path.
            for (const char c : marks.host) text += c == '/' ? '_' : c;
        } else if (mark == 'r') {
            if (!marks.rank)
                return refuse("%r: no launcher gave this process a rank",
                              "%r is for mpirun, srun and torchrun; %p is the process id");
            text += std::to_string(*marks.rank);
        } else {
            return refuse(mark == '\0' ? std::string("ends with %")
                                       : fmt::format("%{} is not a placeholder", mark),
                          "%p is the process id, %h the host, %r the rank, %% a percent sign");
        }
    }
    return text;
}

Result<ProfileOutput> chooseProfileOutput(const std::string& pattern, const std::string& program) {
    const auto rank = findRank();
    if (pattern.empty()) {
        // A single rank needs no number in the file name.
        const bool oneOfMany = rank && rank->worldSize.value_or(2) > 1;
        return defaultOutput(oneOfMany ? fmt::format("{}.rank{}", program, rank->rank) : program);
    }
    auto text = expandOutput(
        pattern, {.pid = getpid(),
                  .host = hostName(),
                  .rank = rank ? std::optional<std::uint32_t>(rank->rank) : std::nullopt});
    if (!text) return text.error();
    return ProfileOutput{.path = *text};
}

}  // namespace roofscope::cli
