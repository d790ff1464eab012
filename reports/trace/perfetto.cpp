// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/program/window/activity.h"
#include "profile/text/base_name.h"
#include "profile/text/clean_text.h"
#include "reports/chosen_kernels.h"
#include "reports/json/json_writer.h"
#include "reports/kernels/kernel_id.h"
#include "reports/kernels/kernel_lookup.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/profile/profile_report.h"
#include "reports/program/action_words.h"
#include "reports/program/program_words.h"
#include "reports/trace/trace_events.h"
#include "reports/trace/trace_words.h"
#include "reports/verdict/verdict_words.h"

/// The timeline as JSON in Chrome's Trace Event Format, which ui.perfetto.dev and chrome://tracing
/// open:
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
namespace roofscope {
namespace {

using json_parts::clean, json_parts::Json, json_parts::orNull;
using trace::TraceEvent, trace::TrackKey, trace::TrackKind;

constexpr std::uint32_t kNoTrack = std::numeric_limits<std::uint32_t>::max();

/// An arrow from a call to the GPU work that it issued.
struct TraceArrow {
    Nanoseconds from = 0, to = 0;
    std::uint32_t fromTrack = 0, toTrack = 0;
};

class PerfettoWriter {
public:
    PerfettoWriter(const Analysis& analysis, const Program& program,
                   const trace::TraceEvents& events, const ReportOptions& options,
                   const TextSink& sink)
        : m_analysis(analysis),
          m_profile(*analysis.profile),
          m_program(program),
          m_trace(events),
          m_options(options),
          m_language(options.language),
          m_out(sink),
          m_kernels(program::kernelOfLaunches(analysis)) {
        for (const TraceEvent& event : events.events) m_zero = std::min(m_zero, event.time.start);
        if (events.events.empty()) m_zero = 0;
        m_notes = trace::traceNotes(m_profile, m_trace, m_language);
        numberTracks();
        findArrows();
        describeKernels();
    }

    void write() {
        const struct {
            std::size_t count;
            void (PerfettoWriter::*write)(std::size_t);
        } parts[] = {{m_groups.size() * 2, &PerfettoWriter::writeGroup},
                     {m_trace.tracks.size() * 2, &PerfettoWriter::writeTrack},
                     {m_notes.empty() ? 0 : m_notes.size() + 1, &PerfettoWriter::writeNote},
                     {m_trace.events.size(), &PerfettoWriter::writeEvent},
                     {m_arrows.size() * 2, &PerfettoWriter::writeArrow}};
        std::size_t all = 0;
        for (const auto& part : parts) all += part.count;
        m_out.beginObject();
        m_out.field("displayTimeUnit", "ns");
        m_out.object("otherData", [&] {
            m_out.field("tool", "roofscope " + m_profile.capture.toolVersion);
            m_out.field("title", profile_report::title(m_profile, m_language).plain());
            m_out.fieldOrNull("window", m_program.lanes.empty()
                                            ? std::string()
                                            : windowWords(m_program.window, m_language).plain());
            m_out.field("first_launch_us", micros(0));
            std::vector<std::string> notes = m_notes;
            for (const Words& note : m_analysis.notes) notes.push_back(note.in(m_language));
            m_out.array("notes", notes);
        });
        m_out.key("traceEvents");
        m_out.items(all, [&](std::size_t i) {
            auto part = std::begin(parts);
            for (; i >= part->count; ++part) i -= part->count;
            m_out.beginObject();
            (this->*part->write)(i);
            m_out.endObject();
        });
        m_out.endObject();
        m_out.finish();
    }

private:
    /// Groups are numbered from 1 in the order of their tracks.
    void numberTracks() {
        for (const TrackKey& key : m_trace.tracks) {
            if (m_groups.empty() || !(m_groups.back() == key.group()))
                m_groups.push_back(key.group());
            m_groupOf.push_back(static_cast<std::uint32_t>(m_groups.size()));
        }
    }

    void findArrows() {
        const Timeline& t = m_profile.timeline;
        struct At {
            Nanoseconds start = 0;
            std::uint32_t track = kNoTrack;
        };
        std::vector<At> launches(m_profile.launches.size()), transfers(t.transfers.size());
        for (const TraceEvent& event : m_trace.events) {
            const TrackKind kind = m_trace.tracks[event.track].kind;
            if (kind == TrackKind::Kernels) launches[event.row] = {event.time.start, event.track};
            if (kind == TrackKind::Copies) transfers[event.row] = {event.time.start, event.track};
        }
        for (const TraceEvent& event : m_trace.events) {
            if (m_trace.tracks[event.track].kind != TrackKind::Calls) continue;
            const Call& call = t.calls[event.row];
            if (!call.work) continue;
            const bool moves = t.callNames[call.name].kind == CallKind::Transfer;
            const At& at = (moves ? transfers : launches)[*call.work];
            // An arrow into the past would show an impossible time.
            if (at.track == kNoTrack || at.start < event.time.start) continue;
            m_arrows.push_back({event.time.start, at.start, event.track, at.track});
        }
    }

    void describeKernels() {
        const std::vector<std::string> ids = m_options.ids ? *m_options.ids : kernelIds(m_analysis);
        for (std::size_t i = 0; i < m_analysis.kernels.size(); ++i) {
            const KernelAnalysis& kernel = m_analysis.kernels[i];
            Json about{{"kernel", ids[i]},
                       {"grid", formatDim(kernel.group.grid)},
                       {"block", formatDim(kernel.group.block)},
                       {"verdict", verdictWords(kernel.verdict, m_language)}};
            if (!kernel.range.empty()) about["range"] = clean(kernel.range);
            m_about.push_back(std::move(about));
        }
    }

    /// Viewers expect microseconds. Times count from the first event, because not every viewer
    /// accepts negative ones.
    [[nodiscard]] double micros(Nanoseconds time) const {
        return static_cast<double>(time - m_zero) / 1e3;
    }

    /// Begins an event; `ph` is its type in the format's letters.
    void begin(std::string_view ph, std::string_view name, std::uint32_t group) {
        m_out.field("ph", ph);
        m_out.field("pid", group);
        m_out.field("name", name);
    }
    /// A track must not have the number of a group: viewers would take it for the main thread.
    [[nodiscard]] std::size_t numberOf(std::size_t track) const {
        return m_groups.size() + 2 + track;
    }
    void at(std::size_t track, Nanoseconds time) {
        m_out.field("tid", numberOf(track));
        m_out.field("ts", micros(time));
    }

    /// Writes the name of a group or track, and its position among the others.
    void writeNamed(std::string_view what, bool place, std::size_t index, std::uint32_t group,
                    const std::string& name) {
        begin("M", std::string(what) + (place ? "_sort_index" : "_name"), group);
        if (what == "thread") m_out.field("tid", numberOf(index));
        m_out.object("args", [&] {
            place ? m_out.field("sort_index", index) : m_out.field("name", clean(name));
        });
    }
    void writeGroup(std::size_t i) {
        const auto group = static_cast<std::uint32_t>(i / 2);
        writeNamed("process", i % 2 == 1, group, group + 1,
                   groupName(m_profile, m_program, m_groups[group], m_language));
    }
    void writeTrack(std::size_t i) {
        const TrackKey& key = m_trace.tracks[i / 2];
        writeNamed("thread", i % 2 == 1, i / 2, m_groupOf[i / 2],
                   trackName(m_profile, key, m_language));
    }
    /// Notes get a track of their own after all others, because few viewers show otherData.
    void writeNote(std::size_t i) {
        const std::size_t track = m_trace.tracks.size();
        if (i == 0) return writeNamed("thread", false, track, 1, say(m_language, "notes"));
        begin("i", m_notes[i - 1], 1);
        at(track, m_zero);
        m_out.field("s", "t");
    }

    void writeEvent(std::size_t i) {
        const TraceEvent& event = m_trace.events[i];
        const TrackKey& key = m_trace.tracks[event.track];
        begin(key.kind == TrackKind::Actions ? "i" : "X", nameOf(event, key),
              m_groupOf[event.track]);
        m_out.field("cat", categoryOf(key.kind));
        at(event.track, event.time.start);
        if (key.kind == TrackKind::Actions)
            m_out.field("s", "t");
        else
            m_out.field("dur", static_cast<double>(event.time.length()) / 1e3);
        if (const Json about = aboutEvent(event, key); !about.is_null()) m_out.field("args", about);
    }

    void writeArrow(std::size_t i) {
        const TraceArrow& arrow = m_arrows[i / 2];
        const bool ends = i % 2 == 1;
        const std::uint32_t track = ends ? arrow.toTrack : arrow.fromTrack;
        begin(ends ? "f" : "s", "launch", m_groupOf[track]);
        m_out.field("cat", "launch");
        m_out.field("id", i / 2 + 1);
        at(track, ends ? arrow.to : arrow.from);
        if (ends) m_out.field("bp", "e");
    }

    static const char* categoryOf(TrackKind kind) {
        switch (kind) {
            case TrackKind::Window:
                return "window";
            case TrackKind::Account:
                return "account";
            case TrackKind::Actions:
                return "action";
            case TrackKind::RangesOnGpu:
            case TrackKind::Ranges:
                return "nvtx";
            case TrackKind::Kernels:
                return "kernel";
            case TrackKind::Copies:
                return "copy";
            case TrackKind::Calls:
                return "call";
            case TrackKind::Samples:
                break;
        }
        return "sample";
    }

    [[nodiscard]] std::string nameOf(const TraceEvent& event, const TrackKey& key) const {
        const Timeline& t = m_profile.timeline;
        switch (key.kind) {
            case TrackKind::Window:
                return occurrenceName(m_program.lanes[key.process].window, event.row);
            case TrackKind::Account:
                return timeClassWords(m_program.lanes[key.process].stretches[event.row].cls,
                                      m_language);
            case TrackKind::Actions:
                return say(
                    m_language, inContext("an action", "{}. {}: {}"), event.row + 1,
                    actionTitle(m_program.actions[event.row], m_language),
                    actionGain(m_analysis, m_program, m_program.actions[event.row], m_language)
                        .plain());
            case TrackKind::RangesOnGpu:
            case TrackKind::Ranges:
                return innermost(m_profile.ranges[t.ranges[event.row].range]);
            case TrackKind::Kernels:
                return m_analysis.kernels[m_kernels[event.row]].name;
            case TrackKind::Copies:
                return trace::transferName(t.transfers[event.row].kind, m_language);
            case TrackKind::Calls:
                return t.callNames[t.calls[event.row].name].name;
            case TrackKind::Samples:
                break;
        }
        const program::SampledStretch& samples = m_trace.samples[event.row];
        std::string name = functionOf(samples).function;
        if (name.empty()) name = waitWords(samples.wait, m_language);
        return name.empty() ? say(m_language, "unknown function") : name;
    }

    [[nodiscard]] std::string occurrenceName(const Window& window, std::size_t number) const {
        if (window.isWhole()) return windowWords(window, m_language).plain();
        return window.name.empty()
                   ? say(m_language, "repeat {}", number + 1)
                   : say(m_language, inContext("an occurrence of a range", "{} ({})"), window.name,
                         number + 1);
    }
    static std::string innermost(const std::string& path) {
        const std::size_t last = path.rfind(" > ");
        return last == path.npos ? path : path.substr(last + 3);
    }
    [[nodiscard]] const CpuSamples& samplesOf(const program::SampledStretch& stretch) const {
        return *m_profile.processes[stretch.process].cpuSamples;
    }
    [[nodiscard]] program::StackFunction functionOf(const program::SampledStretch& s) const {
        return program::functionOf(samplesOf(s), s.stack);
    }

    /// Details that a viewer shows of a selected event; null if there are none.
    [[nodiscard]] Json aboutEvent(const TraceEvent& event, const TrackKey& key) const {
        const Timeline& t = m_profile.timeline;
        switch (key.kind) {
            case TrackKind::Actions:
                return aboutAction(m_program.actions[event.row], m_trace.places[event.row]);
            case TrackKind::RangesOnGpu:
            case TrackKind::Ranges:
                return {{"path", clean(m_profile.ranges[t.ranges[event.row].range])}};
            case TrackKind::Kernels:
                return m_about[m_kernels[event.row]];
            case TrackKind::Copies:
                return aboutTransfer(t.transfers[event.row]);
            case TrackKind::Samples:
                return aboutSamples(m_trace.samples[event.row]);
            case TrackKind::Window:
            case TrackKind::Account:
            case TrackKind::Calls:
                break;
        }
        return nullptr;
    }

    [[nodiscard]] Json aboutAction(const Action& action, trace::MarkedPlace place) const {
        return {{"rule", clean(action.rule)},
                {"marks", trace::placeName(place, m_language)},
                {"sentence", clean(actionSentence(m_analysis, action, m_language))},
                {"edit", clean(actionEdit(m_analysis, action, m_language))},
                {"sites", json_parts::list(action.sites, [](const ActionSite& site) {
                     return clean(siteWords(site));
                 })}};
    }

    [[nodiscard]] Json aboutTransfer(const Transfer& transfer) const {
        Json about{{"bytes", transfer.bytes}, {"stream", transfer.stream}};
        if (transfer.time.length() > 0)
            about["rate"] = formatNumber(static_cast<double>(transfer.bytes) /
                                             static_cast<double>(transfer.time.length()) * 1e9,
                                         Unit::BytesPerSecond);
        for (const auto& [name, kind] :
             {std::pair{"from", transfer.source}, std::pair{"to", transfer.target}})
            if (kind != MemoryKind::Unknown) about[name] = trace::memoryName(kind, m_language);
        return about;
    }

    [[nodiscard]] Json aboutSamples(const program::SampledStretch& stretch) const {
        constexpr std::size_t kMostFrames = 12;
        const CpuSamples& samples = samplesOf(stretch);
        const program::StackFunction f = functionOf(stretch);
        Json about{{"samples", stretch.samples}};
        if (!f.place.empty()) about["line"] = clean(f.place);
        if (!f.callee.empty()) about["calls"] = clean(f.callee);
        if (stretch.wait != CpuWait::None) about["waits"] = waitWords(stretch.wait, m_language);
        Json stack = Json::array();
        for (const std::uint32_t at : samples.stacks[stretch.stack]) {
            if (stack.size() == kMostFrames) break;
            const CpuFrame& frame = samples.frames[at];
            std::string name =
                frame.function.empty() ? std::string(baseName(frame.module)) : frame.function;
            if (!frame.file.empty())
                name += " (" + std::string(baseName(frame.file)) + ":" +
                        std::to_string(frame.line) + ")";
            stack.push_back(cleanText(name));
        }
        about["stack"] = std::move(stack);
        return about;
    }

    const Analysis& m_analysis;
    const Profile& m_profile;
    const Program& m_program;
    const trace::TraceEvents& m_trace;
    const ReportOptions& m_options;
    Language m_language;
    JsonWriter m_out;
    std::vector<std::uint32_t> m_kernels;  ///< by launch
    std::vector<Json> m_about;             ///< by kernel
    std::vector<TrackKey> m_groups;
    std::vector<std::uint32_t> m_groupOf;  ///< by track
    std::vector<TraceArrow> m_arrows;
    std::vector<std::string> m_notes;
    Nanoseconds m_zero = std::numeric_limits<Nanoseconds>::max();
};

}  // namespace

void writePerfetto(const Analysis& analysis, const ChosenKernels& kernels,
                   const ReportOptions& options, const TextSink& sink) {
    const Program program = analyzeProgram(analysis, {}, Stretches::Kept);
    const trace::TraceEvents events = trace::traceEvents(analysis, program, kernels.kernels);
    PerfettoWriter(analysis, program, events, options, sink).write();
}

}  // namespace roofscope
