// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace roofscope {

/// Finds out the decimal separator and parses numbers. ncu formats numbers for the locale:
/// "1,234.5" or "1.234,5". A single cell such as "1,234" may be ambiguous, so the whole file
/// decides.
class NumberFormat {
public:
    /// Looks for evidence of the number format in a cell. `whole`: the number is a count without
    /// fraction, so the point in "1.234" separates thousands. `small`: it is below 1000, so the
    /// comma in "91,400" does not.
    void observe(std::string_view cell, bool whole = false, bool small = false);
    /// The number in a cell. Thousands separators (comma or point, whichever is not the decimal
    /// separator, spaces, apostrophes) are allowed only between groups of three digits. For a value
    /// with its instances, "12 (3; 9)", returns 12. nullopt for text, "nan", "inf", "n/a", an empty
    /// cell, and numbers too large for a double.
    [[nodiscard]] std::optional<double> parse(std::string_view cell) const;
    [[nodiscard]] char decimal() const { return m_comma > m_point ? ',' : '.'; }
    /// Number of cells that can be read in two ways ("1,234") if no cell decides between them;
    /// decimal() is a guess then. 0 if some cell decides.
    [[nodiscard]] std::size_t undecided() const {
        return m_point == 0 && m_comma == 0 ? m_ambiguous : 0;
    }
    /// Whether some cells are only valid with a point and others only with a comma.
    [[nodiscard]] bool contradictory() const { return m_point > 0 && m_comma > 0; }
    /// The first cell that can be read in two ways.
    [[nodiscard]] const std::string& example() const { return m_example; }

private:
    std::size_t m_point = 0, m_comma = 0;  ///< cells that are only valid with this separator
    std::size_t m_ambiguous = 0;
    std::string m_example;
};

/// What a unit measures.
enum class UnitKind { Counted, Bytes, Time, Hertz, Percent };

/// A unit of ncu. It scales columns ("Kbyte", "us", "Mhz", "Gbyte/s"); prefixes are decimal (Kbyte
/// = 1000 bytes).
struct MetricUnit {
    /// Converts a value to CUPTI's base unit: ns for times, per second for rates; 1 for units
    /// without a prefix ("inst/cycle", "sector", "%", "").
    double factor = 1;
    UnitKind kind = UnitKind::Counted;  ///< of what stands before a "/"
    bool isRate = false;                ///< something per something else
    bool perTime = false;               ///< something per second
};
/// Nullopt for a unit that is not known.
[[nodiscard]] std::optional<MetricUnit> parseUnit(std::string_view text);
/// The unit's factor.
[[nodiscard]] std::optional<double> unitFactor(std::string_view unit);

}  // namespace roofscope
