// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu_report_file/wire_reader.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/wire_writer.h"

using namespace roofscope::ncufile;
using roofscope::test::WireWriter;

namespace {

struct ReadFields {
    std::vector<WireField> fields;
    WireFault fault = WireFault::None;
};

ReadFields readFields(const std::string& message, std::size_t budget = 100) {
    ReadFields read;
    WireBudget left(budget);
    WireReader reader(message, left);
    for (WireField field; reader.next(field);) read.fields.push_back(field);
    read.fault = reader.fault();
    WireField after;
    CHECK_FALSE(reader.next(after));
    return read;
}

std::string ofBytes(std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text += static_cast<char>(value);
    return text;
}

}  // namespace

TEST_CASE("wire reader: fields of each kind, in order") {
    const std::string message = WireWriter()
                                    .varint(1, 300)
                                    .bytes(2, "text")
                                    .real(3, 0.5)
                                    .real32(4, 0.25F)
                                    .varint(536'870'911, ~std::uint64_t{0})
                                    .bytes(5, "")
                                    .text();
    const auto [fields, fault] = readFields(message);
    CHECK(fault == WireFault::None);
    REQUIRE(fields.size() == 6);
    CHECK(fields[0].is(1, WireType::Varint));
    CHECK(fields[0].value == 300);
    CHECK(fields[1].is(2, WireType::Bytes));
    CHECK(fields[1].bytes == "text");
    CHECK(fields[2].is(3, WireType::Fixed64));
    CHECK(fields[2].value == 0x3FE0000000000000U);
    CHECK(fields[3].is(4, WireType::Fixed32));
    CHECK(fields[3].value == 0x3E800000U);
    CHECK(fields[4].number == 536'870'911);
    CHECK(fields[4].value == ~std::uint64_t{0});
    CHECK(fields[5].bytes.empty());
    CHECK(readFields("").fields.empty());
}

TEST_CASE("wire reader: a message that is cut off anywhere is truncated, or ends between fields") {
    const std::string message =
        WireWriter().varint(1, 300).bytes(2, "text").real(3, 0.5).real32(4, 0.25F).text();
    for (std::size_t size = 1; size < message.size(); ++size) {
        const auto [fields, fault] = readFields(message.substr(0, size));
        const bool between = size == 3 || size == 9 || size == 18;
        INFO(size);
        CHECK(fault == (between ? WireFault::None : WireFault::Truncated));
    }
}

TEST_CASE("wire reader: lengths and numbers that are too large") {
    // A length of 2^64-1, and one just beyond the end.
    CHECK(readFields(ofBytes({0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}))
              .fault == WireFault::Truncated);
    CHECK(readFields(ofBytes({0x0A, 0x02, 'a'})).fault == WireFault::Truncated);
    // Ten bytes hold 64 bits, but neither 65 nor 71.
    CHECK(readFields(ofBytes({0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}))
              .fault == WireFault::None);
    CHECK(readFields(ofBytes({0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02}))
              .fault == WireFault::BadVarint);
    CHECK(readFields(
              ofBytes({0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}))
              .fault == WireFault::BadVarint);
}

TEST_CASE("wire reader: field numbers and encodings that do not exist") {
    CHECK(readFields(ofBytes({0x00, 0x01})).fault == WireFault::BadNumber);
    CHECK(readFields(ofBytes({0xF8, 0xFF, 0xFF, 0xFF, 0x1F, 0x01})).fault == WireFault::BadNumber);
    for (const int type : {3, 4, 6, 7})
        CHECK(readFields(ofBytes({0x08 | type, 0x01})).fault == WireFault::BadType);
}

TEST_CASE("wire reader: the budget counts the fields of all messages") {
    WireBudget budget(3);
    const std::string message = WireWriter().varint(1, 1).varint(1, 2).text();
    WireField field;
    WireReader first(message, budget);
    CHECK(first.next(field));
    CHECK(first.next(field));
    WireReader second(message, budget);
    CHECK(second.next(field));
    CHECK_FALSE(second.next(field));
    CHECK(second.fault() == WireFault::BudgetSpent);
}
