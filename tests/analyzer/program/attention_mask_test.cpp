// SPDX-License-Identifier: Apache-2.0
// Attention whose mask differs between samples, which hides padding.
#include "analyzer/program/operators/attention_mask.h"

#include <memory>
#include <string>

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

bool masks(const std::string& op, const std::string& mask, std::uint32_t kernel = 0) {
    const std::string operand = "[64, 12, 512, 64]";
    auto profile = std::make_shared<Profile>();
    profile->callSites.push_back({.kernel = kernel,
                                  .op = op,
                                  .sizes = operand + ", " + operand + ", " + operand + mask,
                                  .count = 1});
    Analysis analysis;
    analysis.profile = profile;
    analysis.kernels.emplace_back();
    const std::uint32_t asked[] = {0};
    return program::masksSamples(analysis, asked);
}

}  // namespace

TEST_CASE("a mask for each sample is told from one for all, and from none") {
    constexpr const char* kAttention = "aten::_cudnn_attention_forward";
    CHECK(masks(kAttention, ", [64, 1, 512, 512]"));
    CHECK(masks("aten::_efficient_attention_forward", ", [64, 12, 512, 512]"));
    CHECK_FALSE(masks(kAttention, ""));
    CHECK_FALSE(masks(kAttention, ", [1, 1, 512, 512]"));  // causal
    CHECK_FALSE(masks(kAttention, ", [64]"));
    CHECK_FALSE(masks(kAttention, ", [32, 1, 512, 512]"));
    CHECK(masks(kAttention, ", [64, 1, 1, 512]"));  // by key only
    CHECK_FALSE(masks("aten::bmm", ", [64, 1, 512, 512]"));
    CHECK_FALSE(masks("aten::_cudnn_attention_backward", ", [64, 12, 512, 512]"));
    CHECK_FALSE(masks(kAttention, ", [64, 1, 512, 512]", 1));  // another kernel
}
