// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/model/timeline.h"

namespace roofscope::gui {

/// The part of a recording that a timeline shows, in seconds. It exceeds the recording by a small
/// margin at most and is never shorter than kLeast.
class TimelineZoom {
public:
    static constexpr double kLeast = 20e-9;  ///< times have a resolution of 1 ns

    /// Sets the first and last time of the recording, and shows all of it.
    void setWhole(double begin, double end);
    /// Shows this span, limited to the recording.
    void show(double from, double to);
    void showAll() { show(-1e30, 1e30); }
    /// Shows this span with a small margin.
    void show(const TimeSpan& span);
    /// Moves by this share of the shown span; positive values move to later times.
    void pan(double share);
    /// Shows a `factor` times shorter span. The time at `share` of the width stays in place.
    void zoomAt(double share, double factor);

    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to() const { return m_to; }
    [[nodiscard]] double length() const { return m_to - m_from; }
    /// Converts between a share of the width and a time.
    [[nodiscard]] double timeAt(double share) const { return m_from + share * length(); }
    [[nodiscard]] double shareOf(double time) const { return (time - m_from) / length(); }
    /// The shown part in nanoseconds.
    [[nodiscard]] TimeSpan span() const;

private:
    [[nodiscard]] double whole() const;

    double m_begin = 0, m_end = 0, m_from = 0, m_to = 1;
};

}  // namespace roofscope::gui
