// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/kernels_program.h"
#include "cli/number_check.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "collector/run/processes/child_process.h"
#include "collector/run/tools/stored_ceilings.h"
#include "profile/codec/codec.h"
#include "reports/language/number_format.h"

namespace roofscope::cli {
namespace {

struct CeilingsOptions {
    std::vector<std::string> only;
    double seconds = 0;
    std::string out;
    bool json = false, list = false;
};

std::vector<std::string> commandOf(const CeilingsOptions& options, const std::string& program) {
    std::vector<std::string> command{program, "ceilings"};
    for (const std::string& pattern : options.only)
        command.insert(command.end(), {"--only", pattern});
    if (options.seconds > 0)
        command.insert(command.end(), {"--seconds", fmt::format("{}", options.seconds)});
    if (options.list) command.emplace_back("--list");
    if (options.json || !options.list) command.emplace_back("--json");
    return command;
}

std::string rateText(const std::optional<double>& rate, Ceiling::Kind kind) {
    if (!rate) return "-";
    return kind == Ceiling::Kind::Bandwidth ? formatNumber(*rate, Unit::BytesPerSecond)
                                            : formatSi(*rate, "OP/s");
}

std::string toText(const Profile& profile) {
    std::string text;
    for (const Device& device : profile.devices) {
        text += fmt::format("{} ({})\n\n{:<14} {:>13} {:>13} {:>8} {:>12}  {}\n", device.name,
                            device.uuid, "roof", "burst", "sustained", "spread", "of data sheet",
                            "method");
        for (const Ceiling& c : device.ceilings) {
            const auto share = [](const std::optional<double>& value) {
                return value ? formatNumber(*value, Unit::Share) : std::string("-");
            };
            std::optional<double> ofChip, spread;
            if (c.theoretical) ofChip = c.burst / *c.theoretical;
            if (c.spread) spread = c.spread->value;
            text += fmt::format("{:<14} {:>13} {:>13} {:>8} {:>13}  {}", c.name,
                                rateText(c.burst, c.kind), rateText(c.sustained, c.kind),
                                share(spread), share(ofChip), c.method);
            if (c.bufferBytes)
                text += ", " + formatNumber(static_cast<double>(*c.bufferBytes), Unit::Bytes);
            text += "\n";
        }
        for (const Ceiling& c : device.ceilings)
            if (!c.throttleReasons.empty())
                text += fmt::format(
                    "\n{}: clocks were throttled in the {}{}", c.name, c.throttleReasons,
                    c.sustainedSmClock
                        ? fmt::format(" (down to {})",
                                      formatNumber(c.sustainedSmClock->value, Unit::Hertz))
                        : "");
    }
    for (const Issue& issue : profile.issues) text += "\n" + issue.message;
    return text + "\n";
}

constexpr std::uint64_t kMostOutput = 64U << 20;

Result<int> measure(const CeilingsOptions& options) {
    auto program = kernelsProgram();
    if (!program) return program.error();
    ExitStatus status;
    auto output = captureChild(commandOf(options, *program), false, kMostOutput, &status);
    // Our own program has already printed the reason. 127: it could not be started.
    if (!output && status.code && *status.code != 127) return *status.code;
    if (!output) return output.error();
    if (options.list) {
        std::cout << *output;
        return 0;
    }
    auto profile = parseProfile(*output, "roofscope-kernels ceilings");
    if (!profile) return profile.error();
    if (profile->devices.empty())
        return Error{.code = ErrorCode::BadData,
                     .what = "no GPU was measured",
                     .where = "roofscope-kernels ceilings"};
    // Print before storing: the measurement must not be lost if the folder is not writable.
    std::cout << (options.json ? *output : toText(*profile)) << std::flush;
    auto file = options.out.empty() ? ceilingsFile(profile->devices.front())
                                    : Result<std::filesystem::path>(options.out);
    if (!file) return file.error();
    if (auto stored = storeCeilings(std::move(*profile), *file); !stored) return stored.error();
    printNote("stored in " + file->string());
    return 0;
}

}  // namespace

void addCeilingsCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<CeilingsOptions>();
    CLI::App* command = app.add_subcommand("ceilings", "Measure this GPU's real roofs");
    command
        ->add_option("--only", options->only,
                     "Names or patterns: dram_read, \"tensor_*\" (default: all)")
        ->allow_extra_args(false);
    command->add_option("--seconds", options->seconds, "Length of the sustained run (default: 1)")
        ->check(CLI::Range(0.01, 600.0))
        ->check(positiveNumber());
    command
        ->add_option("--out,-o", options->out,
                     "File to write (default: one per GPU, where record finds it)")
        ->check(fileName());
    command->add_flag("--json", options->json,
                      "Machine-readable output: a profile without launches");
    command->add_flag("--list", options->list, "What can be measured; needs no GPU");
    command->footer(
        "Measures bandwidths (DRAM read, write, copy, triad; L2; L1; shared memory) and "
        "arithmetic\n"
        "rates (vector pipes and tensor cores): the best of short runs, and a sustained run of a\n"
        "second. Takes about a minute on an otherwise idle GPU and needs no permission to read "
        "counters.\n"
        "Later recordings on the same GPU include the result, and reports compare kernels with "
        "it.\n"
        "Files go to $ROOFSCOPE_CEILINGS_DIR, else $XDG_DATA_HOME/roofscope/ceilings, else\n"
        "~/.local/share/roofscope/ceilings.\n\n"
        "Examples:\n"
        "  roofscope ceilings\n"
        "  roofscope ceilings --only \"dram_*\" --seconds 5\n"
        "  roofscope ceilings --json --out h200.roofscope.json\n");
    command->callback([=, &run] { run = [=] { return measure(*options); }; });
}

}  // namespace roofscope::cli
