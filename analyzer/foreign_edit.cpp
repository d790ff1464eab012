// SPDX-License-Identifier: Apache-2.0
#include "analyzer/foreign_edit.h"

namespace roofscope {

Words foreignEdit(KernelOrigin origin) {
    switch (origin) {
        case KernelOrigin::Own:
            return {};
        case KernelOrigin::Triton:
            return {
                "If this kernel is written in Triton, reach it by what Triton leaves to its "
                "author: the order of offsets and strides, the BLOCK sizes, num_warps and "
                "num_stages.",
                "如果该内核用 Triton 编写，就通过 Triton 留给作者的手段来实现：偏移与步长的顺序、"
                "BLOCK 大小、num_warps 和 num_stages。"};
        case KernelOrigin::Compiler:
            return {
                "torch.compile generated this kernel: change the PyTorch operators that it came "
                "from (their order, layout or types), or compile with mode=\"max-autotune\".",
                "该内核由 torch.compile 生成：修改生成它的 PyTorch 算子（顺序、内存布局或类型），"
                "或用 mode=\"max-autotune\" 编译。"};
        case KernelOrigin::PyTorch:
            return {
                "This kernel is PyTorch's: change what it is given (layout: contiguous(), "
                "channels_last; shape; type), call another operator, or have torch.compile "
                "write one for this case.",
                "该内核属于 PyTorch：改变传给它的内容（内存布局：contiguous()、channels_last；"
                "形状；类型），换用其他算子，或让 torch.compile 为此情形生成内核。"};
        case KernelOrigin::Library:
            return {
                "This kernel is a library's: change what it is given (layout, shape, type, "
                "alignment) or call another of its functions.",
                "该内核属于某个库：改变传给它的内容（内存布局、形状、类型、对齐），或调用该库"
                "的其他函数。"};
    }
    return {};
}

}  // namespace roofscope
