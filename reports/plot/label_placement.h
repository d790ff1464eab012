// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "reports/plot/draw_list.h"

/// Finds room for labels: greedy, most important first, never overlapping. A label without room is
/// left out, because one on top of another tells nothing.
namespace roofscope::plot {

/// A rectangle around `centre`, turned by `angle` radians (clockwise on the screen).
struct TurnedBox {
    Point centre;
    double halfWidth = 0, halfHeight = 0;
    double angle = 0;
};

struct Segment {
    Point from, to;
};

[[nodiscard]] bool overlap(const TurnedBox& a, const TurnedBox& b);
[[nodiscard]] bool overlap(const TurnedBox& box, const Segment& segment);
[[nodiscard]] bool overlap(const TurnedBox& box, Point centre, double radius);
[[nodiscard]] bool cross(const Segment& a, const Segment& b);
[[nodiscard]] bool inside(const TurnedBox& box, const Rect& area);

class LabelPlacement {
public:
    explicit LabelPlacement(Rect area);

    /// Things that labels keep off.
    void addDot(Point centre, double radius);
    void addLine(Segment line) { m_lines.push_back(line); }
    void addBox(const TurnedBox& box) { m_boxes.push_back(box); }
    /// How many boxes there are; and back to so many, so that others can be tried.
    [[nodiscard]] std::size_t boxes() const { return m_boxes.size(); }
    void keepBoxes(std::size_t count) { m_boxes.resize(count); }

    /// True when a box is inside the area and touches no dot and no placed box, and no line except
    /// the one numbered `ownLine` in the order of addLine(). With `overDots` dots do not count,
    /// with `overLines` neither lines nor leaders do.
    [[nodiscard]] bool isFree(const TurnedBox& box, std::optional<std::size_t> ownLine = {},
                              bool overDots = false, bool overLines = false) const;

    /// How much a box lies on dots: the squares of their radii, added up; large ones weigh more.
    [[nodiscard]] double covered(const TurnedBox& box) const;

    struct Placed {
        TurnedBox box;
        std::optional<Segment> leader;  ///< drawn when the label is not next to its dot
    };
    /// A place for a label of a dot, and takes it; nullopt when there is none within reach. With
    /// `acrossLines` it may lie beyond a line, at the end of a leader.
    std::optional<Placed> placeNear(Point dot, double radius, double width, double height,
                                    bool acrossLines = false);

    /// What speaks against a box, in pixels of distance; infinite: it may not lie there.
    using Cost = std::function<double(const TurnedBox&)>;
    /// The best place for a label that has to be seen: on no other label, as near to a level line
    /// as possible, but rather elsewhere than on dots or lines. nullopt where there is no room.
    /// Takes no place.
    [[nodiscard]] std::optional<TurnedBox> nearest(const Segment& to, double width, double height,
                                                   const Cost& cost) const;
    /// The line from the edge of a dot to a box.
    [[nodiscard]] static Segment leaderTo(const TurnedBox& box, Point dot, double radius);
    /// Whether it touches no label and crosses no other such line.
    [[nodiscard]] bool leaderIsFree(const Segment& leader) const;

private:
    /// A label on the other side of a roof would say that its dot lies there.
    [[nodiscard]] bool crossesLine(const Segment& way) const;

    struct Dot {
        Point centre;
        double radius;
    };
    /// Calls visit(dot) for all dots that a box touches until it returns false.
    template <class Visit>
    void visitTouched(const TurnedBox& box, const Visit& visit) const;

    Rect m_area;
    std::vector<TurnedBox> m_boxes;
    std::vector<Segment> m_lines, m_leaders;
    std::vector<std::vector<Dot>> m_bins;  ///< dots by square of the area
    int m_columns = 0, m_rows = 0;
    double m_maxRadius = 0;
};

}  // namespace roofscope::plot
