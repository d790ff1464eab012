// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "reports/plot/draw_list.h"

/// Places labels greedily, most important first, never overlapping. A label without room is left
/// out, since overlapping labels are unreadable.
namespace roofscope::plot {

/// A rectangle around `centre`, rotated by `angle` radians (clockwise on the screen).
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

    /// Obstacles for labels.
    void addDot(Point centre, double radius);
    void addLine(Segment line) { m_lines.push_back(line); }
    void addBox(const TurnedBox& box) { m_boxes.push_back(box); }
    /// The number of boxes, and a reset to that number, for trying placements.
    [[nodiscard]] std::size_t boxes() const { return m_boxes.size(); }
    void keepBoxes(std::size_t count) { m_boxes.resize(count); }

    /// Whether a box is inside the area and touches no dot, no placed box, and no line except
    /// number `ownLine` in the order of addLine(). `overDots` ignores dots, `overLines` ignores
    /// lines and leaders.
    [[nodiscard]] bool isFree(const TurnedBox& box, std::optional<std::size_t> ownLine = {},
                              bool overDots = false, bool overLines = false) const;

    /// How much a box covers dots: the sum of their squared radii, so large dots weigh more.
    [[nodiscard]] double covered(const TurnedBox& box) const;

    struct Placed {
        TurnedBox box;
        std::optional<Segment> leader;  ///< for a label away from its dot
    };
    /// Finds and takes a place for a dot's label; nullopt if there is none within reach. With
    /// `acrossLines` it may lie beyond a line, at the end of a leader.
    std::optional<Placed> placeNear(Point dot, double radius, double width, double height,
                                    bool acrossLines = false);

    /// Extra cost of a box, in pixels of distance; infinite forbids it.
    using Cost = std::function<double(const TurnedBox&)>;
    /// The best place for a label that must be shown: on no other label, as near to a horizontal
    /// line as possible, preferably not on dots or lines. Nullopt if there is no room. Does not
    /// take the place.
    [[nodiscard]] std::optional<TurnedBox> nearest(const Segment& to, double width, double height,
                                                   const Cost& cost) const;
    /// The leader from the edge of a dot to a box.
    [[nodiscard]] static Segment leaderTo(const TurnedBox& box, Point dot, double radius);
    /// Whether a leader touches no label and crosses no other leader.
    [[nodiscard]] bool leaderIsFree(const Segment& leader) const;

private:
    /// Whether the way crosses a line. A label beyond a roof would suggest that its dot is there,
    /// too.
    [[nodiscard]] bool crossesLine(const Segment& way) const;

    struct Dot {
        Point centre;
        double radius;
    };
    /// Calls visit(dot) for all dots that a box touches, until it returns false.
    template <class Visit>
    void visitTouched(const TurnedBox& box, const Visit& visit) const;

    Rect m_area;
    std::vector<TurnedBox> m_boxes;
    std::vector<Segment> m_lines, m_leaders;
    std::vector<std::vector<Dot>> m_bins;  ///< dots by grid square
    int m_columns = 0, m_rows = 0;
    double m_maxRadius = 0;
};

}  // namespace roofscope::plot
