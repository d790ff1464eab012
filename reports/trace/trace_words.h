// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/language/words.h"
#include "reports/trace/trace_events.h"

/// Names of what a trace shows. They may contain strings of the profiled program, which are not
/// cleaned yet.
namespace roofscope::trace {

/// "rank 0: GPU 0 (NVIDIA H100)", "process 123: threads of python3", "where the time goes".
[[nodiscard]] std::string groupName(const Profile& profile, const Program& program,
                                    const TrackKey& key, Language language);
/// "stream 7", "copies to the GPU", "worker 124: CUDA calls", "stream 7 (2)".
[[nodiscard]] std::string trackName(const Profile& profile, const TrackKey& key, Language language);
/// "copy to the GPU", "memset".
[[nodiscard]] std::string transferName(TransferKind kind, Language language);
/// "pageable host memory"; empty: not known.
[[nodiscard]] std::string memoryName(MemoryKind kind, Language language);
/// "its longest launch in the window".
[[nodiscard]] std::string placeName(MarkedPlace place, Language language);
/// What to know when reading the trace: what was left out, and clocks that differ.
[[nodiscard]] std::vector<std::string> traceNotes(const Profile& profile, const TraceEvents& trace,
                                                  Language language);

}  // namespace roofscope::trace
