// SPDX-License-Identifier: Apache-2.0
#include "reports/document/document.h"

#include "reports/document/html_writer.h"
#include "reports/document/markdown_writer.h"
#include "reports/document/text_writer.h"
#include "reports/document/tokens.h"
#include "reports/language/say.h"
#include "reports/profile/budget.h"
#include "tests/support/catch.h"

namespace doc = roofscope::doc;
using roofscope::estimateTokens;
using roofscope::Language;
using roofscope::say;
using roofscope::sayCount;
using roofscope::tell;
using roofscope::tellCount;

namespace {

doc::Document sampleDocument() {
    doc::Document document{.title = "Report of " + doc::code("./app"), .nodes = {}};
    doc::Node table{
        .body = doc::Table{.columns = {{.title = "kernel"}, {.title = "time", .number = true}},
                           .children = {doc::row({{.text = doc::code("a|b")}, {.text = "1 µs"}}),
                                        doc::row({{.text = doc::code("c")}, {.text = "20 µs"}})},
                           .caption = "Kernels"}};
    doc::Node finding{.body =
                          doc::Finding{.number = 1,
                                       .title = "Uncoalesced access",
                                       .gain = "at most 5 µs",
                                       .rule = "uncoalesced-access",
                                       .children = {doc::paragraph("Neighbours read far apart."),
                                                    doc::codeBlock("x[i]\n```\n", "cuda")}}};
    document.nodes = {
        table, doc::section("What to fix", {finding}),
        doc::list(std::vector<doc::Text>{"one", tell(Language::En, "**two** of {}", 3)})};
    return document;
}

}  // namespace

TEST_CASE("A document is written as markdown", "[document]") {
    CHECK(doc::toMarkdown(sampleDocument()) ==
          "# Report of `./app`\n\n"
          "| kernel | time |\n|---|---:|\n| `a\\|b` | 1 µs |\n| `c` | 20 µs |\n\n"
          "## What to fix\n\n"
          "**1. Uncoalesced access: at most 5 µs** (`uncoalesced-access`)\n\n"
          "Neighbours read far apart.\n\n"
          "````cuda\nx[i]\n```\n````\n\n"
          "- one\n- **two** of 3\n");
}

TEST_CASE("A document is written for a terminal", "[document]") {
    CHECK(doc::toTerminal(sampleDocument(), {.width = 40}) ==
          "Report of ./app\n\n"
          "kernel   time\na|b      1 µs\nc       20 µs\n\n"
          "What to fix\n"
          "! Uncoalesced access: at most 5 µs\n  [uncoalesced-access]\n"
          "  Neighbours read far apart.\n"
          "    x[i]\n    ```\n"
          "- one\n- two of 3\n");
    CHECK(doc::toTerminal(
              {.title = "T", .nodes = {doc::paragraph(doc::toned(doc::Tone::Good, "ok"))}},
              {.colour = true}) == "\033[1mT\033[0m\n\033[32mok\033[0m\n");
}

TEST_CASE("A document is written as HTML", "[document]") {
    const std::string html = doc::toHtml(sampleDocument().nodes, 2);
    CHECK(html.find("<h3>1. Uncoalesced access <span class=\"gain\">at most 5 µs</span> "
                    "<code>uncoalesced-access</code></h3>") != html.npos);
    CHECK(html.find("<li><strong>two</strong> of 3</li>") != html.npos);
    CHECK(html.find("<th scope=\"row\"><code>a|b</code></th>") != html.npos);
}

TEST_CASE("Names are data in every writer", "[document]") {
    const std::string hostile = "</script>`**[x](http://y)\033[31m\n# h";
    for (const doc::Text& text : {doc::code(hostile), doc::Text(hostile), doc::fromProfile(hostile),
                                  tell(Language::En, "{}", hostile)}) {
        const doc::Document document{.title = {}, .nodes = {doc::paragraph(text)}};
        CHECK(doc::toHtml(document.nodes, 1).find("<script") == std::string::npos);
        CHECK(doc::toHtml(document.nodes, 1).find("</script>") == std::string::npos);
        CHECK(doc::toTerminal(document).find('\033') == std::string::npos);
        CHECK(doc::toMarkdown(document).find("\n#") == std::string::npos);
        CHECK(text.plain().find('\n') == std::string::npos);
    }
    // Text that would start a block at the start of a line is escaped.
    CHECK(doc::toMarkdown(doc::Document{.title = {}, .nodes = {doc::paragraph("- a")}}) ==
          "\\- a\n");
}

TEST_CASE("A format leaves out what is for other readers", "[document]") {
    doc::Document document;
    document.nodes = {
        doc::forReader(doc::Audience::Assistant, doc::paragraph("ask")),
        doc::forReader(doc::Audience::Person, doc::paragraph("look")), doc::paragraph("both"),
        doc::section("Empty", {doc::forReader(doc::Audience::Assistant, doc::paragraph("ask"))})};
    CHECK(doc::toMarkdown(forReader(doc::Audience::Person, document)) == "look\n\nboth\n");
    CHECK(doc::toMarkdown(forReader(doc::Audience::Both, document)).starts_with("ask\n\nlook"));
}

TEST_CASE("A budget drops what matters least and fills the room that is left", "[document]") {
    std::string words;  // 100 tokens
    for (int i = 0; i < 100; ++i) words += i ? " word" : "word";
    doc::Document document{.title = "T", .nodes = {}};
    document.nodes = {
        doc::section("first",
                     {doc::paragraph(words, 0, "verdict"), doc::paragraph(words, 30, "ruled out")},
                     0, "kernel"),
        doc::section("second", {doc::paragraph(words), doc::paragraph(words, 40, "source")}, 20,
                     "kernel"),
        doc::paragraph("short", 50, "end")};
    const auto cut = [&](std::size_t budget) {
        return doc::toMarkdown(fitted(document, budget, Language::En, doc::toMarkdown));
    };
    CHECK(cut(1000) == doc::toMarkdown(document));
    for (const std::size_t budget : {150, 250, 350, 400})
        CHECK(estimateTokens(cut(budget)) <= budget);
    CHECK(cut(350).find("second") != std::string::npos);
    CHECK(cut(350).find("short") != std::string::npos);
    CHECK(cut(350).find("Left out: source.") != std::string::npos);
    CHECK(cut(150).find("Left out: ruled out, kernel.") != std::string::npos);
    // Nodes of priority 0 are kept, and the report says that it is too large.
    CHECK(cut(20).find("The smallest report is 1") != std::string::npos);
    CHECK(cut(20).find(words) != std::string::npos);
    const auto terminal = [](const doc::Document& d) { return doc::toTerminal(d); };
    CHECK(estimateTokens(terminal(fitted(document, 250, Language::En, terminal))) <= 250);
}

TEST_CASE("A sentence stands in English where it is used", "[document]") {
    CHECK(say(Language::En, "{1} of {0}", 2, 1) == "1 of 2");
    CHECK(sayCount(Language::En, 1, "{} kernel in {}", "{} kernels in {}", "a") == "1 kernel in a");
    CHECK(sayCount(Language::En, 2, "{} kernel in {}", "{} kernels in {}", "a") ==
          "2 kernels in a");
    CHECK(sayCount(Language::En, 6500, "{} repeat", "{} repeats") == "6,500 repeats");
    const doc::Text text = tellCount(Language::En, 2, "`--top` gives {} kernel of **{}**",
                                     "`--top` gives {} kernels of **{}**", doc::code("**app**"));
    CHECK(doc::toMarkdown({.title = {}, .nodes = {doc::paragraph(text)}}) ==
          "`--top` gives 2 kernels of **`**app**`**\n");
}
