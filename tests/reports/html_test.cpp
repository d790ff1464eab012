// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <regex>
#include <set>

#include "profile/text/sha256.h"
#include "profile/text/utf8.h"
#include "reports/report.h"
#include "tests/reports/hostile_names.h"
#include "tests/reports/profiles.h"
#include "tests/reports/well_formed.h"
#include "tests/support/catch.h"
#include "tests/support/text.h"

using namespace roofscope;
using test::contains, test::count;

namespace {

std::string page(const Analysis& analysis, const ReportOptions& options = {}) {
    return renderReport(analysis, ReportFormat::Html, options).value();
}

/// The text between the only `begin` of a page and the next `end`.
std::string between(const std::string& text, std::string_view begin, std::string_view end) {
    REQUIRE(count(text, begin) == 1);
    const auto from = text.find(begin) + begin.size();
    return text.substr(from, text.find(end, from) - from);
}

std::string without(std::string text, std::string_view begin, std::string_view end) {
    for (std::size_t from = 0; (from = text.find(begin, from)) != std::string::npos;)
        text.erase(from, text.find(end, from) + end.size() - from);
    return text;
}

/// The page as XML, without what the tests' parser cannot read: doctype, style sheet and script.
std::string asXml(std::string text) {
    constexpr std::string_view kDoctype = "<!DOCTYPE html>\n";
    REQUIRE(text.starts_with(kDoctype));
    text.erase(0, kDoctype.size());
    return without(without(std::move(text), "<style>", "</style>"), "<script>", "</script>");
}

/// Names of elements and attributes in order, without the plots. A kernel name taken for markup
/// would change them.
std::string skeleton(const std::string& xml) {
    std::string names;
    bool tag = false, value = false;
    // A row has a tooltip only if its name was cut.
    static const std::regex kTip(" title=\"[^\"]*\"");
    for (const char c : std::regex_replace(without(xml, "<svg", "</svg>"), kTip, "")) {
        if (tag && c == '"') value = !value;
        if (!value && c == '<') tag = true;
        if (tag && !value) names += c;
        if (!value && c == '>') tag = false;
    }
    return names;
}

}  // namespace

TEST_CASE("the page is one file that may load nothing") {
    const std::string text = page(test::analysisOf(test::showcase()));
    CHECK(test::wellFormedXml(asXml(text)) == "");
    const std::string style = between(text, "<style>", "</style>");
    const std::string script = between(text, "<script>", "</script>");
    // The policy allows only this style sheet and script, by their hashes.
    CHECK(contains(text, "content=\"default-src 'none'; style-src 'sha256-" + sha256Base64(style) +
                             "'; script-src 'sha256-" + sha256Base64(script) +
                             "'; base-uri 'none'; form-action 'none'\""));
    CHECK(text.find("Content-Security-Policy") < text.find("<style>"));
    CHECK(contains(style, "prefers-color-scheme:dark"));
    CHECK(contains(script, "aria-sort"));
    const std::string xml = asXml(text);
    for (const char* forbidden : {" src=", "<link", "<img", "<iframe", " style=", "@import",
                                  "url(h", "http-equiv=\"refresh", "<base"})
        CHECK_FALSE(contains(xml, forbidden));
    for (const char* forbidden : {"@import", "url(", "@font-face"})
        CHECK_FALSE(contains(style, forbidden));
    for (const char* forbidden : {"innerHTML", "outerHTML", "insertAdjacent", "document.write",
                                  "eval(", "fetch(", "import("})
        CHECK_FALSE(contains(script, forbidden));
}

TEST_CASE("every link of the page leads to a place on it") {
    for (const std::size_t kernels : {5, 250}) {
        const std::string text = page(test::analysisOf(test::manyKernels(kernels)));
        std::set<std::string> targets;
        for (std::size_t at = 0; (at = text.find(" id=\"", at)) != std::string::npos;) {
            at += 5;
            INFO(text.substr(at, 30));
            CHECK(targets.insert(text.substr(at, text.find('"', at) - at)).second);
        }
        std::size_t links = 0;
        for (std::size_t at = 0; (at = text.find(" href=\"", at)) != std::string::npos; ++links) {
            at += 7;
            REQUIRE(text[at] == '#');
            REQUIRE(targets.contains(text.substr(at + 1, text.find('"', at) - at - 1)));
        }
        CHECK(links > 3 * kernels);
    }
}

TEST_CASE("the page says what the markdown report says") {
    const Analysis analysis = test::analysisOf(test::showcase());
    const std::string text = page(analysis, {.profilePath = "operators.roofscope.json"});
    for (const char* part : {"made up for a test",
                             "NVIDIA H200 (GH100, compute capability 9.0), 132 SMs",
                             "operators.roofscope.json",
                             "Kernels by share of GPU time",
                             "Theoretical roofs",
                             "near the shared pipe roof",
                             "confidence high",
                             "Headroom at the attainable roof: at most",
                             " registers, ",
                             "occupancy ",
                             "Bank conflicts in shared memory",
                             "about 208 µs (63.3 %, 2.73×) per launch",
                             "<strong>Edit:</strong>",
                             "// before",
                             "// after",
                             "After the edit expect",
                             "<strong>Ruled out:</strong>",
                             "For every edit: keep the results",
                             "Not recorded:",
                             "<strong>Ask:</strong>",
                             "roofscope record --out operators-after.roofscope.json",
                             "Stop here"}) {
        CAPTURE(part);
        CHECK(contains(text, part));
    }
    CHECK(count(text, "<details class=\"kernel\"") == 5);
    CHECK(count(text, "<tr data-kernel=") == 5);
    CHECK_FALSE(contains(text, "Problems while recording"));
    // The page has all of Markdown's sentences on findings, and all ruled-out rules.
    for (const KernelAnalysis& kernel : analysis.kernels)
        for (const Finding& finding : kernel.findings)
            if (!finding.minor) CHECK(contains(text, "<code>" + finding.ruleId + "</code>"));
}

TEST_CASE("plots of the page follow the theme and point to kernels") {
    const std::string text = page(test::analysisOf(test::showcase()));
    CHECK(count(text, "<svg xmlns") == 2);  // one each for wide and narrow windows
    const std::string plot = text.substr(text.find("<svg xmlns"), text.find("</svg>"));
    CHECK(contains(plot, "fill=\"var(--plot-dram)\""));
    CHECK(contains(plot, "<a href=\"#kernel-1\" class=\"dot\" data-kernel=\"1\" tabindex=\"-1\">"));
    CHECK(contains(text, "--plot-dram:#003f7f;"));
    CHECK(count(text, "--plot-dram:#8cc8f5;") == 2);
    CHECK(contains(page(test::analysisOf(test::showcase()), {.dark = true}),
                   "<html lang=\"en\" data-theme=\"dark\">"));
    // The separate SVG has neither variables nor links.
    const std::string svg =
        renderReport(test::analysisOf(test::showcase()), ReportFormat::Svg).value();
    CHECK_FALSE(contains(svg, "var("));
    CHECK_FALSE(contains(svg, "<a "));
}

TEST_CASE("hostile names change nothing on the page but themselves") {
    const auto profileWith = [](const std::string& name) {
        test::SyntheticProfile p = test::showcase();
        p.profile().kernels[0].name = name;
        p.profile().kernels[0].symbol = name;
        p.profile().capture.command = {"app", name};
        p.profile().devices[0].name = name;
        p.profile().launches[0].range = 0;
        p.profile().ranges = {name};
        p.issue(Severity::Error, name, name, name);
        return p;
    };
    // A harmless name with parameters, so that it also has a full name.
    const auto optionsWith = [](const std::string& name) {
        const std::string shown = name.empty() ? "x" : name.substr(0, 3000);
        ReportOptions options{.kernelFilter = shown, .profilePath = shown};
        options.kernels = {0, 1, 2, 3, 4};
        return options;
    };
    const std::string plain = skeleton(
        asXml(page(test::analysisOf(profileWith("void quite::harmless(int)")), optionsWith("."))));
    std::vector<std::string> names = test::hostileNames();
    names.insert(names.end(),
                 {"</script><img src=x onerror=alert(1)>", "</style><style>*{display:none}",
                  "\" onmouseover=\"alert(1)", "' autofocus onfocus='alert(1)",
                  "\xE2\x80\xAEgnp.exe\xE2\x81\xA6 isolate", "</code></a></th><td>cell",
                  "**strong** `x` \\* [a](javascript:alert(1))", "--></title><!-- x",
                  "&lt;script&gt;", "<svg onload=alert(1)>", "javascript:alert(1)",
                  "\n\n## heading\n- list\n```\ncode", "`", "``", "\\", "a\\"});
    for (const std::string& name : names) {
        CAPTURE(name.substr(0, 60));
        const Analysis analysis = test::analysisOf(profileWith(name));
        const std::string text = page(analysis, optionsWith(name));
        const std::string xml = asXml(text);
        REQUIRE(test::wellFormedXml(xml) == "");
        CHECK(count(text, "</script") == 1);
        CHECK(count(text, "</style") == 1);
        CHECK(count(text, "<!--") == 0);
        CHECK(text.size() < 400000);
        for (std::size_t at = 0; at < text.size();) {
            const auto c = utf8::next(text, at);
            REQUIRE(c.has_value());
            if (*c != '\n') REQUIRE_FALSE(utf8::isHidden(*c));
        }
        // A name that equals its short form has no "Full name" line; one with all characters
        // dropped has no range.
        std::string actual = skeleton(xml);
        const KernelAnalysis& kernel = analysis.kernels[0];
        const std::string fact = "<p><code></code></p>", empty = "<p></p>";
        if (kernel.fullName == kernel.name || kernel.range.empty()) {
            std::string shorter = plain;
            auto at = shorter.find(fact, shorter.find(" id=\"", shorter.find("<details")));
            REQUIRE(at != std::string::npos);
            if (kernel.range.empty()) {
                shorter.replace(at, fact.size(), empty);
                at += empty.size();
                // An action without a range has no place.
                const std::string code = "<code></code>";
                const auto place = shorter.find(code + code);
                REQUIRE(place < at);
                shorter.erase(place, code.size());
                at -= code.size();
            }
            if (kernel.fullName == kernel.name) shorter.erase(at, fact.size());
            CHECK(actual.size() == shorter.size());
            CHECK(actual == shorter);
        } else {
            CHECK(actual == plain);
        }
    }
}

TEST_CASE("thousands of kernels stay a page that opens") {
    const Analysis analysis = test::analysisOf(test::manyKernels(3000));
    const auto start = std::chrono::steady_clock::now();
    const std::string text = page(analysis);
    const auto took = std::chrono::steady_clock::now() - start;
    CHECK(took < std::chrono::seconds(20));  // about 1 s; slower with sanitizers or a busy machine
    CHECK(text.size() < 9'000'000);
    CHECK(count(text, "<tr data-kernel=") == 3000);
    CHECK(count(text, "<details class=\"kernel\"") == 200);
    CHECK(contains(text, "Hints are given for the 200 kernels with the most GPU time"));
    CHECK(count(text, "<svg xmlns") == 1);
    CHECK(count(text, "font-size=\"11\"") < 60);  // only the largest are labelled

    const std::string few = page(analysis, {.top = 7});
    CHECK(count(few, "<tr data-kernel=") == 7);
    CHECK(count(few, "<details class=\"kernel\"") == 7);
    CHECK(contains(few, "2,993 more kernels"));
    CHECK(few.size() < 300'000);
    // An explicit number of kernels is kept.
    CHECK(count(page(analysis, {.top = 250}), "<details class=\"kernel\"") == 250);
}

TEST_CASE("pages without kernels, without matches, with issues and with two GPUs") {
    const std::string empty = page(test::analysisOf(test::SyntheticProfile()));
    CHECK(test::wellFormedXml(asXml(empty)) == "");
    CHECK(contains(empty, "No kernel launch was measured"));
    CHECK_FALSE(contains(empty, "<svg xmlns"));
    const std::string none =
        page(test::analysisOf(test::showcase()), {.kernelFilter = "nothing<b>"});
    CHECK(test::wellFormedXml(asXml(none)) == "");
    CHECK(contains(none, "None of the 5 kernels matches the filter <code>nothing&lt;b&gt;</code>"));

    test::SyntheticProfile p = test::showcase();
    p.issue(Severity::DataLoss, "ranges-dropped", "3 launches were not measured", "record again");
    Device smaller = test::SyntheticProfile::h200();
    smaller.smCount = 78;
    const auto second = p.addDevice(smaller);
    p.profile().launches[1].device = second;
    const std::string text = page(test::analysisOf(p));
    CHECK(test::wellFormedXml(asXml(text)) == "");
    CHECK(contains(text, "Problems while recording"));
    CHECK(contains(text, "3 launches were not measured"));
    CHECK(count(text, "<svg xmlns") == 4);
}

TEST_CASE("a missing value is a gap in the table, not a 0") {
    test::SyntheticProfile p;
    p.launch(p.kernel("timeless(float*)"), {1024, 1, 1}, {256, 1, 1});
    const std::string text = page(test::analysisOf(p));
    CHECK(test::wellFormedXml(asXml(text)) == "");
    const auto at = text.find("<tr data-kernel=\"1\"");
    const std::string row = text.substr(at, text.find("</tr>", at) - at);
    CHECK(count(row, "data-value=\"\">–<") == 5);  // total, share, median, DRAM, first finding
    CHECK_FALSE(contains(row, "0 %"));
    CHECK(contains(text, "not measured"));
}
