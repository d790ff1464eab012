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

/// Counts from which lines of the program kernels are launched and CUDA is called, in a run whose
/// times are not used. In a Python process that is a line of Python; otherwise the innermost frame
/// that is not of CUDA, roofscope or the C++ runtime, as a file of machine code and an offset. With
/// PyTorch's operator where it is known (operators.h).
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
    /// The frames outside of CUDA and of our own code, innermost first. If CUDA's runtime is linked
    /// into the program, its frames are among them; symbols show later which they are.
    [[nodiscard]] static std::vector<CodePlace> nativeFrames();

    SpoolWriter& m_spool;
    std::mutex m_mutex;  ///< held for moments only, and nothing is called within
    std::map<Key, std::uint64_t> m_counts;
    std::map<std::pair<std::optional<std::uint32_t>, std::string>, std::uint64_t> m_unwound;
    /// How many different sizes one kernel had in one operator at one line.
    std::map<Key, std::uint32_t> m_sizes;
};

}  // namespace roofscope::inject
