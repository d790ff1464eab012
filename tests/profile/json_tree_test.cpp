// SPDX-License-Identifier: Apache-2.0
// Our JSON reader compared with a library: both accept the same texts and read the same values.
#include "profile/codec/json_tree.h"

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <streambuf>
#include <string>

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

/// Delivers a text one byte at a time, so that no column is ever buffered as a whole.
class OneByOne final : public std::streambuf {
public:
    explicit OneByOne(std::string_view text) : m_text(text) {}

private:
    std::streamsize xsgetn(char* to, std::streamsize) override {
        if (m_at == m_text.size()) return 0;
        *to = m_text[m_at++];
        return 1;
    }
    std::string_view m_text;
    std::size_t m_at = 0;
};

std::string bits(double value) {
    return value == value ? std::to_string(std::bit_cast<std::uint64_t>(value)) : "null";
}

std::string joined(const auto& items, auto tell) {
    std::string out = "[";
    for (const auto& item : items) out += tell(item) + " ";
    return out + "]";
}

/// All contents of a tree, with numbers bit by bit.
std::string told(const json::Node& node) {
    if (const auto* number = node.as<double>()) return bits(*number);
    if (const auto* flag = node.as<bool>()) return *flag ? "true" : "false";
    if (const auto* text = node.as<std::string>()) return "\"" + *text + "\"";
    if (const auto* numbers = node.as<json::Numbers>()) return joined(*numbers, bits);
    if (const auto* items = node.as<json::Items>())
        return joined(*items, [](const json::Node& item) { return told(item); });
    if (const auto* members = node.as<json::Members>())
        return "{" + joined(*members, [](const json::Member& member) {
                   return member.name + ":" + told(member.value);
               });
    return "null";
}

/// The same for the library's value.
std::string told(const nlohmann::ordered_json& value) {
    if (value.is_number()) return bits(value.get<double>());
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_string()) return "\"" + value.get<std::string>() + "\"";
    if (value.is_array())
        return joined(value, [](const nlohmann::ordered_json& item) { return told(item); });
    if (value.is_object())
        return "{" + joined(value.items(), [](const auto& member) {
                   return member.key() + ":" + told(member.value());
               });
    return "null";
}

std::string outcome(const Result<json::Node>& tree) {
    return tree.ok() ? told(*tree) : tree.error().where + ": " + tree.error().what;
}

/// Reads the text at once, byte by byte and with the library: all get the same values or refuse.
void checkAllWays(const std::string& text, const ReadLimits& limits = {}) {
    OneByOne slow(text);
    CAPTURE(text.substr(0, 400));
    const Result<json::Node> tree = json::parse(text, limits);
    REQUIRE(outcome(tree) == outcome(json::parse(slow, limits)));
    // The library has no limits, accepts duplicate keys, and takes NUL as the end.
    const bool ours = !tree.ok() && (tree.error().what.starts_with("more than ") ||
                                     tree.error().what.starts_with("the key "));
    if (ours || text.find('\0') != text.npos) return;
    const auto known = nlohmann::ordered_json::parse(text, nullptr, false);
    REQUIRE(tree.ok() == !known.is_discarded());
    if (tree.ok()) REQUIRE(told(*tree) == told(known));
}

}  // namespace

TEST_CASE("columns are read as a library reads them, in one piece and byte by byte") {
    const std::string parts[] = {"0",
                                 "-0",
                                 "-0.0",
                                 "1",
                                 "-1",
                                 "12345678901234567",
                                 "123456789012345678",
                                 "1e5",
                                 "1E-5",
                                 "1.5",
                                 "-2.5e3",
                                 "1e400",
                                 "9223372036854775807",
                                 "18446744073709551615",
                                 "1e-4",
                                 "5e-324",
                                 "1e-400",
                                 "0.1",
                                 "null",
                                 "1.7976931348623157e308",
                                 "4.35",
                                 "01",
                                 "1.",
                                 ".5",
                                 "-",
                                 "1e",
                                 "1e+",
                                 "nul",
                                 "NaN",
                                 "inf",
                                 "0x10",
                                 "--1",
                                 "+1",
                                 "1.5.5",
                                 "[]",
                                 "\"1\"",
                                 "true",
                                 "{}",
                                 " 7",
                                 "7 ",
                                 "",
                                 "1.00000000000000000000000000000000000000001"};
    std::mt19937_64 random(24);
    for (int run = 0; run < 3000; ++run) {
        // Mostly valid numbers, so that some stretches are long.
        const bool good = random() % 3 != 0;
        std::string text = "{\"a\":[";
        for (std::size_t i = 0, count = random() % 60; i < count; ++i) {
            text += i == 0 ? "" : ",";
            text += good || random() % 30 != 0 ? parts[random() % 21]
                                               : parts[random() % std::size(parts)];
        }
        text += random() % 20 == 0 ? ",]}" : random() % 20 == 0 ? "}" : "],\"b\":[1,2,3]}";
        if (random() % 4 == 0)
            text.insert(random() % text.size(), 1, "\0 ,]x9-e.\xff"[random() % 10]);
        checkAllWays(text);
    }
    // Fractions of all lengths, below and above the number of digits kept.
    for (int run = 0; run < 300; ++run) {
        std::string text = "[0";
        for (int i = 0; i < 200; ++i) {
            std::string digits = std::to_string(random() >> (random() % 64));
            if (random() % 4 == 0) digits = "0" + std::string(random() % 24, '0') + digits;
            digits.insert(1 + random() % std::min<std::size_t>(digits.size(), 20), ".");
            digits += std::to_string(random() % 10);
            if (digits[0] == '0' && digits[1] != '.')
                digits.erase(0, digits.find_first_not_of('0'));
            if (digits[0] == '.') digits = "0" + digits;
            text += (random() % 5 == 0 ? ",-" : ",") + digits;
        }
        checkAllWays(text + "]");
    }
    std::string border = "[0";  // both sides of 2^53, up to which doubles hold all integers
    for (std::int64_t digits = (std::int64_t{1} << 53) - 20; digits < (std::int64_t{1} << 53) + 20;
         ++digits)
        for (std::size_t point = 1; point < 16; ++point)
            border += "," + std::to_string(digits).insert(point, ".");
    checkAllWays(border + "]");
    // Larger than the blocks in which a file is read, and above the limit.
    std::string column = "[0";
    for (int i = 0; i < 200'000; ++i) column += i % 7 == 0 ? ",null" : "," + std::to_string(i * 37);
    checkAllWays(column + "]");
    checkAllWays(column + ",x]");
    checkAllWays(column);
    const ReadLimits limits{.maxLaunches = 0, .maxCells = 150'000};
    CHECK(json::parse(column + "]", limits).error().what == "more than 150000 numbers");
}

TEST_CASE("objects and texts are read as a library reads them, whole and byte by byte") {
    const std::string values[] = {"\"plain\"",
                                  "0",
                                  "7",
                                  "123456789012345",
                                  "\"\"",
                                  "\"void k<(int)4>(float*)\"",
                                  "1234567890123456",
                                  "01",
                                  "-1",
                                  "1.5",
                                  "1e3",
                                  "null",
                                  "true",
                                  "\"\\n\"",
                                  R"("\"\\\/\b\f\n\r\t\u00e9\u4e2d\uD83D\uDE00")",
                                  R"("\ud83d")",
                                  R"("\ude00\ud83d")",
                                  R"("\ud83d\u0041")",
                                  R"("\u12g4")",
                                  R"("\x")",
                                  R"("\u0000")",
                                  "\"\xF0\x9F\x98\x80\"",
                                  "\"\xC0\xAF\"",
                                  "\"\xED\xA0\x80\"",
                                  "\"\xF4\x90\x80\x80\"",
                                  "\"\xE4\xB8\"",
                                  "\"\\u00e9\"",
                                  "\"é\"",
                                  "\"\xff\"",
                                  "[]",
                                  "[1,2]",
                                  "{}",
                                  "{\"a\":1}",
                                  " 1",
                                  "1 ",
                                  "",
                                  "x",
                                  "\"\x01\""};
    const std::string keys[] = {"a", "b", "name", "symbol", "registers_per_thread"};
    std::mt19937_64 random(24);
    for (int run = 0; run < 3000; ++run) {
        const bool good = random() % 3 != 0;
        std::string text = "{\"list\":[";
        for (std::size_t i = 0, count = random() % 30; i < count; ++i) {
            text += i == 0 ? "{" : random() % 100 == 0 ? ", {" : ",{";
            const std::size_t members = random() % (random() % 20 == 0 ? 45 : 5);
            for (std::size_t k = 0; k < members; ++k) {
                const bool twice = random() % 200 == 0;
                text += (k == 0 ? "\"" : ",\"") + keys[twice ? 0 : k % 5] +
                        (k < 5 || twice ? "" : std::to_string(k)) + "\":" +
                        (good || random() % 20 != 0 ? values[random() % 6]
                                                    : values[random() % std::size(values)]);
            }
            text += "}";
        }
        text += random() % 20 == 0 ? "}" : "],\"after\":[1,2,3]}";
        if (random() % 4 == 0)
            text.insert(random() % text.size(), 1, "\0 ,]x9-{}\"\xff"[random() % 11]);
        checkAllWays(text);
        checkAllWays(text, {.maxNodes = random() % 60});
    }
    // Larger than the blocks in which a file is read.
    std::string list = "[{\"a\":1}";
    for (int i = 0; i < 20'000; ++i)
        list +=
            R"x(,{"name":"void kernel(float*)","symbol":"_Z6kernel)x" + std::to_string(i) + "\"}";
    checkAllWays(list + "]");
    checkAllWays(list + ",{\"a\":x}]");
    checkAllWays(list);
}
