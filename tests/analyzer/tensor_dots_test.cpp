// SPDX-License-Identifier: Apache-2.0
// Tensor-core operations by type: rates, roofs and points, and what is said without them.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/compare/comparison.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/roofline/roofline.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/samples.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr std::string_view kBf16 = "sm__ops_path_tensor_src_bf16_dst_fp32.sum";
constexpr std::string_view kTf32 = "sm__ops_path_tensor_src_tf32_dst_fp32.sum";
constexpr std::string_view kInt8 = "sm__ops_path_tensor_src_int8.sum";
/// Operations of a product of 4096 × 4096 matrices.
constexpr double kProduct = 2.0 * 4096 * 4096 * 4096;
/// 4096 operations per SM and cycle in bf16.
constexpr double kBf16Roof = 132 * 4096 * SyntheticProfile::kSmClockHz;

Analysis analysisOf(const SyntheticProfile& p, Convention convention = Convention::Roofscope) {
    return analyze(std::make_shared<const Profile>(p.build()), {.convention = convention});
}

/// A wgmma product: 160 µs, the pipe 90 % busy, 2 · 10^8 bytes of DRAM traffic, no counters of
/// operations.
LaunchRef dotProduct(SyntheticProfile& p, double microseconds = 160) {
    return idle(p, "gemm", {2112, 1, 1}, {256, 1, 1}, microseconds)
        .set(kTensorPipe, 90)
        .set(kSharedGmma, 1e6)
        .set(kFp32Mul, 1e6)
        .set("dram__bytes_read.sum", 1.5e8)
        .set("dram__bytes_write.sum", 0.5e8)
        .set("lts__lts2xbar_cycles_active.sum", 1e9 / 32);
}

/// The same with the counter group "tensor", all counters 0.
LaunchRef counted(SyntheticProfile& p, double microseconds = 160) {
    static const ChipTable chip = chipTable("GH100").value();
    return dotProduct(p, microseconds).setAll(chip.groups.at("tensor").counters, 0);
}

std::vector<Arithmetic> arithmeticOf(const KernelAnalysis& kernel) {
    std::vector<Arithmetic> found;
    for (const RooflinePoint& point : kernel.points)
        if (found.empty() || !(found.back() == point.precision)) found.push_back(point.precision);
    return found;
}

bool has(const KernelAnalysis& kernel, const Arithmetic& arithmetic) {
    const auto all = arithmeticOf(kernel);
    return std::find(all.begin(), all.end(), arithmetic) != all.end();
}

std::vector<Roof> tensorRoofs(const Analysis& analysis) {
    std::vector<Roof> found;
    for (const Roof& roof : analysis.roofs)
        if (roof.kind == Roof::Kind::Compute && roof.precision.tensor()) found.push_back(roof);
    return found;
}

const TensorWork* workOn(const KernelAnalysis& kernel, TensorType type) {
    for (const TensorWork& work : kernel.quantities.tensor)
        if (work.type == type) return &work;
    return nullptr;
}

}  // namespace

TEST_CASE("a kernel on tensor cores has its dots where its operations were counted") {
    SyntheticProfile p(testDevice());
    counted(p).set(kBf16, kProduct);
    const Analysis analysis = analysisOf(p);
    const KernelAnalysis& kernel = analysis.kernels[0];
    const TensorWork* const bf16 = workOn(kernel, TensorType::Bf16);
    REQUIRE(bf16);
    CHECK(bf16->operations->value == kProduct);  // a multiply-add counts as two
    CHECK(bf16->operations.how == kBf16);
    CHECK(bf16->rate->value == Approx(kProduct / 160e-6));
    CHECK(bf16->utilisation->value == Approx(kProduct / 160e-6 / kBf16Roof));
    CHECK(bf16->intensity[Level::Dram]->value == Approx(kProduct / 2e8));
    CHECK(bf16->intensity[Level::L2]->value == Approx(kProduct / 1e9));

    REQUIRE(kernel.points.size() == 2);  // DRAM and L2; a million FP32 operations get no point
    for (const RooflinePoint& point : kernel.points) {
        CHECK(point.precision == TensorType::Bf16);
        CHECK(point.rate.value == bf16->rate->value);
        CHECK(point.intensity.value == bf16->intensity[point.level]->value);
    }
    CHECK(analysis.notes.empty());

    const auto roofs = tensorRoofs(analysis);  // only of types in use
    REQUIRE(roofs.size() == 1);
    CHECK(roofs[0].precision == TensorType::Bf16);
    CHECK(roofs[0].rate == Approx(kBf16Roof));
    CHECK_FALSE(roofs[0].measured);
    CHECK(roofs[0].how.find("132 SMs × 4096 FLOP/cycle") != std::string::npos);
    CHECK(roofs[0].rate > bf16->rate->value);
}

TEST_CASE("operations of tensor cores change no verdict") {
    SyntheticProfile with(testDevice()), without(testDevice());
    counted(with).set(kBf16, kProduct);
    dotProduct(without);
    const Verdict a = analyzeOne(with).verdict, b = analyzeOne(without).verdict;
    CHECK(a.limiter == ResourceId::Tensor);
    CHECK(a.cls == b.cls);
    CHECK(a.limiter == b.limiter);
    CHECK(a.headroom->value == b.headroom->value);
    CHECK(a.reason == b.reason);
}

TEST_CASE("without counters of their operations kernels on tensor cores are named in a note") {
    const auto noteOf = [](std::size_t without) {
        SyntheticProfile p(testDevice());
        counted(p).set(kBf16, kProduct).range("counted");
        for (std::size_t i = 0; i < without; ++i) dotProduct(p).range("k" + std::to_string(i));
        const Analysis analysis = analysisOf(p);
        for (const KernelAnalysis& kernel : analysis.kernels)
            CHECK(kernel.points.empty() == (kernel.range != "counted"));
        return analysis.notes;
    };
    CHECK(noteOf(0).empty());
    const auto one = noteOf(1), two = noteOf(2);
    REQUIRE(one.size() == 1);
    CHECK(one[0].in(Language::En).find("1 kernel runs on tensor cores") == 0);
    REQUIRE(two.size() == 1);
    CHECK(two[0].in(Language::En).find("2 kernels run on tensor cores") == 0);
    CHECK(two[0].in(test::kZh).find("2 个内核") == 0);
    for (const Language language : languages())
        CHECK(two[0].in(language).find("--groups default,tensor") != std::string::npos);

    SyntheticProfile p(testDevice());
    dotProduct(p);
    const KernelAnalysis kernel = analyzeOne(p);
    CHECK(kernel.quantities.tensor.empty());  // missing, not 0
    CHECK(kernel.quantities.tensorMissing[TensorType::Bf16] == kBf16);
    CHECK(kernel.quantities.tensorMissing[TensorType::Fp4].find("this chip") != std::string::npos);
    CHECK(tensorWork(kernel.quantities).empty());
}

TEST_CASE("a counter at 0 gives neither dot nor roof") {
    SyntheticProfile p(testDevice());
    counted(p);  // busy with operations that the group does not count
    const Analysis analysis = analysisOf(p);
    const KernelAnalysis& kernel = analysis.kernels[0];
    CHECK(kernel.points.empty());  // nor an FP32 point, which would mislead
    CHECK(tensorRoofs(analysis).empty());
    // A note says so, without advice to record what is already there.
    REQUIRE(analysis.notes.size() == 1);
    CHECK(analysis.notes[0].in(Language::En).find("a type whose operations were not counted") !=
          std::string::npos);
    CHECK(analysis.notes[0].in(Language::En).find("--groups") == std::string::npos);
    REQUIRE(workOn(kernel, TensorType::Int8));
    CHECK(workOn(kernel, TensorType::Int8)->operations->value == 0);
}

TEST_CASE("rates of tensor cores are ratios of sums over launches that have both") {
    SyntheticProfile p(testDevice());
    counted(p, 100).set(kBf16, 1e10);
    counted(p, 200).set(kBf16, 5e10);
    dotProduct(p, 50);  // counters missing
    for (Launch& launch : p.profile().launches) launch.kernel = 0;
    p.launch(0, {2112, 1, 1}, {256, 1, 1}).set(kBf16, 9e10);  // no duration, no traffic
    const KernelAnalysis kernel = analyzeOne(p);
    const TensorWork* const bf16 = workOn(kernel, TensorType::Bf16);
    REQUIRE(bf16);
    CHECK(bf16->operations->value == Approx((1e10 + 5e10 + 9e10) / 3));
    CHECK(bf16->rate->value == Approx(6e10 / 300e-6));
    CHECK(bf16->intensity[Level::Dram]->value == Approx(6e10 / 4e8));
}

TEST_CASE("beside tensor cores FP32 arithmetic has dots where it does something") {
    // Thread instructions that fill the FP32 pipe for 160 µs.
    constexpr double kFull = 132 * 128 * SyntheticProfile::kSmClockHz * 160e-6;
    const auto mixed = [](double tensor, double fp32) {
        SyntheticProfile p(testDevice());
        counted(p)
            .set(kTensorPipe, 100 * tensor)
            .set(kBf16, tensor * kBf16Roof * 160e-6)
            .set(kFp32Mul, 0)
            .set(kFp32Fma, fp32 * kFull);
        return analyzeOne(p);
    };
    using All = std::vector<Arithmetic>;
    const Arithmetic bf16 = TensorType::Bf16, fp32 = Precision::Fp32;
    // The busier pipe comes first, as in the verdict.
    CHECK(arithmeticOf(mixed(0.70, 0.30)) == All{bf16, fp32});
    CHECK(mixed(0.70, 0.30).verdict.limiter == ResourceId::Tensor);
    CHECK(arithmeticOf(mixed(0.20, 0.70)) == All{fp32, bf16});
    CHECK(mixed(0.20, 0.70).verdict.limiter == ResourceId::Fp32);
    // Scaling the result: negligible.
    CHECK(arithmeticOf(mixed(0.70, 0.005)) == All{bf16});
    // A few tensor operations do not remove the points of an FP32 kernel.
    CHECK(arithmeticOf(mixed(0.001, 0.005)) == All{fp32, bf16});
    CHECK(mixed(0.70, 0.30).points.size() == 4);  // DRAM and L2 for each type
}

TEST_CASE("no dot where what tensor cores were fed with is not counted") {
    SyntheticProfile p(testDevice());
    const auto levels = [](double l1Bytes, double pipe = 90, double l2Bytes = 1e9) {
        SyntheticProfile q(testDevice());
        counted(q)
            .set(kBf16, kProduct)
            .set(kTensorPipe, pipe)
            .set("lts__lts2xbar_cycles_active.sum", l2Bytes / 32)
            .set(kGlobalSectors, l1Bytes / 32)
            .set(kGlobalLoadSectors, l1Bytes / 32)
            .set(kSharedLoadWavefronts, 1e6);
        std::vector<Level> found;
        for (const RooflinePoint& point : analyzeOne(q).points)
            if (point.precision.tensor()) found.push_back(point.level);
        return found;
    };
    using Levels = std::vector<Level>;
    // The wavefronts of shared loads include neither ldmatrix nor wgmma.
    CHECK(levels(1e9) == Levels{Level::Dram, Level::L2, Level::L1});
    // Bulk copies bypass the L1: it sees 5 MB of the 1 GB from the L2.
    CHECK(levels(5e6) == Levels{Level::Dram, Level::L2});
    // The same in a DRAM-bound product, and where the pipe or the L2 was not counted.
    const double missing = std::nan("");
    CHECK(levels(5e6, 4) == Levels{Level::Dram, Level::L2});
    CHECK(levels(5e6, missing) == Levels{Level::Dram, Level::L2});
    CHECK(levels(1e6, 90, missing) == Levels{Level::Dram});

    counted(p).set(kBf16, kProduct).set(kSharedLoadWavefronts, 1e6);
    const KernelAnalysis kernel = analyzeOne(p);
    const auto& shared = workOn(kernel, TensorType::Bf16)->intensity[Level::Shared];
    CHECK_FALSE(shared.has());
    CHECK_FALSE(shared.notApplicable());  // missing
}

TEST_CASE("two types on tensor cores: the one nearer to its roof comes first") {
    SyntheticProfile p(testDevice());
    // TF32 has half the rate of bf16: operations 3 : 4, time 6 : 4.
    counted(p).set(kTf32, 3e10).set(kBf16, 4e10);
    const Analysis analysis = analysisOf(p);
    CHECK(arithmeticOf(analysis.kernels[0]) ==
          std::vector<Arithmetic>{TensorType::Tf32, TensorType::Bf16});
    CHECK(tensorRoofs(analysis).size() == 2);

    // No roofs are known for this AD102: ordered by operations.
    Device ada = testDevice();
    ada.name = "NVIDIA RTX 9999 Ada Generation";
    ada.chip = "AD102";
    ada.computeMajor = 8;
    ada.computeMinor = 9;
    SyntheticProfile q(ada);
    counted(q).set(kTf32, 3e10).set(kBf16, 4e10);
    const Analysis other = analysisOf(q);
    CHECK(arithmeticOf(other.kernels[0]) ==
          std::vector<Arithmetic>{TensorType::Bf16, TensorType::Tf32});
    CHECK(tensorRoofs(other).empty());
    CHECK_FALSE(workOn(other.kernels[0], TensorType::Bf16)->utilisation.has());
}

TEST_CASE("each chip attributes what its counters tell apart") {
    const auto termsOf = [](const char* chip, const char* sum) {
        std::vector<std::string> names;
        const auto table = chipTable(chip).value();
        if (const auto found = table.sums.find(sum); found != table.sums.end())
            for (const CounterTerm& term : found->second) {
                CHECK(term.weight == 1);  // already in operations
                names.push_back(term.counter);
            }
        std::ranges::sort(names);
        return names;
    };
    using Names = std::vector<std::string>;
    const std::string src = "sm__ops_path_tensor_src_";
    CHECK(termsOf("GH100", "tensor_fp16_ops") == Names{src + "fp16.sum"});  // sums in either type
    CHECK(termsOf("GA100", "tensor_fp16_ops") ==
          Names{src + "fp16_dst_fp16.sum", src + "fp16_dst_fp32.sum"});
    // Turing has neither bf16 nor TF32: the joint counter counts fp16 only.
    CHECK(termsOf("TU102", "tensor_fp16_ops") ==
          Names{src + "fp16_bf16_tf32_dst_fp32.sum", src + "fp16_dst_fp16.sum"});
    CHECK(termsOf("TU102", "tensor_bf16_ops").empty());
    CHECK(termsOf("TU102", "tensor_tf32_ops").empty());
    CHECK(termsOf("GV100", "tensor_fp16_ops") ==
          Names{src + "fp16_dst_fp16.sum", src + "fp16_dst_fp32.sum"});
    CHECK(termsOf("GV100", "tensor_int8_ops").empty());
    CHECK(termsOf("TU117", "tensor_fp16_ops").empty());  // no tensor cores
    // FP8 is counted together with FP4 and FP6: the share of each is unknown.
    CHECK(termsOf("GB100", "tensor_fp8_ops").empty());
    CHECK(termsOf("GB110", "tensor_fp8_ops").size() == 2);
    CHECK(termsOf("GB202", "tensor_fp8_ops").size() == 2);
    CHECK(termsOf("AD102", "tensor_fp8_ops") == Names{src + "fp8.sum"});
    CHECK(termsOf("GB100", "tensor_fp4_ops") == Names{src + "fp4_dst_fp32.sum"});
    // All of them are in the group "tensor".
    for (const std::string& chip : knownChips()) {
        const auto table = chipTable(chip).value();
        for (const auto& [name, terms] : table.sums) {
            if (!name.starts_with("tensor_")) continue;
            INFO(chip << " " << name);
            for (const CounterTerm& term : terms)
                CHECK(std::ranges::count(table.groups.at("tensor").counters, term.counter) == 1);
        }
    }
}

TEST_CASE("a type that the chip counts with others is missing, a joined counter of one is not") {
    SyntheticProfile p(turingDevice());
    dotProduct(p)
        .set("sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum", 3e10)
        .set("sm__ops_path_tensor_src_fp16_dst_fp16.sum", 1e10)
        .set(kInt8, 0);
    const KernelAnalysis kernel = analyzeOne(p);
    REQUIRE(workOn(kernel, TensorType::Fp16));
    CHECK(workOn(kernel, TensorType::Fp16)->operations->value == 4e10);
    CHECK(has(kernel, TensorType::Fp16));
    CHECK_FALSE(workOn(kernel, TensorType::Bf16));
    CHECK_FALSE(has(kernel, TensorType::Int8));

    // With one of the two terms missing, the sum is missing.
    SyntheticProfile half(turingDevice());
    dotProduct(half).set("sm__ops_path_tensor_src_fp16_dst_fp16.sum", 1e10);
    CHECK_FALSE(workOn(analyzeOne(half), TensorType::Fp16));
}

TEST_CASE("measured roofs of tensor cores stand beside the dots of their type, on their device") {
    Device device = testDevice();
    device.ceilings = {{.name = "tensor_bf16", .kind = Ceiling::Kind::Compute, .burst = 8e14},
                       {.name = "tensor_tf32", .kind = Ceiling::Kind::Compute, .burst = 4e14},
                       {.name = "tensor_int8", .kind = Ceiling::Kind::Bandwidth, .burst = 4e14}};
    SyntheticProfile p(device);
    device.name = "another model";  // GPUs of one model would share a kernel group
    const auto second = p.addDevice(device);
    counted(p).set(kBf16, kProduct).set(kInt8, kProduct);
    counted(p).set(kTf32, kProduct).device(second);
    std::vector<std::string> measured, theoretical;
    for (const Roof& roof : tensorRoofs(analysisOf(p)))
        (roof.measured ? measured : theoretical)
            .push_back(std::to_string(roof.device) + " " + toString(roof.precision));
    using Names = std::vector<std::string>;
    CHECK(measured == Names{"0 BF16 tensor", "1 TF32 tensor"});  // a bandwidth is no compute roof
    CHECK(theoretical == Names{"0 BF16 tensor", "0 INT8 tensor", "1 TF32 tensor"});
}

TEST_CASE("dots of tensor cores follow the convention") {
    SyntheticProfile p(testDevice());
    counted(p).set(kBf16, kProduct).set(kGlobalStoreSectors, 1e6);
    const auto at = [&](Convention convention) {
        const Analysis analysis = analysisOf(p, convention);
        for (const RooflinePoint& point : analysis.kernels[0].points)
            if (point.level == Level::L2 && point.precision.tensor()) return point.intensity.value;
        return 0.0;
    };
    CHECK(at(Convention::Roofscope) == Approx(kProduct / (1e9 + 32e6)));
    CHECK(at(Convention::Ncu) == Approx(kProduct / 1e9));
}

TEST_CASE("a comparison has the operations of the types that either kernel multiplied") {
    SyntheticProfile a(testDevice()), b(testDevice()), plain(testDevice());
    counted(a).set(kBf16, kProduct);
    counted(b).set(kBf16, kProduct / 2).set(kInt8, 1e9);
    dotProduct(plain);
    const auto keys = [](const SyntheticProfile& from, const SyntheticProfile& to) {
        const Comparison result = compareProfiles(analysisOf(from), analysisOf(to),
                                                  matchKernels(analysisOf(from), analysisOf(to)));
        REQUIRE(result.kernels.size() == 1);
        std::vector<std::string> found;
        for (const Movement& m : result.kernels[0].movements) {
            if (!std::string_view(m.key).starts_with("tensor_") ||
                !std::string_view(m.key).ends_with("_ops"))
                continue;
            found.push_back(std::string(m.key) +
                            std::string(m.direction == Direction::Lower    ? " lower"
                                        : m.direction == Direction::Higher ? " higher"
                                        : m.missing.empty()                ? ""
                                                                           : " missing"));
        }
        return found;
    };
    using Keys = std::vector<std::string>;
    CHECK(keys(a, b) == Keys{"tensor_bf16_ops lower", "tensor_int8_ops higher"});
    CHECK(keys(a, plain) == Keys{"tensor_bf16_ops missing"});
    CHECK(keys(plain, plain).empty());
}

TEST_CASE("recorded: dots of products on tensor cores lie below their roof") {
    const Analysis& analysis = recorded("h200_tensor");
    REQUIRE(analysis.kernels.size() == 2);
    CHECK(analysis.notes.empty());
    const auto roofs = tensorRoofs(analysis);
    REQUIRE(roofs.size() == 2);
    CHECK(roofs[0].rate == Approx(132 * 4096 * 1.811e9).epsilon(1e-3));
    CHECK(roofs[1].measured);
    CHECK(roofs[1].rate < roofs[0].rate);
    for (const KernelAnalysis& kernel : analysis.kernels) {
        INFO(kernel.fullName);
        REQUIRE_FALSE(kernel.points.empty());
        CHECK(arithmeticOf(kernel) == std::vector<Arithmetic>{TensorType::Bf16});
        for (const RooflinePoint& point : kernel.points) {
            CHECK(point.rate.value < roofs[0].rate);
            // matmul/tensor_core reads 5.9 GB of shared memory, nearly all with ldmatrix. Only the
            // epilogue's 0.07 GB count as ordinary loads and stores.
            CHECK(point.level != Level::Shared);
            for (const Roof& roof : analysis.roofs)
                if (roof.kind == Roof::Kind::Bandwidth && roof.level == point.level)
                    CHECK(point.rate.value < roof.rate * point.intensity.value);
        }
        const TensorWork* const bf16 = workOn(kernel, TensorType::Bf16);
        // With mma.sync a busy pipe does only 2/3 of its peak operations.
        CHECK(bf16->utilisation->value ==
              Approx(kernel.quantities.tensorUtilisation->value * 2 / 3).epsilon(0.005));
        const bool matrices = kernel.fullName.find("matmul") != std::string::npos;
        CHECK(bf16->operations->value == (matrices ? kProduct : 2112.0 * 8 * 512 * 8 * 4096));
        CHECK(bf16->rate->value == Approx(matrices ? 4.1e14 : 6.4e14).epsilon(0.02));
    }
}

TEST_CASE("every GPU that ran a product has the roofs of its type") {
    SyntheticProfile p(testDevice());
    p.profile().devices.push_back(p.profile().devices.front());
    for (std::uint32_t device : {0U, 1U}) {
        auto ref = counted(p).set(kBf16, kProduct);
        ref.launch().device = device;
        ref.launch().kernel = 0;
    }
    const Analysis analysis = analysisOf(p);
    REQUIRE(analysis.kernels.size() == 1);  // GPUs of one model are judged together
    const auto roofs = tensorRoofs(analysis);
    REQUIRE(roofs.size() == 2);
    CHECK(roofs[0].device != roofs[1].device);
}

namespace {

/// A product named so, of which only the use of the tensor pipe was counted.
KernelAnalysis busyProduct(std::string_view name, std::string_view sass = "",
                           Device device = testDevice()) {
    SyntheticProfile p(std::move(device));
    dotProduct(p);
    Profile& profile = p.profile();
    profile.kernels[0].name = name;
    if (!sass.empty())
        profile.sources.push_back(
            {.kernel = 0, .instructions = {{.sass = "MOV R1, R2"}, {.sass = std::string(sass)}}});
    return analyzeOne(p);
}

/// Of one type: the share of its roof as a part of the pipe's use; 0 without work.
double partOfBusy(const KernelAnalysis& kernel, TensorType type) {
    const auto work = tensorWork(kernel.quantities);
    if (work.size() != 1 || work[0]->type != type || !work[0]->byBusyCycles) return 0;
    return work[0]->utilisation->value / kernel.quantities.tensorUtilisation->value;
}

}  // namespace

TEST_CASE("operations of a product follow from the cycles in which the pipe is busy") {
    const KernelAnalysis wgmma = busyProduct("nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN");
    const TensorWork* const work = workOn(wgmma, TensorType::Bf16);
    REQUIRE(work);
    CHECK(work->byBusyCycles);
    CHECK(work->utilisation->value == wgmma.quantities.tensorUtilisation->value);
    CHECK(work->rate->value == Approx(kBf16Roof * work->utilisation->value));
    CHECK(work->operations->value ==
          Approx(work->rate->value * wgmma.quantities.counterDuration->value));
    CHECK_FALSE(wgmma.points.empty());
    CHECK_FALSE(work->intensity[Level::Shared].has());
    CHECK(work->operations.how.str().find("busy") != std::string::npos);

    // Parts of the roof that were counted on an H200.
    const auto named = [](std::string_view name, TensorType type) {
        return partOfBusy(busyProduct(name), type);
    };
    using enum TensorType;
    CHECK(named("sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x256x32_cublas", Tf32) == 1);
    CHECK(named("sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_stage3_warpsize2x2x1_tensor16x8x8_execute",
                Fp64) == 1);
    CHECK(named("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x256_64x3_nn>",
                Bf16) == Approx(2.0 / 3));
    CHECK(named("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x256_32x3_nn_align1>",
                Tf32) == Approx(2.0 / 3));
    CHECK(named("void cutlass::Kernel2<cutlass_80_tensorop_i16832gemm_s8_128x256_128x3_tn>",
                Int8) == Approx(2.0 / 3));
    CHECK(named("void cutlass::Kernel2<cutlass_75_tensorop_f16_s1688gemm_f16_256x128_nn_align1>",
                Fp16) == 0.5);
    CHECK(named("fmha_cutlassF_bf16_aligned_64x64_rf_sm80(Params)", Bf16) == 0.5);
    CHECK(named("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, "
                "false, false, cutlass::bfloat16_t>>(Params)",
                Bf16) == Approx(2.0 / 3));
}

TEST_CASE("the machine code tells the type of a product whose name does not") {
    const auto coded = [](std::string_view sass, TensorType type) {
        return partOfBusy(busyProduct("matmul_kernel", sass), type);
    };
    using enum TensorType;
    CHECK(coded("HGMMA.64x128x16.F32.BF16 R24, gdesc[UR8], R24", Bf16) == 1);
    CHECK(coded("HGMMA.64x64x8.F32.TF32 R24, gdesc[UR8], R24", Tf32) == 1);
    CHECK(coded("QGMMA.64x128x32.F32.E4M3.E4M3 R24, gdesc[UR8], R24", Fp8) == 1);
    CHECK(coded("@P0 HMMA.16816.F32 R4, R8, R12, R4", Fp16) == Approx(2.0 / 3));
    CHECK(coded("HMMA.1688.F32.TF32 R4, R8, R12, R4", Tf32) == Approx(2.0 / 3));
    CHECK(coded("HMMA.1688.F32 R4, R8, R12, R4", Fp16) == 0.5);
    CHECK(coded("IMMA.16832.S8.S8 R4, R8, R12, R4", Int8) == Approx(2.0 / 3));
    CHECK(coded("DMMA.8x8x4 R4, R8, R12, R4", Fp64) == 1);
    CHECK(coded("HMMA.SP.16832.F32 R4, R8, R12, R4", Fp16) == 0);  // sparse
    CHECK(coded("FFMA R4, R8, R12, R4", Fp16) == 0);
}

TEST_CASE("operations stay unknown where type, rate or chip are not certain") {
    CHECK(workOn(busyProduct("matmul_kernel"), TensorType::Bf16) == nullptr);
    CHECK(busyProduct("sm90_xmma_sparse_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64")
              .quantities.tensor.empty());
    // Two 16-bit types have one name.
    constexpr const char* kAttention = "cudnn_generated_sdpa_sm90_flash_fprop_wgmma_f16_knob_7";
    CHECK(busyProduct(kAttention).quantities.tensor.empty());
    SyntheticProfile p(testDevice());
    dotProduct(p);
    dotProduct(p);
    p.profile().kernels[0].name = kAttention;
    p.profile().kernels[1].name = "nvjet_sm90_tst_128x64_64x8_1x2_h_bz_NNT";
    for (const KernelAnalysis& kernel : analysisOf(p).kernels)
        CHECK(partOfBusy(kernel, TensorType::Bf16) == 1);
    // Packed FP16 arithmetic may take a part of the pipe's time; conversions do not.
    const auto withPacked = [](double share) {
        SyntheticProfile one(testDevice());
        dotProduct(one).set(kFp16Fma, share * 132 * 256 * SyntheticProfile::kSmClockHz * 160e-6);
        one.profile().kernels[0].name = "nvjet_sm90_hsh_128x64_64x8_1x2_h_bz_NNT";
        return analyzeOne(one);
    };
    CHECK(partOfBusy(withPacked(0.05), TensorType::Fp16) == 1);
    CHECK(withPacked(0.5).quantities.tensor.empty());
    // Rates were measured on GH100 only.
    Device other = testDevice();
    other.chip = "GA100";
    other.computeMajor = 8;
    CHECK(busyProduct("sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tensor16x8x16_kernel", "", other)
              .quantities.tensor.empty());
}
