// SPDX-License-Identifier: Apache-2.0
// Attention whose mask differs between samples, which hides padding.
#include "analyzer/program/operators/attention_mask.h"

#include <string>

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

bool masks(const std::string& op, const std::string& mask) {
    const std::string operand = "[64, 12, 512, 64]";
    Profile profile;
    profile.callSites.push_back(
        {.op = op, .sizes = operand + ", " + operand + ", " + operand + mask, .count = 1});
    return program::masksSamples(profile);
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
    CHECK_FALSE(program::masksSamples(Profile{}));
}
