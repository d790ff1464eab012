// SPDX-License-Identifier: Apache-2.0
// The analysis of profiles recorded on an H200 (profile/samples/), compared with what is known
// about the kernels from their code alone.
#include <map>

#include "analyzer/model/analysis.h"
#include "analyzer/ranges/ranges.h"
#include "analyzer/ranks/ranks.h"
#include "analyzer/roofline/roofline.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

const Analysis& checkedRecording(const std::string& name) {
    const Analysis& analysis = test::recorded(name);
    const Capture& capture = analysis.profile->capture;
    CHECK(capture.origin == "recorded");
    CHECK_FALSE(capture.createdUtc.empty());
    CHECK(analysis.profile->devices.at(0).name == "NVIDIA H200");
    return analysis;
}

/// The bundled kernel whose NVTX range starts with `prefix`.
const KernelAnalysis& kernel(const std::string& prefix, const std::string& file = "h200_bundled") {
    for (const auto& k : checkedRecording(file).kernels)
        if (k.range.starts_with(prefix)) return k;
    FAIL("no kernel in range " << prefix);
    throw;
}

/// Ids of the findings that are not minor, most important first.
std::vector<std::string> faults(const KernelAnalysis& k) {
    std::vector<std::string> ids;
    for (const auto& f : k.findings)
        if (!f.minor) ids.push_back(f.ruleId);
    return ids;
}

bool names(const KernelAnalysis& k, const std::string& rule, bool minorToo = false) {
    for (const auto& f : k.findings)
        if (f.ruleId == rule && (minorToo || !f.minor)) return true;
    return false;
}

/// Whether the rule is among the first two findings.
bool leads(const KernelAnalysis& k, const std::string& rule) {
    const auto ids = faults(k);
    for (std::size_t i = 0; i < std::min<std::size_t>(2, ids.size()); ++i)
        if (ids[i] == rule) return true;
    return false;
}

}  // namespace

TEST_CASE("recorded: strided copy uses exactly an eighth of every sector") {
    const auto& k = kernel("patterns/strided_copy/");
    CHECK(k.quantities.loads.efficiency->value == 0.125);
    CHECK(k.quantities.stores.efficiency->value == 0.125);
    CHECK(*k.quantities.loads.sectors == 2097152.0);
    CHECK(*k.quantities.loads.certainExcess == 2097152.0 - 262144.0 - 65536.0);
    REQUIRE_FALSE(faults(k).empty());
    CHECK(faults(k).front() == "global-uncoalesced");
}

TEST_CASE("recorded: copies are fully coalesced; only the narrow ones are called narrow") {
    for (const char* width : {"1b", "2b", "4b", "8b", "16b"}) {
        INFO(width);
        const auto& k = kernel(std::string("patterns/copy_") + width + "/");
        CHECK(k.quantities.loads.efficiency->value == 1.0);
        CHECK(k.quantities.stores.efficiency->value == 1.0);
        CHECK(k.quantities.loads.requested->value == 268435456.0);
        const bool narrow = std::string(width) != "8b" && std::string(width) != "16b";
        CHECK(faults(k) == (narrow ? std::vector<std::string>{"global-narrow-access"}
                                   : std::vector<std::string>{}));
    }
    const auto& wide = kernel("patterns/copy_16b/");
    CHECK(wide.verdict.cls == VerdictClass::NearRoof);
    CHECK(wide.verdict.limiter == ResourceId::Dram);
    // Large copies move what they request: 2 × 256 MiB within 5 %.
    CHECK(wide.quantities.bytes[Level::Dram]->value == Approx(536870912.0).epsilon(0.05));
}

TEST_CASE("recorded: the unpadded transpose conflicts 32-way on loads, 16.5-way on average") {
    const auto& k = kernel("patterns/transpose_unpadded/");
    CHECK(*k.quantities.sharedLoads.wavefronts == 67108864.0);
    CHECK(*k.quantities.sharedStores.wavefronts == 2097152.0);
    CHECK(*k.quantities.sharedLoads.degree == 32.0);
    CHECK(*k.quantities.shared.degree == 16.5);
    CHECK(k.quantities.shared.excessCertain->value == Approx(1.0 - 1.0 / 16.5));
    REQUIRE_FALSE(faults(k).empty());
    CHECK(faults(k).front() == "shared-bank-conflict");
    CHECK(k.verdict.limiter == ResourceId::SharedPipe);
}

TEST_CASE("recorded: the padded transpose has no excess wavefront") {
    const auto& k = kernel("patterns/transpose_padded/");
    CHECK(k.quantities.shared.excessCertain->value == 0.0);
    CHECK(k.quantities.shared.excessPossible->value == 0.0);
    CHECK(faults(k).empty());
    // The unpadded kernel's finding promised that this one is faster, and it is.
    CHECK(k.quantities.duration.median <
          kernel("patterns/transpose_unpadded/").quantities.duration.median);
}

TEST_CASE("recorded: no bank-conflict finding where there is none") {
    for (const char* rung : {"broadcast_read", "broadcast_mixed_width", "wide_load"}) {
        INFO(rung);
        const auto& k = kernel(std::string("patterns/") + rung + "/");
        CHECK(k.quantities.shared.excessCertain->value == 0.0);
        CHECK_FALSE(names(k, "shared-bank-conflict", true));
    }
    CHECK(names(kernel("patterns/bank_conflict/"), "shared-bank-conflict"));
    CHECK(*kernel("patterns/bank_conflict/").quantities.sharedLoads.degree ==
          Approx(32.0).epsilon(0.01));
}

TEST_CASE("recorded: no coalescing finding on warp-uniform loads") {
    const auto& k = kernel("patterns/uniform_load/");
    CHECK(k.quantities.loads.efficiency->value < 0.2);  // looks bad, but uniform loads are fine
    CHECK_FALSE(names(k, "global-uncoalesced", true));
}

TEST_CASE("recorded: arithmetic at its roof, partial waves, the empty kernel") {
    const auto& ffma = kernel("patterns/ffma/");
    CHECK(ffma.verdict.cls == VerdictClass::NearRoof);
    CHECK(ffma.verdict.limiter == ResourceId::Fp32);
    CHECK(ffma.quantities.flops[Precision::Fp32]->value >= 2.0 * 2112 * 256 * 4 * 4096);
    CHECK(faults(ffma).empty());
    CHECK(leads(kernel("patterns/partial_wave/"), "wave-tail"));
    CHECK(kernel("patterns/empty/").findings.empty());
}

TEST_CASE("recorded: the decode ladder names each rung's fault, and the next rung is free of it") {
    const std::string family = "lightning_attention_decode/";
    const auto& naive = kernel(family + "naive/");
    CHECK(faults(naive).front() == "global-uncoalesced");

    const auto& conflict = kernel(family + "shared_conflict/");
    CHECK(leads(conflict, "shared-bank-conflict"));
    CHECK(leads(conflict, "global-uncoalesced"));

    const auto& padded = kernel(family + "shared_padded/");
    CHECK_FALSE(names(padded, "shared-bank-conflict", true));
    CHECK(faults(padded).front() == "global-uncoalesced");

    const auto& coalesced = kernel(family + "coalesced/");
    CHECK_FALSE(names(coalesced, "global-uncoalesced", true));
    CHECK_FALSE(names(coalesced, "shared-bank-conflict", true));
    CHECK(leads(coalesced, "global-narrow-access"));

    for (const char* rung : {"warp_per_row_vec4/", "split_heads/"}) {
        INFO(rung);
        const auto& last = kernel(family + rung);
        CHECK(faults(last).empty());
        CHECK(last.verdict.cls == VerdictClass::NearRoof);
        CHECK(last.verdict.limiter == ResourceId::Dram);
    }
}

TEST_CASE("recorded: conflicting stores are named with their own degree, beside the loads") {
    const auto& k = kernel("lightning_attention_decode/shared_conflict/");
    for (const auto& f : k.findings) {
        if (f.ruleId != "shared-bank-conflict") continue;
        REQUIRE(f.expected.size() == 2);
        // Stores have 30.8-way conflicts, loads 8.1-way: the worse side comes first.
        CHECK(f.expected[0].counter.in(Language::En).find("op_st") != std::string::npos);
        CHECK(f.expected[0].from / f.expected[0].to == Approx(30.77).epsilon(0.01));
        CHECK(f.expected[1].from / f.expected[1].to == Approx(8.14).epsilon(0.01));
    }
}

TEST_CASE("recorded: a large finding behind another roof is called blocked, not small") {
    bool seen = false;
    for (const auto& k : checkedRecording("h200_lightning_shapes").kernels)
        for (const auto& f : k.findings)
            if (f.minor && f.gainShare.has() && f.gainShare->value >= 0.03) {
                seen = true;
                CHECK(f.blocked);
            }
    CHECK(seen);
}

TEST_CASE("recorded: an occupancy hint shows code for what limits it") {
    for (const auto& k : checkedRecording("h200_bundled").kernels)
        for (const auto& f : k.findings)
            if (f.ruleId == "low-occupancy" &&
                k.quantities.occupancy.limiter == OccupancyLimiter::SharedMemory) {
                CHECK(f.after.find("tile") != std::string::npos);
                CHECK(f.after.find("__launch_bounds__") == std::string::npos);
            }
}

TEST_CASE("recorded: the memory-bound families end near the DRAM roof") {
    for (const char* last : {"gelu/fused_vec4/", "gelu/bias_fused/", "softmax/online_vec4/",
                             "merge_attn_states/vec16B/"}) {
        INFO(last);
        const auto& k = kernel(last);
        CHECK(k.verdict.cls == VerdictClass::NearRoof);
        CHECK(k.verdict.limiter == ResourceId::Dram);
        CHECK(faults(k).empty());
    }
    CHECK(leads(kernel("gelu/fused_scalar/"), "global-narrow-access"));
}

TEST_CASE("recorded: one block per head leaves SMs idle at B = 1; split heads do not") {
    const std::string file = "h200_lightning_shapes", family = "lightning_attention_decode/";
    for (const char* type : {"bf16", "f32"}) {
        const std::string one = std::string("/B=1,H=64,D=96,E=96,") + type;
        INFO(type);
        CHECK(kernel(family + "warp_per_row_vec4" + one, file).verdict.cls ==
              VerdictClass::Underfilled);
        CHECK(names(kernel(family + "warp_per_row_vec4" + one, file), "grid-too-small"));
        CHECK_FALSE(names(kernel(family + "split_heads" + one, file), "grid-too-small", true));
    }
}

TEST_CASE("recorded: quiet on PyTorch, cuBLAS and Triton kernels with nothing wrong") {
    for (const auto& k : checkedRecording("h200_torch_triton").kernels) {
        INFO(k.fullName << " in " << k.range);
        // Tensor-core operands in shared memory and generated code get no memory finding.
        for (const char* rule : {"global-uncoalesced", "global-narrow-access",
                                 "shared-bank-conflict", "local-memory-spill", "low-occupancy"})
            CHECK_FALSE(names(k, rule));
        if (k.range.empty()) continue;
        // All else lies in the program's own ranges: matmul, gelu, softmax, Triton's add.
        if (k.range != "matmul") CHECK(faults(k).empty());
    }
}

TEST_CASE("recorded: eager chains of PyTorch are named, neighbours that share nothing are not") {
    for (const auto& k : checkedRecording("h200_torch_chain").kernels) {
        INFO(k.fullName << " in " << k.range);
        // The softmax after the relu is limited by its access pattern, not by the DRAM: not part of
        // a chain.
        const bool chained =
            k.range.starts_with("chain: ") && k.range != "chain: relu then softmax";
        CHECK(names(k, "unfused-chain", true) == chained);
    }
}

TEST_CASE("recorded: the last rungs and their Triton counterparts are both near the roof") {
    std::size_t bundled = 0, triton = 0;
    for (const auto& k : checkedRecording("h200_compare").kernels) {
        if (!k.range.starts_with("compare/") || k.range.starts_with("compare/matmul") ||
            k.range.starts_with("compare/causal"))
            continue;
        INFO(k.fullName << " in " << k.range);
        const bool isTriton = k.range.ends_with("/triton");
        const bool isBundled = k.fullName.find("roofscope::kernels::") != std::string::npos;
        bundled += isBundled;
        triton += isTriton;
        if (!isTriton && !isBundled) continue;
        CHECK(k.verdict.cls == VerdictClass::NearRoof);
        CHECK(k.verdict.limiter == ResourceId::Dram);
        CHECK(faults(k).empty());
    }
    CHECK(bundled == 6);
    CHECK(triton == 6);
}

TEST_CASE("recorded: two ranks that train together: NCCL is left unjudged, tracing is no gap") {
    const Analysis& a = checkedRecording("h200_torchrun");
    CHECK(a.profile->devices.size() == 2);
    CHECK(a.profile->processes.size() == 2);
    // Unprofiled a step takes 10.9 ms, its kernels 10 ms: the gaps are due to tracing.
    CHECK(a.sequenceFindings.empty());
    std::size_t waiting = 0;
    for (const auto& k : a.kernels) {
        INFO(k.fullName);
        const bool nccl = k.fullName.starts_with("ncclDevKernel");
        CHECK((k.verdict.cls == VerdictClass::WaitsForPeers) == nccl);
        waiting += nccl;
        if (nccl) CHECK(k.findings.empty());
    }
    CHECK(waiting > 0);
    // In rank 1 products take up to twice as long, but only where they overlap with NCCL.
    const RankReport ranks = compareRanks(*a.profile);
    CHECK_FALSE(ranks.total.material);
    CHECK(ranks.kernels.empty());
    CHECK(ranks.overlapMatters);
    REQUIRE(ranks.total.ranks.size() == 2);
    CHECK(ranks.total.ranks[0].beside->count == 35);
    CHECK(ranks.total.ranks[1].beside->count == 828);
    CHECK(ranks.total.ranks[1].all.time.value == Approx(72.7e-3).epsilon(0.01));
}

TEST_CASE("recorded: the kernels of a CUDA graph are measured node by node") {
    const Analysis& a = checkedRecording("h200_torch_graph");
    std::size_t nodes = 0;
    for (std::size_t i = 0; i < a.profile->launches.size(); ++i)
        nodes += a.profile->launches[i].fromGraph;
    CHECK(nodes == 15);  // three kernels, replayed five times
    std::size_t groups = 0;
    for (const auto& k : a.kernels) {
        if (k.range != "replay") continue;
        INFO(k.fullName);
        ++groups;
        CHECK(k.group.launches.size() == 5);
        CHECK(k.quantities.duration.unprofiled());
        CHECK(k.verdict.cls != VerdictClass::Unknown);
        // The same code does the same work inside and outside of the graph.
        for (const auto& other : a.kernels) {
            if (other.range == k.range || other.fullName != k.fullName) continue;
            CHECK(other.quantities.loads.requested->value == k.quantities.loads.requested->value);
            CHECK(*other.quantities.loads.sectors == *k.quantities.loads.sectors);
        }
    }
    CHECK(groups == 3);
}

TEST_CASE("recorded: streams keep their launches apart") {
    const Analysis& a = checkedRecording("h200_torch_streams");
    std::map<std::uint32_t, std::size_t> perStream;
    for (const Launch& launch : a.profile->launches) {
        ++perStream[launch.stream];
    }
    CHECK(perStream.size() == 4);  // the default stream, and three with four rounds of work each
    CHECK(perStream[1] == 8);
    CHECK(perStream[2] == 4);
    CHECK(perStream[3] == 4);
}

TEST_CASE("recorded: whole ranges, nested, with their concurrency") {
    const Analysis& a = checkedRecording("h200_torch_ranges");
    std::map<std::string, const RangeAnalysis*> ranges;
    for (const RangeAnalysis& r : a.ranges) {
        ranges[r.name] = &r;
        CHECK(r.occurrences == 4);
        CHECK(r.counted == 4);
        CHECK(r.slow == (r.name == "step > head" ? 2 : 1));  // the first occurrences load code
        REQUIRE(r.busy.has());
        CHECK(r.busy->value > 0.05);
        CHECK(r.busy->value < 0.7);
        // The numbers shown in one line are consistent.
        CHECK(r.quantities.bytes[Level::Dram]->value / meanTime(r)->value ==
              Approx(r.quantities.bandwidth[Level::Dram]->value));
    }
    REQUIRE(ranges.size() == 3);
    const auto launches = [&](const char* name) { return ranges.at(name)->mostLaunches; };
    CHECK(launches("step > branches") == 32U);  // two of eight products, each with its ReLU
    CHECK(launches("step > head") == 3U);
    CHECK(launches("step") == 35U);
    // Measured in separate runs, the parts together move the bytes of the whole.
    const auto moved = [&](const char* name) {
        return ranges.at(name)->quantities.bytes[Level::Dram]->value;
    };
    CHECK(moved("step") == Approx(moved("step > branches") + moved("step > head")).epsilon(0.02));
}

TEST_CASE("recorded: products of single warps on Hopper are named") {
    const Analysis& a = checkedRecording("h200_tensor");
    REQUIRE(a.kernels.size() == 2);
    for (const KernelAnalysis& k : a.kernels) {
        INFO(k.fullName);
        CHECK(faults(k) == std::vector<std::string>{"mma-instead-of-wgmma"});
        CHECK(k.findings.front().gainShare->value ==
              Approx(1 - k.quantities.tensorUtilisation->value * 2 / 3).epsilon(0.01));
    }
}

TEST_CASE("recorded: faults are found at their source lines, exactly") {
    const auto worst = [](const char* name) {
        const KernelAnalysis& k = kernel(name, "h200_source");
        REQUIRE(k.source);
        REQUIRE_FALSE(k.findings.empty());
        const Finding& first = k.findings.front();
        REQUIRE_FALSE(first.places.empty());
        CHECK(first.places.front().path.starts_with("kernels/"));
        return std::pair{first.ruleId.str(), first.places.front().line};
    };
    CHECK(worst("patterns/strided_copy") == std::pair{std::string("global-uncoalesced"), 26U});
    CHECK(worst("patterns/transpose_unpadded") ==
          std::pair{std::string("shared-bank-conflict"), 39U});
    CHECK(worst("lightning_attention_decode/shared_conflict").first == "shared-bank-conflict");
}

TEST_CASE("recorded: every launch is measured, and every kernel has a verdict") {
    for (const char* file : {"h200_bundled", "h200_lightning_shapes", "h200_torch_triton",
                             "h200_torch_chain", "h200_compare"}) {
        const Analysis& a = checkedRecording(file);
        // Short kernels, each followed by a check of its result: there the GPU really waits.
        for (const Finding& finding : a.sequenceFindings) {
            CHECK(finding.ruleId == "launch-gaps");
            CHECK(std::string_view(file) == "h200_torch_triton");
        }
        for (std::size_t i = 0; i < a.profile->launches.size(); ++i)
            CHECK(a.profile->counters.value("gpu__time_duration.sum", i).has_value());
        for (const auto& k : a.kernels) {
            INFO(k.fullName);
            CHECK(k.verdict.cls != VerdictClass::Unknown);
            for (const auto& unknown : k.cannotTell) {
                CAPTURE(unknown.ruleId);
                // These need another counter group, and ask for it only where it may explain
                // something.
                if (unknown.ruleId == "dominant-stall" || unknown.ruleId == "atomic-contention") {
                    CHECK(k.verdict.cls == VerdictClass::LatencyBound);
                } else if (unknown.ruleId == "special-functions" ||
                           unknown.ruleId == "integer-arithmetic") {
                    CHECK(k.verdict.limiter == ResourceId::Issue);
                } else if (unknown.ruleId == "l2-tag-bound") {
                    // FP32 tiles of eight columns: one sector of each line.
                    CHECK(k.fullName.find("tilesize64x64x8") != std::string::npos);
                } else if (unknown.ruleId == "mma-instead-of-wgmma") {
                    CHECK(k.quantities.tensorInstructions->value >= 0.5);
                } else {
                    // PyTorch's concatenation takes up to 128 pointers at once, more than are
                    // recorded.
                    CHECK(unknown.ruleId == "unfused-chain");
                    CHECK(k.fullName.find("CatArrayBatchedCopy") != std::string::npos);
                }
            }
            // The recording lacks the counters and start times that these rules need, but the
            // kernels do not have these faults.
            for (const char* rule : {"l2-thrash", "write-amplification", "fp64-on-weak-fp64",
                                     "special-functions", "integer-arithmetic", "dominant-stall"})
                CHECK_FALSE(names(k, rule, true));
            if (k.verdict.cls == VerdictClass::NearRoof)
                CHECK_FALSE(names(k, "bytes-in-flight", true));
            // No point lies above its roof, whatever the counters say.
            for (const auto level : kLevels)
                if (k.quantities.utilisation[level].has())
                    CHECK(k.quantities.utilisation[level]->value <= 1.0);
        }
    }
}

TEST_CASE("recorded: products on tensor cores have their operations, types and dots") {
    // 4096 × 4096 (FP64: 2048 × 2048) matrices by cuBLAS: 2·n³ operations, exactly.
    const std::map<std::string, std::pair<TensorType, double>> expected{
        {"bf16", {TensorType::Bf16, 4096}}, {"fp16", {TensorType::Fp16, 4096}},
        {"tf32", {TensorType::Tf32, 4096}}, {"fp64", {TensorType::Fp64, 2048}},
        {"int8", {TensorType::Int8, 4096}}, {"fp8", {TensorType::Fp8, 4096}}};
    const Analysis& a = checkedRecording("h200_torch_tensor");
    REQUIRE(a.kernels.size() == expected.size());
    for (const auto& k : a.kernels) {
        INFO(k.range);
        const auto& [type, n] = expected.at(k.range);
        const auto work = tensorWork(k.quantities);
        REQUIRE(work.size() == 1);
        CHECK(work.front()->type == type);
        CHECK(work.front()->operations->value == 2 * n * n * n);
        // The operations' share of the peak equals the pipe's own counter, except that mma.sync
        // (the integer product) occupies the pipe for half as long again.
        const double pipe = k.quantities.tensorUtilisation->value;
        const double share = work.front()->utilisation->value;
        const bool single = k.range == "int8";
        CHECK(share == Approx(single ? pipe * 2 / 3 : pipe).epsilon(0.05));
        CHECK(share < 1);
        CHECK_FALSE(k.points.empty());
        for (const RooflinePoint& point : k.points)
            if (point.precision == Arithmetic(type))
                CHECK(point.rate.value == work.front()->rate->value);
        // The counters of global memory miss bulk copies, so local traffic has a large share of
        // them; but hardly anything is spilled.
        CHECK_FALSE(names(k, "local-memory-spill", true));
    }
    CHECK(a.notes.empty());
}
