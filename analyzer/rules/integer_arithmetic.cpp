// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/busy_pipe.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kStalls[] = {"math_pipe_throttle"};

RuleResult check(const RuleInput& input) {
    return checkBusyPipe(input, {.resource = ResourceId::Integer,
                                 .utilisation = input.kernel.quantities.integerUtilisation,
                                 .counter = counter::kIntegerPipe,
                                 .stalls = kStalls,
                                 .label = {"integer, logic and comparison pipe (ALU) in use",
                                           "整数、逻辑与比较流水线（ALU）利用率"}});
}

}  // namespace

extern const Rule integer_arithmetic;
const Rule integer_arithmetic{
    .id = "integer-arithmetic",
    .category = "latency",
    .needs = {CounterGroup::Default, CounterGroup::Pipes},
    .before = "for (int k = 0; k < depth; ++k) sum += x[(row * depth + k) * stride + k % period];",
    .after =
        "const float* p = x + row * depth * stride;\nfor (int k = 0; k < depth; ++k, p += stride) "
        "sum += p[phase[k]];",
    .en = {.title = "Integer arithmetic takes the time",
           .firesWhen =
               "The pipe for integers, logic and comparisons (ALU) is at least 60 % busy and "
               "leads every other resource but instruction issue by 10 points.",
           .sentence = "The pipe for integers, logic and comparisons is {pipe} busy, nothing else "
                       "more than {others}.",
           .mechanism = "Index arithmetic, bounds checks and bit operations run on a pipe of their "
                        "own. When it leads, the kernel computes addresses or bits, not results.",
           .edit =
               "If it is address arithmetic: take it out of the inner loop (advance a pointer by "
               "a constant), use 32-bit indices, replace / and % by a variable through shifts or "
               "precomputed reciprocals, let each thread handle several neighbouring elements, "
               "and make strides compile-time constants.",
           .ruledOut = "integer arithmetic (its pipe is {pipe} busy)",
           .gain = "(1 − busiest other resource, issue aside) × duration, at most the pipe's "
                   "utilisation; what replaces the instructions is not subtracted",
           .editInTriton = "In Triton, take address arithmetic out of the loop (advance the "
                           "pointers, or use tensor descriptors), keep offsets in 32 bits, avoid / "
                           "and % by values that are no tl.constexpr, and let each thread handle "
                           "more neighbouring elements (a larger BLOCK)."},
    .zh =
        {.title = "时间花在整数运算上",
         .firesWhen =
             "整数、逻辑与比较流水线（ALU）利用率至少 60 %，并且比指令发射以外的其他资源都高"
             "出 10 个百分点。",
         .sentence = "整数、逻辑与比较流水线利用率 {pipe}，其他资源都不超过 {others}。",
         .mechanism =
             "下标计算、越界检查和位运算在单独的流水线上执行。它成为最忙资源时，内核在算地址"
             "或位，而不是在算结果。",
         .edit =
             "如果是地址计算：把它移出内层循环（指针按常量递增），使用 32 位下标，用移位或预先算好"
             "的倒数代替对变量的 / 和 %，让每个线程处理多个相邻元素，并把步长写成编译期常量。",
         .ruledOut = "整数运算（其流水线利用率 {pipe}）",
         .gain =
             "(1 − 除发射外的其他最忙资源) × 耗时，至多为该流水线利用率；替代指令所需时间未扣除",
         .editInTriton = "在 Triton 中，把地址计算移出循环（递增指针，或使用张量描述符），偏移保持 "
                         "32 位，避免对非 tl.constexpr 的值做 / 和 "
                         "%，并让每个线程处理更多相邻元素（更大的 BLOCK）。"},
    .check = check,
    .canChangeVerdict = true};

}  // namespace roofscope::rules
