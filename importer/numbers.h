// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace roofscope {

/// Which character separates the fraction. ncu writes numbers as the locale has them: "1,234.5" or
/// "1.234,5". One cell alone ("1,234") may not tell; the whole file does.
class NumberFormat {
public:
    /// Takes note of a cell that can be read in one way only.
    void observe(std::string_view cell);
    /// The number in a cell: separators of thousands (the other of comma and point, spaces,
    /// apostrophes) only between groups of three. Nothing for text, "nan", "inf", "n/a", an empty
    /// cell and what is beyond a double. Of "12 (3; 9)", a value with its instances, the 12.
    [[nodiscard]] std::optional<double> parse(std::string_view cell) const;
    [[nodiscard]] char decimal() const { return m_comma > m_point ? ',' : '.'; }

private:
    std::size_t m_point = 0, m_comma = 0;  ///< cells that only make sense with this separator
};

/// What a value in `unit` has to be multiplied with to be in CUPTI's base unit: ncu scales columns
/// ("Kbyte", "us", "Mhz", "Gbyte/s"). Prefixes are decimal (Kbyte = 1000 bytes). Times become
/// nanoseconds where they stand alone, rates count per second. Units that are only a name
/// ("inst/cycle", "sector", "%", "") leave the number as it is; nothing for one that looks scaled
/// and is not known.
[[nodiscard]] std::optional<double> unitFactor(std::string_view unit);

}  // namespace roofscope
