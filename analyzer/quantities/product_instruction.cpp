// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/product_instruction.h"

#include <charconv>
#include <string>
#include <utility>

#include "analyzer/names/multiplied_type.h"
#include "analyzer/source/sass.h"

namespace roofscope {
namespace {

constexpr std::string_view kWgmma = "wgmma", kFp64 = "fp64", kMma32 = "mma_k32", kMma16 = "mma_k16";

bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

int bytesOf(TensorType type) {
    switch (type) {
        case TensorType::Fp64:
            return 8;
        case TensorType::Tf32:
            return 4;
        case TensorType::Bf16:
        case TensorType::Fp16:
            return 2;
        default:
            return 1;
    }
}

/// mma.sync that takes `depth` elements of a row.
std::optional<std::string_view> mmaForm(TensorType type, int depth) {
    const int bytes = depth * bytesOf(type);
    return bytes == 32 ? std::optional(kMma32) : bytes == 16 ? std::optional(kMma16) : std::nullopt;
}

/// The K of "…_tensor16x8x16_…", "…_s16816gemm_…", "…_i16832gemm_…"; 0 if the name has none.
int depthInName(std::string_view name) {
    constexpr std::string_view kTensor = "_tensor16x8x";
    if (const auto at = name.find(kTensor); at != name.npos) {
        int depth = 0;
        const std::string_view digits = name.substr(at + kTensor.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), depth);
        return depth;
    }
    for (const auto& [digits, depth] :
         {std::pair("16832", 32), std::pair("16816", 16), std::pair("1688", 8)})
        for (const std::string_view work : {"gemm", "fprop", "dgrad", "wgrad"})
            if (holds(name, std::string(digits) + std::string(work))) return depth;
    return 0;
}

/// "HGMMA.64x128x16.F32.BF16", "HMMA.16816.F32", "IMMA.16832.S8.S8", "DMMA.8x8x4".
std::optional<ProductInstruction> ofOpcode(std::string_view opcode) {
    if (holds(opcode, ".SP")) return std::nullopt;  // sparse: twice the peak
    const std::string_view name = opcode.substr(0, opcode.find('.'));
    const TensorType sixteen = holds(opcode, ".BF16")   ? TensorType::Bf16
                               : holds(opcode, ".TF32") ? TensorType::Tf32
                                                        : TensorType::Fp16;
    if (name == "DMMA") return ProductInstruction{TensorType::Fp64, kFp64};
    if (name == "HGMMA") return ProductInstruction{sixteen, kWgmma};
    if (name == "QGMMA") return ProductInstruction{TensorType::Fp8, kWgmma};
    if (name == "IGMMA") return ProductInstruction{TensorType::Int8, kWgmma};
    const bool halves = name == "HMMA",
               integers = name == "IMMA" && (holds(opcode, ".S8") || holds(opcode, ".U8"));
    if (!halves && !integers) return std::nullopt;
    const TensorType type = halves ? sixteen : TensorType::Int8;
    const int depth = holds(opcode, ".16832")   ? 32
                      : holds(opcode, ".16816") ? 16
                      : holds(opcode, ".1688")  ? 8
                      : holds(opcode, ".1684")  ? 4
                                                : 0;
    const auto form = mmaForm(type, depth);
    return form ? std::optional(ProductInstruction{type, *form}) : std::nullopt;
}

bool isProduct(std::string_view opcode) { return holds(opcode.substr(0, opcode.find('.')), "MMA"); }

using MultipliedTypes = std::vector<std::optional<MultipliedType>>;

/// The 16-bit type of the products whose names say it; absent if there are both, or none.
std::optional<TensorType> sixteenBitType(const MultipliedTypes& products) {
    bool halves = false, brains = false;
    for (const auto& product : products)
        if (product && !product->maybeBf16) {
            halves = halves || product->type == TensorType::Fp16;
            brains = brains || product->type == TensorType::Bf16;
        }
    if (halves == brains) return std::nullopt;
    return brains ? TensorType::Bf16 : TensorType::Fp16;
}

/// `sixteen`: of kernels that may multiply either 16-bit type.
std::optional<ProductInstruction> byName(std::string_view name,
                                         const std::optional<MultipliedType>& multiplied,
                                         std::optional<TensorType> sixteen) {
    if (!multiplied || !multiplied->type.tensor()) return std::nullopt;
    if (holds(name, "sparse") || holds(name, "spgemm")) return std::nullopt;  // twice the peak
    const auto known = multiplied->maybeBf16 ? sixteen : *multiplied->type.tensor();
    if (!known) return std::nullopt;
    const TensorType type = *known;
    if (type == TensorType::Fp64) return ProductInstruction{type, kFp64};
    if (const int depth = depthInName(name); depth > 0) {
        const auto form = mmaForm(type, depth);
        return form ? std::optional(ProductInstruction{type, *form}) : std::nullopt;
    }
    if (holds(name, "nvjet_") || holds(name, "sm90_xmma_") || holds(name, "wgmma") ||
        holds(name, "FwdSm90") || holds(name, "BwdSm90"))
        return ProductInstruction{type, kWgmma};
    // The flash kernels in PyTorch are written for compute capability 8.0.
    if (holds(name, "Flash_fwd_kernel_traits") || holds(name, "Flash_bwd_kernel_traits"))
        return ProductInstruction{type, kMma32};
    // The memory-efficient ones are older; measured on an H200.
    if (holds(name, "fmha_cutlass") && holds(name, "_sm80"))
        return ProductInstruction{type, kMma16};
    return std::nullopt;
}

std::optional<ProductInstruction> byCode(const std::vector<Instruction>& code) {
    std::optional<ProductInstruction> found;
    for (const Instruction& instruction : code) {
        const std::string_view opcode = splitSass(instruction.sass).opcode;
        if (!isProduct(opcode)) continue;
        const auto one = ofOpcode(opcode);
        if (!one || (found && *found != *one)) return std::nullopt;
        found = one;
    }
    return found;
}

}  // namespace

ProductInstructions productInstructions(const Profile& profile) {
    MultipliedTypes multiplied;
    multiplied.reserve(profile.kernels.size());
    for (const Kernel& kernel : profile.kernels) multiplied.push_back(multipliedType(kernel.name));
    const auto sixteen = sixteenBitType(multiplied);
    ProductInstructions found(profile.kernels.size());
    for (std::size_t k = 0; k < found.size(); ++k)
        found[k] = byName(profile.kernels[k].name, multiplied[k], sixteen);
    std::vector<bool> read(found.size());
    for (const SourcePass& pass : profile.sources) {
        if (pass.kernel >= found.size() || found[pass.kernel] || read[pass.kernel]) continue;
        found[pass.kernel] = byCode(pass.instructions);
        read[pass.kernel] = true;
    }
    return found;
}

}  // namespace roofscope
