// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collector/inject/operators.h"
#include "collector/inject/python_lines.h"
#include "collector/inject/spool.h"

namespace roofscope::inject {

/// Counts from which lines of the program kernels are launched and functions of CUDA are called, in
/// a run whose times do not matter. Python's line where the process has one; elsewhere the frame
/// outside of CUDA, of our own code and of the C++ runtime, by its place in a file of machine code.
/// With PyTorch's operator where it is known (operators.h).
/// Thread-safe.
class CallSites {
public:
    explicit CallSites(SpoolWriter& spool) : m_spool(spool) {}

    /// The calling thread launches this kernel (as the spool numbers it).
    void launched(std::uint32_t kernel) { noted(kernel, nullptr); }
    /// It calls this function; `name` stays where it is.
    void called(const char* name) { noted({}, name); }
    /// Writes everything down. Once, at the end.
    void finish();

private:
    struct Key {
        std::optional<std::uint32_t> kernel;
        std::string call;
        std::optional<python_lines::Place> python;
        operators::Current framework;  ///< only for kernels
        std::vector<CodePlace> native;
        auto operator<=>(const Key&) const = default;
    };
    void noted(std::optional<std::uint32_t> kernel, const char* call);
    /// The frames outside of CUDA and of our own code, innermost first. CUDA's runtime is among
    /// them where it is part of the program: which frames are its own only symbols tell, later.
    [[nodiscard]] static std::vector<CodePlace> nativeFrames();

    SpoolWriter& m_spool;
    std::mutex m_mutex;  ///< held for moments only, and nothing is called within
    std::map<Key, std::uint64_t> m_counts;
    std::map<std::pair<std::optional<std::uint32_t>, std::string>, std::uint64_t> m_unwound;
    /// How many sizes were counted apart, of one kernel in one operator at one line.
    std::map<Key, std::uint32_t> m_sizes;
};

}  // namespace roofscope::inject
