// SPDX-License-Identifier: Apache-2.0
#include "gui/app/options.h"

#include "tests/support/catch.h"
#include "tests/support/languages.h"

using namespace roofscope;
using namespace roofscope::gui;

TEST_CASE("profiles and options are told apart, Qt's own options are skipped") {
    const auto options = parseOptions({"a.json", "-platform", "offscreen", "b.json", "--theme",
                                       "dark", "--size", "640x480", "--screenshot", "x.png"});
    REQUIRE(options.ok());
    CHECK(options->profiles == QStringList{"a.json", "b.json"});
    CHECK(options->theme == ThemeChoice::Dark);
    CHECK(options->size == QSize(640, 480));
    CHECK(options->screenshot == "x.png");
}

TEST_CASE("--lang names a language, without it there is none") {
    CHECK(parseOptions({"--lang", "zh"})->language == test::kZh);
    CHECK(parseOptions({"--lang", "en"})->language == Language::En);
    CHECK_FALSE(parseOptions({"a.json"})->language);
}

TEST_CASE("several exports of one profile") {
    const auto options = parseOptions({"a.json", "--export", "a.svg", "--export", "b.md"});
    REQUIRE(options.ok());
    CHECK(options->profiles == QStringList{"a.json"});
    CHECK(options->exports == QStringList{"a.svg", "b.md"});
    const auto first = parseOptions({"--export", "a.svg", "a.json"});
    REQUIRE(first.ok());
    CHECK(first->profiles == QStringList{"a.json"});
}

TEST_CASE("behind -- everything is a file") {
    const auto options = parseOptions({"--", "--odd name.json", "-platform"});
    REQUIRE(options.ok());
    CHECK(options->profiles == QStringList{"--odd name.json", "-platform"});
}

TEST_CASE("what makes no sense is a usage error") {
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"--size", "big"},
             {"--size", "5x5"},
             {"--theme", "purple"},
             {"--lang", "klingon"},
             {"--nonsense"},
             {"--export", "a.svg"},
             {"a.json", "b.json", "--export", "a.svg"},
             {"a.json", "--plot", "memory"},
             {"a.json", "--export", "a.svg", "--plot", "cake"},
             {"a.json", "--details", "nonsense"},
             {"a.json", "--export", "a.svg", "--screenshot", "b.png"}}) {
        INFO(arguments.front());
        const auto options = parseOptions(arguments);
        REQUIRE_FALSE(options.ok());
        CHECK(options.error().code == ErrorCode::Usage);
    }
}

TEST_CASE("what a picture shows, and which details") {
    const auto chart = parseOptions({"a.json", "--export", "a.svg", "--plot", "memory"});
    REQUIRE(chart.ok());
    CHECK(chart->picture == Picture::MemoryChart);
    const auto curve = parseOptions({"a.json", "--export", "a.svg", "--plot", "over-time"});
    REQUIRE(curve.ok());
    CHECK(curve->picture == Picture::OverTime);
    const auto tab = parseOptions({"a.json", "--details", "source"});
    REQUIRE(tab.ok());
    CHECK(tab->picture == Picture::Roofline);
    CHECK(tab->details == "source");
    CHECK(parseOptions({"a.json", "--details", "over-time"}).ok());
}

TEST_CASE("help and version are texts") {
    CHECK(parseOptions({"--help"})->textAndExit.find("--export") != std::string::npos);
    CHECK(parseOptions({"--version"})->textAndExit.rfind("roofscope-gui ", 0) == 0);
}
