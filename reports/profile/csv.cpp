// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyzer/launches/grouping.h"
#include "reports/chosen_kernels.h"
#include "reports/kernels/kernel_lookup.h"
#include "reports/profile/csv_row.h"
#include "reports/quantities/quantity_table.h"
#include "reports/verdict/major_findings.h"

/// One row per kernel group (RFC 4180).
namespace roofscope {

std::string renderCsv(const Analysis& analysis, const ChosenKernels& selection,
                      const ReportOptions& options) {
    std::string out =
        "profile,rank,kernel,full_name,range,device,grid_x,grid_y,grid_z,block_x,block_y,block_z,"
        "registers_per_thread,static_shared_bytes,dynamic_shared_bytes,launches,duration_source,"
        "duration_median_ns,duration_min_ns,duration_max_ns,duration_total_ns,time_share_ratio,"
        "verdict,limiter,confidence,headroom_ns,speedup_bound,findings,top_finding,"
        "top_finding_gain_ns,convention,devices";
    for (const ListedQuantity& entry : quantityTable({})) (out += ',') += entry.key;
    out += "\r\n";
    for (const std::size_t index : selection.kernels) {
        const KernelAnalysis& kernel = analysis.kernels[index];
        const LaunchGroup& group = kernel.group;
        const Kernel& function = functionOf(analysis, kernel);
        const DurationStats& duration = kernel.quantities.duration;
        CsvRow row;
        row.text(options.profilePath);
        row.integer(index + 1);
        row.text(kernel.name);
        row.name(kernel.fullName);
        row.text(kernel.range);
        row.integer(group.device);
        for (const Dim3& extents : {group.grid, group.block})
            for (const auto extent : {extents.x, extents.y, extents.z}) row.integer(extent);
        row.optional(function.registersPerThread);
        row.optional(function.staticSharedBytes);
        row.integer(group.dynamicSharedBytes);
        row.integer(group.launches.size());
        row.text(duration.count == 0 ? "" : toString(duration.source));
        for (const Seconds& time : {duration.median, duration.min, duration.max, duration.total})
            row.optional(duration.count > 0 ? std::optional(toNs(time.value)) : std::nullopt);
        row.optional(kernel.timeShare.has() ? std::optional(kernel.timeShare->value)
                                            : std::nullopt);
        row.text(toString(kernel.verdict.cls));
        row.text(kernel.verdict.limiter ? toString(*kernel.verdict.limiter) : "");
        row.text(toString(kernel.verdict.confidence));
        row.optional(kernel.verdict.headroom.has()
                         ? std::optional(toNs(kernel.verdict.headroom->value))
                         : std::nullopt);
        row.optional(std::optional<double>(kernel.verdict.speedupBound.value));
        const auto major = majorFindings(kernel);
        row.integer(major.size());
        row.text(major.empty() ? "" : major.front()->ruleId);
        row.optional(!major.empty() && major.front()->gain.has()
                         ? std::optional(toNs(major.front()->gain->value))
                         : std::nullopt);
        row.text(toString(analysis.convention));
        row.text(fmt::format("{}", fmt::join(devicesOf(*analysis.profile, group), " ")));
        for (const ListedQuantity& entry : quantityTable(kernel.quantities))
            row.optional(entry.value);
        out += row.take();
    }
    return out;
}

}  // namespace roofscope
