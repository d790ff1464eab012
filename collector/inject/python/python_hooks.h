// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope::inject {

/// What a run wants of Python.
struct PythonRun {
    bool counting = false;   ///< counters are read: XLA launches its kernels one by one
    bool callSites = false;  ///< python_lines and operators are kept up to date
    /// Called, perhaps several times, where XLA does so.
    void (*commandBuffersOff)() = nullptr;
    std::string tuningFolder;  ///< RunConfiguration::tuningFolder
    bool tuned = false;        ///< RunConfiguration::tuned
};

/// If this process runs Python: makes the interpreter's main thread run the scripts in python/ as
/// soon as it can (never, if that thread never returns from C code). Otherwise does nothing.
///
/// Marks what Triton, PyTorch's Inductor and XLA (JAX) launch while they try out configurations, by
/// a range kAutotuningRange on the launching thread. While counters are read XLA uses no CUDA
/// graphs (its command buffers): kernels that it has tuned end in an illegal instruction there,
/// with one hardware counter as with all (CUPTI 13.0 on GH100; without tuning, or without graphs,
/// they run). What Triton and XLA measured of a candidate in the first run is kept for the later
/// ones, which launch the same kernels then, and tune no more.
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
