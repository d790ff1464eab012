// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofscope::inject {

/// Where this process runs Python: marks what Triton and PyTorch's Inductor launch while they try
/// out configurations, by a range kAutotuningRange on the launching thread. The marks are set by
/// Python code (python/autotuners.py) that the interpreter's main thread runs at its next chance; a
/// main thread that never comes back from C code never does. Elsewhere, nothing.
void markPythonAutotuners();

}  // namespace roofscope::inject
