// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/library_edit.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "analyzer/names/library_product.h"
#include "analyzer/names/multiplied_type.h"

namespace roofscope {
namespace {

/// Whether a convolution runs in the layout and in a type that cuDNN's tensor-core kernels want.
/// Names of CUTLASS also tell numbers of channels that are no multiples of 8.
bool isAsAdvised(std::string_view name) {
    const auto type = multipliedType(name);
    const bool fewChannels = name.find("_align1") != name.npos ||
                             name.find("_align2") != name.npos || name.find("_align4") != name.npos;
    return name.find("nhwc") != name.npos && !fewChannels && type &&
           (type->type == Arithmetic(TensorType::Bf16) ||
            type->type == Arithmetic(TensorType::Fp16));
}

/// Absent if there is nothing left that its caller could do.
std::optional<Words> editOfProduct(const LibraryProduct& product, std::string_view name,
                                   bool tooLittleWork) {
    using Kind = LibraryProduct::Kind;
    if (product.kind == Kind::Vector)
        return Words(
            "This is a matrix-vector product, which reads the whole matrix for each vector. Pass "
            "several vectors at once (a larger batch) to make it a matrix product.");
    if (product.kind == Kind::PartialSums)
        return Words(
            "It adds the partial sums of a product that cuBLAS split along k because the result "
            "has few tiles. A larger batch needs no split.");
    if (product.kind == Kind::Convolution) {
        if (tooLittleWork)
            return Words(
                "This convolution has too few output tiles for the GPU: give it a larger batch.");
        if (isAsAdvised(name)) return std::nullopt;
        return Words(
            "This convolution is cuDNN's: use channels-last tensors (NHWC) in bf16 or fp16, "
            "channels that are multiples of 8, and let it search for its best kernel "
            "(torch.backends.cudnn.benchmark).");
    }
    if (tooLittleWork)
        return Words(
            "This product has too few tiles for the GPU: give it a larger batch, or compute "
            "independent products of one shape together (torch.bmm, "
            "cublasGemmStridedBatched).");
    if (product.plainFp32)
        return Words(
            "This product is computed in FP32 without tensor cores: allow TF32 "
            "(torch.backends.cuda.matmul.allow_tf32, CUBLAS_COMPUTE_32F_FAST_TF32) or "
            "pass bf16, where the result tolerates it.");
    return Words(
        "This is a library's matrix product: change its shape (multiples of 128 and larger batches "
        "fill whole tiles), its type or its layout.");
}

/// What the caller of a PyTorch kernel can do, by a part of the kernel's name.
struct KnownOperator {
    std::vector<std::string_view> names;  ///< any of them
    Words edit;
};

std::optional<Words> editOfOperator(std::string_view name) {
    static const std::vector<KnownOperator> kKnown{
        {{"CatArrayBatchedCopy"},
         Words("torch.cat copies all of its inputs. Allocate the result once and write the parts "
               "into it; in a decode loop use a static cache (transformers: "
               "cache_implementation=\"static\").")},
        {{"fmha_cutlass"},
         Words("This is PyTorch's memory-efficient attention, which is used for FP32 inputs. With "
               "bf16 or fp16 inputs, scaled_dot_product_attention uses the flash kernel.")},
        {{"multi_tensor_apply_kernel"},
         Words(
             "This is the optimiser, one launch per operation: pass fused=True to it (AdamW, Adam, "
             "SGD), or compile its step.")},
        {{"elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy",
          "elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::direct_copy"},
         Words("This copies a non-contiguous tensor (a transposed, sliced or expanded view): keep "
               "the layout that the next operator needs, or call contiguous() once outside of the "
               "loop.")},
        {{"elementwise_kernel<128, 4, at::native::gpu_kernel_impl",
          "elementwise_kernel<128, 2, at::native::gpu_kernel_impl"},
         Words(
             "PyTorch takes this kernel when an operand is a transposed, sliced or broadcast view: "
             "pass contiguous tensors of one layout (channels_last for both), or let torch.compile "
             "fuse the operator with its neighbours.")},
        {{"vectorized_elementwise_kernel", "unrolled_elementwise_kernel"},
         Words("An elementwise operator in a launch of its own reads and writes its whole tensor: "
               "let torch.compile fuse it with its neighbours.")},
        {{"vectorized_gather_kernel"},
         Words(
             "This gathers whole rows by index, with a block for each row. If rows are short, let "
             "torch.compile fuse the gather with what reads it, or gather once for several "
             "readers.")},
        {{"indexSelect", "index_elementwise_kernel", "_scatter_gather"},
         Words("This gathers by index: sort or group the indices so that neighbours share rows, or "
               "gather whole rows instead of elements.")},
        {{"reduce_kernel"},
         Words("Reduce along the last dimension of a contiguous tensor, reduce once instead of "
               "several times, or let torch.compile fuse the reduction with what precedes it.")},
        {{"GammaBetaBackward"},
         Words(
             "This sums the gradients of a normalisation's weights over all rows, with blocks for "
             "its width only: let torch.compile write the normalisation, which divides the rows, "
             "too.")},
        {{"layer_norm", "SoftMax", "batch_norm"},
         Words("Let torch.compile write this normalisation for its shape and fuse it with its "
               "neighbours, or batch more rows per call.")},
    };
    for (const KnownOperator& known : kKnown)
        for (const std::string_view part : known.names)
            if (name.find(part) != name.npos) return known.edit;
    return std::nullopt;
}

/// Whether it is an algorithm of CUB or Thrust (sort, scan, reduce, histogram, select). Their
/// namespaces may be nested in a versioned one.
bool isAlgorithm(std::string_view name) {
    return name.find("cub::") != name.npos || name.find("thrust::") != name.npos;
}

}  // namespace

std::optional<Words> libraryEdit(KernelOrigin origin, std::string_view name, bool tooLittleWork) {
    switch (origin) {
        case KernelOrigin::Own:
            return Words{};
        case KernelOrigin::Triton:
            return Words{
                "If this kernel is written in Triton, change what Triton leaves to the author: the "
                "order of offsets and strides, the BLOCK sizes, num_warps and num_stages."};
        case KernelOrigin::Numba:
            return Words{
                "In Numba: let the last index follow threadIdx.x (the first value of "
                "cuda.grid(2)), keep data that a block reads repeatedly in a cuda.shared.array, "
                "and tune the launch configuration [grid, block]."};
        case KernelOrigin::Compiler:
            return Words{
                "torch.compile generated this kernel: change the PyTorch operators that it came "
                "from (their order, layout or types), or compile with mode=\"max-autotune\"."};
        case KernelOrigin::Xla:
            if (name.find("concatenate") != name.npos)
                return Words{
                    "XLA generated this kernel for arrays that are joined, stacked or rolled "
                    "(concatenate). If that is along the last axis, the lanes of a warp take "
                    "different inputs: make it the first axis, keep the operators in one jit so "
                    "that they fuse, or write it in Pallas."};
            return Words{
                "XLA generated this kernel: change the operators that it came from (their "
                "order, axes or types), keep them in one jit so that they fuse, or write it "
                "in Pallas."};
        case KernelOrigin::CuPy:
            // Elementwise kernels have types in their names, reductions have not.
            if (tooLittleWork && name.starts_with("cupy_") && name.find("__") == name.npos)
                return Words{
                    "CuPy reduces a long axis to few results here, with hardly a block for each: "
                    "sum in two steps (reshape the axis into parts), make it the last axis of a "
                    "contiguous array, or call another operator: a matrix product with a mask "
                    "(mask @ x), bincount for sums by label."};
            return Words{
                "CuPy generated this kernel for one operator: fuse several with cupy.fuse or "
                "an ElementwiseKernel, pass contiguous arrays, or write a RawKernel."};
        case KernelOrigin::PyTorch:
            if (auto edit = editOfOperator(name)) return edit;
            if (tooLittleWork)
                return Words{
                    "The grid of this PyTorch kernel follows from its input: give it more in one "
                    "call (several tables, tensors or batches as one), or let torch.compile fuse "
                    "it with its neighbours."};
            return Words{
                "This is a PyTorch kernel: change its inputs (layout: contiguous(), channels_last; "
                "shape; type), call another operator, or let torch.compile generate one for this "
                "case."};
        case KernelOrigin::Library:
            if (const auto product = libraryProduct(name))
                return editOfProduct(*product, name, tooLittleWork);
            if (isAlgorithm(name)) {
                if (!tooLittleWork) return std::nullopt;
                return Words{
                    "This algorithm is CUB's or Thrust's: give it more elements per call, or many "
                    "small problems at once (its segmented or batched form)."};
            }
            // Of others, nothing is known that would change how they access memory or compute (the
            // passes of a transform along its outer axes are strided).
            if (!tooLittleWork) return std::nullopt;
            return Words{
                "This is a library's kernel: give it more work per call, or many small problems at "
                "once (a batched form of the function)."};
    }
    return Words{};
}

std::optional<Words> editOfStridedInput(KernelOrigin origin, std::string_view name) {
    constexpr std::string_view kPasses[] = {"Reduce", "Transform", "transform", "Scan"};
    const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
    // Its template arguments may name iterators that transform.
    const std::string_view own = name.substr(0, name.find('<'));
    const bool passes = std::ranges::any_of(
        kPasses, [own](std::string_view part) { return own.find(part) != own.npos; });
    // Permutations and functions of a counter gather by an index.
    if (origin != KernelOrigin::Library || !isAlgorithm(own) || !passes || has("permutation") ||
        has("counting_iterator") || has("CountingInputIterator"))
        return std::nullopt;
    return Words(
        "Each load uses a few bytes of its sectors, as with one field of structs: pass the fields "
        "that are used as arrays of their own (structure of arrays; a zip iterator joins them).");
}

}  // namespace roofscope
