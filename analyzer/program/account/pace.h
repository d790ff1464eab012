// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/program/window/window.h"
#include "profile/model/launch_pace.h"

namespace roofscope::program {

/// Launch calls of a process over time, interpolated linearly between its marks.
class Pace {
public:
    explicit Pace(const std::vector<PaceMark>& marks) : m_marks(marks) {}

    [[nodiscard]] bool any() const { return m_marks.size() >= 2; }
    [[nodiscard]] double firstCall() const { return calls(m_marks.front()); }
    [[nodiscard]] double lastCall() const { return calls(m_marks.back()); }
    /// The number of calls at this time, in ns. Outside of the marks, that of the nearest mark.
    [[nodiscard]] double callsAt(double time) const;
    /// The time in ns at which the process had made this many calls. Outside of the marks, that of
    /// the nearest mark.
    [[nodiscard]] double timeAt(double call) const;

private:
    static double calls(const PaceMark& mark) { return static_cast<double>(mark.calls); }
    static double timeOf(const PaceMark& mark) { return static_cast<double>(mark.time); }

    const std::vector<PaceMark>& m_marks;
};

/// The part of a window between marks of launches.
struct Covered {
    double calls = 0, length = 0;  ///< over all occurrences; ns
};
[[nodiscard]] Covered coveredBy(const Pace& traced, const FoundWindow& window);

}  // namespace roofscope::program
