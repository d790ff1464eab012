// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "importer/sqlite/sqlite_file.h"
#include "importer/traces/trace_reader.h"
#include "importer/traces/trace_rows.h"

/// Reads the tables that `nsys export --type sqlite` writes (see its SQLite Export Schema
/// Reference). Columns are found by name, because they differ between versions.
namespace roofscope::nsys {

/// Rows by process id. All processes share one clock.
using RowsOfProcesses = std::map<std::int64_t, traces::TraceRows>;

/// Whether the database was written by nsys.
[[nodiscard]] bool isOfNsys(const sqlite::Database& database);

/// Reads what each process and the GPU did. Throws sqlite::DatabaseFault, also if a limit is
/// exceeded.
void readRows(sqlite::Database& database, const traces::TraceLimits& limits, RowsOfProcesses& rows);

}  // namespace roofscope::nsys
