// SPDX-License-Identifier: Apache-2.0
// A real export: Nsight Compute 2025.3.1, --set full, seven launches on an H200. Their results
// follow from the code: copies of 2^28 bytes, every 32nd float, an 8192² transpose through a shared
// tile with and without padding, 4 × 4096 fused multiply-adds per thread, one warp.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "analyzer/model/analysis.h"
#include "importer/import.h"
#include "reports/report.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

const Analysis& exported() {
    static const Analysis analysis = [] {
        std::ifstream file(
            std::filesystem::path(ROOFSCOPE_SOURCE_DIR) / "tests/data/ncu_h200_access_patterns.csv",
            std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        auto profile = importNcuCsv(text, "export");
        if (!profile.ok()) throw std::runtime_error(profile.error().message());
        return analyze(std::make_shared<const Profile>(std::move(*profile)));
    }();
    return analysis;
}

const KernelAnalysis& kernel(const std::string& name) {
    for (const auto& k : exported().kernels)
        if (k.name == name) return k;
    FAIL("no kernel " << name);
    throw;
}

std::vector<std::string> faults(const KernelAnalysis& k) {
    std::vector<std::string> ids;
    for (const auto& f : k.findings)
        if (!f.minor) ids.push_back(f.ruleId);
    return ids;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("ncu export: seven launches with their shapes") {
    const Profile& p = *exported().profile;
    REQUIRE(p.launches.size() == 7);
    CHECK(p.kernels.size() == 7);
    CHECK(p.devices.at(0).chip == "GH100");
    CHECK(p.launches[3].grid == Dim3{256, 256, 1});
    CHECK(p.launches[3].block == Dim3{32, 8, 1});
    CHECK(p.kernels[3].staticSharedBytes == 4096U);
    CHECK(p.launches[3].residentBlocksPerSm == 8U);
    CHECK(p.issues.empty());
}

TEST_CASE("ncu export: the strided copy uses an eighth of every sector") {
    const auto& k = kernel("strided");
    CHECK(*k.quantities.loads.sectors == 2097152.0);
    CHECK(*k.quantities.stores.sectors == 2097152.0);
    CHECK(k.quantities.loads.efficiency->value == 0.125);
    CHECK(k.quantities.stores.efficiency->value == 0.125);
    CHECK(*k.quantities.loads.certainExcess == 2097152.0 - 262144.0 - 65536.0);
    CHECK(faults(k) == Ids{"global-uncoalesced"});
    // The finding names counters of the export.
    CHECK(k.findings.front().expected.front().counter.in(Language::En) ==
          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
}

TEST_CASE("ncu export: the unpadded transpose conflicts 32-way on loads, the padded one does not") {
    const auto& k = kernel("tr<0>");
    CHECK(*k.quantities.shared.wavefronts == 69206016.0);
    CHECK(*k.quantities.shared.instructions == 4194304.0);
    CHECK(*k.quantities.shared.degree == 16.5);
    CHECK(*k.quantities.sharedLoads.degree == 32.0);
    CHECK(faults(k) == Ids{"shared-bank-conflict"});
    CHECK(k.verdict.limiter == ResourceId::SharedPipe);
    CHECK(faults(kernel("tr<1>")).empty());
    CHECK(kernel("tr<1>").quantities.shared.excessPossible->value == 0.0);
}

TEST_CASE("ncu export: the narrow copy is named, the wide one is near the roof") {
    const auto& narrow = kernel("copy1");
    CHECK(faults(narrow) == Ids{"global-narrow-access"});
    CHECK(narrow.quantities.widths.inferred);
    const auto& wide = kernel("copy4");
    CHECK(faults(wide).empty());
    CHECK(wide.verdict.cls == VerdictClass::NearRoof);
    CHECK(wide.verdict.limiter == ResourceId::Dram);
    for (const auto* k : {&narrow, &wide}) {
        CHECK(k->quantities.loads.requested->value == 268435456.0);
        CHECK(k->quantities.bytes[Level::Dram]->value == Approx(536870912.0).epsilon(0.05));
        // 2^28 bytes came in and 2^28 bytes went out through the L2.
        CHECK(k->quantities.bytes[Level::L2]->value == Approx(536870912.0).epsilon(0.01));
    }
}

TEST_CASE("ncu export: the multiply-adds are near the FP32 roof, with the count of the code") {
    const auto& k = kernel("ffma");
    CHECK(k.verdict.cls == VerdictClass::NearRoof);
    CHECK(k.verdict.limiter == ResourceId::Fp32);
    const double expected = 2.0 * 2112 * 256 * 4 * 4096;
    CHECK(k.quantities.flops[Precision::Fp32]->value == Approx(expected).epsilon(0.001));
    CHECK(faults(k).empty());
}

TEST_CASE("ncu export: one warp is underfilled and nothing else") {
    const auto& k = kernel("tiny");
    CHECK(k.verdict.cls == VerdictClass::Underfilled);
    CHECK(faults(k).empty());
}

TEST_CASE("ncu export: without operations and peaks, ncu's own shares decide what they can") {
    const Profile& full = *exported().profile;
    auto less = std::make_shared<Profile>(full);
    less->devices[0].peaks.clear();
    CounterTable kept(full.counters.rows());
    for (const std::string& name : full.counters.names()) {
        if (name.find("sass") != std::string::npos || name.starts_with("memory_")) continue;
        kept.addColumn(name, full.counters.column(name).all());
    }
    less->counters = std::move(kept);
    const Analysis analysis = analyze(less);
    for (const auto& k : analysis.kernels) {
        INFO(k.name);
        const auto& q = k.quantities;
        // The pipe of the multiply-adds also runs integers, so it gives no verdict.
        CHECK(q.pipeUtilisation[Precision::Fp32].has() == (k.name != "ffma"));
        CHECK(q.utilisation[Level::Dram].has());
        CHECK_FALSE(q.flops[Precision::Fp32].has());
        if (k.name == "copy4") CHECK(k.verdict.limiter == ResourceId::Dram);
        if (k.name == "copy4") CHECK(k.verdict.cls == VerdictClass::NearRoof);
        CHECK_FALSE(k.cannotTell.empty());
    }
}

TEST_CASE("ncu export: reports say where it comes from and which formulas were used") {
    const auto markdown = renderReport(exported(), ReportFormat::Markdown, {});
    REQUIRE(markdown.ok());
    const auto has = [&](const char* part) { return markdown->find(part) != std::string::npos; };
    CHECK(has("imported from Nsight Compute, 38 passes per launch"));
    CHECK(has("cache and clock control: not in the export"));
    CHECK(has("## Obtained from other counters"));
    CHECK(has("`ideal shared wavefronts` = `memory_l1_wavefronts_shared_ideal`"));
    CHECK_FALSE(has("made up for a test"));
    CHECK_FALSE(has("nan"));
    const auto json = renderReport(exported(), ReportFormat::Json, {});
    REQUIRE(json.ok());
    CHECK(json->find("\"substitutes\"") != std::string::npos);
}
