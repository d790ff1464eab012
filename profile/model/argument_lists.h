// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roofscope {

/// A piece of GPU memory passed to kernels: one pointer value of one process. Addresses are not
/// stored: they differ from run to run and are private.
struct Buffer {
    /// Dense number of the allocation that the pointer points into.
    std::uint32_t allocation = 0;
    std::uint64_t offsetBytes = 0;  ///< from the allocation's start to the pointer
    std::uint64_t bytes = 0;        ///< from the pointer to the allocation's end, at least 1
    auto operator<=>(const Buffer&) const = default;
};

/// A pointer argument of a launch.
struct BufferArgument {
    std::uint32_t buffer = 0;     ///< index into Profile::buffers
    std::uint32_t parameter = 0;  ///< which parameter of the kernel holds it, from 0
    auto operator<=>(const BufferArgument&) const = default;
};

/// The pointer arguments of launches, as lists in one array. Programs launch with the same few
/// lists over and over, so each list is stored once and launches refer to it by index.
class ArgumentLists {
public:
    [[nodiscard]] std::size_t size() const { return m_ends.size(); }
    [[nodiscard]] bool empty() const { return m_ends.empty(); }
    /// In the order of the kernel's parameters. Empty if it takes no pointer.
    [[nodiscard]] std::span<const BufferArgument> operator[](std::size_t list) const {
        const std::size_t begin = list == 0 ? 0 : m_ends[list - 1];
        return std::span(m_arguments).subspan(begin, m_ends[list] - begin);
    }
    [[nodiscard]] std::span<const BufferArgument> all() const { return m_arguments; }
    /// Adds a list at the end.
    void add(std::span<const BufferArgument> list) {
        m_arguments.insert(m_arguments.end(), list.begin(), list.end());
        m_ends.push_back(m_arguments.size());
    }
    bool operator==(const ArgumentLists&) const = default;

private:
    std::vector<BufferArgument> m_arguments;
    std::vector<std::size_t> m_ends;  ///< end of each list in m_arguments
};

}  // namespace roofscope
