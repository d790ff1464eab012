// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

/// Which line of the program's own Python code each thread runs, as reported by
/// python/call_sites.py. Reading it takes no interpreter lock: a launching thread has often
/// released that lock, and waiting for it inside a callback could deadlock.
namespace roofscope::inject::python_lines {

/// A number for a function; the same names give the same number. 0 if there are too many.
std::uint32_t code(const std::string& file, const std::string& function);
/// The calling thread now runs this line of a function; number 0: none of the program's own code.
/// Returns whether the function is worth following: false if it ran far more lines than 1,000 for
/// each time that here() was asked in it. Such a function computes in Python, where a followed line
/// takes many times its own time.
bool at(std::uint32_t number, std::uint32_t line);
/// A function that is not followed any more was called where the calling thread is (or where it
/// runs no code of the program's own): from now on, here() reads the interpreter's frames there.
void hidesCallee();

struct Place {
    std::uint32_t code = 0, line = 0;
    /// This is the line of the main thread, because the calling thread runs no Python.
    bool indirect = false;
    auto operator<=>(const Place&) const = default;
};
/// Where the calling thread is; empty if no line is known.
[[nodiscard]] std::optional<Place> here();

struct Code {
    std::string file, function;
};
[[nodiscard]] Code codeOf(std::uint32_t number);

}  // namespace roofscope::inject::python_lines
