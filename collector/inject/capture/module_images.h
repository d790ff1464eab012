// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope::inject {

/// The machine code that a process loads, for a launch that may come later. Thread-safe.
class ModuleImages {
public:
    struct Image {
        std::vector<unsigned char> cubin;
        std::vector<std::string> variables;  ///< their symbols
    };

    /// CUPTI saw a module being loaded; the bytes are copied.
    void loaded(const void* cubin, std::size_t bytes);
    /// The modules with a kernel of this symbol, the newest first, equal ones once. Their code is
    /// handed over; it is not kept any longer.
    [[nodiscard]] std::vector<Image> take(std::string_view symbol);

private:
    /// More code than this is not kept: a launch of the rest cannot be captured.
    static constexpr std::size_t kMostBytes = std::size_t{2} << 30;

    std::mutex m_mutex;
    std::vector<std::vector<unsigned char>> m_cubins;
    std::size_t m_bytes = 0;
    bool m_taken = false;
};

}  // namespace roofscope::inject
