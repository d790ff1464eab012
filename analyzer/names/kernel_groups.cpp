// SPDX-License-Identifier: Apache-2.0
#include "analyzer/names/kernel_groups.h"

#include "analyzer/language/sentence.h"
#include "analyzer/names/kernel_name.h"

#include <map>
#include <set>

#include <fmt/format.h>

namespace roofscope {

namespace {

/// The streams on which a kernel's launches ran.
std::set<std::uint32_t> streamsOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    const auto& launches = analysis.profile->launches;
    std::set<std::uint32_t> streams;
    for (const std::uint32_t launch : kernel.group.launches)
        if (launch < launches.size()) streams.insert(launches[launch].stream);
    return streams;
}

Words streamsLabel(const std::set<std::uint32_t>& streams) {
    Words list;
    for (const std::uint32_t stream : streams)
        list = list.empty() ? Words::same(std::to_string(stream))
                            : wordsOf(inContext("list", "{}, {}"), list, stream);
    return streams.size() == 1 ? wordsOf("stream {}", list) : wordsOf("streams {}", list);
}

/// What kernels of a group have in common.
struct SharedByGroup {
    std::string name;  ///< of a function or a range
    std::set<std::uint32_t> streams = {};
    auto operator<=>(const SharedByGroup&) const = default;
};

SharedByGroup sharedBy(const Analysis& analysis, const KernelAnalysis& kernel,
                       KernelGrouping grouping) {
    switch (grouping) {
        case KernelGrouping::Name:
            return {.name = kernel.fullName};  // different functions may share a shortened name
        case KernelGrouping::Range:
            return {.name = kernel.range};
        case KernelGrouping::Stream:
            return {.name = {}, .streams = streamsOf(analysis, kernel)};
        case KernelGrouping::None:
            break;
    }
    return {};
}

Words labelOf(const Analysis& analysis, const KernelAnalysis& kernel, KernelGrouping grouping) {
    switch (grouping) {
        case KernelGrouping::Name:
            return Words::same(plainKernelName(kernel.fullName));
        case KernelGrouping::Range:
            return Words::same(kernel.range);
        case KernelGrouping::Stream:
            return streamsLabel(streamsOf(analysis, kernel));
        case KernelGrouping::None:
            break;
    }
    return {};
}

/// Functions of different namespaces may read the same: gives those their full names.
void tellFunctionsApart(const Analysis& analysis, std::vector<KernelGroup>& groups) {
    std::map<std::string, std::size_t> count;
    for (const KernelGroup& group : groups) ++count[group.label.in(Language::En)];
    for (KernelGroup& group : groups)
        if (count[group.label.in(Language::En)] > 1)
            group.label = Words::same(analysis.kernels[group.kernels.front()].fullName);
}

/// Adds to a sum. It becomes absent as soon as one kernel has no value.
template <class T>
void add(Derived<T>& sum, bool first, bool known, T value, const std::string& missing) {
    if (first) sum = Derived<T>::of(T{0}, "sum over the group");
    if (!sum.has()) return;
    if (known)
        sum.value = T{sum->value + value.value};
    else
        sum = Derived<T>::absent(missing);
}

}  // namespace

std::vector<KernelGroup> groupKernels(const Analysis& analysis, KernelGrouping grouping) {
    std::vector<KernelGroup> groups;
    if (grouping == KernelGrouping::None || !analysis.profile) return groups;
    std::map<SharedByGroup, std::size_t> found;
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        const auto [entry, isNew] =
            found.try_emplace(sharedBy(analysis, kernel, grouping), groups.size());
        if (isNew) {
            groups.emplace_back();
            groups.back().label = labelOf(analysis, kernel, grouping);
        }
        KernelGroup& group = groups[entry->second];
        const DurationStats& duration = kernel.quantities.duration;
        add(group.total, isNew, duration.count > 0, duration.total,
            "the duration of a kernel of the group");
        add(group.timeShare, isNew, kernel.timeShare.has(),
            kernel.timeShare.value.value_or(Ratio{0}), kernel.timeShare.missing);
        group.launches += kernel.group.launches.size();
        group.kernels.push_back(i);
    }
    if (grouping == KernelGrouping::Name) tellFunctionsApart(analysis, groups);
    return groups;
}

}  // namespace roofscope
