// SPDX-License-Identifier: Apache-2.0
// The report for viewers of traces: the rules of Chrome's Trace Event Format, and what is shown.
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/program/window/activity.h"
#include "reports/report.h"
#include "reports/trace/trace_events.h"
#include "tests/reports/hostile_names.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"
#include "tests/support/synthetic_program.h"
#include "tests/support/text.h"

using namespace roofscope;
using nlohmann::json;
using test::SyntheticProgram;

namespace {

Analysis analysisOfTraced(Profile profile) {
    return analyze(std::make_shared<const Profile>(std::move(profile)));
}

using TraceRow = std::pair<int, int>;  ///< process and thread

/// What is wrong with the fields of an event; empty: nothing.
std::string problemOf(const json& event) {
    const auto has = [&](const char* key, bool (json::*is)() const noexcept) {
        return event.contains(key) && (event[key].*is)();
    };
    if (!has("ph", &json::is_string) || !has("name", &json::is_string) || event["name"] == "" ||
        !has("pid", &json::is_number_integer))
        return "no kind, name or process";
    const std::string ph = event["ph"];
    if (ph == "M") {
        const json args = event.value("args", json());
        const bool sorts = event["name"].get<std::string>().ends_with("_sort_index");
        const bool good = sorts ? args.contains("sort_index") : args.contains("name");
        return good ? "" : "a name without arguments";
    }
    if (!has("tid", &json::is_number_integer) || !has("ts", &json::is_number) ||
        event["ts"].get<double>() < 0)
        return "no thread or time";
    if (ph == "X") return event.value("dur", -1.0) >= 0 ? "" : "no duration";
    if (ph == "i") return event.value("s", "") == "t" ? "" : "a marker without scope";
    if (ph == "s") return event.contains("id") ? "" : "an arrow without id";
    if (ph == "f") return event.value("bp", "") == "e" && event.contains("id") ? "" : "no end";
    return "an unknown kind";
}

/// What is wrong with the trace: fields, threads and processes without a name, arrows without two
/// ends, slices of a thread that are neither disjoint nor nested (viewers cannot draw those).
std::string problemOfTrace(const json& events) {
    std::set<int> groups;
    std::set<TraceRow> named, used;
    std::map<TraceRow, std::vector<std::pair<double, double>>> slices;
    std::map<int, std::string> arrows;
    for (const json& event : events) {
        if (const std::string problem = problemOf(event); !problem.empty())
            return problem + ": " + event.dump();
        const std::string ph = event["ph"];
        const TraceRow row(event["pid"].get<int>(), event.value("tid", 0));
        if (event["name"] == "process_name") groups.insert(row.first);
        if (event["name"] == "thread_name") named.insert(row);
        if (ph != "M") used.insert(row);
        if (ph == "X") slices[row].emplace_back(event["ts"], -event["dur"].get<double>());
        if (ph == "s" || ph == "f") arrows[event["id"]] += ph;
    }
    for (const TraceRow& row : used)
        if (!named.contains(row) || !groups.contains(row.first))
            return "no name of thread " + std::to_string(row.second);
    for (const auto& [id, ends] : arrows)
        if (ends != "sf") return "arrow " + std::to_string(id);
    for (auto& [row, all] : slices) {
        std::ranges::stable_sort(all);
        std::vector<double> open;
        for (const auto& [start, negative] : all) {
            constexpr double kRounding = 1e-4;  // of times in microseconds
            while (!open.empty() && open.back() <= start + kRounding) open.pop_back();
            if (!open.empty() && start - negative > open.back() + kRounding)
                return "overlap in thread " + std::to_string(row.second) + " at " +
                       std::to_string(start);
            open.push_back(start - negative);
        }
    }
    return {};
}

json checkedTrace(const Analysis& analysis, const ReportOptions& options = {}) {
    const auto text = renderReport(analysis, ReportFormat::Perfetto, options);
    REQUIRE(text.ok());
    json root = json::parse(*text);
    CHECK(root["displayTimeUnit"] == "ns");
    REQUIRE(root["traceEvents"].is_array());
    CHECK(problemOfTrace(root["traceEvents"]) == "");
    return root;
}

/// The events of a thread with this name, or of this category.
std::vector<json> eventsOf(const json& root, const std::string& threadOrCategory) {
    std::set<int> threads;
    for (const json& e : root["traceEvents"])
        if (e["name"] == "thread_name" && e["args"]["name"] == threadOrCategory)
            threads.insert(e["tid"].get<int>());
    std::vector<json> found;
    for (const json& e : root["traceEvents"])
        if (e["ph"] != "M" &&
            (e.value("cat", "") == threadOrCategory || threads.contains(e.value("tid", -1))))
            found.push_back(e);
    return found;
}

/// Six steps: a pageable copy, a product, a wait, and work of the CPU.
SyntheticProgram sixSteps() {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 20'000);
        p.launch("gemm", i == 4 ? 5000 : 4000).sync().work(10'000);
        p.pop();
    }
    return p;
}

}  // namespace

TEST_CASE("a trace has a row for each stream, direction of copies and thread") {
    const json root = checkedTrace(analysisOfTraced(sixSteps().build()));
    const auto kernels = eventsOf(root, "stream 0");
    REQUIRE(kernels.size() == 7 + 7);  // each with the arrow from its call
    CHECK(eventsOf(root, "kernel").size() == 7);
    const auto copies = eventsOf(root, "copy");
    REQUIRE(copies.size() == 6);
    CHECK(copies[0]["name"] == "copy to the GPU");
    CHECK(copies[0]["args"]["bytes"] == 64'000'000);
    CHECK(copies[0]["args"]["rate"] == "3.20 GB/s");
    CHECK(copies[0]["args"]["from"] == "pageable host memory");
    CHECK(copies[0]["dur"] == 20'000);
    CHECK(eventsOf(root, "main 1: CUDA calls").size() > 19);
    const auto ranges = eventsOf(root, "main 1: NVTX ranges");
    REQUIRE(ranges.size() == 6);
    CHECK(ranges[0]["name"] == "step");
}

TEST_CASE("the classes of the account cover each counted occurrence, and actions are markers") {
    const Analysis analysis = analysisOfTraced(sixSteps().build());
    const Program program = analyzeProgram(analysis);
    const json root = checkedTrace(analysis);
    double window = 0, kernels = 0, all = 0;
    for (const json& e : eventsOf(root, "window")) window += e["dur"].get<double>();
    for (const json& e : eventsOf(root, "account")) {
        all += e["dur"].get<double>();
        if (e["name"] == "kernels") kernels += e["dur"].get<double>();
    }
    const auto counted = static_cast<double>(program.window.counted);
    CHECK(all == Approx(window));
    CHECK(window / 1e6 == Approx(counted * program.window.seconds.value));
    CHECK(kernels / 1e6 == Approx(counted * program.account.time[TimeClass::Kernels].value));

    const auto actions = eventsOf(root, "action");
    REQUIRE(actions.size() == program.actions.size());
    REQUIRE(program.actions.front().rule == "pageable-copy");
    CHECK(actions[0]["ph"] == "i");
    CHECK(actions[0]["args"]["edit"].get<std::string>() != "");
    CHECK(actions[0]["args"]["marks"] == "the longest stretch of this class in the window");
    bool onCopy = false;
    for (const json& e : eventsOf(root, "account"))
        onCopy = onCopy || (e["ts"] == actions[0]["ts"] && e["dur"].get<double>() >= 20'000);
    CHECK(onCopy);
}

TEST_CASE("samples of the CPU are a row of their thread") {
    SyntheticProgram p = sixSteps();
    Profile profile = p.build();
    CpuSamples samples{
        .period = 1'000'000,
        .frames = {{.module = "/home/a/app", .function = "fill", .file = "/s/a.cu", .line = 12},
                   {.module = "/home/a/app", .function = "main", .file = "/s/a.cu", .line = 90}},
        .stacks = {{0, 1}}};
    for (int i = 0; i < 5; ++i) samples.samples.push_back({.time = i * 1'000'000});
    samples.samples.push_back({.time = 40'000'000, .wait = CpuWait::Lock});
    profile.processes[0].cpuSamples = samples;
    const auto shown = eventsOf(checkedTrace(analysisOfTraced(profile)), "main 1: CPU samples");
    REQUIRE(shown.size() == 2);
    CHECK(shown[0]["name"] == "fill");
    CHECK(shown[0]["args"]["samples"] == 5);
    CHECK(shown[0]["args"]["line"] == "a.cu:12");
    CHECK(shown[0]["args"]["stack"] == json{"fill (a.cu:12)", "main (a.cu:90)"});
    CHECK(shown[1]["args"]["waits"] == "waits for another thread");
}

TEST_CASE("events that overlap others of their row get a second row") {
    SyntheticProgram p = sixSteps();
    Profile profile = p.build();
    // The product of the first step begins while the first kernel runs.
    profile.launches[0].duration = Seconds{*profile.launches[1].start + Seconds{1e-3}};
    const json root = checkedTrace(analysisOfTraced(profile));
    CHECK(eventsOf(root, "stream 0 (2)").size() == 2);  // and its arrow
}

TEST_CASE("a trace with too many events begins with the window and says what is missing") {
    const Analysis analysis = analysisOfTraced(sixSteps().build());
    const Program program = analyzeProgram(analysis, {}, Stretches::Kept);
    const auto all = trace::traceEvents(analysis, program, {0, 1});
    CHECK_FALSE(all.shown.has_value());
    CHECK(all.all == all.events.size());
    const auto some = trace::traceEvents(analysis, program, {0, 1}, 20);
    CHECK(some.events.size() == 20);
    CHECK(some.all == all.all);
    REQUIRE(some.shown.has_value());
    for (const trace::TraceEvent& event : some.events)
        CHECK((event.time.end >= some.shown->start && event.time.start <= some.shown->end));
    CHECK(some.events.front().time.start >= program.lanes.front().occurrences.front().start);
    // Nearly all fit: then the beginning is cut, not the end.
    const auto most = trace::traceEvents(analysis, program, {0, 1}, all.all - 1);
    CHECK(most.events.size() == all.all - 1);
    CHECK(most.shown->end == all.events.back().time.start);
}

TEST_CASE("recordings become valid traces, with a group for each rank") {
    for (const std::string& path : test::allRecordings()) {
        CAPTURE(path);
        const Analysis analysis = test::analysisIn(path);
        if (!program::hasTimes(*analysis.profile)) continue;
        const json root = checkedTrace(analysis);
        std::size_t timed = 0;
        for (const Launch& launch : analysis.profile->launches)
            timed += launch.start && launch.duration;
        std::map<std::string, std::size_t> found;
        for (const json& e : root["traceEvents"]) ++found[e.value("cat", "")];
        CHECK(found["kernel"] == timed);
        CHECK(found["copy"] == analysis.profile->timeline.transfers.size());
        CHECK(found["call"] == analysis.profile->timeline.calls.size());
    }
    const auto ranks =
        test::analysisIn(std::string(ROOFSCOPE_SOURCE_DIR) +
                         "/tests/frameworks/recorded/torch_ddp_uneven.roofscope.json.gz");
    std::set<std::string> groups;
    const json root = checkedTrace(ranks);
    for (const json& e : root["traceEvents"])
        if (e["name"] == "process_name") groups.insert(e["args"]["name"]);
    CHECK(groups.contains("rank 0: where the time goes"));
    CHECK(groups.contains("rank 1: GPU 1 (NVIDIA H100 80GB HBM3)"));
    CHECK(groups.contains("rank 1: CPU threads of python3"));
}

TEST_CASE("names in a trace are data, and only chosen kernels are shown") {
    for (const std::string& name : test::hostileNames()) {
        SyntheticProgram p;
        p.push(name).launch(name, 10).call(name, CallKind::Wait, 10).pop();
        Profile profile = p.build();
        profile.timeline.threads[0].name = name;
        profile.processes[0].host = profile.devices[0].name = name;
        const auto text = renderReport(analysisOfTraced(profile), ReportFormat::Perfetto);
        REQUIRE(text.ok());
        CHECK(text->size() < 100'000);
        CHECK_FALSE(test::contains(*text, "</script"));
        CHECK(std::ranges::all_of(
            *text, [](char c) { return static_cast<unsigned char>(c) >= 0x20 || c == '\n'; }));
        CHECK(json::accept(*text));
    }
    const Analysis analysis = analysisOfTraced(sixSteps().build());
    const json root = checkedTrace(analysis, {.kernelFilter = "gemm"});
    CHECK(eventsOf(root, "kernel").size() == 6);
}

TEST_CASE("a profile without times gives no trace") {
    Profile profile = sixSteps().build();
    profile.timeline = {};
    for (Launch& launch : profile.launches) launch.start.reset();
    const auto none = renderReport(analysisOfTraced(profile), ReportFormat::Perfetto);
    REQUIRE_FALSE(none.ok());
    CHECK(test::contains(none.error().message(), "no times"));
}
