// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace roofscope::traces {

/// Numbers texts, and stores each only once.
class NameTable {
public:
    /// The number of the empty text.
    static constexpr std::uint32_t kNone = 0;

    NameTable() { (void)numberOf({}); }
    NameTable(const NameTable&) = delete;
    NameTable& operator=(const NameTable&) = delete;

    [[nodiscard]] std::uint32_t numberOf(std::string_view name) {
        if (const auto known = m_numbers.find(name); known != m_numbers.end()) return known->second;
        const auto number = static_cast<std::uint32_t>(m_names.size());
        m_bytes += name.size();
        m_numbers.emplace(m_names.emplace_back(name), number);
        return number;
    }
    [[nodiscard]] const std::string& operator[](std::uint32_t number) const {
        return m_names[number];
    }
    [[nodiscard]] std::size_t size() const { return m_names.size(); }
    /// Total size of all texts in bytes.
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    std::deque<std::string> m_names;  ///< a deque, so that views of the names stay valid
    std::unordered_map<std::string_view, std::uint32_t> m_numbers;
    std::size_t m_bytes = 0;
};

}  // namespace roofscope::traces
