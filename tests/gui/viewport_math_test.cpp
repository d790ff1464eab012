// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plot/viewport_math.h"

#include "tests/support/catch.h"

using namespace roofscope::gui;
using roofscope::plot::Viewport;

TEST_CASE("zooming keeps the point under the cursor and the ratio of the axes") {
    const Viewport view{.xMin = -2, .xMax = 2, .yMin = 9, .yMax = 15};
    const Viewport in = zoomed(view, 0.25, 0.5, 2);
    CHECK(in.xMax - in.xMin == Approx(2));
    CHECK(in.yMax - in.yMin == Approx(3));
    CHECK(in.xMin + 0.25 * (in.xMax - in.xMin) == Approx(-1));
    CHECK(in.yMin + 0.5 * (in.yMax - in.yMin) == Approx(12));
    const Viewport back = zoomed(in, 0.25, 0.5, 0.5);
    CHECK(back.xMin == Approx(view.xMin));
    CHECK(back.yMax == Approx(view.yMax));
}

TEST_CASE("zooming stops at the limits, and a way back is left") {
    Viewport view{.xMin = -2, .xMax = 2, .yMin = 9, .yMax = 15};
    for (int i = 0; i < 200; ++i) view = zoomed(view, 0.3, 0.7, 2);
    CHECK(view.xMax - view.xMin >= kMinSpan * 0.999);
    for (int i = 0; i < 200; ++i) view = zoomed(view, 0.3, 0.7, 0.5);
    CHECK(view.yMax - view.yMin <= kMaxSpan * 1.001);
    const Viewport in = zoomed(view, 0.3, 0.7, 2);
    CHECK(in.yMax - in.yMin < view.yMax - view.yMin);
}

TEST_CASE("panning moves by shares of the area") {
    const Viewport view{.xMin = -2, .xMax = 2, .yMin = 9, .yMax = 15};
    const Viewport moved = panned(view, 0.25, -0.5);
    CHECK(moved.xMin == Approx(-3));  // the picture moves right, so smaller values become visible
    CHECK(moved.xMax == Approx(1));
    CHECK(moved.yMin == Approx(12));
    CHECK(moved.yMax == Approx(18));
}
