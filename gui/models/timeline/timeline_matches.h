// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <array>
#include <cstdint>
#include <vector>

#include "gui/models/timeline/timeline.h"

namespace roofscope::gui {

/// The bars of a timeline that a search finds: launches of some kernels, and copies, calls, ranges
/// and samples with some words in their names.
class TimelineMatches {
public:
    TimelineMatches() = default;
    /// `kernels`: for each kernel, whether its launches match. The words match in upper and lower
    /// case, copies also by their direction ("copies to the GPU").
    TimelineMatches(const Analysis& analysis, const Timeline& timeline,
                    const std::vector<bool>& kernels, const QString& words);

    /// The number of matching bars in rows of this kind.
    [[nodiscard]] std::size_t count(Timeline::RowKind kind) const {
        return m_counts[std::size_t(kind)];
    }
    /// "12 copies, 40 calls": what matches besides launches; may be empty.
    [[nodiscard]] QString othersText() const;
    /// The next match (step 1) or the previous one (-1), by time.
    [[nodiscard]] std::optional<TimelinePlace> beside(const Timeline& timeline, double time,
                                                      int step) const;
    [[nodiscard]] std::optional<TimelinePlace> beside(const Timeline& timeline,
                                                      const TimelinePlace& place, int step) const;

private:
    struct Moment {
        double time = 0;
        TimelinePlace place;
    };
    [[nodiscard]] std::optional<TimelinePlace> nearest(const Timeline& timeline, const Moment& from,
                                                       int step) const;

    static constexpr std::size_t kKinds = std::size_t(Timeline::RowKind::Samples) + 1;
    std::array<std::size_t, kKinds> m_counts{};
    std::vector<std::vector<std::uint32_t>> m_bars;  ///< by row, ascending
};

}  // namespace roofscope::gui
