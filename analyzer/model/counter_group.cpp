// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/counter_group.h"

#include "analyzer/language/sentence.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace roofscope {

const char* toString(CounterGroup group) {
    switch (group) {
        case CounterGroup::Default:
            return "default";
        case CounterGroup::Atomics:
            return "atomics";
        case CounterGroup::Cache:
            return "cache";
        case CounterGroup::Memory:
            return "memory";
        case CounterGroup::Pipes:
            return "pipes";
        case CounterGroup::Shared:
            return "shared";
        case CounterGroup::Stalls:
            return "stalls";
        case CounterGroup::Tensor:
            return "tensor";
        case CounterGroup::Source:
            return "source";
        case CounterGroup::OverTime:
            return "over-time";
        case CounterGroup::Timing:
            return "timing run";
    }
    return "";
}

bool isNamedGroup(CounterGroup group) {
    return std::ranges::find(kNamedGroups, group) != kNamedGroups.end();
}

std::string join(std::span<const CounterGroup> groups) {
    std::string text;
    for (const CounterGroup group : groups)
        text += (text.empty() ? "" : ", ") + std::string(toString(group));
    return text;
}

namespace {

Words madeAdvice(std::span<const CounterGroup> groups) {
    if (groups.size() == 1 && groups.front() == CounterGroup::Source)
        return Words("record with --source");
    if (groups.size() == 1 && groups.front() == CounterGroup::OverTime)
        return Words("record with --over-time");
    if (groups.size() == 1 && groups.front() == CounterGroup::Timing)
        return Words("record all launches with a timing run");
    const std::string names = join(groups);
    return groups.size() == 1 ? wordsOf("record with the counter group \"{}\"", names)
                              : wordsOf("record with the counter groups \"{}\"", names);
}

}  // namespace

Words adviceToRecord(std::span<const CounterGroup> groups) {
    if (groups.empty()) return {};
    if (groups.size() > 1) return madeAdvice(groups);
    static const auto kOfOne = [] {
        std::array<Words, static_cast<std::size_t>(CounterGroup::Timing) + 1> all;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto group = static_cast<CounterGroup>(i);
            all[i] = madeAdvice({&group, 1});
        }
        return all;
    }();
    return kOfOne[static_cast<std::size_t>(groups.front())];
}

}  // namespace roofscope
