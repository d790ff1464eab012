// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofscope::inject {

/// Where this process runs Python: marks what Triton, PyTorch's Inductor and XLA (JAX) launch while
/// they try out configurations, by a range kAutotuningRange on the launching thread. The marks are
/// set by Python code (python/autotuners.py) that the interpreter's main thread runs at its next
/// chance; a main thread that never comes back from C code never does. Elsewhere, nothing.
void markPythonAutotuners();

/// A launch, from its entry on: marked in the same way while it lives when a compiler runs (XLA's,
/// which tries out kernels in threads of its own) and Python knows nothing of the calling thread.
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
