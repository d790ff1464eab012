// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

/// Profiles from what other tools measured. No CUDA, no I/O: text in, profile out.
namespace roofscope {

/// Limits of an importer: exports are not trusted and must not exhaust the memory.
struct ImportLimits {
    std::size_t maxBytes = std::size_t{1} << 30;
    std::size_t maxColumns = 65'536;
    std::size_t maxLaunches = 1'000'000;
    std::size_t maxValues = 40'000'000;               ///< counters × launches
    std::size_t maxCellBytes = std::size_t{1} << 20;  ///< template names are long, not endless
};

struct ImportOptions {
    std::string toolVersion;  ///< of roofscope, for Capture::toolVersion
    /// "2025.3.1" if known; the export does not contain it.
    std::string sourceVersion;
    ImportLimits limits;
};

/// A profile from `ncu --csv --page raw`: one row per launch, one column per metric.
///
/// Lines before the header and between rows that are no CSV (`==PROF== …`, the program's output)
/// are left out. Every metric becomes a counter under its own name, in the base unit that CUPTI
/// uses for it (docs/import.md); what is not a finite number is missing. `launch__*` and
/// `device__attribute_*` columns become facts of launch, kernel and device. `name` stands in error
/// messages, with the line.
Result<Profile> importNcuCsv(std::string_view text, std::string_view name,
                             const ImportOptions& options = {});

}  // namespace roofscope
