// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/model/profile.h"

namespace roofscope::inject {

/// What a run wants from Python.
struct PythonRun {
    bool counting = false;   ///< counters are read (Framework::oneByOneWhileCounted)
    bool callSites = false;  ///< keep python_lines and operators up to date
    /// Called, perhaps several times, with issues about a framework.
    void (*report)(const Issue& issue) = nullptr;
    std::string tuningFolder;  ///< RunConfiguration::tuningFolder
    bool tuned = false;        ///< RunConfiguration::tuned
};

/// If this process runs Python, makes the interpreter's main thread run the scripts of frameworks()
/// as soon as it can (never, if that thread does not return from C code). Otherwise does nothing.
///
/// The scripts mark what tuners launch while they try out configurations, by a range
/// kAutotuningRange on the launching thread. If necessary, they make a framework launch its kernels
/// one by one while counters are read. The tuners' results of the first run are kept, so later runs
/// launch the same kernels without tuning.
void hookIntoPython(PythonRun run);

/// Stops following lines and operators for call sites, so that the program runs as fast as without
/// roofscope. False until the interpreter's main thread has done it; then call it again.
[[nodiscard]] bool leavePython();

/// Whether this process runs Python and was hooked into.
[[nodiscard]] bool runsPython();
/// Whether lines and operators are followed now, which slows the program down.
[[nodiscard]] bool followsPython();

/// Whether a compiler is running that tries out kernels in its own threads. If so, a call from any
/// thread may be the compiler's rather than the program's.
[[nodiscard]] bool compilerRuns();

/// Marks a launch as autotuning until this object is destroyed, if a compiler is running (XLA's,
/// which tries out kernels in its own threads) and Python does not know the calling thread.
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
