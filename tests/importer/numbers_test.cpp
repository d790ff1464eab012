// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include "importer/numbers.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {
NumberFormat after(std::initializer_list<const char*> cells) {
    NumberFormat format;
    for (const char* cell : cells) format.observe(cell);
    return format;
}
}  // namespace

TEST_CASE("numbers: groups of thousands, fractions, exponents, signs") {
    const NumberFormat plain;
    CHECK(plain.parse("0") == 0.0);
    CHECK(plain.parse("8,388,608") == 8388608.0);
    CHECK(plain.parse("1,978,862,087.55") == 1978862087.55);
    CHECK(plain.parse(" 12.5 ") == 12.5);
    CHECK(plain.parse("-3") == -3.0);
    CHECK(plain.parse("1e+09") == 1e9);
    CHECK(plain.parse("1 234 567") == 1234567.0);
    CHECK(plain.parse("1'234.5") == 1234.5);
    CHECK(plain.parse("1\xC2\xA0"
                      "234") == 1234.0);
    CHECK(plain.parse("46,137,344 (1; 2; 3)") == 46137344.0);
}

TEST_CASE("numbers: what is no finite number is missing, never 0") {
    const NumberFormat plain;
    for (const char* cell :
         {"",      " ",     "nan",   "NaN",      "inf",        "-inf", "n/a",  "no data",
          "all",   "1,2,3", "12,34", "1234,567", ",5",         "5.",   "1..2", "0x10",
          "1e999", "-",     "1e",    "(1; 2)",   "1,234,5678", "--1"}) {
        INFO(cell);
        CHECK_FALSE(plain.parse(cell).has_value());
    }
    CHECK_FALSE(plain.parse(std::string(1000, '9')).has_value());
}

TEST_CASE("numbers: the whole file says which character separates the fraction") {
    CHECK(after({"1,234", "5,678"}).parse("1,234") == 1234.0);  // nothing says otherwise
    const NumberFormat comma = after({"1.234", "0,27", "1.234.567,8"});
    CHECK(comma.decimal() == ',');
    CHECK(comma.parse("1.234") == 1234.0);
    CHECK(comma.parse("1.234.567,8") == 1234567.8);
    CHECK(comma.parse("1,234") == 1.234);
    const NumberFormat point = after({"1,234", "0.271", "1,234,567.8"});
    CHECK(point.decimal() == '.');
    CHECK(point.parse("1.234") == 1.234);
    CHECK(after({"2,5"}).parse("2,5") == 2.5);
}

TEST_CASE("numbers: counts have no fraction, which decides what the separator is") {
    NumberFormat german;
    german.observe("117.344", true);
    CHECK(german.undecided() == 0);
    CHECK(german.parse("117.344") == 117344.0);
    NumberFormat english;
    english.observe("117,344", true);
    CHECK(english.parse("117,344") == 117344.0);
    CHECK(english.parse("1.234") == 1.234);
}

TEST_CASE("numbers: a share of a peak is below 1000, which decides what the separator is") {
    NumberFormat german;
    german.observe("91,400", false, true);
    CHECK(german.undecided() == 0);
    CHECK(german.parse("91,400") == 91.4);
    CHECK(german.parse("1.234") == 1234.0);
    NumberFormat english;
    english.observe("91.400", false, true);
    CHECK(english.parse("1,234") == 1234.0);
}

TEST_CASE("numbers: what nothing decides, and what contradicts itself, is said") {
    const NumberFormat undecided = after({"12", "1.234", "5.678"});
    CHECK(undecided.undecided() == 2);
    CHECK(undecided.example() == "1.234");
    CHECK(undecided.parse("1.234") == 1.234);
    CHECK_FALSE(undecided.contradictory());
    CHECK(after({"1.234", "0,5"}).undecided() == 0);
    CHECK(after({"12", "12"}).undecided() == 0);
    CHECK(after({"1.5", "2,5", "3,5"}).contradictory());
    CHECK_FALSE(after({"1.5", "2.5"}).contradictory());
}

TEST_CASE("numbers: groups of one number are separated alike") {
    const NumberFormat comma = after({"1 234,567"});
    CHECK(comma.decimal() == ',');
    CHECK(comma.parse("1 234,567") == 1234.567);
    CHECK_FALSE(NumberFormat().parse("1 234,567").has_value());
}

TEST_CASE("units: decimal factors to the unit that CUPTI uses") {
    CHECK(unitFactor("") == 1.0);
    CHECK(unitFactor("%") == 1.0);
    CHECK(unitFactor("byte") == 1.0);
    CHECK(unitFactor("Kbyte") == 1e3);
    CHECK(unitFactor("Mbyte") == 1e6);
    CHECK(unitFactor("Gbyte/s") == 1e9);
    CHECK(unitFactor("Tbyte/second") == 1e12);
    CHECK(unitFactor("Kbyte/block") == 1e3);
    CHECK(unitFactor("hz") == 1.0);
    CHECK(unitFactor("Khz") == 1e3);
    CHECK(unitFactor("Mhz") == 1e6);
    CHECK(unitFactor("GHz") == 1e9);
    CHECK(unitFactor("cycle/nsecond") == 1e9);
    CHECK(unitFactor("cycle/usecond") == 1e6);
    CHECK(unitFactor("inst/cycle") == 1.0);
    CHECK(unitFactor("sector/s") == 1.0);
    CHECK(unitFactor("Ksector") == 1e3);
    // Durations are in nanoseconds.
    CHECK(unitFactor("ns") == 1.0);
    CHECK(unitFactor("nsecond") == 1.0);
    CHECK(unitFactor("us") == 1e3);
    CHECK(unitFactor("msecond") == 1e6);
    CHECK(unitFactor("s") == 1e9);
    CHECK(unitFactor("second") == 1e9);
    // Names, one of which may have a scale prefix.
    CHECK(unitFactor("register/thread") == 1.0);
    CHECK(unitFactor("SM") == 1.0);
    CHECK(unitFactor("branches") == 1.0);
    CHECK_FALSE(unitFactor("Kfoo").has_value());
    CHECK_FALSE(unitFactor("byte/Mfoo").has_value());
    // Both code points of the micro sign.
    CHECK(unitFactor("\xC2\xB5s") == 1e3);
    CHECK(unitFactor("\xCE\xBCs") == 1e3);
}

TEST_CASE("units: what is not known has no factor") {
    for (const char* unit : {"min", "hr", "foo", "gigabyte/s", "KiB", "byte/foo", "K%", "1 us"}) {
        INFO(unit);
        CHECK_FALSE(unitFactor(unit).has_value());
    }
    CHECK(unitFactor("1/cycle") == 1.0);
    CHECK(unitFactor("passes") == 1.0);
    CHECK(parseUnit("Mbyte/s")->perTime);
    CHECK(parseUnit("Mbyte/s")->kind == UnitKind::Bytes);
    CHECK(parseUnit("us")->kind == UnitKind::Time);
}
