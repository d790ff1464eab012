// SPDX-License-Identifier: Apache-2.0
// `roofscope import FILE`: a profile from what another tool measured.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/record_output.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "collector/run/child_process.h"
#include "importer/import.h"
#include "profile/codec.h"
#include "profile/input_error.h"
#include "profile/input_file.h"
#include "profile/output_conflict.h"
#include "reports/escape.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReportSuffix = ".ncu-rep";

struct Options {
    std::string file, out, format;
    bool quiet = false;
};

bool inPath(const std::string& program) {
    const char* path = std::getenv("PATH");
    const std::string folders = path ? path : "";
    for (std::size_t at = 0; at <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', at), folders.size());
        const fs::path candidate = fs::path(folders.substr(at, end - at)) / program;
        std::error_code error;
        if (end > at && fs::is_regular_file(candidate, error) &&
            access(candidate.c_str(), X_OK) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

/// At most one byte more than the limit, so that the importer can say that it is too much.
Result<std::string> readText(const std::string& file, std::size_t limit) {
    if (file != "-") return readInput(file, limit);
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

/// "2025.3.1" from what `ncu --version` prints; empty when it prints something else.
std::string versionOf(const std::string& text) {
    constexpr std::string_view kVersion = "Version ";
    const std::size_t at = text.find(kVersion);
    if (at == text.npos) return {};
    const std::size_t from = at + kVersion.size();
    return text.substr(from, text.find_first_not_of("0123456789.", from) - from).substr(0, 40);
}

/// The raw page of a report, written by ncu itself.
Result<std::string> exportReport(const std::string& file, std::uint64_t most,
                                 std::string& version) {
    std::error_code error;
    if (access(file.c_str(), R_OK) != 0) return cannotOpenInput(file, errno);
    if (!fs::is_regular_file(file, error))
        return Error{
            .code = ErrorCode::NoInput, .what = "is not a file that ncu can read", .where = file};
    const std::string command =
        "ncu --import " + shellArgument(file) + " --csv --page raw > report.csv";
    if (!inPath("ncu"))
        return Error{.code = ErrorCode::Unavailable,
                     .what = "only Nsight Compute reads its reports, and ncu is not in PATH",
                     .where = file,
                     .advice = "where it is installed run: " + command +
                               "; then: roofscope import report.csv"};
    // "./": a file named like an option is still a file.
    const std::string path = fs::path(file).is_absolute() ? file : "./" + file;
    auto text = captureChild(
        {"ncu", "--import", path, "--csv", "--page", "raw", "--print-units", "base"}, false, most);
    if (!text)
        return Error{.code = ErrorCode::BadData,
                     .what = "ncu cannot read it: " + text.error().what,
                     .where = file,
                     .advice = "see what this says: " + command};
    if (const auto printed = captureChild({"ncu", "--version"})) version = versionOf(*printed);
    return text;
}

Result<int> import(const Options& options) {
    const bool report = options.format.empty() ? options.file.ends_with(kReportSuffix)
                                               : options.format == "ncu-rep";
    if (report && options.file == "-")
        return Error{.code = ErrorCode::Usage,
                     .what = "a report is read from a file; stdin takes CSV",
                     .where = "--format ncu-rep",
                     .advice = "example: roofscope import app.ncu-rep"};
    const std::string stem = options.file == "-" ? "imported" : fs::path(options.file).stem();
    const ProfileOutput out =
        options.out.empty() ? defaultOutput(stem) : ProfileOutput{.path = options.out};
    if (auto ok = checkWritable(out.path); !ok) return ok.error();
    // "<" of the shell opens the very file, too.
    const fs::path source = options.file == "-" ? "/dev/stdin" : options.file;
    if (auto ok = checkOutputIsNoInput("--out", out.path, {source}); !ok) return ok.error();

    ImportOptions request;
    request.toolVersion = ROOFSCOPE_VERSION;
    std::string version;
    auto text = report ? exportReport(options.file, request.limits.maxBytes, version)
                       : readText(options.file, request.limits.maxBytes);
    if (!text) return text.error();
    // The version that wrote the report is not in its CSV; this one at least could read it.
    if (!version.empty()) request.sourceVersion = "(read by version " + version + ")";
    const std::string name = options.file == "-" ? "stdin" : options.file;
    auto profile = importNcuCsv(*text, name, request);
    if (!profile) return profile.error();
    text->clear();
    text->shrink_to_fit();
    const auto written = writeProfileTo(*profile, out);
    if (!written) return written.error();
    if (!options.quiet)
        printNote(fmt::format("{} launches of {} kernels with {} counters: {}",
                              profile->launches.size(), profile->kernels.size(),
                              profile->counters.names().size(), written->string()));
    return 0;
}

}  // namespace

void addImportCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("import", "Read what Nsight Compute measured into a profile");
    command
        ->add_option("FILE", options->file,
                     "CSV of ncu's raw page, or a report (.ncu-rep); \"-\" is CSV on stdin")
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
                     "ncu-csv or ncu-rep (default: by FILE's suffix)")
        ->check(CLI::IsMember({"ncu-csv", "ncu-rep"}))
        ->type_name("FORMAT");
    command->add_flag("--quiet,-q", options->quiet, "No summary on stderr");
    command->footer(
        "A report is read by calling ncu, which has to be in PATH. \"ncu --set full\" measures "
        "what "
        "most\nverdicts and hints need; what is missing is named, never taken for 0.\n\n"
        "Examples:\n"
        "  ncu --set full -o app ./app && roofscope import app.ncu-rep\n"
        "  ncu --import app.ncu-rep --csv --page raw > app.csv && roofscope import app.csv\n"
        "  ncu --set full --csv --page raw ./app | roofscope import - --out app.roofscope.json\n"
        "  roofscope report app.roofscope.json\n"
        "Which columns are read, and how: docs/import.md");
    command->callback([=, &run] { run = [=] { return import(*options); }; });
}

}  // namespace roofscope::cli
