// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/output_file.h"
#include "cli/text_checks.h"
#include "profile/errors/result.h"
#include "reports/format_table.h"

/// --format and --out, for commands whose formats are listed in a table (reports/format_table.h).
namespace roofscope::cli {

/// The table row for `format`, else for the suffix of `out`; null if neither is given. `what` is
/// for error messages: "a gate".
template <class Table>
Result<decltype(&*Table().begin())> chooseFormat(const Table& table, const std::string& format,
                                                 const std::string& out, std::string_view what) {
    if (format.empty() && isStdout(out)) return nullptr;
    const std::string suffix = std::filesystem::path(out).extension().string();
    const auto* row = findFormat(table, !format.empty()   ? format
                                        : !suffix.empty() ? suffix.substr(1)
                                                          : suffix);
    if (row) return row;
    if (format.empty())
        return Error{.code = ErrorCode::Usage,
                     .what = "\"" + out + "\" does not say which format to write",
                     .where = "--out",
                     .advice = "add --format, or end the name in " + formatList(table, true)};
    return Error{.code = ErrorCode::Usage,
                 .what = std::string(what) + " has no format \"" + format + "\"",
                 .where = "--format",
                 .advice = "use " + formatList(table)};
}

/// Adds both options. The type name of --format lists the values, for help and completion.
template <class Table>
void addOutputOptions(CLI::App& command, std::string& format, std::string& out, const Table& table,
                      const std::string& byDefault) {
    std::string values;
    for (const auto& row : table) values += (values.empty() ? "" : ",") + std::string(row.name);
    command.add_option("--format,-f", format, "Default: " + byDefault)
        ->type_name("FORMAT:{" + values + "}");
    command.add_option("--out,-o", out, "File to write; \"-\" is stdout")
        ->check(fileName())
        ->type_name("PATH");
}

}  // namespace roofscope::cli
