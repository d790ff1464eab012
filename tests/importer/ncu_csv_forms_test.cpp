// SPDX-License-Identifier: Apache-2.0
// The forms in which people have ncu's CSV: encodings, separators, one row per metric.
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "importer/any_file/any_profile.h"
#include "importer/import.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

const std::string kWide =
    R"csv("ID","Process ID","Kernel Name","Stream","Block Size","Grid Size","CC",)csv"
    R"csv("gpu__time_duration.sum","x__y.pct")csv"
    "\n"
    R"csv("","","","","","","","usecond","%")csv"
    "\n"
    R"csv("0","41","k(float *, int)","7","(256, 1, 1)","(4096, 1, 1)","8.6","12.50","81.40")csv"
    "\n";

const std::string kLongHeader =
    R"csv("ID","Process ID","Kernel Name","Block Size","Grid Size","CC","Section Name",)csv"
    R"csv("Metric Name","Metric Unit","Metric Value")csv"
    "\n";

std::string longRow(const std::string& id, const std::string& metric, const std::string& unit,
                    const std::string& value, const std::string& section = "Command line") {
    return "\"" + id + R"csv(","41","scale(float *, int)","(256, 1, 1)","(64, 1, 1)","9.0",")csv" +
           section + "\",\"" + metric + "\",\"" + unit + "\",\"" + value + "\"\n";
}

Profile importedForm(const std::string& text) {
    auto profile = importNcuCsv(text, "form.csv");
    if (!profile.ok()) FAIL(profile.error().message());
    REQUIRE(validateProfile(*profile, "form").ok());
    return *profile;
}

Error refusedForm(const std::string& text) {
    auto profile = importNcuCsv(text, "form.csv");
    REQUIRE_FALSE(profile.ok());
    CHECK(profile.error().code == ErrorCode::BadData);
    CHECK(profile.error().where.starts_with("form.csv"));
    return profile.error();
}

bool hasNote(const Profile& profile, std::string_view code) {
    return std::ranges::any_of(profile.issues, [&](const Issue& i) { return i.code == code; });
}

void checkWide(const Profile& p) {
    REQUIRE(p.launches.size() == 1);
    CHECK(p.counters.value("gpu__time_duration.sum", 0) == 12500.0);
    CHECK(p.counters.value("x__y.pct", 0) == 81.4);
    CHECK(p.kernels.at(0).name == "k(float *, int)");
    CHECK(p.launches[0].grid == Dim3{4096, 1, 1});
    CHECK(p.processes.at(0).pid == 41);
    CHECK(p.issues.empty());
}

std::string utf16(const std::string& ascii, bool bigEndian, bool mark) {
    std::string text = !mark ? "" : bigEndian ? "\xFE\xFF" : "\xFF\xFE";
    for (const char c : ascii) {
        if (bigEndian) text += '\0';
        text += c;
        if (!bigEndian) text += '\0';
    }
    return text;
}

/// The same table with another separator; commas within quotes stay.
std::string separatedBy(const std::string& text, char separator) {
    std::string result;
    bool quoted = false;
    for (const char c : text) {
        quoted = quoted != (c == '"');
        result += c == ',' && !quoted ? separator : c;
    }
    return result;
}

}  // namespace

TEST_CASE("ncu csv forms: a unit that cannot be the metric's is never read as base units") {
    const auto durationIn = [](const std::string& unit) {
        std::string wide = kWide;
        wide.replace(wide.find("usecond"), 7, unit);
        const Profile p = importedForm(wide);
        const auto value = p.counters.value("gpu__time_duration.sum", 0);
        CHECK(hasNote(p, "unit-unknown") == !value.has_value());
        CHECK(p.counters.value("x__y.pct", 0) == 81.4);  // the rest stays
        const Profile turned =
            importedForm(kLongHeader + longRow("0", "gpu__time_duration.sum", unit, "12.50") +
                         longRow("0", "x__y.pct", "%", "81.40"));
        CHECK(turned.counters.value("gpu__time_duration.sum", 0) == value);
        return value;
    };
    CHECK(durationIn("\xC2\xB5s") == 12500.0);
    CHECK(durationIn("\xCE\xBCs") == 12500.0);  // the Greek letter
    for (const char* unit : {"min", "hr", "percent", "foo", "byte/second", "us/s", "Kbyte", "hz"}) {
        INFO(unit);
        CHECK_FALSE(durationIn(unit));
    }
    std::string rate = kWide;
    rate.replace(rate.find("gpu__time_duration.sum"), 22, "dram__bytes.sum.per_second");
    rate.replace(rate.find("usecond"), 7, "gigabyte/s");
    CHECK(hasNote(importedForm(rate), "unit-unknown"));
    rate.replace(rate.find("gigabyte/s"), 10, "Gbyte/s");
    CHECK(importedForm(rate).counters.value("dram__bytes.sum.per_second", 0) == 12.5e9);
}

TEST_CASE("ncu csv forms: UTF-16, as PowerShell redirects, is read") {
    for (const bool bigEndian : {false, true})
        for (const bool mark : {false, true})
            checkWide(importedForm(utf16(kWide, bigEndian, mark)));
    // A surrogate pair and a lone half.
    std::string text = utf16(kWide, false, true);
    const std::string pair("\x3D\xD8\x00\xDE", 4), half("\x3D\xD8", 2), k("k\0(\0", 4);
    text.replace(text.find(k), 2, pair + half);
    CHECK(importedForm(text).kernels.at(0).name == "\xF0\x9F\x98\x80\xEF\xBF\xBD(float *, int)");
}

TEST_CASE("ncu csv forms: code page 1252 separates thousands by a no-break space") {
    std::string text = kWide;
    text.replace(text.find("usecond"), 7, "nsecond");
    text.replace(text.find("12.50"), 5,
                 "117\xA0"
                 "344");
    text.replace(text.find("81.40"), 5, "81,40");
    text.replace(text.find("k(float"), 1, "\xE9\x80");
    const auto p = importedForm(text);
    CHECK(p.counters.value("gpu__time_duration.sum", 0) == 117344.0);
    CHECK(p.counters.value("x__y.pct", 0) == 81.4);
    CHECK(p.kernels.at(0).name == "\xC3\xA9\xE2\x82\xAC(float *, int)");
}

TEST_CASE("ncu csv forms: semicolons and tabs, quoted or not") {
    for (const char separator : {';', '\t'}) {
        checkWide(importedForm(separatedBy(kWide, separator)));
        std::string bare = separatedBy(kWide, separator);
        std::erase(bare, '"');
        checkWide(importedForm("sep=;\n" + bare));
    }
    // A spreadsheet of a country with decimal commas.
    std::string bare = separatedBy(kWide, ';');
    std::erase(bare, '"');
    bare.replace(bare.find("12.50"), 5, "12,5");
    bare.replace(bare.find("81.40"), 5, "81,4");
    checkWide(importedForm(bare));
}

TEST_CASE("ncu csv forms: what pandas saves, with its row numbers") {
    for (const char* first : {"", "Unnamed: 0", "index"})
        checkWide(importedForm(std::string(first) +
                               ",ID,Process ID,Kernel Name,Stream,Block Size,Grid Size,CC,"
                               "gpu__time_duration.sum,x__y.pct\n"
                               "0,,,,,,,,usecond,%\n"
                               "1,0.0,41.0,\"k(float *, int)\",7.0,\"(256, 1, 1)\","
                               "\"(4096, 1, 1)\",8.6,12.5,81.4\n"));
    // csv.QUOTE_NONNUMERIC: names are quoted, numbers are not.
    checkWide(
        importedForm("\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\","
                     "\"CC\",\"gpu__time_duration.sum\",\"x__y.pct\"\n"
                     "\"\",\"\",\"\",\"\",\"\",\"\",\"usecond\",\"%\"\n"
                     "0,41,\"k(float *, int)\",\"(256, 1, 1)\",\"(4096, 1, 1)\",8.6,12.5,"
                     "81.4\n12 results\n"));
}

TEST_CASE("ncu csv forms: gzip and unknown endings are told by the content") {
    const test::TemporaryFolder folder;
    const auto packed = folder.path() / "export.csv.gz";
    gzFile file = gzopen(packed.c_str(), "wb");
    REQUIRE(gzwrite(file, kWide.data(), static_cast<unsigned>(kWide.size())) > 0);
    REQUIRE(gzclose(file) == Z_OK);
    const auto noNcu = [](const std::vector<std::string>&, std::uint64_t) -> Result<std::string> {
        return Error{.code = ErrorCode::Unavailable, .what = "no ncu"};
    };
    auto profile = readAnyProfile(packed, "1.0", noNcu, "");
    if (!profile.ok()) FAIL(profile.error().message());
    checkWide(*profile);
    const auto log = folder.path() / "ncu.log";
    std::ofstream(log) << "==PROF== Connected\n" << kWide;
    auto fromLog = readAnyProfile(log, "1.0", noNcu, "");
    if (!fromLog.ok()) FAIL(fromLog.error().message());
    checkWide(*fromLog);
    CHECK(refusedForm("\x1F\x8B\x08rest").what == "is compressed (gzip)");
}

TEST_CASE("ncu csv forms: one row per metric becomes one row per launch") {
    const auto p = importedForm("==PROF== Connected to process 41\n" + kLongHeader +
                                longRow("0", "gpu__time_duration.sum", "usecond", "7.60") +
                                longRow("0", "dram__bytes_read.sum", "Mbyte", "8.39") +
                                longRow("1", "gpu__time_duration.sum", "msecond", "1.50") +
                                longRow("1", "device__attribute_display_name", "", "NVIDIA H100") +
                                longRow("1", "device__attribute_multiprocessor_count", "", "132"));
    REQUIRE(p.launches.size() == 2);
    CHECK(p.kernels.size() == 1);
    CHECK(p.launches[1].grid == Dim3{64, 1, 1});
    CHECK(p.processes.at(0).launchesSeen == 2);
    CHECK(p.counters.value("gpu__time_duration.sum", 0) == 7600.0);
    CHECK(p.counters.value("gpu__time_duration.sum", 1) == 1.5e6);
    CHECK(p.counters.value("dram__bytes_read.sum", 0) == 8.39e6);
    CHECK_FALSE(p.counters.value("dram__bytes_read.sum", 1).has_value());
    CHECK(p.issues.empty());
}

TEST_CASE("ncu csv forms: rows of a launch may stand apart; a cut-off header begins a new launch") {
    // Sorted by metric.
    const auto sorted =
        importedForm(kLongHeader + longRow("0", "x__a.sum", "inst", "1") +
                     longRow("1", "x__a.sum", "inst", "2") + longRow("0", "x__b.sum", "inst", "3") +
                     longRow("1", "x__b.sum", "inst", "4"));
    REQUIRE(sorted.launches.size() == 2);
    CHECK(sorted.counters.value("x__b.sum", 0) == 3.0);
    CHECK(sorted.counters.value("x__b.sum", 1) == 4.0);
    // Two exports of one launch each, joined without the second header.
    const auto joined =
        importedForm(kLongHeader + longRow("0", "x__a.sum", "inst", "1") +
                     longRow("0", "x__b.sum", "inst", "2") + longRow("0", "x__a.sum", "inst", "1") +
                     longRow("0", "x__b.sum", "inst", "4"));
    REQUIRE(joined.launches.size() == 2);
    CHECK(joined.counters.value("x__b.sum", 0) == 2.0);
    CHECK(joined.counters.value("x__b.sum", 1) == 4.0);
}

TEST_CASE("ncu csv forms: the page of details, with sections, rules and labels") {
    const auto p = importedForm(kLongHeader + longRow("0", "x__a.sum", "inst", "1", "First") +
                                longRow("0", "x__a.sum", "inst", "1", "Second") +
                                longRow("0", "", "", "", "Rule") +
                                longRow("0", "Duration", "usecond", "5", "First"));
    REQUIRE(p.launches.size() == 1);
    CHECK(p.counters.value("x__a.sum", 0) == 1.0);
    REQUIRE(p.issues.size() == 1);
    CHECK(p.issues[0].code == "metric-labels");
    CHECK(hasNote(importedForm(kLongHeader + longRow("0", "x__a.sum", "inst", "1", "First") +
                               longRow("0", "x__a.sum", "inst", "2", "Second")),
                  "metric-repeated"));
    const Error labels = refusedForm(kLongHeader + longRow("0", "Duration", "usecond", "5"));
    CHECK(labels.what.find("labels") != std::string::npos);
    CHECK(labels.advice.find("--page raw") != std::string::npos);
}

TEST_CASE("ncu csv forms: numbers without units are refused, or left out and named") {
    std::string noUnits = kWide;
    noUnits.erase(noUnits.find("\"\",\"\""), noUnits.find("\"0\",") - noUnits.find("\"\",\"\""));
    const Error missing = refusedForm(noUnits);
    CHECK(missing.what.find("the row with the units is missing") == 0);
    CHECK(missing.what.find("gpu__time_duration.sum") != std::string::npos);
    // Percentages and ratios have no scale.
    const auto shares = importedForm("ID,Kernel Name,x__y.pct,x__z.ratio\n0,k,12.5,3\n");
    CHECK(shares.counters.value("x__y.pct", 0) == 12.5);
    CHECK(shares.counters.value("x__z.ratio", 0) == 3.0);
    // A row with units that lacks that of a time.
    std::string empty = kWide;
    empty.replace(empty.find("usecond"), 7, "");
    const auto p = importedForm(empty);
    CHECK_FALSE(p.counters.has("gpu__time_duration.sum"));
    CHECK(hasNote(p, "unit-unknown"));
    const auto turned = importedForm(kLongHeader + longRow("0", "gpu__time_duration.sum", "", "5") +
                                     longRow("0", "x__a.sum", "inst", "1"));
    CHECK_FALSE(turned.counters.has("gpu__time_duration.sum"));
    CHECK(hasNote(turned, "unit-unknown"));
}

TEST_CASE("ncu csv forms: uncertain and unreadable numbers are noted and counted") {
    std::string undecided = kWide;
    undecided.replace(undecided.find("12.50"), 5, "12");
    undecided.replace(undecided.find("81.40"), 5, "1.234");
    CHECK(hasNote(importedForm(undecided), "number-format-undecided"));
    std::string mixed = kWide;
    mixed.replace(mixed.find("12.50"), 5, "12,50");
    const auto p = importedForm(mixed + kWide.substr(kWide.find("\"0\",")));
    CHECK(hasNote(p, "number-format-mixed"));
    CHECK_FALSE(p.counters.value("gpu__time_duration.sum", 0).has_value());
    CHECK(p.counters.value("gpu__time_duration.sum", 1) == 12500.0);
    REQUIRE(hasNote(p, "cell-unreadable"));
    CHECK(std::ranges::find(p.issues, "cell-unreadable", &Issue::code)->message ==
          "1 cell could not be read as a number and counts as missing: \"12,50\" in "
          "gpu__time_duration.sum");
    CHECK_FALSE(hasNote(importedForm(kWide), "cell-unreadable"));
}

TEST_CASE("ncu csv forms: tables of other tools are named") {
    CHECK(
        refusedForm("\"Time (%)\",\"Total Time (ns)\",\"Instances\"\n1,2,3\n").what.find("nsys") !=
        std::string::npos);
    CHECK(refusedForm("==41== NVPROF\n\"Type\",\"Time(%)\",\"Time\"\n").what.find("nvprof") !=
          std::string::npos);
    CHECK(refusedForm("==PROF== Connected\n  k (1, 1, 1)\n    Section: GPU Speed Of Light\n")
              .what.find("text that ncu prints") != std::string::npos);
}
