// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_writer.h"

#include <bit>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

struct Written {
    std::string text;
    std::size_t pieces = 0;
};

template <class Write>
Written written(Write write) {
    Written result;
    const TextSink sink = [&](std::string_view piece) {
        result.text += piece;
        ++result.pieces;
    };
    JsonWriter out(sink);
    write(out);
    out.finish();
    return result;
}

void fill(JsonWriter& out, const std::string& text) {
    out.beginObject();
    out.field("text", text);
    out.field("none", std::optional<double>());
    out.field("whole", 3.0);
    out.field("share", 0.1);
    out.field("large", 1e300);
    out.field("infinite", std::numeric_limits<double>::infinity());
    out.field("count", std::uint64_t{18446744073709551615U});
    out.field("yes", true);
    out.fieldOrNull("empty", "");
    out.field("grid", Dim3{1, 2, 3});
    out.field("shared", SharedText(text));
    out.key("list");
    out.beginArray();
    out.endArray();
    out.key("object");
    out.beginObject();
    out.endObject();
    out.field("tree", json_parts::Json{{"a", json_parts::Json::array({1, 2})}, {"b", nullptr}});
    out.endObject();
}

json_parts::Json tree(const std::string& text) {
    return {{"text", text},
            {"none", nullptr},
            {"whole", 3.0},
            {"share", 0.1},
            {"large", 1e300},
            {"infinite", nullptr},
            {"count", std::uint64_t{18446744073709551615U}},
            {"yes", true},
            {"empty", nullptr},
            {"grid", {1, 2, 3}},
            {"shared", text},
            {"list", json_parts::Json::array()},
            {"object", json_parts::Json::object()},
            {"tree", {{"a", {1, 2}}, {"b", nullptr}}}};
}

}  // namespace

TEST_CASE("What is written piece by piece is what the library writes of a tree", "[json-writer]") {
    for (const std::string text : {"plain", "quote \" backslash \\ slash / <b>", "× ≤ 中文", ""}) {
        INFO(text);
        const Written whole = written([&](JsonWriter& out) { fill(out, text); });
        CHECK(whole.text == json_parts::dump(tree(text)));
    }
    // It must not close a surrounding script element.
    CHECK(written([](JsonWriter& out) { fill(out, "</script>"); }).text.find("</") ==
          std::string::npos);
}

TEST_CASE("Items of a long list are a line each", "[json-writer]") {
    const auto listed = [](std::size_t count) {
        return written([&](JsonWriter& out) {
            out.beginObject();
            out.key("items");
            out.items(count, [&](std::size_t) { fill(out, "a"); });
            out.field("after", json_parts::Json{{"x", 1}});
            out.endObject();
        });
    };
    json_parts::Json few{{"items", json_parts::Json::array()}, {"after", {{"x", 1}}}};
    for (int i = 0; i < 3; ++i) few["items"].push_back(tree("a"));
    CHECK(listed(3).text == json_parts::dump(few));
    CHECK(listed(0).text == json_parts::dump(json_parts::Json{{"items", json_parts::Json::array()},
                                                              {"after", {{"x", 1}}}}));
    const Written many = listed(5000);
    CHECK(many.pieces > 2);  // written in pieces
    CHECK(many.text.find("\n    " + tree("a").dump() + ",\n    {") != std::string::npos);
    CHECK(json_parts::Json::parse(many.text)["items"].size() == 5000);
    CHECK(many.text.ends_with("\n  ],\n  \"after\": {\n    \"x\": 1\n  }\n}\n"));
}

TEST_CASE("A sentence with control characters or broken UTF-8 is valid JSON", "[json-writer]") {
    for (const std::string& text :
         {std::string("a\nb\x01"), std::string("a\xFF z"), std::string("é")}) {
        const auto out = written([&](JsonWriter& writer) {
            writer.beginArray();
            writer.string(text);
            writer.endArray();
        });
        CHECK(out.text == json_parts::dump(json_parts::Json::array({text})));
    }
}

TEST_CASE("Numbers are written as the library writes them", "[json-writer]") {
    std::mt19937_64 random(24);
    std::vector<double> numbers{0.0,    -0.0,  1.0,    -1.0,        1e14, 999999999999999.0, 1e15,
                                -1e15,  1e16,  1e-5,   0.1,         0.5,  123456789012345.0, 120.0,
                                5e-324, 1e300, 1e-300, 4294967296.0};
    for (int i = 0; i < 20'000; ++i) {
        const auto bits = random();
        numbers.push_back(static_cast<double>(static_cast<std::int64_t>(bits) >> (bits % 60)));
        numbers.push_back(std::bit_cast<double>(random()));
        numbers.push_back(static_cast<double>(random() % 100'000) / 1000);
        numbers.push_back(numbers[random() % numbers.size()]);  // a repeated number
    }
    json_parts::Json list = json_parts::Json::array();
    for (const double number : numbers) list.push_back(json_parts::number(number));
    const Written all = written([&](JsonWriter& out) {
        out.beginArray();
        for (const double number : numbers) out.value(number);
        out.endArray();
    });
    CHECK((all.text == json_parts::dump(list)));
}
