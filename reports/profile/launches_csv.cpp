// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/program/window/activity.h"
#include "reports/chosen_kernels.h"
#include "reports/kernels/kernel_id.h"
#include "reports/profile/csv_row.h"
#include "reports/quantities/quantity_table.h"

/// One row per launch (RFC 4180): its recorded properties, and a column per counter.
namespace roofscope {

void writeLaunchesCsv(const Analysis& analysis, const ChosenKernels& selection,
                      const ReportOptions& options, const TextSink& sink) {
    const Profile& profile = *analysis.profile;
    const std::vector<std::string>& counters = profile.counters.names();
    std::string out =
        "profile,launch,kernel,name,range,device,process,rank,stream,grid_x,grid_y,grid_z,block_x,"
        "block_y,block_z,dynamic_shared_bytes,start_ns,duration_ns,from_graph,declared_bytes";
    for (const std::string& counter : counters) (out += ',') += csvField(counter);
    sink(out + "\r\n");
    std::vector<CounterColumn> columns;
    for (const std::string& counter : counters) columns.push_back(profile.counters.column(counter));
    const auto ids = options.ids ? *options.ids : kernelIds(analysis);
    // Launches in the order of the profile, whatever the order of the kernels.
    std::vector<std::pair<std::uint32_t, std::size_t>> rows;  // launch, and the index of its kernel
    for (const std::size_t kernel : selection.kernels)
        for (const std::uint32_t launch : analysis.kernels[kernel].group.launches)
            rows.emplace_back(launch, kernel);
    std::ranges::sort(rows);
    for (const auto& [index, kernel] : rows) {
        const Launch& launch = profile.launches[index];
        const Process& process = profile.processes[launch.process];
        CsvRow row;
        row.text(options.profilePath);
        row.integer(index);
        row.text(ids[kernel]);
        row.text(analysis.kernels[kernel].name);
        row.text(analysis.kernels[kernel].range);
        row.integer(launch.device);
        row.number(process.pid);
        row.optional(process.rank);
        row.integer(launch.stream);
        for (const Dim3& extents : {launch.grid, launch.block})
            for (const auto extent : {extents.x, extents.y, extents.z}) row.integer(extent);
        row.integer(launch.dynamicSharedBytes);
        for (const std::optional<Seconds>& time : {launch.start, launch.duration})
            row.optional(time ? std::optional(toNs(time->value)) : std::nullopt);
        row.integer(launch.fromGraph ? 1 : 0);
        row.optional(launch.declaredBytes);
        for (const CounterColumn& column : columns) row.number(column[index]);
        sink(row.take());
    }
}

}  // namespace roofscope
