// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace roofscope::traces {

/// What a file is, by its content.
enum class FileKind {
    Profile,         ///< of roofscope
    Trace,           ///< Chrome trace JSON, as PyTorch's profiler writes
    ExecutionTrace,  ///< PyTorch's ExecutionTraceObserver: operators without times
    Proton,          ///< Triton's profiler, hatchet JSON
    OtherJson,       ///< none of these
    Sqlite,          ///< as Nsight Systems exports
    NsysReport,      ///< .nsys-rep
    Unknown          ///< no JSON, cannot be opened, a pipe
};

/// Looks at the beginning of a file, plain or gzip. Does not read pipes, whose content would be
/// gone then.
[[nodiscard]] FileKind kindOfFile(const std::filesystem::path& path);

}  // namespace roofscope::traces
