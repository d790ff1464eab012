// SPDX-License-Identifier: Apache-2.0
#include "reports/escape/escape.h"

#include "profile/text/utf8.h"
#include "tests/reports/hostile_names.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

bool isCleanLine(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto c = utf8::next(text, at);
        if (!c || utf8::isHidden(*c)) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("clean text has no controls, no hidden characters and is valid UTF-8") {
    for (const std::string& name : test::hostileNames()) {
        const std::string clean = cleanText(name, 200);
        CAPTURE(clean);
        CHECK(isCleanLine(clean));
        CHECK(utf8::length(clean) <= 200);
    }
    CHECK(cleanText("plain µs 中文 <T>") == "plain µs 中文 <T>");
    CHECK(cleanText("\x1b[31mred\x1b[0m") == "red");
    CHECK(cleanText("\x1b]0;title\x07name") == "name");
    CHECK(cleanText("a\x1b") == "a");
    CHECK(cleanText("a\x1b[") == "a");
    CHECK(cleanText("a\tb\nc") == "a b c");
    CHECK(cleanText("\xC0\xAF") == "\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(cleanText("\xE2\x80\xAE"
                    "abc") == "abc");
}

TEST_CASE("texts are cut at code points, with a sign") {
    CHECK(cleanText("abcdef", 6) == "abcdef");
    CHECK(cleanText("abcdef", 5) == "abcd…");
    CHECK(cleanText("µµµ", 2) == "µ…");
    CHECK(cleanText("abc", 0).empty());
}

TEST_CASE("nothing leaves a markdown code span") {
    CHECK(markdownCode("plain") == "`plain`");
    CHECK(markdownCode("a`b") == "``a`b``");
    CHECK(markdownCode("`") == "`` ` ``");
    CHECK(markdownCode("a```b") == "````a```b````");
    CHECK(markdownCode("") == "`(no name)`");
    CHECK(markdownCode("  ") == "`(no name)`");
    CHECK(markdownCodeCell("a|b") == "`a\\|b`");
    for (const std::string& name : test::hostileNames()) {
        const std::string span = markdownCode(name);
        const std::size_t fence = span.find_first_not_of('`');
        REQUIRE(fence != std::string::npos);
        CHECK(span.ends_with(std::string(fence, '`')));
        // Inside there is no run of backticks as long as the fence.
        std::size_t run = 0;
        for (std::size_t i = fence; i + fence <= span.size(); ++i) {
            if (i < span.size() - fence && span[i] == '`') {
                ++run;
            } else {
                CHECK(run != fence);
                run = 0;
            }
        }
        CHECK(span.find('\n') == std::string::npos);
    }
}

TEST_CASE("prose makes no markup of what it quotes") {
    CHECK(markdownText("*bold* [a](b) `c`") == "\\*bold\\* \\[a\\](b) \\`c\\`");
    CHECK(markdownText("smsp__sass_inst_executed.sum") == "smsp__sass_inst_executed.sum");
    CHECK(markdownText("_em_") == "\\_em\\_");
    CHECK(markdownText("<b>x</b> a < b") == "\\<b>x\\</b> a < b");
    CHECK(markdownText("&amp; a & b") == "\\&amp; a & b");
    CHECK(markdownText("http://x.y www.x.y a@b") == "http\\://x.y www\\.x.y a\\@b");
    CHECK(markdownText("a | b") == "a \\| b");
}

TEST_CASE("XML text is well-formed") {
    CHECK(xmlText("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
    for (const std::string& name : test::hostileNames()) {
        const std::string text = xmlText(name);
        CHECK(text.find('<') == std::string::npos);
        CHECK(text.find("]]>") == std::string::npos);
        CHECK(isCleanLine(text));
    }
}

TEST_CASE("CSV fields follow RFC 4180 and are no formulas") {
    CHECK(csvField("plain") == "plain");
    CHECK(csvField("a,b") == "\"a,b\"");
    CHECK(csvField("say \"x\"") == "\"say \"\"x\"\"\"");
    CHECK(csvField("").empty());
    CHECK(csvField("=1+1") == "'=1+1");
    CHECK(csvField("\t=1+1") == "\"' =1+1\"");
    CHECK(csvField("-2") == "'-2");
    CHECK(csvField("@x") == "'@x");
    CHECK(csvField("a=b") == "a=b");
}

TEST_CASE("shell commands keep their arguments and print nothing odd") {
    CHECK(shellCommand({"./app", "--size", "8"}) == "./app --size 8");
    CHECK(shellArgument("two words") == "'two words'");
    CHECK(shellArgument("it's") == "'it'\\''s'");
    CHECK(shellArgument("") == "''");
    CHECK(shellArgument("$(reboot)") == "'$(reboot)'");
    CHECK(shellArgument("a\nb") == "$'a\\012b'");
    CHECK(shellArgument("\x1b'\\") == "$'\\033\\'\\\\'");
    CHECK(shellArgument("~/x") == "'~/x'");
    CHECK(shellCommand({std::string(5000, 'x')}).empty());
    for (const std::string& name : test::hostileNames())
        CHECK(isCleanLine(shellCommand({"app", name})));
}

TEST_CASE("terminal columns") {
    CHECK(displayWidth("abc") == 3);
    CHECK(displayWidth("µ") == 1);
    CHECK(displayWidth("中文") == 4);
    CHECK(fitWidth("abc", 5) == "abc  ");
    CHECK(fitWidth("abc", 5, true) == "  abc");
    CHECK(fitWidth("abcdef", 4) == "abc…");
    CHECK(fitWidth("中文字", 4) == "中… ");
}
