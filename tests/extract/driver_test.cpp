// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "extract/driver/difference.h"
#include "extract/driver/judge.h"
#include "extract/driver/original_facts.h"
#include "extract/driver/replay_options.h"
#include "extract/driver/verify.h"
#include "extract/folder/driver_source.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope::replay;
namespace test = roofscope::test;

namespace {

const std::string kLaunch = R"json({"format": "roofscope-launch", "version": 1, "symbol": "_Z1kPf",
 "name": "k(float*)", "grid": [4, 2, 1], "block": [32, 1, 1], "cluster": null,
 "dynamic_shared_bytes": 16, "cooperative": false, "gpu": "a GPU", "compute": [9, 0],
 "registers": 40, "shared_carveout": -1, "program_ns": 1500.5,
 "parameters": [{"offset": 0, "bytes": 8, "value": "0010000001000000"},
                {"offset": 8, "bytes": 4, "value": "07000000"}],
 "modules": ["module-0.cubin"], "variables": [{"name": "total", "region": 1}],
 "memory": [{"address": "0x100000000", "bytes": 8192, "kind": "device"},
            {"address": "0x300000000", "bytes": 4, "kind": "device"}], "notes": []})json";

/// The description with one text in it replaced.
std::string with(const std::string& from, const std::string& to) {
    std::string text = kLaunch;
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a launch is read from its description") {
    const auto launch = LaunchDescription::parse(kLaunch);
    CHECK(launch.grid == Shape{4, 2, 1});
    CHECK_FALSE(launch.cluster);
    CHECK(launch.registers == 40);
    CHECK_FALSE(launch.sharedCarveout);
    CHECK(launch.programNs == 1500.5);
    REQUIRE(launch.parameters.size() == 2);
    CHECK(launch.parameters[1].bytes == std::vector<unsigned char>{7, 0, 0, 0});
    CHECK(launch.regions[0].address == 0x100000000);
    CHECK(launch.regions[0].variable.empty());
    CHECK(launch.regions[1].variable == "total");
}

TEST_CASE("a description that is damaged or lies is refused") {
    for (std::size_t length = 0; length < kLaunch.size(); ++length)
        CHECK_THROWS(LaunchDescription::parse(kLaunch.substr(0, length)));
    const std::vector<std::pair<std::string, std::string>> lies{
        {"roofscope-launch", "other"},
        {"\"version\": 1", "\"version\": 2"},
        {"[4, 2, 1]", "[0, 2, 1]"},
        {"[4, 2, 1]", "[4, 2]"},
        {"[4, 2, 1]", "[99999999999, 2, 1]"},
        {"[9, 0]", "[9]"},
        {"[9, 0]", "[9, 0, 0]"},
        {"\"bytes\": 8,", "\"bytes\": 9,"},
        {"0010000001000000", "001000000100000"},
        {"0010000001000000", "00100000010000zz"},
        {"\"bytes\": 8192", "\"bytes\": 0"},
        {"\"bytes\": 8192", "\"bytes\": 18446744073709551615"},
        {"\"bytes\": 8192", "\"bytes\": 99999999999999999999999"},
        {"\"bytes\": 8192", "\"bytes\": -1"},
        {"0x100000000", "0xffffffffffffffff"},
        {"\"region\": 1", "\"region\": 2"},
        {"module-0.cubin", "../module-0.cubin"},
        {"module-0.cubin", "/etc/passwd"},
        {"[\"module-0.cubin\"]", "[]"},
        {"\"notes\": []", "\"notes\": [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]"},
        {"\"notes\": []", "\"notes\": [], \"notes\": []"},
    };
    for (const auto& [from, to] : lies) {
        CAPTURE(from, to);
        CHECK_THROWS_AS(LaunchDescription::parse(with(from, to)), std::runtime_error);
    }
}

TEST_CASE("memory is cut where arguments point") {
    const auto parts = partsOf(LaunchDescription::parse(kLaunch));
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].bytes == 4096);
    CHECK(parts[1].offset == 4096);
    CHECK(parts[1].bytes == 4096);
    CHECK(parts[2].region == 1);
}

TEST_CASE("options are read, and those of a source's comments") {
    const test::TemporaryFolder folder;
    const std::string source = folder.file("c.cu").string();
    std::ofstream(source) << "// Another shape: \"// roofscope: grid 1 block 1\"; options win.\n"
                          << "// roofscope: nvcc -std=c++20\n"
                          << "// roofscope: grid 64 32 block 256 shared 1024 kernel fan\n";
    const auto options = ReplayOptions::parse(
        {"check", "c.cubin", "--source", source, "--cache", "cold", "--tolerance", "1e-3"});
    CHECK(options.grid == Shape{64, 32, 1});
    CHECK(options.block == Shape{256, 1, 1});
    CHECK(options.sharedBytes == 1024U);
    CHECK(options.kernel == "fan");
    CHECK(options.cache == CacheState::Cold);
    CHECK(options.tolerance == 1e-3);
    const auto shape = options.shapeFor(LaunchDescription::parse(kLaunch));
    CHECK(shape.grid == Shape{64, 32, 1});
    using Words = std::vector<std::string>;
    for (const Words& words :
         {Words{"check", "--grid"}, Words{"--grid", "0"}, Words{"--cache", "hot"},
          Words{"--tolerance", "-1"}, Words{"--tolerance", "nan"}, Words{"--nonsense"},
          Words{"a", "b", "c"}, Words{"--runs", "1x"}})
        CHECK_THROWS_AS(ReplayOptions::parse(words), std::invalid_argument);
    std::ofstream(source) << "// roofscope: gird 64\n";
    CHECK_THROWS_AS(ReplayOptions::parse({"--source", source}), std::invalid_argument);
}

TEST_CASE("what is known of bytes is kept in a file, which is refused if it is damaged") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("written.bin").string();
    ByteFlags flags(kChunkBytes + 100);
    std::fill_n(flags.edit(0) + 10, 20, static_cast<unsigned char>(kWritten));
    flags.edit(1)[99] = kWritten | kPoisoned;
    written_file::write(path, {&flags});
    ByteFlags back(kChunkBytes + 100);
    REQUIRE(written_file::read(path, {&back}, {kChunkBytes + 100}));
    CHECK(back.chunks() == flags.chunks());
    CHECK(back.count(kWritten) == 21);
    CHECK(back.count(kPoisoned) == 1);
    // For memory of another size.
    ByteFlags small(50);
    CHECK_THROWS(written_file::read(path, {&small}, {50}));
    std::ifstream file(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t length = 0; length < whole.size(); ++length) {
        std::ofstream(path, std::ios::binary) << whole.substr(0, length);
        ByteFlags other(kChunkBytes + 100);
        CHECK_THROWS(written_file::read(path, {&other}, {kChunkBytes + 100}));
    }
    // The last run is one byte shorter than what is left of its chunk.
    std::string lies = whole;
    lies[lies.size() - 5] = 0;
    std::ofstream(path, std::ios::binary) << lies;
    CHECK_THROWS(written_file::read(path, {&back}, {kChunkBytes + 100}));
    CHECK_FALSE(written_file::read(folder.file("none").string(), {&back}, {1}));
}

TEST_CASE("facts about the original come back") {
    const test::TemporaryFolder folder;
    OriginalFacts facts;
    facts.writtenBytes = 12;
    facts.varies = true;
    facts.varyingType = NumberType::F32;
    facts.varying = {1e-6, 0.25};
    facts.poisonHolds = true;
    facts.write(folder.path().string());
    OriginalFacts back;
    REQUIRE(back.read(folder.path().string()));
    CHECK(back.writtenBytes == 12);
    CHECK(back.varies);
    CHECK(back.varyingType == NumberType::F32);
    CHECK(back.varying.relative == 1e-6);
    CHECK(back.poisonHolds);
    // Numbers that would not be written so that they can be read again.
    const std::string whole = test::readText(folder.file(OriginalFacts::kFile));
    const std::string good = "\"varying_absolute\": 0.25";
    REQUIRE(whole.find(good) != std::string::npos);
    for (const char* number : {"1e999", "-inf", "-nan", "0.2.5", "-"}) {
        CAPTURE(number);
        std::string changed = whole;
        changed.replace(changed.find(good), good.size(),
                        std::string("\"varying_absolute\": ") + number);
        std::ofstream(folder.file(OriginalFacts::kFile)) << changed;
        CHECK_THROWS(back.read(folder.path().string()));
    }
}

TEST_CASE("numbers of every type are read, and compared within a tolerance") {
    const float f = -1.5F;
    CHECK(numberAt(NumberType::F32, reinterpret_cast<const unsigned char*>(&f)) == -1.5);
    const unsigned char half[] = {0x00, 0xBE}, bf[] = {0xC0, 0xBF}, tiny[] = {0x01, 0x00},
                        infinite[] = {0x00, 0x7C};
    CHECK(numberAt(NumberType::F16, half) == -1.5);
    CHECK(numberAt(NumberType::BF16, bf) == -1.5);
    CHECK(numberAt(NumberType::F16, tiny) == std::ldexp(1.0, -24));
    CHECK(std::isinf(numberAt(NumberType::F16, infinite)));
    const Tolerance tolerance{1e-3, 0};
    CHECK(tolerance.holds(1000.9, 1000));
    CHECK_FALSE(tolerance.holds(1001.1, 1000));
    CHECK_FALSE(tolerance.holds(NAN, 1));
    CHECK(tolerance.holds(NAN, NAN));
    CHECK_FALSE(tolerance.holds(HUGE_VAL, 1));
}

TEST_CASE("the type of results is taken from a name only if it is certain") {
    CHECK(typeInName("k(float*, int)") == NumberType::F32);
    CHECK(typeInName("void k<float>(float*)") == NumberType::F32);
    CHECK(typeInName("k(double const*)") == NumberType::F64);
    CHECK(typeInName("k(__nv_bfloat16*)") == NumberType::BF16);
    CHECK(typeInName("k(float*, double*)") == NumberType::Bytes);
    CHECK(typeInName("k(__half*, float*)") == NumberType::Bytes);
    CHECK(typeInName("k(int*)") == NumberType::Bytes);
    CHECK(typeInName("k(float4 const*)") == NumberType::F32);
    CHECK(typeInName("at::k<c10::BFloat16>(c10::BFloat16*)") == NumberType::BF16);
    CHECK(typeInName("floating(int*)") == NumberType::Bytes);
}

TEST_CASE("differences are told apart: wrong, tolerated, outside") {
    LaunchMemory::Region region{"", 0x1000, std::vector<unsigned char>(64), {}, ByteFlags(64)};
    auto& result = region.result[0];
    result.assign(64, 0);
    const float expected = 100;
    std::memcpy(result.data(), &expected, 4);
    std::fill_n(region.flags.edit(0), 8, static_cast<unsigned char>(kWritten));
    auto got = result;
    const Comparison how{NumberType::F32, {1e-3, 0}, {}};
    const auto differ = [&] {
        Difference found;
        compareChunk(region, 0, 0, got.data(), how, found);
        return found;
    };
    CHECK(differ().none());
    const float close = 100.05F, far = 101;
    std::memcpy(got.data(), &close, 4);
    CHECK(differ().none());
    CHECK(differ().tolerated > 0);
    CHECK(differ().worst == Approx(5e-4).epsilon(0.01));
    std::memcpy(got.data(), &far, 4);
    CHECK(differ().wrong > 0);
    CHECK(differ().firstWrong->offset == 0);
    got = result;
    got[40] = 1;
    CHECK(differ().outside == 1);
    CHECK(differ().firstOutside->offset == 40);
}

TEST_CASE("a ratio has an interval that holds the truth and tells noise from a gain") {
    std::vector<double> first, faster, same;
    for (int i = 0; i < 40; ++i) {
        const double noise = 1 + (i * 7 % 11 - 5) * 1e-3, other = 1 + (i * 5 % 13 - 6) * 1e-3;
        first.push_back(1e-3 * noise);
        faster.push_back(0.8e-3 * other);
        same.push_back(1e-3 * other);
    }
    const auto gain = ratioOf(first, faster), none = ratioOf(first, same);
    CHECK(gain.ratio == Approx(0.8).epsilon(0.01));
    CHECK(gain.high < 0.99);
    CHECK(none.low <= 1);
    CHECK(none.high >= 1);
    CHECK(none.high > 0.99);
    CHECK(none.low < none.ratio);
    CHECK(none.ratio < none.high);
    CHECK(ratioOf({}, {}).ratio == 0);
}

TEST_CASE("the verdict is one line, and JSON whatever it says") {
    Judgement j;
    j.verdict = Verdict::Wrong;
    j.reason = "a \"quoted\"\nreason";
    CHECK(verdictLine(j).starts_with("wrong: "));
    const auto json = JsonValue::parse(verdictJson(j, {}));
    CHECK(json.at("verdict").text() == "wrong");
    CHECK(json.at("original_seconds").isNull());
    j = {.verdict = Verdict::Better, .original = {2e-3}, .candidate = {1e-3}};
    j.ratio = {0.5, 0.49, 0.51};
    CHECK(verdictLine(j).starts_with("better: 2.000× as fast (2.000 ms → 1.000 ms"));
    CHECK(JsonValue::parse(verdictJson(j, {})).at("ratio").real() == 0.5);
}

TEST_CASE("the driver is one source that a C++ compiler alone accepts") {
    const test::TemporaryFolder folder;
    const std::string text = roofscope::driverSource();
    CHECK(text.find("#include \"") == std::string::npos);
    const std::string source = folder.file("replay.cpp").string();
    std::ofstream(source) << text;
    CHECK(std::system(("c++ -std=c++20 -fsyntax-only '" + source + "'").c_str()) == 0);
    const std::string script = folder.file("check").string();
    std::ofstream(script) << roofscope::checkScript();
    CHECK(std::system(("sh -n '" + script + "'").c_str()) == 0);
}
