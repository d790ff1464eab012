// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace roofscope::inject {

/// Where CPython stores what a thread runs: byte offsets in its structures. They differ between
/// versions. From 3.13 on, the interpreter itself has a table of them.
struct PythonLayout {
    std::uint32_t version = 0;     ///< 0x030b for 3.11
    std::size_t interpreters = 0;  ///< in _PyRuntime
    std::size_t threads = 0;       ///< in PyInterpreterState
    std::size_t nextInterpreter = 0, nextThread = 8, nativeId = 0;
    std::size_t frame = 0;  ///< in PyThreadState: its frame, or a structure that leads there
    std::optional<std::size_t> indirectFrame = {};                   ///< in that structure
    std::size_t code = 0, previous = 0, instruction = 0, owner = 0;  ///< in a frame
    /// 3.11: a byte that says that the frame is the first of its C frame. Later: `owner`.
    std::optional<std::size_t> isEntry = {};
    std::size_t filename = 0, qualifiedName = 0, lines = 0, firstLine = 0, bytecode = 0;  ///< code
    std::size_t text = 0, wideText = 0, textState = 32;  ///< in a string: its characters
    unsigned textBits = 0;    ///< where the kind of characters begins in the state of a string
    bool taggedCode = false;  ///< the pointer to the code has flags in its lowest bits

    std::uintptr_t runtime = 0, codeType = 0;  ///< _PyRuntime, PyCode_Type
    std::uintptr_t evaluator = 0;              ///< _PyEval_EvalFrameDefault
};

/// The layout of this process's interpreter; absent if there is none. If its layout is not known,
/// `unknown` receives its version ("3.9").
[[nodiscard]] std::optional<PythonLayout> pythonLayout(std::string& unknown);

}  // namespace roofscope::inject
