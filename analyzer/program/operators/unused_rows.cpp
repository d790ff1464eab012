// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/operators/unused_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/program/operators/operator_flops.h"

namespace roofscope::program {
namespace {

using Sizes = std::vector<std::vector<std::uint64_t>>;

/// The sizes of a call, without the end of a list that was cut.
Sizes sizesOf(const CallSite& site) {
    constexpr std::string_view kCut = ", …";
    std::string_view text = site.sizes;
    if (text.ends_with(kCut)) text.remove_suffix(kCut.size());
    return parseSizes(text).value_or(Sizes());
}

double elementsOf(const std::vector<std::uint64_t>& size) {
    double elements = 1;
    for (const std::uint64_t length : size) elements *= static_cast<double>(length);
    return elements;
}

bool isTable(const std::vector<std::uint64_t>& size, const UnusedRows& table) {
    return size.size() == 2 && size[0] == table.rows && size[1] == table.width;
}

/// The table and the rows that one call of this operator reads; `rows` is 0 if it reads none.
UnusedRows lookUpOf(const CallSite& site) {
    const bool byIndex = site.op == "aten::embedding", gathers = site.op == "aten::gather";
    if (!byIndex && !gathers && site.op != "aten::index_select") return {};
    const Sizes sizes = sizesOf(site);
    if (sizes.size() < 2 || sizes[0].size() != 2) return {};
    UnusedRows table;
    table.rows = sizes[0][0];
    table.width = sizes[0][1];
    // A gather has an index for each element, the others one for each row.
    const double indices = elementsOf(sizes[1]);
    table.used = gathers && table.width > 0 ? indices / static_cast<double>(table.width) : indices;
    return table;
}

/// The part of the elements in this call of an optimizer that belongs to the table.
double partInOptimizer(const CallSite& site, const UnusedRows& table) {
    if (!site.op.starts_with("aten::_foreach_") && !site.op.starts_with("aten::_fused_")) return 0;
    double all = 0, ofTable = 0;
    for (const auto& size : sizesOf(site)) {
        all += elementsOf(size);
        if (isTable(size, table)) ofTable += elementsOf(size);
    }
    return all > 0 ? ofTable / all : 0;
}

/// The largest table that is looked up; all of its look-ups together are `used`.
UnusedRows largestTable(const Profile& profile) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> used;  // by rows and width
    for (const CallSite& site : profile.callSites) {
        const UnusedRows found = lookUpOf(site);
        if (found.rows == 0) continue;
        used[{found.rows, found.width}] += found.used;
    }
    UnusedRows largest;
    for (const auto& [size, rows] : used) {
        if (elementsOf({size.first, size.second}) <= elementsOf({largest.rows, largest.width}))
            continue;
        largest.rows = size.first;
        largest.width = size.second;
        largest.used = rows;
    }
    return largest;
}

}  // namespace

UnusedRows unusedRows(const Analysis& analysis, const Program& program) {
    constexpr double kFewRows = 1.0 / 16, kMostOfElements = 0.5;
    const Profile& profile = *analysis.profile;
    const auto isDense = [](const CallSite& site) {
        return site.op == "aten::embedding_dense_backward";
    };
    if (std::ranges::none_of(profile.callSites, isDense)) return {};
    UnusedRows table = largestTable(profile);
    const double used = table.used / std::max(1.0, static_cast<double>(table.rows));
    if (!(table.used > 0) || used > kFewRows) return {};
    std::map<std::uint32_t, double> parts;  // of the elements, by kernel
    for (const CallSite& site : profile.callSites)
        if (site.kernel)
            parts[*site.kernel] = std::max(parts[*site.kernel], partInOptimizer(site, table));
    double part = 0;  // of the elements
    static_cast<KernelsPerWindow&>(table) =
        kernelsThat(analysis, program, [&](const KernelAnalysis& kernel) {
            const auto found = parts.find(kernel.group.kernel);
            const double most = found == parts.end() ? 0 : found->second;
            if (most < kMostOfElements) return false;
            part = part > 0 ? std::min(part, most) : most;
            return true;
        });
    table.gain = table.time * (part * (1 - used));
    return table.kernels.empty() ? UnusedRows() : table;
}

}  // namespace roofscope::program
