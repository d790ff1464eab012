// SPDX-License-Identifier: Apache-2.0
// `roofscope import FILE`: makes a profile from another tool's measurement.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/record_output.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "importer/any_file/any_profile.h"
#include "importer/any_file/by_content.h"
#include "importer/import.h"
#include "importer/ncu/ncu_csv_file.h"
#include "importer/ncu/ncu_report.h"
#include "importer/traces/trace_import.h"
#include "profile/files/output_conflict.h"
#include "profile/text/count_text.h"
#include "reports/escape/escape.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

struct ImportArguments {
    std::string file, out, format;
    bool quiet = false;
};

/// Reads stdin. Stops above the limit; the importer then reports that it is too large.
Result<std::string> readStdin(std::size_t limit) {
    std::string text;
    std::string block(std::size_t{1} << 20, '\0');
    while (text.size() <= limit && std::cin) {
        std::cin.read(block.data(), static_cast<std::streamsize>(block.size()));
        text.append(block.data(), static_cast<std::size_t>(std::cin.gcount()));
    }
    if (std::cin.bad())
        return Error{.code = ErrorCode::Io, .what = "cannot read", .where = "stdin"};
    return text;
}

/// What a user types to export a report that only ncu can read.
std::string exportByHand(const std::string& file) {
    return "ncu --import " + shellArgument(file) + " --csv --page raw > report.csv";
}

/// Reads a report or an export of a report.
Result<Profile> readMeasurement(const std::string& file, bool report) {
    using namespace std::string_view_literals;
    ImportOptions request;
    request.toolVersion = ROOFSCOPE_VERSION;
    if (file != "-")
        return report ? readNcuReport(file, request, exportByHand(file), toolRunner())
                      : readNcuCsv(file, request);
    const auto text = readStdin(request.limits.maxBytes);
    if (!text) return text.error();
    if (!report && !text->starts_with("NVR\0"sv)) return importNcuCsv(*text, "stdin", request);
    auto profile = importNcuReport(*text, "stdin", request);
    if (profile || profile.error().code != ErrorCode::Unavailable) return profile;
    Error error = profile.error();  // ncu reads no stdin
    error.what = "the report " + error.what;
    error.advice = "give the report as a file: roofscope import app.ncu-rep";
    return error;
}

Result<int> write(const Profile& profile, const ProfileOutput& out, bool quiet) {
    const auto written = writeProfileTo(profile, out);
    if (!written) return written.error();
    if (!quiet)
        printNote(fmt::format(
            "{} of {} with {}: {}", countText(profile.launches.size(), "launch", "launches"),
            countText(profile.kernels.size(), "kernel", "kernels"),
            countText(profile.counters.names().size(), "counter", "counters"), written->string()));
    return 0;
}

/// Imports a trace of PyTorch's profiler or a file of Nsight Systems; nullopt if it is neither.
/// Without --format the content decides; it is read twice, so it must be in a file.
Result<std::optional<Profile>> importTraceFile(const ImportArguments& options) {
    if (options.format == "pytorch") {
        auto profile =
            readTrace(options.file == "-" ? "/dev/stdin" : options.file, ROOFSCOPE_VERSION);
        if (!profile) return profile.error();
        return std::optional(*std::move(profile));
    }
    if (!options.format.empty() || options.file == "-" || isNcuByName(options.file))
        return std::optional<Profile>();
    return importByContent(options.file, ROOFSCOPE_VERSION, toolRunner(),
                           exportByHand(options.file));
}

Result<int> import(const ImportArguments& options) {
    const bool report = options.format.empty() ? options.file.ends_with(kNcuReportSuffix)
                                               : options.format == "ncu-rep";
    const std::string stem = options.file == "-" ? "imported" : fs::path(options.file).stem();
    const ProfileOutput out =
        options.out.empty() ? defaultOutput(stem) : ProfileOutput{.path = options.out};
    if (auto ok = checkWritable(out.path); !ok) return ok.error();
    // stdin may be redirected from a file, which must not be the output either.
    const fs::path source = options.file == "-" ? "/dev/stdin" : options.file;
    if (auto ok = checkOutputIsNoInput("--out", out.path, {source}); !ok) return ok.error();

    auto trace = importTraceFile(options);
    if (!trace) return trace.error();
    if (*trace) return write(**trace, out, options.quiet);

    const auto profile = readMeasurement(options.file, report);
    if (!profile) return profile.error();
    return write(*profile, out, options.quiet);
}

}  // namespace

void addImportCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<ImportArguments>();
    CLI::App* command = app.add_subcommand(
        "import", "Import what Nsight Compute, Nsight Systems or PyTorch's profiler measured");
    command
        ->add_option(
            "FILE", options->file,
            "CSV of ncu (.csv, .csv.gz), a report (.ncu-rep), a trace of torch.profiler (.json, "
            ".json.gz), or what nsys recorded (.sqlite, .nsys-rep); \"-\" is a CSV or report on "
            "stdin")
        ->required()
        ->check(fileName())
        ->type_name("");
    command
        ->add_option("--out,-o", options->out,
                     "Profile to write (default: FILE's name; \".gz\" compresses)")
        ->check(fileName())
        ->type_name("PATH");
    command
        ->add_option("--format,-f", options->format,
                     "ncu-csv, ncu-rep or pytorch (default: by FILE's suffix or content)")
        ->check(CLI::IsMember({"ncu-csv", "ncu-rep", "pytorch"}))
        ->type_name("FORMAT");
    command->add_flag("--quiet,-q", options->quiet, "No summary on stderr");
    command->footer(
        "A report is read without ncu. One of a format that roofscope does not know is left to "
        "ncu, "
        "which\nhas to be in PATH then. \"ncu --set full\" measures what most verdicts and hints "
        "need; what is\nmissing is named, never taken for 0. A trace has times and no counters.\n\n"
        "Examples:\n"
        "  ncu --set full -o app ./app && roofscope import app.ncu-rep\n"
        "  ncu --import app.ncu-rep --csv --page raw > app.csv && roofscope import app.csv\n"
        "  ncu --set full --csv --page raw ./app | roofscope import - --out app.roofscope.json\n"
        "  ncu --csv --metrics gpu__time_duration.sum ./app > few.csv && roofscope import few.csv\n"
        "  roofscope import rank0.pt.trace.json.gz\n"
        "  nsys export --type sqlite app.nsys-rep && roofscope import app.sqlite\n"
        "  roofscope report app.roofscope.json\n"
        "Which columns are read, and how: docs/import.md");
    command->callback([=, &run] { run = [=] { return import(*options); }; });
}

}  // namespace roofscope::cli
