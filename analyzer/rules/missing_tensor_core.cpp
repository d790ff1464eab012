// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/language/sentence.h"
#include "analyzer/names/library_product.h"
#include "profile/chips/chip.h"

namespace roofscope::rules {

namespace {

/// The inner loop of a matrix product is nothing but multiply-adds; a tenth is allowed for scaling
/// and the sums at the end. Transforms, distances and activations add and multiply separately.
constexpr double kLeastFused = 0.90;

/// A matrix product keeps a tile of sums in registers and reads its operands again for each tile. A
/// warp has at most 255 registers · 32 lanes = 8160 sums, or 16320 if two fp16 sums share a
/// register. A square of s × s sums takes 2·s elements for s² multiply-adds, so at least 2·2/√16320
/// = 0.031 bytes each (0.044 for 2-byte operands with fp32 sums, 0.089 for fp32). Chains on values
/// in registers read next to nothing.
constexpr double kLeastReread = 0.03;

/// The same for an SM, whose 65536 registers limit what its blocks keep: at least 2·2/√131072 =
/// 0.011 bytes per multiply-add come from global memory. Less means that one small set of values is
/// used over and over (a polynomial's coefficients, a block of bodies), not tiles of a large
/// matrix.
constexpr double kLeastStreamed = 0.01;

/// The tensor pipe's counter is not quite 0 without tensor instructions: on an H200, kernels that
/// load constants with HFMA2 keep it up to 0.5 % busy, a product in fp32 0.0005 %.
constexpr double kTensorIdle = 0.01;

/// In a product with operands from shared memory or the L1, loading and issuing wait for the same
/// loop as the multiply-adds. From this share of the pipe on, they count as one limit.
constexpr double kLeastOfLoop = 0.40;

/// Triton lays out the operands in shared memory by itself. Without tensor cores that may take four
/// times as long as the multiply-adds, and only another kind of product changes it.
constexpr double kLeastOfTritonsLoop = 0.10;
/// If the pipe is that idle, tiles of at least 16 × 16 must be multiplied: these read 2·4/16 bytes
/// per multiply-add, and half as much again for padding. A plain sum of products reads an operand
/// of 4 bytes.
constexpr double kMostReread = 1.0;

/// If the pipe, the issue slots and shared memory are all less busy than this, the loop of the
/// program's own kernel waits for something else. A product that has few blocks keeps them about
/// half busy.
constexpr double kBusyOfLoop = 0.45;

/// Upper bound of how many times as many products per second tensor cores do as the pipe, with
/// 16-bit inputs: 15 times on an H200, 16 on an A100, 30 on a B200.
constexpr double kMostFaster = 32;

/// Bytes per multiply-add; both are lower bounds of what was really loaded.
struct Operands {
    double reread = 0;    ///< from the SM itself: shared memory, and global loads beyond the L2
    double streamed = 0;  ///< requested from global memory
    std::string missing;
};

Operands operandsOf(const Quantities& q, double multiplyAdds) {
    Operands operands;
    const auto& l2 = q.l2Counted;
    if (!q.sharedLoadBytes.has())
        operands.missing = q.sharedLoadBytes.missing;
    else if (!q.loads.requested.has())
        operands.missing = q.loads.requested.missing;
    if (!operands.missing.empty()) return operands;
    // If the L2's traffic is not known, the L2 may have served all global loads.
    const double global = q.loads.requested->value;
    const double fromL1 = l2.has() ? std::max(0.0, global - l2->value) : 0.0;
    operands.reread = (q.sharedLoadBytes->value + fromL1) / multiplyAdds;
    operands.streamed = global / multiplyAdds;
    return operands;
}

/// Whether a chip counts tensor-core products of this type. Some chips of a generation with tensor
/// cores have none (GTX 16), and bf16 and TF32 came later.
bool hasTensorCores(const Device& device, const char* operations) {
    const auto chip = chipTable(device);
    return chip && chip->sums.contains(operations);
}

bool hasTf32(const RuleInput& input) { return hasTensorCores(deviceOf(input), "tensor_tf32_ops"); }

/// A library's product that does not keep its pipe busy, because it is small and waits for its own
/// loop. Its name shows what the pipe's load does not: fp32 matrices by FP32 multiply-adds. Not a
/// matrix times a vector, nor a kernel that adds up the parts of a product.
bool isSmallProduct(const RuleInput& input) {
    if (input.kernel.origin != KernelOrigin::Library || !hasTf32(input) ||
        isNearlyEmptyLaunch(input))
        return false;
    const auto product = libraryProduct(input.kernel.fullName);
    return product && product->kind == LibraryProduct::Kind::Matrices && product->plainFp32;
}

double leastOfLoop(const RuleInput& input) {
    return input.kernel.origin == KernelOrigin::Triton ? kLeastOfTritonsLoop : kLeastOfLoop;
}

/// A loop of multiply-adds on one pipe.
struct Loop {
    bool half = false;   ///< FP16, else FP32
    bool small = false;  ///< isSmallProduct
    double busy = 0;     ///< busy share of the pipe
    double multiplyAdds = 0;
    Operands operands;

    [[nodiscard]] Precision precision() const { return half ? Precision::Fp16 : Precision::Fp32; }
    [[nodiscard]] ResourceId pipe() const { return half ? ResourceId::Fp16 : ResourceId::Fp32; }
    /// The share of the bytes that remains with 16-bit inputs.
    [[nodiscard]] double bytesLeft() const { return half ? 1.0 : 0.5; }
};

Words formulaOf(const Rule& rule, const Loop& loop) {
    if (loop.small)
        return Words(
            "(1 − busiest of DRAM / 2 (16-bit inputs), what the pipe does apart from fused "
            "multiply-adds, and 1/32 of those) × duration: other waits of the library's kernel "
            "depend on its tiles, which would change");
    if (loop.half)
        return Words(
            "(1 − busiest of DRAM, L2, the other pipes and what the pipe does beside fused "
            "multiply-adds, and not below 1/32 of those) × duration");
    return Words::translatable(rule.en.gain);
}

/// What the caller of a library can do.
Words editForCaller(bool tf32) {
    if (!tf32)
        return Words(
            "Pass fp16 inputs, where the result tolerates 10 bits of mantissa and the smaller "
            "range.");
    return Words(
        "Allow TF32 (torch.backends.cuda.matmul.allow_tf32, "
        "CUBLAS_COMPUTE_32F_FAST_TF32) or pass bf16 or fp16, where the result "
        "tolerates 10 bits of mantissa (bf16: 7).");
}

Finding describe(const RuleInput& input, const Loop& loop, double gain) {
    const Quantities& q = input.kernel.quantities;
    const auto& fusedShare = q.fusedShare[loop.precision()];
    const double fused = fusedShare->value;
    Finding finding = makeFinding(input, gain, formulaOf(input.rule, loop));
    finding.relief = {{loop.pipe(), std::max(1.0 - fused, fused / kMostFaster)},
                      {ResourceId::Dram, loop.bytesLeft()},
                      {ResourceId::L2, loop.small ? 0.0 : loop.bytesLeft()},
                      {ResourceId::L1, 0.0},
                      {ResourceId::SharedPipe, 0.0},
                      {ResourceId::Issue, 0.0}};
    const Words types =
        !loop.half && hasTf32(input) ? Words("bf16, fp16 or TF32") : Words::lasting("fp16");
    finding.args = {arg("precision", Words::lasting(toString(loop.precision()))),
                    arg("pipe", loop.busy, Unit::Share),
                    arg("fused", fused, Unit::Share),
                    arg("reread", loop.operands.reread, Unit::Bytes),
                    arg("types", types),
                    arg("how", Words("call cuBLAS, or use WMMA, mma.sync or wgmma"))};
    if (isForeign(input.kernel.origin)) finding.edit = editForCaller(hasTf32(input));
    // For a library's small product, its name replaces these thresholds.
    const auto asked = [&](double threshold) {
        return loop.small ? std::nullopt : std::optional(threshold);
    };
    finding.evidence = {
        {.label = Words("tensor pipe utilisation"),
         .formula = q.tensorUtilisation.how,
         .value = q.tensorUtilisation->value,
         .unit = Unit::Share},
        {.label = wordsOf("{} pipe utilisation", toString(loop.precision())),
         .formula = q.pipeUtilisation[loop.precision()].how,
         .value = loop.busy,
         .unit = Unit::Share,
         .threshold = asked(leastOfLoop(input))},
        {.label = Words("fused multiply-adds among its instructions"),
         .formula = fusedShare.how,
         .value = fused,
         .unit = Unit::Share,
         .threshold = kLeastFused},
        {.label = Words("operands read again on the SM, per multiply-add"),
         .formula = std::string(counter::kSharedLoadBytes) + " + what " +
                    std::string(counter::kGlobalLoadBytes) + " exceeds the L2's bytes by",
         .value = loop.operands.reread,
         .unit = Unit::Bytes,
         .threshold = asked(kLeastReread)},
        {.label = Words("operands loaded from global memory, per multiply-add"),
         .formula = counter::kGlobalLoadBytes,
         .value = loop.operands.streamed,
         .unit = Unit::Bytes,
         .threshold = asked(kLeastStreamed)}};
    const std::string_view multiplyAdds = loop.half ? counter::kFp16Fma : counter::kFp32Fma;
    finding.expected = {
        {.counter = Words::lasting(multiplyAdds),
         .what = moved::Counters{multiplyAdds},
         .from = loop.multiplyAdds / (loop.half ? 2 : 1),  // packed: two per instruction
         .to = 0.0,
         .unit = Unit::Count}};
    return finding;
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    const Resources resources = resourcesOf(q);
    const bool half = resources.busy(ResourceId::Fp16) > resources.busy(ResourceId::Fp32);
    const Precision precision = half ? Precision::Fp16 : Precision::Fp32;
    const ResourceId pipe = half ? ResourceId::Fp16 : ResourceId::Fp32;
    if (!resources.find(pipe)) return cannotTell(q.pipeUtilisation[precision].missing);

    const double busy = std::min(1.0, resources.busy(pipe));
    // If the loop of products has time to spare, faster products save nothing. A library is an
    // exception: it uses another loop for the other type.
    const double loop =
        std::max({busy, resources.busy(ResourceId::Issue), resources.busy(ResourceId::SharedPipe)});
    const bool small = busy < leastOfLoop(input) || loop < kBusyOfLoop;
    if (small && (half || !isSmallProduct(input))) return NotApplicable{};
    const auto ruledOut = [&](Words why, double cost) {
        return RuledOut{.args = {arg("precision", Words::lasting(toString(precision))),
                                 arg("pipe", busy, Unit::Share), arg("why", std::move(why))},
                        .cost = cost};
    };
    const auto& fused = q.fusedShare[precision];
    const auto& operations = q.flops[precision];
    if (const auto missing = firstMissing(fused, operations)) return cannotTell(*missing);
    if (fused->value < kLeastFused)
        return ruledOut(Words("its instructions are not all multiply-adds"), 0);
    // Issue slots and operands from shared memory shrink with the instructions, so they do not
    // count as another limit.
    const double besides =
        resources.busiestExcept({pipe, ResourceId::Issue, ResourceId::SharedPipe});
    if (besides - busy >= kLead && (!small || besides >= kBusyShare))
        return ruledOut(Words("another resource limits"), 1.0 - besides);
    if (!q.tensorUtilisation.has()) return cannotTell(q.tensorUtilisation.missing);
    // HFMA2 runs on the same pipe, so the rest is the difference of two readings.
    constexpr double kReading = 0.05;
    if (q.tensorInstructions.has() &&
        q.tensorInstructions->value >
            kTensorIdle + kReading * (q.tensorUtilisation->value - q.tensorInstructions->value))
        return ruledOut(Words("the tensor cores are in use"), 0);

    // operations = (plain + 2·fused) instructions; `fused` is the share of the fused ones.
    const double multiplyAdds = operations->value * fused->value / (1 + fused->value);
    const Operands operands = operandsOf(q, multiplyAdds);
    if (!operands.missing.empty()) return cannotTell(operands.missing);
    const bool sums = busy < kLeastOfLoop && operands.reread > kMostReread;
    if (!small && (operands.reread < kLeastReread || operands.streamed < kLeastStreamed || sums))
        return ruledOut(Words("it works on values in registers, not on tiles of matrices"), 0);
    if (!hasTensorCores(deviceOf(input), "tensor_fp16_ops")) return NotApplicable{};

    // Tensor cores relieve the arithmetic and all that waits for it. With operands straight from
    // shared memory or larger tiles, they relieve the shared pipe, too. 16-bit inputs halve what
    // has to come from the L2 and the DRAM. For a library's small product, the waits and the L2
    // requests depend on its tiles, and another kernel has other tiles.
    const Loop found{half, small, busy, multiplyAdds, operands};
    const double dram = resources.busy(ResourceId::Dram);
    const double moved = small ? dram : std::max(dram, resources.busy(ResourceId::L2));
    const double others =
        small ? 0.0
              : resources.busiestExcept({ResourceId::Dram, ResourceId::L2, ResourceId::L1,
                                         ResourceId::SharedPipe, ResourceId::Fp32, ResourceId::Fp16,
                                         ResourceId::Issue});
    const double floor = std::max({moved * found.bytesLeft(), others, (1.0 - fused->value) * busy,
                                   fused->value * busy / kMostFaster});
    const double gain = limitToEmptyLaunch(input, 1.0 - floor);
    if (gain < kLeastReportedGain)
        return ruledOut(Words("the memory would limit it as much"), gain);

    return describe(input, found, gain);
}

}  // namespace

extern const Rule missing_tensor_core;
const Rule missing_tensor_core{
    .id = "missing-tensor-core",
    .category = "latency",
    .needs = {CounterGroup::Default},
    .before =
        "for (int k = 0; k < kDepth; ++k)\n"
        "    sum = fmaf(aTile[row][k], bTile[k][column], sum);",
    .after =
        "wmma::load_matrix_sync(a, aTile, kStride);\n"
        "wmma::load_matrix_sync(b, bTile, kStride);\n"
        "wmma::mma_sync(sums, a, b, sums);  // fp32 sums",
    .en = {.title = "Matrix-product arithmetic without tensor cores",
           .firesWhen =
               "The FP32 or FP16 pipe limits, or the loop that feeds it, at least 90 % of its "
               "instructions are fused multiply-adds "
               "that read tiles of operands again and again, and no tensor instruction was issued. "
               "A library's product of fp32 matrices need not keep the pipe busy.",
           .sentence =
               "The {precision} pipe is {pipe} busy, {fused} of its instructions are fused "
               "multiply-adds that read {reread} of operands each from on-chip memory, as products "
               "of matrices do, and no tensor instruction was issued.",
           .mechanism =
               "Tensor cores of an H200 do 15 times as many products per second with 16-bit inputs "
               "as its FP32 pipe, 7 times as many with TF32; GeForce chips gain less.",
           .edit = "For products of matrices and convolutions use {types} inputs with fp32 sums: "
                   "{how}. fp32 inputs lose mantissa (TF32 and fp16 keep 10 bits, bf16 7; fp16 "
                   "loses range, too): only where the result tolerates that.",
           .ruledOut = "missing tensor cores ({precision} pipe {pipe} busy, but {why})",
           .gain = "(1 − busiest of DRAM / 2, L2 / 2 (16-bit inputs), the other pipes and what the "
                   "pipe does beside fused multiply-adds, and not below 1/32 of those) × duration",
           .editInGeneral =
               "If the inner loop is a product of matrices or a convolution, use bf16, fp16 or "
               "TF32 inputs with fp32 sums: cuBLAS, WMMA, mma.sync or wgmma; of a library, allow "
               "it there. Do it only where the result tolerates fewer bits.",
           .editInTriton =
               "In Triton, let tl.dot multiply blocks (each side at least 16) of {types} inputs "
               "with fp32 sums. Of fp32 inputs it uses tensor cores only without "
               "input_precision=\"ieee\" (\"tf32x3\" keeps most of the mantissa): only where the "
               "result tolerates it."},
    .check = check,
    .editPlace = EditPlace::Caller,
    .changesDataTypes = true,
    .explains = {"dominant-stall"}};

}  // namespace roofscope::rules
