// SPDX-License-Identifier: Apache-2.0
#include "profile/chips/chip.h"

#include <algorithm>
#include <map>

#include "profile/model/profile.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

bool contains(const std::vector<std::string>& list, std::string_view item) {
    return std::ranges::find(list, item) != list.end();
}

const std::string_view kBase = R"({"family": "sm_90",
  "groups": {"default": {"max_passes": 2, "counters": ["a.sum", "b.sum", "b_other.sum", "b.avg"]}},
  "sums": {"x": {"a.sum": 1, "b.sum": 2}, "y": {"a.sum": 32}},
  "peaks": {"p": {"counter": "b.sum.peak_sustained", "weight": 32, "clock": "a.sum"}}})";

}  // namespace

TEST_CASE("the table of GH100") {
    const auto table = chipTable("GH100", 9, 0);
    REQUIRE(table.ok());
    CHECK(table->chip == "GH100");
    CHECK(table->family == "sm_90");
    CHECK(table->verified);
    CHECK(table->groups.at("default").counters.size() == 60);
    CHECK(table->groups.at("default").maxPasses == 2);
    CHECK(table->sums.at("fp32_flops").size() == 3);
    CHECK(table->sums.at("l2_bytes_read").at(0).weight == 32);
    CHECK(table->peaks.at("fp16").weight == 4);
    CHECK(table->peaks.at("dram").clock == "dram__cycles_elapsed.avg.per_second");
}

TEST_CASE("what each sum and roof counts") {
    const auto table = chipTable("GH100");
    REQUIRE(table.ok());
    using Terms = std::map<std::string, double>;
    const std::string op = "smsp__sass_thread_inst_executed_op_";
    const auto flops = [&](const std::string& type, double add, double mul, double fma) {
        return Terms{{op + type + "add_pred_on.sum", add},
                     {op + type + "mul_pred_on.sum", mul},
                     {op + type + "fma_pred_on.sum", fma}};
    };
    const std::string wavefronts = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_";
    const std::string tensor = "sm__ops_path_tensor_src_";  // already in operations
    const std::map<std::string, Terms> expected{
        {"dram_bytes_read", {{"dram__bytes_read.sum", 1}}},
        {"dram_bytes_write", {{"dram__bytes_write.sum", 1}}},
        {"l2_bytes_read", {{"lts__lts2xbar_cycles_active.sum", 32}}},
        {"l2_bytes_write", {{"sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum", 32}}},
        {"l2_bytes_ncu", {{"lts__lts2xbar_cycles_active.sum", 32}}},
        {"l1_bytes",
         {{"smsp__sass_sectors_mem_global.sum", 32}, {"smsp__sass_sectors_mem_local.sum", 32}}},
        {"l1_bytes_ncu", {{"l1tex__lsu_writeback_active_mem_lgds.sum", 128}}},
        {"shared_bytes", {{wavefronts + "ld.sum", 128}, {wavefronts + "st.sum", 128}}},
        {"fp64_flops", flops("d", 1, 1, 2)},
        {"fp32_flops", flops("f", 1, 1, 2)},
        {"fp16_flops", flops("h", 2, 2, 4)},  // two numbers per instruction
        {"tensor_fp64_ops", {{tensor + "fp64.sum", 1}}},
        {"tensor_tf32_ops", {{tensor + "tf32_dst_fp32.sum", 1}}},
        {"tensor_bf16_ops", {{tensor + "bf16_dst_fp32.sum", 1}}},
        {"tensor_fp16_ops", {{tensor + "fp16.sum", 1}}},
        {"tensor_fp8_ops", {{tensor + "fp8.sum", 1}}},
        {"tensor_int8_ops", {{tensor + "int8.sum", 1}}},
    };
    REQUIRE(table->sums.size() == expected.size());
    for (const auto& [name, terms] : expected) {
        INFO(name);
        Terms actual;
        for (const auto& term : table->sums.at(name)) actual[term.counter] = term.weight;
        CHECK(actual == terms);
    }
    const std::map<std::string, std::pair<double, std::string>> roofs{
        {"dram", {1, "dram"}},      {"l2", {32, "lts"}}, {"l1", {128, "l1tex"}},
        {"shared", {128, "l1tex"}}, {"fp64", {2, "sm"}}, {"fp32", {2, "sm"}},
        {"fp16", {4, "sm"}}};
    // Operations per SM and cycle, H100 white paper.
    const std::map<std::string, double> dense{{"tensor_fp64", 256},  {"tensor_tf32", 2048},
                                              {"tensor_bf16", 4096}, {"tensor_fp16", 4096},
                                              {"tensor_fp8", 8192},  {"tensor_int8", 8192}};
    REQUIRE(table->peaks.size() == roofs.size() + dense.size());
    for (const auto& [name, perSm] : dense) {
        INFO(name);
        CHECK(table->peaks.at(name).perSm == perSm);
        CHECK(table->peaks.at(name).counter.empty());
        CHECK(table->peaks.at(name).clock == "sm__cycles_elapsed.avg.per_second");
    }
    for (const auto& [name, roof] : roofs) {
        INFO(name);
        CHECK(table->peaks.at(name).weight == roof.first);
        CHECK(table->peaks.at(name).clock == roof.second + "__cycles_elapsed.avg.per_second");
    }
}

TEST_CASE("chips differ where the hardware does") {
    CHECK(chipTable("AD102")->sums.at("l1_bytes_ncu").at(0).counter ==
          "l1tex__lsu_writeback_active_mem_lg.sum");
    CHECK(chipTable("GB202")->sums.at("dram_bytes_read").at(0).counter ==
          "dram__bytes_op_read.sum");
    CHECK(contains(chipTable("GH100")->groups.at("default").counters,
                   "smsp__sass_inst_executed_op_shared_gmma.sum"));
    CHECK_FALSE(contains(chipTable("GB100")->groups.at("default").counters,
                         "smsp__sass_inst_executed_op_shared_gmma.sum"));
    CHECK(chipTable("GH100")->dramLatency->value == Approx(1290e-9));
    CHECK(chipTable("GB100")->dramLatency->value == Approx(1210e-9));
    CHECK_FALSE(chipTable("AD102")->dramLatency);  // unknown rather than guessed
    const auto orin = chipTable("GA10B");
    CHECK_FALSE(orin->hasDramCounters);
    CHECK_FALSE(orin->sums.contains("dram_bytes_read"));
    CHECK_FALSE(orin->peaks.contains("dram"));
    REQUIRE(orin->notes.size() == 1);
    CHECK(orin->notes[0].find("DRAM") != std::string::npos);
}

TEST_CASE("every built-in table resolves") {
    const auto chips = knownChips();
    CHECK(chips.size() >= 30);
    CHECK(std::ranges::is_sorted(chips));
    for (const auto& chip : chips) {
        const auto table = chipTable(chip);
        INFO(chip);
        if (!table.ok()) FAIL(table.error().message());
        CHECK(table->groups.contains("default"));
    }
}

TEST_CASE("an unknown chip gets its family's table, marked unverified") {
    const auto table = chipTable("GH999", 9, 0);
    REQUIRE(table.ok());
    CHECK(table->chip == "GH999");
    CHECK(table->family == "sm_90");
    CHECK_FALSE(table->verified);
    CHECK(table->ofFamily);

    CHECK(chipTable("X", 8, 8)->family == "sm_87");  // nearest minor version below
    CHECK(chipTable("X", 7, 0)->family == "sm_70");
    CHECK(chipTable("X", 11, 7)->family == "sm_110");
    CHECK(chipTable("sm_90", 9, 0)->verified == false);  // a family is not a chip

    const auto future = chipTable("ZZ100", 99, 0);
    REQUIRE_FALSE(future.ok());
    CHECK(future.error().what.find("ZZ100") != std::string::npos);
    CHECK_FALSE(chipTable("", 0, 0).ok());
}

TEST_CASE("asking again gives the same table, and none of another chip") {
    for (int round = 0; round < 2; ++round) {
        const auto known = chipTable("GH100", 9, 0);
        const auto unknown = chipTable("XY999", 9, 0);
        const auto older = chipTable("XY999", 8, 0);
        REQUIRE(known.ok());
        REQUIRE(unknown.ok());
        REQUIRE(older.ok());
        CHECK(known->chip == "GH100");
        CHECK(known->verified);
        CHECK_FALSE(unknown->verified);
        CHECK(unknown->family == "sm_90");
        CHECK(older->family == "sm_80");
        CHECK_FALSE(chipTable("XY999", 2, 0).ok());
    }
}

TEST_CASE("endless chip names are looked up without filling the cache") {
    for (int i = 0; i < 200; ++i)
        CHECK(chipTable("unknown" + std::to_string(i), 9, 0)->family == "sm_90");
    CHECK(chipTable(std::string(100000, 'x'), 9, 0)->family == "sm_90");
}

TEST_CASE("inheritance: rename, absent, add, override") {
    const EmbeddedFile files[] = {
        {"sm_90.json", kBase},
        {"C1.json", R"({"chip": "C1", "inherits": "sm_90", "rename": {"b": "bb"},
                        "groups": {"default": {"add": ["c.sum"]}, "more": {"counters": ["d.sum"]}}})"},
        {"C2.json", R"({"chip": "C2", "inherits": "sm_90", "absent": {"b": "not there"},
                        "sums": {"y": {"a.sum": 64}}, "notes": ["n"], "dram_counters": false})"}};
    const auto renamed = chipTableFrom(files, "C1");
    REQUIRE(renamed.ok());
    CHECK(renamed->groups.at("default").counters ==
          std::vector<std::string>{"a.sum", "bb.sum", "b_other.sum", "bb.avg", "c.sum"});
    CHECK(renamed->groups.at("default").maxPasses == 2);
    CHECK(renamed->groups.contains("more"));
    CHECK(renamed->sums.at("x").at(1).counter == "bb.sum");
    CHECK(renamed->peaks.at("p").counter == "bb.sum.peak_sustained");

    const auto without = chipTableFrom(files, "C2");
    REQUIRE(without.ok());
    CHECK(without->groups.at("default").counters ==
          std::vector<std::string>{"a.sum", "b_other.sum"});
    CHECK_FALSE(without->sums.contains("x"));  // half of a sum would be wrong
    CHECK(without->sums.at("y").at(0).weight == 64);
    CHECK_FALSE(without->peaks.contains("p"));
    CHECK(without->absent.at("b") == "not there");
    CHECK_FALSE(without->hasDramCounters);
}

TEST_CASE("mistakes in a table are errors that name the file") {
    const auto errorOf = [](std::initializer_list<EmbeddedFile> files) {
        const std::vector<EmbeddedFile> list(files);
        const auto table = chipTableFrom(list, "C");
        REQUIRE_FALSE(table.ok());
        return table.error().message();
    };
    const auto circle = errorOf({{"C.json", R"({"chip": "C", "inherits": "D"})"},
                                 {"D.json", R"({"family": "D", "inherits": "C"})"}});
    CHECK(circle.find("C → D → C") != std::string::npos);
    CHECK(errorOf({{"C.json", R"({"chip": "C", "inherits": "C"})"}}).find("circle") !=
          std::string::npos);
    const auto parent = errorOf({{"C.json", R"({"chip": "C", "inherits": "sm_91"})"}});
    CHECK(parent.find("C.json") != std::string::npos);
    CHECK(parent.find("sm_91") != std::string::npos);
    CHECK(errorOf({{"C.json", R"({"chip": "C", "inherit": "D"})"}}).find("inherit") !=
          std::string::npos);
    CHECK(errorOf({{"C.json", R"({"chip": "C", )"}}).find("C.json") != std::string::npos);
    CHECK(errorOf({{"C.json", R"({"chip": "B"})"}}).find("\"B\"") != std::string::npos);
    errorOf({{"C.json", R"({"chip": "C", "groups": {"g": {"counters": ["a.sum", "a.sum"]}}})"}});
    errorOf({{"C.json", R"({"chip": "C", "groups": {"g": {"counter": ["a.sum"]}}})"}});
    errorOf({{"C.json", R"({"chip": "C", "notes": [1]})"}});
    errorOf({{"C.json", R"({"chip": "C", "dram_latency_ns": 0})"}});
    errorOf({{"C.json", R"({"chip": "C", "dram_latency_ns": 1e-320})"}});  // rounds to 0 seconds
    errorOf({{"C.json", R"({"chip": "C", "peaks": {"p": {"per_sm": 0, "clock": "a.sum"}}})"}});
    errorOf({{"C.json", R"({"chip": "C", "peaks": {"p": {"per_sm": 8}}})"}});
    errorOf({{"C.json", R"({"chip": "C", "peaks": {"p": {"per_sm": 8, "clock": "a.sum",
                            "counter": "b.sum.peak_sustained"}}})"}});
    errorOf({{"C.json", R"({"chip": "C", "dram_latency_ns": "1 us"})"}});
    errorOf({{"C.json", R"({"chip": "C", "l2_returns_per_arrival": -1})"}});
    errorOf({{"C.json", R"({"chip": "C", "float_atomic_cycles": 0})"}});
    errorOf({{"C.json", R"({"chip": "C", "per_sm_clock": {"fp32": 0}})"}});
    errorOf({{"C.json", R"({"chip": "C", "tensor_per_busy_cycle": {"wgmma": 0}})"}});
    errorOf({{"C.json", R"({"chip": "C", "fp16_in_tensor_pipe": "yes"})"}});
    errorOf({{"C.json", R"({"chip": "C", "samples_over_time": 1})"}});
    errorOf({{"C.json", R"({"chip": "C", "features": {"wgmma": 1}})"}});
    CHECK(errorOf({{"C.json", R"({"chip": "C", "features": {"wgmna": true}})"}}).find("wgmna") !=
          std::string::npos);
}

TEST_CASE("documented rates of a family are not inherited by other families") {
    CHECK(chipTable("AD102").value().perSmClock.at("fp32") == 256);
    CHECK(chipTable("TU102").value().perSmClock.at("l1_bytes") == 64);
    CHECK(chipTable("GV100").value().perSmClock.empty());  // sm_70 inherits from sm_75
    CHECK(chipTable("GA10B").value().perSmClock.empty());  // sm_87 from sm_86
    CHECK(chipTable("GH100").value().l2ReturnsPerArrival == 2.0);
    CHECK_FALSE(chipTable("GA100").value().l2ReturnsPerArrival);
    CHECK(chipTable("GH100").value().floatAtomicCycles == 3.0);
    CHECK_FALSE(chipTable("GB100").value().floatAtomicCycles);
    CHECK(chipTable("GH100").value().tensorPerBusyCycle.at("wgmma") == 1);
    CHECK(chipTable("GB100").value().tensorPerBusyCycle.empty());
    CHECK(chipTable("GH100").value().fp16InTensorPipe);
    CHECK_FALSE(chipTable("GB100").value().fp16InTensorPipe);
    for (const char* chip : {"GH100", "GA102", "AD102", "GB100", "GB202", "GA10B"})
        CHECK(chipTable(chip).value().samplesOverTime);
    for (const char* chip : {"GA100", "TU102", "GV100"})
        CHECK_FALSE(chipTable(chip).value().samplesOverTime);
}

TEST_CASE("every chip's table says what the chip can do") {
    const auto on = [](std::string_view chip, int major, int minor) {
        Device device;
        device.chip = chip;
        device.computeMajor = major;
        device.computeMinor = minor;
        return device;
    };
    using enum ChipFeature;
    for (const std::string& name : knownChips()) {
        INFO(name);
        const int capability = std::stoi(chipTable(name).value().family.substr(3));
        const Device device = on(name, 0, 0);
        CHECK(chipHas(device, AsyncCopies) == (capability >= 80));
        CHECK(chipHas(device, Bf16TensorCores) == (capability >= 80));
        CHECK(chipHas(device, Fp8TensorCores) == (capability >= 89));
        CHECK(chipHas(device, Fp4TensorCores) == (capability >= 100));
        CHECK(chipHas(device, BulkCopies) == (capability >= 90));
        CHECK(chipHas(device, Clusters) == (capability >= 90));
        CHECK(chipHas(device, Wgmma) == (capability == 90));
        CHECK(chipHas(device, TensorMemory) == (capability >= 100 && capability < 120));
        // Bulk copies are counted on chips that have them.
        CHECK(chipTable(name).value().groups.contains("tma") == (capability >= 90));
    }
    // An unknown chip with a known compute capability, a similar one, and none.
    CHECK(chipHas(on("XX100", 9, 0), Wgmma) == true);
    CHECK(chipHas(on("", 8, 9), BulkCopies) == false);
    CHECK_FALSE(chipHas(on("XX100", 9, 1), Wgmma));
    CHECK_FALSE(chipHas(on("XX100", 13, 0), BulkCopies));
    CHECK_FALSE(chipHas(on("", 0, 0), AsyncCopies));
}

TEST_CASE("a feature that a table does not name is not known") {
    const std::vector<EmbeddedFile> files{
        {"sm_91.json", R"({"family": "sm_91", "features": {"clusters": true, "wgmma": true}})"},
        {"C.json", R"({"chip": "C", "inherits": "sm_91", "features": {"wgmma": false}})"}};
    const ChipTable table = chipTableFrom(files, "C").value();
    CHECK(table.features ==
          std::map<ChipFeature, bool>{{ChipFeature::Clusters, true}, {ChipFeature::Wgmma, false}});
}

TEST_CASE("a table says by its sums which types the tensor cores of a chip have") {
    for (const std::string& name : knownChips()) {
        INFO(name);
        const ChipTable chip = chipTable(name).value();
        CHECK(chip.sums.contains("tensor_fp16_ops") == (name != "TU116" && name != "TU117"));
        const int capability = std::stoi(chip.family.substr(3));
        CHECK(chip.sums.contains("tensor_tf32_ops") == (capability >= 80));
    }
}

TEST_CASE("the base name of a counter") {
    CHECK(baseCounter("dram__bytes.sum.peak_sustained") == "dram__bytes");
    CHECK(baseCounter("dram__bytes") == "dram__bytes");
}

TEST_CASE("the groups that contain some counters") {
    const auto chip = chipTable("GH100");
    REQUIRE(chip.ok());
    using Groups = std::vector<std::string>;
    CHECK(counterGroupsWith(*chip, "lts__t_sector_hit_rate.pct") == Groups{"cache"});
    CHECK(counterGroupsWith(*chip, "lts__t_sector_hit_rate.pct, dram__bytes_read.sum") ==
          Groups{"cache", "default"});
    // The counter is in "default" and in "shared".
    CHECK(
        counterGroupsWith(*chip, "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") ==
        Groups{"default"});
    CHECK(counterGroupsWith(*chip, "no such counter,,").empty());
    CHECK(counterGroupsWith(*chip, "").empty());
}
