// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope::inject {

/// Keeps the machine code that a process loads, because a later launch may need it. Thread-safe.
class ModuleImages {
public:
    struct Image {
        std::vector<unsigned char> cubin;
        std::vector<std::string> variables;  ///< their symbols
    };

    /// CUPTI reported that a module was loaded. Copies the bytes.
    void loaded(const void* cubin, std::size_t bytes);
    /// Returns the modules that have a kernel of this symbol, newest first and without duplicates.
    /// From then on no code is kept.
    [[nodiscard]] std::vector<Image> take(std::string_view symbol);

private:
    /// Limit of the code that is kept. Launches from modules beyond it cannot be captured.
    static constexpr std::size_t kMostBytes = std::size_t{2} << 30;

    std::mutex m_mutex;
    std::vector<std::vector<unsigned char>> m_cubins;
    std::size_t m_bytes = 0;
    bool m_taken = false;
};

}  // namespace roofscope::inject
