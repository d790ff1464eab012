// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/model/profile.h"

namespace roofscope::inject {

/// What a run wants of Python.
struct PythonRun {
    bool counting = false;   ///< counters are read (Framework::oneByOneWhileCounted)
    bool callSites = false;  ///< python_lines and operators are kept up to date
    /// Called, perhaps several times, with what the recording has to say about a framework.
    void (*report)(const Issue& issue) = nullptr;
    std::string tuningFolder;  ///< RunConfiguration::tuningFolder
    bool tuned = false;        ///< RunConfiguration::tuned
};

/// If this process runs Python: makes the interpreter's main thread run the scripts of frameworks()
/// as soon as it can (never, if that thread never returns from C code). Otherwise does nothing.
///
/// The scripts mark what tuners launch while they try out configurations, by a range
/// kAutotuningRange on the launching thread, and make a framework launch its kernels one by one
/// while counters are read, where it has to. What tuners measured of a candidate in the first run
/// is kept for the later ones, which launch the same kernels then, and tune no more.
void hookIntoPython(PythonRun run);

/// Ends what hookIntoPython() began for call sites: lines and operators are followed no more, and
/// the program runs as fast as without. False until the interpreter's main thread has come to do
/// it; call it again.
[[nodiscard]] bool leavePython();

/// Whether a compiler is running that tries out kernels in threads of its own. Then any thread's
/// call may come from it, and not from the program's line.
[[nodiscard]] bool compilerRuns();

/// A launch, from its entry on. While this object lives, the launch is marked in the same way if a
/// compiler runs (XLA's, which tries out kernels in threads of its own) and Python does not know
/// the calling thread.
class CompilersLaunch {
public:
    CompilersLaunch();
    ~CompilersLaunch();
    CompilersLaunch(const CompilersLaunch&) = delete;
    CompilersLaunch& operator=(const CompilersLaunch&) = delete;

private:
    bool m_marked = false;
};

}  // namespace roofscope::inject
