// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/library_edit.h"

#include <optional>
#include <vector>

#include "analyzer/names/library_product.h"

namespace roofscope {
namespace {

Words editOfProduct(const LibraryProduct& product, bool tooLittleWork) {
    using Kind = LibraryProduct::Kind;
    if (product.kind == Kind::Vector)
        return {
            "This is a matrix times one vector: it reads the whole matrix for each. Give it "
            "several vectors at once (a larger batch), and it becomes a product of matrices.",
            "这是矩阵乘单个向量：每个向量都要读取整个矩阵。一次给它多个向量（更大的批次），"
            "就成为矩阵乘法。"};
    if (product.kind == Kind::PartialSums)
        return {
            "It adds the parts of a product that cuBLAS split along k because its result has "
            "few tiles: a larger batch needs no split.",
            "它累加 cuBLAS 沿 k 拆分的乘积的各部分，因为结果的分块太少：批次更大时无需拆分。"};
    if (product.kind == Kind::Convolution)
        return tooLittleWork
                   ? Words(
                         "This convolution has too few output tiles for the GPU: give it a "
                         "larger batch.",
                         "该卷积的输出分块不足以填满 GPU：使用更大的批次。")
                   : Words(
                         "This convolution is cuDNN's: use channels-last tensors (NHWC) in bf16 "
                         "or fp16, channels that are multiples of 8, and let it search for its "
                         "best kernel (torch.backends.cudnn.benchmark).",
                         "该卷积属于 cuDNN：使用 bf16 或 fp16 的 channels-last 张量（NHWC），"
                         "通道数取 8 的倍数，并让它搜索最佳内核（torch.backends.cudnn."
                         "benchmark）。");
    if (tooLittleWork)
        return {
            "This product has too few tiles for the GPU: give it a larger batch, or compute "
            "independent products of one shape together (torch.bmm, "
            "cublasGemmStridedBatched).",
            "该乘积的分块不足以填满 GPU：使用更大的批次，或把同形状的独立乘积合并计算"
            "（torch.bmm、cublasGemmStridedBatched）。"};
    if (product.plainFp32)
        return {
            "This product is computed in FP32 without tensor cores: allow TF32 "
            "(torch.backends.cuda.matmul.allow_tf32, CUBLAS_COMPUTE_32F_FAST_TF32) or "
            "pass bf16, where the result tolerates it.",
            "该乘积以 FP32 计算，没有用张量核心：在结果允许时启用 TF32（torch.backends.cuda."
            "matmul.allow_tf32、CUBLAS_COMPUTE_32F_FAST_TF32）或传入 bf16。"};
    return {
        "This product is a library's: change its shape (dimensions that are multiples of 128 "
        "and larger batches fill whole tiles), its type or its layout.",
        "该乘积由库计算：改变其形状（维度取 128 的倍数、更大的批次可填满整个分块）、类型或"
        "内存布局。"};
}

/// What a part of a PyTorch kernel's name says that its caller can do.
struct KnownOperator {
    std::vector<std::string_view> names;  ///< any of them
    Words edit;
};

std::optional<Words> editOfOperator(std::string_view name) {
    static const std::vector<KnownOperator> kKnown{
        {{"CatArrayBatchedCopy"},
         {"torch.cat copies all of its inputs. Allocate the result once and write the parts into "
          "it; in a decode loop use a static cache (transformers: "
          "cache_implementation=\"static\").",
          "torch.cat 会拷贝所有输入。一次性分配结果并把各部分写入其中；在解码循环中使用静态缓存"
          "（transformers：cache_implementation=\"static\"）。"}},
        {{"fmha_cutlass"},
         {"This is PyTorch's memory-efficient attention, which FP32 inputs get: bf16 or fp16 "
          "inputs get the flash kernel (scaled_dot_product_attention).",
          "这是 FP32 输入所用的 PyTorch memory-efficient attention：bf16 或 fp16 输入会使用 flash "
          "内核（scaled_dot_product_attention）。"}},
        {{"multi_tensor_apply_kernel"},
         {"This is the optimiser, one launch per operation: pass fused=True to it (AdamW, Adam, "
          "SGD), or compile its step.",
          "这是优化器，每个操作一次启动：为其传入 fused=True（AdamW、Adam、SGD），或编译其 "
          "step。"}},
        {{"elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy",
          "elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::direct_copy"},
         {"This copies a tensor whose elements do not lie in order (a transposed, sliced or "
          "expanded view): keep the layout that the next operator wants, or call contiguous() "
          "once outside of the loop.",
          "它拷贝元素未按顺序存放的张量（转置、切片或扩展的视图）：保持下一个算子需要的布局，或"
          "在循环之外调用一次 contiguous()。"}},
        {{"elementwise_kernel<128, 4, at::native::gpu_kernel_impl",
          "elementwise_kernel<128, 2, at::native::gpu_kernel_impl"},
         {"PyTorch takes this kernel when an operand is a transposed, sliced or broadcast view: "
          "pass contiguous tensors of one layout (channels_last for both), or let torch.compile "
          "fuse the operator with its neighbours.",
          "当操作数是转置、切片或广播视图时，PyTorch 使用此内核：传入同一布局的连续张量（两者都用 "
          "channels_last），或让 torch.compile 把该算子与相邻算子融合。"}},
        {{"vectorized_elementwise_kernel", "unrolled_elementwise_kernel"},
         {"An elementwise operator in a launch of its own reads and writes its whole tensor: let "
          "torch.compile fuse it with its neighbours.",
          "单独启动的逐元素算子要读写整个张量：让 torch.compile 把它与相邻算子融合。"}},
        {{"indexSelect", "index_elementwise_kernel", "vectorized_gather_kernel", "_scatter_gather"},
         {"This gathers by index: sort or group the indices so that neighbours share rows, or "
          "gather whole rows instead of elements.",
          "它按索引收集：对索引排序或分组使相邻者共享行，或收集整行而不是单个元素。"}},
        {{"reduce_kernel"},
         {"Reduce along the last dimension of a contiguous tensor, reduce once instead of several "
          "times, or let torch.compile fuse the reduction with what precedes it.",
          "沿连续张量的最后一维归约，一次归约代替多次，或让 torch.compile 把归约与其前面的算子"
          "融合。"}},
        {{"layer_norm", "SoftMax", "batch_norm"},
         {"Let torch.compile write this normalisation for its shape and fuse it with its "
          "neighbours, or batch more rows per call.",
          "让 torch.compile 为该形状生成此归一化并与相邻算子融合，或每次调用处理更多行。"}},
    };
    for (const KnownOperator& known : kKnown)
        for (const std::string_view part : known.names)
            if (name.find(part) != name.npos) return known.edit;
    return std::nullopt;
}

/// CUB's and Thrust's algorithms (sort, scan, reduce, histogram, select), whose namespaces may
/// stand within a versioned one.
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
                "If this kernel is written in Triton, reach it by what Triton leaves to its "
                "author: the order of offsets and strides, the BLOCK sizes, num_warps and "
                "num_stages.",
                "如果该内核用 Triton 编写，就通过 Triton 留给作者的手段来实现：偏移与步长的顺序、"
                "BLOCK 大小、num_warps 和 num_stages。"};
        case KernelOrigin::Numba:
            return Words{
                "In Numba: let the last index follow threadIdx.x (of cuda.grid(2) the first "
                "value), use cuda.shared.array for what a block reads again, and choose the "
                "launch configuration [grid, block].",
                "在 Numba 中：让最后一个下标跟随 threadIdx.x（cuda.grid(2) 的第一个值），用 "
                "cuda.shared.array 存放线程块重复读取的数据，并选择启动配置 [grid, block]。"};
        case KernelOrigin::Compiler:
            return Words{
                "torch.compile generated this kernel: change the PyTorch operators that it came "
                "from (their order, layout or types), or compile with mode=\"max-autotune\".",
                "该内核由 torch.compile 生成：修改生成它的 PyTorch 算子（顺序、内存布局或类型），"
                "或用 mode=\"max-autotune\" 编译。"};
        case KernelOrigin::Xla:
            return Words{
                "XLA generated this kernel: change the operators that it came from (their "
                "order, axes or types), keep them in one jit so that they fuse, or write it "
                "in Pallas.",
                "该内核由 XLA 生成：修改生成它的算子（顺序、轴或类型），让它们处于同一个 jit "
                "中以便融合，或用 Pallas 编写。"};
        case KernelOrigin::CuPy:
            return Words{
                "CuPy generated this kernel for one operator: fuse several with cupy.fuse or "
                "an ElementwiseKernel, pass contiguous arrays, or write a RawKernel.",
                "CuPy 为单个算子生成了该内核：用 cupy.fuse 或 ElementwiseKernel 融合多个算子，"
                "传入连续数组，或编写 RawKernel。"};
        case KernelOrigin::PyTorch:
            if (auto edit = editOfOperator(name)) return edit;
            return Words{
                "This kernel is PyTorch's: change what it is given (layout: contiguous(), "
                "channels_last; shape; type), call another operator, or have torch.compile "
                "write one for this case.",
                "该内核属于 PyTorch：改变传给它的内容（内存布局：contiguous()、channels_last；"
                "形状；类型），换用其他算子，或让 torch.compile 为此情形生成内核。"};
        case KernelOrigin::Library:
            if (const auto product = libraryProduct(name))
                return editOfProduct(*product, tooLittleWork);
            if (isAlgorithm(name)) {
                if (!tooLittleWork) return std::nullopt;
                return Words{
                    "This algorithm is CUB's or Thrust's: give it more elements per call, or many "
                    "small problems at once (its segmented or batched form).",
                    "该算法属于 CUB 或 Thrust：每次调用给它更多元素，或一次处理许多小问题（使用其"
                    "分段或批量形式）。"};
            }
            return Words{
                "This kernel is a library's: change what it is given (layout, shape, type, "
                "alignment) or call another of its functions.",
                "该内核属于某个库：改变传给它的内容（内存布局、形状、类型、对齐），或调用该库"
                "的其他函数。"};
    }
    return Words{};
}

}  // namespace roofscope
