// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

namespace {

/// Whether it is a cuDNN kernel that only copies a tensor to the layout of its convolution, or
/// back.
bool convertsLayout(std::string_view name) {
    return name.find("cudnn::") != name.npos && (name.find("nchwToNhwcKernel<") != name.npos ||
                                                 name.find("nhwcToNchwKernel<") != name.npos);
}

RuleResult check(const RuleInput& input) {
    if (input.kernel.origin != KernelOrigin::Library || !convertsLayout(input.kernel.fullName))
        return NotApplicable{};
    if (!(duration(input) > 0)) return NotApplicable{};
    Finding finding = makeFinding(input, 1.0);
    // Convolutions may also get a faster kernel in the other layout.
    finding.estimate = true;
    finding.relief = relieves({ResourceId::Dram, ResourceId::L2, ResourceId::L1,
                               ResourceId::SharedPipe, ResourceId::Issue});
    finding.evidence = {{.label = Words("share of the launch that only changes the layout"),
                         .formula = "kernel name",
                         .value = 1.0,
                         .unit = Unit::Share,
                         .threshold = 1.0,
                         .healthy = 0.0}};
    return finding;
}

}  // namespace

extern const Rule layout_conversion;
const Rule layout_conversion{
    .id = "layout-conversion",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "y = model(x)",
    .after =
        "model = model.to(memory_format=torch.channels_last)\n"
        "y = model(x.to(memory_format=torch.channels_last))",
    .en = {.title = "Layout conversion around convolutions",
           .firesWhen = "The kernel is cuDNN's nchwToNhwcKernel or nhwcToNchwKernel.",
           .sentence =
               "The launch computes nothing: cuDNN copies a tensor into the layout that its "
               "convolution kernel needs, or back.",
           .mechanism =
               "cuDNN's tensor-core kernels take NHWC. Tensors in PyTorch's default layout, "
               "NCHW, are converted before each convolution and its result after it, in "
               "the backward pass again.",
           .edit = "Keep the tensors of convolutions in NHWC from the network's input on; in "
                   "PyTorch model.to(memory_format=torch.channels_last) and "
                   "x.to(memory_format=torch.channels_last), once each: operators between "
                   "convolutions keep the layout.",
           .ruledOut = "a conversion of the layout",
           .gain = "duration",
           .editInGeneral = "Keep the tensors of convolutions in NHWC (channels-last) from the "
                            "network's input on."},
    .check = check,
    .editPlace = EditPlace::Program,
    .removesLaunch = true,
    .explains = {"global-uncoalesced", "global-narrow-access", "shared-bank-conflict",
                 "low-occupancy", "bytes-in-flight", "dominant-stall", "wave-tail",
                 "grid-too-small", "idle-lanes"}};

}  // namespace roofscope::rules
