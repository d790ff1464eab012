// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "reports/plot/draw_list.h"

namespace roofscope::plot {

std::vector<Point> markerPolygon(const MarkerShapeItem& marker) {
    const auto [x, y] = marker.centre;
    const double r = marker.radius, area = std::numbers::pi * r * r;
    switch (marker.shape) {
        case MarkerShape::Circle:
            return {};
        case MarkerShape::Square: {
            const double h = std::sqrt(area) / 2;
            return {{x - h, y - h}, {x + h, y - h}, {x + h, y + h}, {x - h, y + h}};
        }
        case MarkerShape::Diamond: {
            const double h = std::sqrt(area / 2);
            return {{x, y - h}, {x + h, y}, {x, y + h}, {x - h, y}};
        }
        case MarkerShape::Triangle: {
            // Equilateral, centroid on the point: area = side² · √3/4.
            const double side = std::sqrt(area * 4 / std::numbers::sqrt3);
            const double height = side * std::numbers::sqrt3 / 2;
            return {{x, y - height * 2 / 3},
                    {x + side / 2, y + height / 3},
                    {x - side / 2, y + height / 3}};
        }
    }
    return {};
}

}  // namespace roofscope::plot
