// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace roofscope {

/// Numbers of which there are nearly always few, so that no memory is asked for: the sums of a
/// formula, the values of a kernel that was launched a few times.
class SmallNumbers {
public:
    SmallNumbers() = default;
    SmallNumbers(std::size_t size, double value) { assign(size, value); }

    void assign(std::size_t size, double value) {
        m_size = size;
        if (size > kFew)
            m_many.assign(size, value);
        else
            std::fill_n(m_few.begin(), size, value);
    }
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] double* data() { return m_size > kFew ? m_many.data() : m_few.data(); }
    [[nodiscard]] const double* data() const {
        return m_size > kFew ? m_many.data() : m_few.data();
    }
    [[nodiscard]] double* begin() { return data(); }
    [[nodiscard]] double* end() { return data() + m_size; }
    [[nodiscard]] const double* begin() const { return data(); }
    [[nodiscard]] const double* end() const { return data() + m_size; }
    double& operator[](std::size_t i) { return data()[i]; }
    double operator[](std::size_t i) const { return data()[i]; }
    [[nodiscard]] double back() const { return data()[m_size - 1]; }
    /// For who keeps them.
    operator std::vector<double>() const { return {begin(), end()}; }

private:
    static constexpr std::size_t kFew = 16;

    std::size_t m_size = 0;
    std::array<double, kFew> m_few;
    std::vector<double> m_many;
};

}  // namespace roofscope
