// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace roofscope::inject {

/// What counting a launch under kernel replay costs. Callers serialise calls.
class CountingCost {
public:
    using Duration = std::chrono::steady_clock::duration;

    /// How long a counted launch took longer than one that is not.
    void counted(Duration took) {
        // The smaller of the last two: one slow launch is no trend.
        m_typical = m_last == Duration{} ? took : std::min(m_last, took);
        m_last = took;
        m_all += took;
    }
    /// Whether one launch of each signature has to do. PyTorch's modules have thousands of
    /// variables, each of which CUPTI saves: 60 to 120 ms a launch; 15 to 40 in a program without.
    /// A few launches of a long kernel are not dear.
    [[nodiscard]] bool isCostly() const {
        using std::chrono::milliseconds;
        return m_typical > milliseconds(50) && m_all > milliseconds(500);
    }

private:
    Duration m_last{}, m_typical{}, m_all{};
};

}  // namespace roofscope::inject
