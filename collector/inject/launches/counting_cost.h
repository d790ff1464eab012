// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace roofscope::inject {

/// What counting a launch under kernel replay costs. Callers serialise calls.
class CountingCost {
public:
    using Duration = std::chrono::steady_clock::duration;

    /// How much longer a counted launch took than one that is not counted.
    void counted(Duration took) {
        // The smaller of the last two: a single slow launch is not typical.
        m_typical = m_last == Duration{} ? took : std::min(m_last, took);
        m_last = took;
        m_all += took;
    }
    /// Whether counting is so slow that only one launch of each signature should be counted.
    /// PyTorch's modules have thousands of variables, and CUPTI saves each: 60 to 120 ms per
    /// launch, compared with 15 to 25 ms in small programs. A few launches of a long kernel are not
    /// costly; 75 launches of 25 kernels are as long as a short program.
    [[nodiscard]] bool isCostly() const {
        using std::chrono::milliseconds;
        return m_typical > milliseconds(25) && m_all > milliseconds(500);
    }

private:
    Duration m_last{}, m_typical{}, m_all{};
};

}  // namespace roofscope::inject
