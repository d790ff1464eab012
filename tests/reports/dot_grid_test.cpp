// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/dot_grid.h"

#include <random>

#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::plot;

namespace {

bool lies(Point p, Point low, Point high) {
    return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y;
}

}  // namespace

TEST_CASE("a grid of dots visits each dot of a part once, and says how many it visits") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> x(-3, 4), y(6, 15);
    std::vector<Point> places;
    std::vector<Level> levels;
    for (int i = 0; i < 5000; ++i) {
        places.push_back({x(random), y(random)});
        levels.push_back(static_cast<Level>(i % 4));
    }
    const DotGrid grid(places, levels);
    // Parts, everything, a line, and an area outside.
    for (const auto& [low, high] : {std::pair{Point{-1, 8}, Point{2, 12}},
                                    {Point{-100, -100}, Point{100, 100}},
                                    {places[17], places[17]},
                                    {Point{-3, 6}, Point{-2.9, 15}},
                                    {Point{50, 50}, Point{60, 60}}}) {
        std::vector<int> seen(places.size());
        std::size_t visits = 0;
        grid.visit(low, high, [&](const DotGrid::Entry& entry) {
            ++visits;
            ++seen[entry.dot];
            CHECK(entry.place.x == places[entry.dot].x);
            CHECK(entry.level == levels[entry.dot]);
        });
        CHECK(visits == grid.count(low, high));
        for (std::size_t i = 0; i < places.size(); ++i) {
            CHECK(seen[i] <= 1);
            if (lies(places[i], low, high)) CHECK(seen[i] == 1);
        }
    }
}

TEST_CASE("dots on one spot, and none at all, have a grid") {
    const DotGrid same(std::vector<Point>(9, Point{1, 2}), std::vector<Level>(9, Level::L2));
    CHECK(same.count({0, 0}, {3, 3}) == 9);
    const DotGrid none({}, {});
    CHECK(none.count({-1, -1}, {1, 1}) == 0);
    none.visit({-1, -1}, {1, 1}, [](const DotGrid::Entry&) { FAIL("there is no dot"); });
    CHECK(DotGrid().count({-1, -1}, {1, 1}) == 0);
}
