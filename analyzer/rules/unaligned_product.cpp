// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/names/library_product.h"
#include "profile/chips/chip.h"

namespace roofscope::rules {

namespace {

/// wgmma's time in the tensor pipe relative to mma.sync's (mma_instead_of_wgmma.cpp). A library's
/// fallback kernels do not use wgmma, its others do.
constexpr double kRateOfMma = 2.0 / 3.0;

RuleResult check(const RuleInput& input) {
    if (input.kernel.origin != KernelOrigin::Library) return NotApplicable{};
    const auto product = libraryProduct(input.kernel.fullName);
    // FP32 products on plain pipes are no slower unaligned: 1,090 µs against 1,087 on an H200.
    if (!product || !product->tensorCores || !product->aligned) return NotApplicable{};
    if (*product->aligned >= product->wanted) return NotApplicable{};
    const Quantities& q = input.kernel.quantities;
    const Resources resources = resourcesOf(q);
    for (const ResourceId needed : {ResourceId::Dram, ResourceId::Tensor})
        if (!resources.find(needed))
            return cannotTell(needed == ResourceId::Dram ? q.dramRead.missing
                                                         : q.tensorUtilisation.missing);
    const double rate =
        chipHas(deviceOf(input), ChipFeature::Wgmma).value_or(false) ? kRateOfMma : 1.0;
    const double floor =
        std::max(resources.busy(ResourceId::Dram), rate * resources.busy(ResourceId::Tensor));
    const double gain = limitToEmptyLaunch(input, 1.0 - std::min(1.0, floor));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief = {{ResourceId::Tensor, rate},
                      {ResourceId::L1, 0.0},
                      {ResourceId::L2, 0.0},
                      {ResourceId::SharedPipe, 0.0},
                      {ResourceId::Issue, 0.0}};
    finding.args = {arg("aligned", *product->aligned, Unit::Count),
                    arg("wanted", product->wanted, Unit::Count)};
    finding.evidence = {{.label = Words("row alignment, in elements"),
                         .formula = "kernel name",
                         .value = static_cast<double>(*product->aligned),
                         .unit = Unit::Count,
                         .threshold = static_cast<double>(product->wanted),
                         .healthy = static_cast<double>(product->wanted)}};
    return finding;
}

}  // namespace

extern const Rule unaligned_product;
const Rule unaligned_product{
    .id = "unaligned-product",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "vocabulary = 50257  # rows of 50,257 elements",
    .after = "vocabulary = 50304  # padded to a multiple of 8, here of 128",
    .en = {.title = "Matrix product with unaligned rows",
           .firesWhen = "The name of a library's tensor-core kernel says that its rows are "
                        "multiples of fewer elements than 16 bytes hold (align1, align2).",
           .sentence =
               "The library used a fallback kernel (its name ends in align{aligned}) that loads "
               "{aligned} {aligned?element:elements} at a time, because the row length is not a "
               "multiple of {wanted} elements, which its faster kernels need.",
           .mechanism =
               "Bulk copies and 16-byte loads need rows that begin at multiples of 16 "
               "bytes. On an H200, bf16 products with a vocabulary of 50,257 take 4 to 7 "
               "times as long as with 50,264 (rows of 512 to 768, batches of 16 to 4,096).",
           .edit = "Pad the dimension that is not a multiple of {wanted} to a multiple of 64 where "
                   "the tensor is created: 50,257 words become 50,304 (transformers: "
                   "resize_token_embeddings(pad_to_multiple_of=64)). Ignore the padded columns of "
                   "the result.",
           .ruledOut = "a product with unaligned rows",
           .gain = "(1 − busier of DRAM and tensor pipe, on compute capability 9.0 with 2/3 of the "
                   "tensor pipe's time for wgmma) × duration",
           .editInGeneral =
               "Pad the dimension of the product that is no multiple of 16 bytes (8 "
               "elements of bf16 or fp16, 4 of TF32) to one, where the tensor is made."},
    .check = check,
    .editPlace = EditPlace::Caller,
    .canBeatItsRoof = true,
    .explains = {"global-uncoalesced", "global-narrow-access", "mma-instead-of-wgmma",
                 "low-occupancy", "shared-bank-conflict", "bytes-in-flight"}};

}  // namespace roofscope::rules
