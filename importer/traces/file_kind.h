// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace roofscope::traces {

/// The kind of a file, judged by its content.
enum class FileKind {
    Profile,         ///< a roofscope profile
    Trace,           ///< Chrome trace JSON, as PyTorch's profiler writes it
    ExecutionTrace,  ///< written by PyTorch's ExecutionTraceObserver: operators without times
    Proton,          ///< Triton's profiler, hatchet JSON
    OtherJson,       ///< any other JSON
    Sqlite,          ///< an SQLite database, as Nsight Systems exports it
    NsysReport,      ///< .nsys-rep
    NcuReport,       ///< .ncu-rep
    Perfetto,        ///< a trace of Perfetto in protobuf (.pftrace)
    Unknown          ///< not JSON, not readable, or a pipe
};

/// Looks at the beginning of a file, plain or gzip. Does not read from pipes, since that would
/// consume their content.
[[nodiscard]] FileKind kindOfFile(const std::filesystem::path& path);

}  // namespace roofscope::traces
