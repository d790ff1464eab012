// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "collector/inject/calls/copied_contents.h"
#include "collector/inject/python/operators.h"
#include "collector/inject/python/python_lines.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// Counts from which lines of the program kernels are launched and CUDA is called, in a run whose
/// times are not used. In a Python process a place is a line of Python. Otherwise it is the
/// innermost frame outside of CUDA, roofscope and the C++ runtime, as a file of machine code and an
/// offset. A place includes PyTorch's operator if that is known (operators.h). Thread-safe.
class CallSites {
public:
    /// How lines of Python are found. Followed: Python reports each line as it runs. InFrames: the
    /// line is looked up for some of the launches and calls (python_lines::hereByFrames()).
    enum class Lines { Followed, InFrames };

    explicit CallSites(SpoolWriter& spool, Lines lines = Lines::Followed)
        : m_spool(spool), m_lines(lines) {}

    /// The calling thread launches this kernel (id in the spool).
    void launched(std::uint32_t kernel, const LaunchShape& shape);
    /// The calling thread calls this function; `name` must stay valid.
    void called(const char* name);
    /// The calling thread has copied from host memory to a GPU with this function.
    void copied(const char* name, const CopiedContents::Copy& copy);
    /// Writes everything. Call it once, at the end.
    void finish();

private:
    struct Key {
        std::optional<std::uint32_t> kernel;
        std::optional<LaunchShape> shape;
        std::string call;
        std::optional<python_lines::Place> python;
        operators::Current framework;  ///< only for kernels
        std::vector<CodePlace> native;
        auto operator<=>(const Key&) const = default;
    };
    /// Copies of one size from host memory, at one place.
    struct Copies {
        std::uint64_t count = 0, read = 0, repeated = 0, inTurn = 0;
        std::set<std::uint64_t> contents;  ///< their hashes
        std::uint64_t last = 0;            ///< of the copy that was read last
    };
    using CopiesBySize = std::map<std::uint64_t, Copies>;
    void noted(Key key);
    /// Counts a call. If a place has too many different sizes or shapes, it is counted without
    /// them.
    void count(Key key);
    void write(const Key& key, std::uint64_t count, const CopiesBySize& copies);
    /// The frames outside of CUDA and our own code, innermost first. They include frames of CUDA's
    /// runtime if that is linked into the program; its symbols identify them later.
    [[nodiscard]] static std::vector<CodePlace> nativeFrames();

    /// Whether to look at the stack of this launch or call.
    bool isToBeUnwound(const Key& key);

    SpoolWriter& m_spool;
    Lines m_lines;
    std::mutex m_mutex;  ///< held only briefly, and never while calling anything else
    std::map<Key, std::uint64_t> m_counts;
    std::map<Key, CopiesBySize> m_copies;
    /// Calls so far, per kernel or function, and also per shape.
    std::map<Key, std::uint64_t> m_unwound;
    /// How many different sizes, and how many shapes, a kernel had in one operator at one line.
    std::map<Key, std::uint32_t> m_sizes, m_shapes;
};

}  // namespace roofscope::inject
