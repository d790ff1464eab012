// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/growing_cache.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/program/operators/kernel_role.h"

namespace roofscope::program {
namespace {

constexpr std::string_view kCat = "CatArrayBatchedCopy";

bool isAttention(std::string_view kernel) {
    constexpr std::string_view kNames[] = {"softmax",   "SoftMax",   "fmha",
                                           "flash_fwd", "attention", "Attention"};
    return std::ranges::any_of(
        kNames, [&](std::string_view name) { return kernel.find(name) != kernel.npos; });
}

using Sizes = std::vector<std::uint64_t>;

/// The first two of "[1, 16, 64], [1, 1, 64]".
std::pair<Sizes, Sizes> operands(std::string_view text) {
    std::pair<Sizes, Sizes> both;
    for (Sizes* sizes : {&both.first, &both.second}) {
        const auto open = text.find('['), close = text.find(']');
        if (open == text.npos || close == text.npos || close < open) break;
        std::string_view list = text.substr(open + 1, close - open - 1);
        text.remove_prefix(close + 1);
        while (!list.empty()) {
            const auto digit = list.find_first_of("0123456789");
            if (digit == list.npos) break;
            list.remove_prefix(digit);
            std::uint64_t size = 0;
            const auto read = std::from_chars(list.data(), list.data() + list.size(), size);
            list.remove_prefix(static_cast<std::size_t>(read.ptr - list.data()));
            sizes->push_back(size);
        }
    }
    return both;
}

/// Whether `now` is `before` with one entry more or less in one dimension, in which one entry is
/// appended. The skips of a U-Net differ in as many channels as they append, and where coordinates
/// are appended to images, these differ by more than one channel.
bool growsByOne(const Sizes& before, const Sizes& now, const Sizes& appended) {
    if (before.size() != now.size() || before.size() != appended.size()) return false;
    std::size_t changed = 0, at = 0;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (now[i] != before[i]) ++changed, at = i;
    return changed == 1 && appended[at] == 1 &&
           std::max(now[at], before[at]) - std::min(now[at], before[at]) == 1;
}

/// Whether a call appends to what an earlier one at its line made from nothing: "[0], [8, 1, 64]",
/// then "[8, 1, 64], [8, 1, 64]".
bool beganEmpty(const std::vector<Sizes>& begun, const Sizes& first, const Sizes& appended) {
    constexpr std::size_t kLeastRank = 3;  // results of batches are collected in the same way
    return first == appended && first.size() >= kLeastRank &&
           std::ranges::find(appended, std::uint64_t{1}) != appended.end() &&
           std::ranges::find(begun, first) != begun.end();
}

}  // namespace

bool growsByCat(const Analysis& analysis, const Program& program) {
    constexpr double kPerLayer = 4;
    // Each layer appends keys and values, and has products for these, for attention and for its
    // output.
    double cats = 0, products = 0, attention = 0;
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k) {
        const std::string& name = analysis.kernels[k].fullName;
        if (name.find("ackward") != name.npos || name.find("_bprop_") != name.npos) return false;
        const double launches = program.kernels[k].perWindow;
        if (name.find(kCat) != name.npos) cats += launches;
        if (multiplies(analysis.kernels[k]) == Multiplies::Yes) products += launches;
        if (isAttention(name)) attention += launches;
    }
    if (cats < kPerLayer || products < cats) return false;
    // Calls without sizes mean that there were too many different sizes to store, and so growth,
    // too. A recording without operators never has sizes; then the attention between the cats
    // tells.
    constexpr double kOnePerLayer = 0.25;
    const bool attends = attention >= kOnePerLayer * cats;
    bool sized = false, unsized = false;
    constexpr std::size_t kMostKept = 64;
    std::map<std::string, std::vector<Sizes>> before;  // by line and what follows the first operand
    std::map<std::string, std::vector<Sizes>> begun;   // by line: what was appended to nothing
    for (const CallSite& site : analysis.profile->callSites) {
        if (!site.kernel ||
            analysis.profile->kernels[*site.kernel].name.find(kCat) == std::string::npos)
            continue;
        const auto rest = site.sizes.find("], ");
        sized = sized || rest != std::string::npos;
        unsized = unsized || (site.sizes.empty() && (!site.op.empty() || attends));
        if (rest == std::string::npos) continue;
        const auto [first, second] = operands(site.sizes);
        const std::string key =
            site.file + ":" + std::to_string(site.line) + site.sizes.substr(rest);
        std::vector<Sizes>& known = before[key];
        std::vector<Sizes>& empty = begun[site.file + ":" + std::to_string(site.line)];
        if (beganEmpty(empty, first, second)) return true;
        if (first == Sizes{0} && empty.size() < kMostKept) empty.push_back(second);
        if (std::ranges::any_of(
                known, [&](const Sizes& other) { return growsByOne(other, first, second); }))
            return true;
        if (known.size() < kMostKept) known.push_back(first);
    }
    return unsized && !sized;
}

}  // namespace roofscope::program
