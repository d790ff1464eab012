// SPDX-License-Identifier: Apache-2.0
// `roofscope merge A B… --out C`: joins profiles of ranks, machines or runs into one.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/record_output.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "profile/codec/codec.h"
#include "profile/files/output_conflict.h"
#include "profile/operations/merge.h"
#include "profile/text/count_text.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

struct MergeArguments {
    std::vector<std::string> files;
    std::string out;
    bool quiet = false;
};

Result<int> merge(const MergeArguments& options) {
    if (options.files.size() < 2)
        return Error{.code = ErrorCode::Usage,
                     .what = "takes at least two profiles",
                     .where = "merge",
                     .advice =
                         "example: roofscope merge app.rank*.roofscope.json --out "
                         "app.roofscope.json"};
    if (auto ok = checkWritable(options.out); !ok) return ok.error();
    if (auto ok = checkOutputIsNoInput("--out", options.out,
                                       {options.files.begin(), options.files.end()});
        !ok)
        return ok.error();
    std::map<std::string, int> uses;
    for (const auto& file : options.files) ++uses[fs::path(file).filename().string()];
    std::vector<MergeInput> inputs;
    for (const auto& file : options.files) {
        auto profile = readAnyProfile(file);
        if (!profile) return profile.error();
        // The folder is shown only if two files have the same name.
        const std::string name = fs::path(file).filename().string();
        inputs.push_back({std::move(*profile), uses[name] > 1 ? file : name});
    }
    auto merged = mergeProfiles(std::move(inputs));
    if (!merged) return merged.error();
    if (auto ok = writeProfile(*merged, options.out); !ok) return ok.error();
    if (!options.quiet)
        printNote(fmt::format("{} of {} by {} on {}: {}",
                              countText(merged->launches.size(), "launch", "launches"),
                              countText(merged->kernels.size(), "kernel", "kernels"),
                              countText(merged->processes.size(), "process", "processes"),
                              countText(merged->devices.size(), "device", "devices"), options.out));
    return 0;
}

}  // namespace

void addMergeCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<MergeArguments>();
    CLI::App* command =
        app.add_subcommand("merge", "Join profiles of ranks, machines or runs into one");
    command->add_option("PROFILE", options->files, "Two or more profiles")
        ->required()
        ->check(fileName())
        ->type_name("");
    command->add_option("--out,-o", options->out, "Profile to write (\".gz\" compresses)")
        ->required()
        ->check(fileName())
        ->type_name("PATH");
    command->add_flag("--quiet,-q", options->quiet, "No summary on stderr");
    command->footer(
        "Counters are kept as they are; what one profile lacks is missing, never 0. Equal kernels "
        "become\none, and so do equal devices of one host. Recorded, imported and synthetic "
        "profiles "
        "are not mixed.\n\n"
        "Examples:\n"
        "  mpirun -n 4 roofscope record -- ./app\n"
        "  roofscope merge app.rank*.roofscope.json --out app.roofscope.json\n"
        "  roofscope report app.roofscope.json\n"
        "Ranks and what reports say of them: docs/ranks.md");
    command->callback([=, &run] { run = [=] { return merge(*options); }; });
}

}  // namespace roofscope::cli
