// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace roofscope::inject {

/// Gives pairs of texts (file and function, name and sizes) numbers from 1 on; 0 is none. Callers
/// serialise calls. It must never be destroyed: launches come until the very end of the process.
class NumberedPairs {
public:
    using Pair = std::pair<std::string, std::string>;

    [[nodiscard]] std::size_t size() const { return m_pairs.size(); }
    /// The pair's number; the same pair gives the same one. 0 if it would be beyond `most`.
    std::uint32_t number(Pair pair, std::size_t most) {
        if (const auto known = m_numbers.find(pair); known != m_numbers.end()) return known->second;
        if (size() >= most) return 0;
        m_pairs.push_back(pair);
        const auto number = static_cast<std::uint32_t>(size());
        m_numbers.emplace(std::move(pair), number);
        return number;
    }
    /// The pair with this number; two empty texts if there is none.
    [[nodiscard]] Pair pair(std::uint32_t number) const {
        return number >= 1 && number <= size() ? m_pairs[number - 1] : Pair{};
    }

private:
    std::map<Pair, std::uint32_t> m_numbers;
    std::vector<Pair> m_pairs;
};

}  // namespace roofscope::inject
