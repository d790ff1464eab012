// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "importer/sqlite/sqlite_file.h"
#include "importer/traces/trace_reader.h"
#include "importer/traces/trace_rows.h"

/// What Nsight Systems recorded, in the tables that `nsys export --type sqlite` writes (its SQLite
/// Export Schema Reference). Columns are found by name, because they differ between versions.
namespace roofscope::nsys {

/// By process id. All of them have one clock.
using RowsOfProcesses = std::map<std::int64_t, traces::TraceRows>;

/// Whether the database has tables of nsys.
[[nodiscard]] bool isOfNsys(const sqlite::Database& database);

/// Reads what each process and its GPU work did. Throws sqlite::DatabaseFault, also above the
/// limits.
void readRows(sqlite::Database& database, const traces::TraceLimits& limits, RowsOfProcesses& rows);

}  // namespace roofscope::nsys
