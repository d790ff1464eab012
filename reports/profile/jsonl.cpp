// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include "analyzer/compare/action_id.h"
#include "analyzer/program/actions/worthwhile.h"
#include "reports/chosen_kernels.h"
#include "reports/json/json_writer.h"
#include "reports/kernels/kernel_id.h"
#include "reports/quantities/quantity_table.h"

/// Writes a JSON object per line for the program, each kernel, and each action or finding, so that
/// query engines can read thousands of profiles. Missing values are left out. Columns are only ever
/// added.
namespace roofscope {

namespace {

/// Writes rows. Each begins with the columns that all rows of a profile share.
class RowWriter {
public:
    RowWriter(const Profile& profile, const std::string& path, const TextSink& sink)
        : m_profile(profile), m_path(path), m_sink(sink) {}

    template <class Fields>
    void row(const char* kind, const std::string& id, Fields fields) const {
        JsonWriter out(m_sink, JsonStream::Layout::OneLine);
        const Capture& capture = m_profile.capture;
        out.beginObject();
        out.field("row", kind);
        text(out, "profile", m_path);
        text(out, "created", capture.createdUtc);
        text(out, "command", fmt::format("{}", fmt::join(capture.command, " ")));
        text(out, "gpu", m_profile.devices.empty() ? "" : m_profile.devices.front().name);
        text(out, "tool_version", capture.toolVersion);
        out.field("id", id);
        fields(out);
        out.endObject();
        out.finish();
    }

    static void text(JsonWriter& out, const char* key, const std::string& value) {
        if (!value.empty()) out.field(key, value);
    }
    static void number(JsonWriter& out, std::string_view key, std::optional<double> value) {
        if (value) out.field(key, *value);
    }

private:
    const Profile& m_profile;
    const std::string& m_path;
    const TextSink& m_sink;
};

template <class T>
std::optional<double> valueOf(const Derived<T>& derived) {
    return derived.has() ? std::optional(derived->value) : std::nullopt;
}

void writeProgramRow(const RowWriter& rows, const Analysis& analysis, const Program& program,
                     const ChosenKernels& selection) {
    // Launches and GPU time of the chosen kernels.
    std::uint64_t launches = 0;
    std::optional<double> total;
    for (const std::size_t index : selection.kernels) {
        const KernelAnalysis& kernel = analysis.kernels[index];
        launches += kernel.group.launches.size();
        if (const DurationStats& duration = kernel.quantities.duration; duration.count > 0)
            total = total.value_or(0) + duration.total.value;
    }
    rows.row("program", "program", [&](JsonWriter& out) {
        out.field("launches", launches);
        RowWriter::number(out, "total_s", total);
        if (!program.lanes.empty() && program.account.total().value > 0)
            out.field("busy_share", program.busy.value);
    });
}

void writeKernelRow(const RowWriter& rows, const KernelAnalysis& kernel, const std::string& id) {
    const DurationStats& duration = kernel.quantities.duration;
    rows.row("kernel", id, [&](JsonWriter& out) {
        out.field("name", kernel.name);
        RowWriter::text(out, "range", kernel.range);
        out.field("launches", kernel.group.launches.size());
        if (duration.count > 0) {
            out.field("median_s", duration.median.value);
            out.field("total_s", duration.total.value);
        }
        RowWriter::number(out, "time_share", valueOf(kernel.timeShare));
        out.field("verdict", toString(kernel.verdict.cls));
        if (kernel.verdict.limiter) out.field("limiter", toString(*kernel.verdict.limiter));
        out.array("findings", kernel.findings,
                  [&](const Finding& found) { out.value(found.ruleId); });
        for (const ListedQuantity& entry : quantityTable(kernel.quantities))
            RowWriter::number(out, entry.key, entry.value);
    });
}

/// What an action or a finding can save, in seconds; absent if unknown.
struct Bounds {
    std::optional<double> window;    ///< per window of the program
    std::optional<double> recorded;  ///< in all recorded launches of the kernel
};

void writeActionRow(const RowWriter& rows, const std::string& id, std::string_view rule,
                    const Bounds& bounds) {
    rows.row("action", id, [&](JsonWriter& out) {
        out.field("rule", rule);
        RowWriter::number(out, "bound_window_s", bounds.window);
        RowWriter::number(out, "bound_recorded_s", bounds.recorded);
    });
}

Bounds boundsOf(const program::FindingWorth& worth) {
    Bounds bounds;
    if (worth.perWindow) bounds.window = worth.perWindow->value;
    if (worth.recorded) bounds.recorded = worth.recorded->value;
    return bounds;
}

}  // namespace

void writeJsonl(const Analysis& analysis, const ChosenKernels& selection,
                const ReportOptions& options, const TextSink& sink) {
    const Program program = analyzeProgram(analysis);
    const program::Worth worth(analysis, program);
    const RowWriter rows(*analysis.profile, options.profilePath, sink);
    const std::vector<std::string> ids = options.ids ? *options.ids : kernelIds(analysis);
    writeProgramRow(rows, analysis, program, selection);
    for (const std::size_t index : selection.kernels)
        writeKernelRow(rows, analysis.kernels[index], ids[index]);
    const std::vector<std::string> actions = actionIds(analysis, program);
    for (std::size_t i = 0; i < program.actions.size(); ++i)
        writeActionRow(rows, actions[i], program.actions[i].rule,
                       {.window = program.actions[i].bound.value, .recorded = {}});
    for (const std::size_t index : selection.kernels) {
        const KernelAnalysis& kernel = analysis.kernels[index];
        for (const Finding& found : kernel.findings)
            writeActionRow(rows, ids[index] + "/" + found.ruleId.str(), found.ruleId,
                           boundsOf(worth.of(static_cast<std::uint32_t>(index), found)));
    }
    for (const Finding& found : analysis.sequenceFindings)
        writeActionRow(rows, "program/" + found.ruleId.str(), found.ruleId, {});
}

}  // namespace roofscope
