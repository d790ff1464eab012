// SPDX-License-Identifier: Apache-2.0
#include "reports/report.h"
#include "reports/kernels/kernel_id.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/counters/counter_names.h"
#include "profile/text/utf8.h"
#include "reports/format_table.h"
#include "reports/profile/ask_command.h"
#include "reports/profile/measurement_words.h"
#include "reports/verdict/no_findings.h"
#include "tests/reports/hostile_names.h"
#include "tests/reports/profiles.h"
#include "tests/reports/well_formed.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/samples.h"
#include "tests/support/text.h"

using namespace roofscope;
using test::contains, test::count;
using Json = nlohmann::json;

namespace {

std::string render(const Analysis& analysis, ReportFormat format,
                   const ReportOptions& options = {}) {
    return renderReport(analysis, format, options).value();
}

/// The cells of CSV records, without quoting.
std::vector<std::vector<std::string>> parseCsv(const std::string& text) {
    std::vector<std::vector<std::string>> rows{{""}};
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        std::string& cell = rows.back().back();
        if (quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else if (c == '"')
                quoted = false;
            else
                cell += c;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            rows.back().emplace_back();
        } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            ++i;
            rows.emplace_back(1);
        } else {
            cell += c;
        }
    }
    rows.pop_back();
    return rows;
}

}  // namespace

TEST_CASE("the markdown report has the parts of a hint report in their order") {
    const std::string text = render(test::analysisOf(test::showcase()), ReportFormat::Markdown,
                                    {.profilePath = "app.roofscope.json"});
    std::size_t at = text.find("\n## 1. `transpose<float, 32>`");
    REQUIRE(at != std::string::npos);
    for (const char* part :
         {"329 µs (1 launch)", "**Verdict** (confidence high)",
          "Share of each roof:", "**Launch:**", "occupancy", "**1. Bank conflicts", "**Edit:**",
          "```cuda", "After the edit expect", "**Ask:**", "```sh"}) {
        CAPTURE(part);
        const std::size_t next = text.find(part, at);
        REQUIRE(next != std::string::npos);
        at = next;
    }
    CHECK(contains(text,
                   "roofscope record --out app-after.roofscope.json -- ./operators --size 8192 "
                   "--name 'two words'\n"));
    CHECK(contains(text, "from the counter run (`gpu__time_duration`)"));
    CHECK(contains(text, "made up for a test"));
    CHECK(contains(text, "\n- 2. `fma_chains`: stop here ("));
    CHECK_FALSE(contains(text, "## Problems while recording"));
}

TEST_CASE("the command to measure again measures in the same way") {
    test::SyntheticProfile p = test::showcase();
    Capture& capture = p.profile().capture;
    capture.cacheControl = "flush";
    capture.filters = {"--kernel a|b $(touch x)", "--profile-from-start off", "--evil now"};
    const auto text = [&] {
        return render(test::analysisOf(p), ReportFormat::Markdown,
                      {.profilePath = "app.roofscope.json"});
    };
    CHECK(contains(text(),
                   "roofscope record --out app-after.roofscope.json --cache-control flush --kernel "
                   "'a|b $(touch x)' --profile-from-start off -- ./operators"));
    CHECK_FALSE(contains(text(), "--evil"));
    // If ranks recorded themselves, the command does not contain their launcher.
    for (Process& process : p.profile().processes) {
        process.rank = 0;
        process.worldSize = 2;
    }
    CHECK(contains(text(), "# in every rank, as their launcher started them"));
    capture.command.insert(capture.command.begin(), "/usr/bin/torchrun");
    CHECK_FALSE(contains(text(), "# in every rank"));
}

TEST_CASE("what further runs read is told with its kernels, and read again by the next recording") {
    test::SyntheticProfile p = test::showcase();
    Capture& capture = p.profile().capture;
    p.profile().kernels[p.profile().launches[0].kernel].name = "stencil(float*)";
    capture.groups = {"default"};
    capture.further = {{.groups = {"pipes", "stalls"}, .launches = {0}, .passes = 3},
                       {.groups = {"source"}, .launches = {0}}};
    const Analysis analysis = test::analysisOf(p);
    const ReportOptions options{.kernelFilter = "stencil", .profilePath = "app.roofscope.json"};
    const std::string text = render(analysis, ReportFormat::Markdown, options);
    INFO(text);
    CHECK(contains(text,
                   "in addition: pipes, stalls of `stencil` (3 passes per launch), source of "
                   "`stencil`"));
    CHECK(contains(text, "--groups default,pipes,stalls --effort auto -- ./operators"));
    const auto json = nlohmann::json::parse(render(analysis, ReportFormat::Json, options));
    REQUIRE(json["profile"]["further"].size() == 2);
    CHECK(json["profile"]["further"][0]["groups"] == std::vector<std::string>{"pipes", "stalls"});
    CHECK(json["profile"]["further"][0]["kernels"] == std::vector<std::string>{"stencil(float*)"});
    CHECK(json["profile"]["further"][0]["passes"] == 3);
    CHECK(json["profile"]["further"][1]["passes"].is_null());
    // The further counters belong to another kernel.
    capture.further[0].launches = {static_cast<std::uint32_t>(p.profile().launches.size() - 1)};
    CHECK_FALSE(contains(render(test::analysisOf(p), ReportFormat::Markdown, options), "--groups"));
}

TEST_CASE("the hints of one kernel stand alone and stay short") {
    const Analysis analysis = test::analysisOf(test::showcase());
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const std::string hints = renderKernelHints(analysis, i);
        CHECK(contains(hints, "NVIDIA H200"));
        CHECK(contains(hints, "CUPTI 130001"));
        CHECK(contains(hints, "kernel replay"));
        CHECK(estimateTokens(hints) < 1300);
    }
    CHECK(renderKernelHints(analysis, 99).empty());
    CHECK(renderKernelHints({}, 0).empty());
}

TEST_CASE("no fault is ruled out for a kernel that waits for other GPUs") {
    test::SyntheticProfile p;
    p.launch(p.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), {24, 1, 1}, {544, 1, 1})
        .durationUs(1050);
    const Analysis timed = test::analysisOf(p);
    CHECK(explainNoFindings(timed.kernels.at(0)) == NoFindings::OnlyTimed);
    CHECK(contains(renderKernelHints(timed, 0),
                   "**No diagnosis:** it waits for other GPUs, so it was only timed."));
    CHECK(contains(renderKernelHints(timed, 0, {.language = test::kZh}),
                   "它等待其他 GPU，因此仅计时"));
    CHECK(contains(render(timed, ReportFormat::Markdown), "only timed (waits for other GPUs)"));
    for (const ReportFormat format :
         {ReportFormat::Markdown, ReportFormat::Html, ReportFormat::Text}) {
        const std::string chinese = render(timed, format, {.language = test::kZh});
        CHECK(contains(chinese, "仅计时"));
        CHECK_FALSE(contains(chinese, "没有已知问题"));
        CHECK_FALSE(contains(render(timed, format), "o known fault"));
    }
    // With counters it was not only timed, but still no rule examined it.
    p.profile().launches.clear();
    test::idleLaunch(p, "ncclDevKernel_AllGather_RING_LL", {24, 1, 1}, {544, 1, 1}, 505);
    CHECK(explainNoFindings(test::analysisOf(p).kernels.at(0)) == NoFindings::CannotTell);
}

TEST_CASE("a kernel that ran on several GPUs of one model names them all") {
    test::SyntheticProfile p;
    const auto kernel = p.kernel("step(float*)");
    Device other = test::SyntheticProfile::h200();
    for (const char* uuid : {"GPU-1", "GPU-2"}) {
        other.uuid = uuid;
        p.addDevice(other);
    }
    for (const std::uint32_t device : {0, 2})
        p.launch(kernel, {24, 1, 1}, {544, 1, 1}).device(device).durationUs(100);
    const auto written = [&](ReportFormat format, Language language = Language::En) {
        return render(test::analysisOf(p), format, {.kernelFilter = "step", .language = language});
    };
    CHECK(contains(written(ReportFormat::Markdown), "; on GPUs 0, 2."));
    CHECK(contains(written(ReportFormat::Markdown, test::kZh), "；在 GPU 0, 2 上。"));
    CHECK(contains(written(ReportFormat::Html), "on GPUs 0, 2."));
    CHECK(contains(written(ReportFormat::Markdown), "- GPUs 0–2: each NVIDIA H200"));
    const Json json = Json::parse(written(ReportFormat::Json));
    CHECK(json["kernels"][0]["device"] == 0);
    CHECK(json["kernels"][0]["devices"] == Json{0, 2});
    const auto rows = parseCsv(written(ReportFormat::Csv));
    const auto column = std::find(rows[0].begin(), rows[0].end(), "devices") - rows[0].begin();
    CHECK(rows.at(1).at(static_cast<std::size_t>(column)) == "0 2");
    // With one GPU the text is as before.
    p.profile().launches[1].device = 0;
    CHECK(contains(written(ReportFormat::Markdown), "; on GPU 0."));
    CHECK_FALSE(Json::parse(written(ReportFormat::Json))["kernels"][0].contains("devices"));
    CHECK(deviceNumbers({0, 1}) == "0, 1");
    CHECK(deviceNumbers({0, 1, 2, 3, 6}) == "0–3, 6");
}

TEST_CASE("a missing value is named, never 0") {
    test::SyntheticProfile p;
    p.launch(p.kernel("lonely(float*)"), {1024, 1, 1}, {256, 1, 1}).counterDurationUs(100);
    const Analysis analysis = test::analysisOf(p);
    const std::string markdown = render(analysis, ReportFormat::Markdown);
    CHECK(contains(markdown, "not measured"));
    CHECK_FALSE(contains(markdown, "DRAM 0 %"));
    CHECK(contains(markdown, "**No diagnosis:**"));
    CHECK_FALSE(contains(markdown, "Nothing to fix"));

    const Json json = Json::parse(render(analysis, ReportFormat::Json));
    const Json& kernel = json["kernels"][0];
    CHECK(kernel["quantities"]["dram_bytes"].is_null());
    CHECK(contains(kernel["missing"]["dram_bytes"].get<std::string>(), "dram__bytes_read.sum"));

    const auto rows = parseCsv(render(analysis, ReportFormat::Csv));
    REQUIRE(rows.size() == 2);
    const auto column = std::find(rows[0].begin(), rows[0].end(), "dram_bytes") - rows[0].begin();
    CHECK(rows[1].at(static_cast<std::size_t>(column)).empty());
}

TEST_CASE("a launch without any duration says so everywhere") {
    test::SyntheticProfile p;
    p.launch(p.kernel("timeless(float*)"), {1024, 1, 1}, {256, 1, 1});
    const Analysis analysis = test::analysisOf(p);
    CHECK(contains(render(analysis, ReportFormat::Markdown), "\nDuration not measured."));
    const Json json = Json::parse(render(analysis, ReportFormat::Json));
    CHECK(json["kernels"][0]["duration"]["median_ns"].is_null());
    CHECK(contains(render(analysis, ReportFormat::Text), "–"));
    CHECK(test::wellFormedXml(render(analysis, ReportFormat::Svg)) == "");
}

TEST_CASE("all formats agree on findings and numbers") {
    const Analysis analysis = test::analysisOf(test::showcase());
    const Json json = Json::parse(render(analysis, ReportFormat::Json));
    CHECK(json["format"] == "roofscope-report");
    CHECK(json["schema"] == Json::array({1, 0}));
    const auto rows = parseCsv(render(analysis, ReportFormat::Csv));
    const std::string markdown = render(analysis, ReportFormat::Markdown);
    REQUIRE(json["kernels"].size() == analysis.kernels.size());
    REQUIRE(rows.size() == analysis.kernels.size() + 1);
    for (const auto& row : rows) CHECK(row.size() == rows[0].size());
    const auto cell = [&](std::size_t row, const char* name) {
        return rows[row][static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) -
                                                  rows[0].begin())];
    };
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const Json& kernel = json["kernels"][i];
        CHECK(cell(i + 1, "full_name") == kernel["full_name"].get<std::string>());
        CHECK(std::stod(cell(i + 1, "dram_bytes")) ==
              Approx(kernel["quantities"]["dram_bytes"].get<double>()));
        CHECK(kernel["findings"].size() == analysis.kernels[i].findings.size());
        for (const Json& finding : kernel["findings"])
            CHECK(contains(markdown, "`" + finding["rule"].get<std::string>() + "`"));
    }
    // Computed by hand: 8192² floats read, 0.92 of that written; 208.5 of 329.2 µs can be saved.
    CHECK(json["kernels"][0]["quantities"]["dram_bytes"].get<double>() ==
          Approx(8192.0 * 8192 * 4 * 1.92));
    CHECK(json["kernels"][0]["duration"]["median_ns"].get<double>() == 329200.0);
    CHECK(json["kernels"][0]["findings"][0]["rule"] == "shared-bank-conflict");
}

TEST_CASE("hostile names change nothing but themselves") {
    for (const std::string& name : test::hostileNames()) {
        test::SyntheticProfile p = test::showcase();
        p.profile().kernels[0].name = name;
        p.profile().kernels[0].symbol = name;
        p.profile().capture.command = {"app", name};
        p.profile().devices[0].name = name;
        p.profile().launches[0].range = 0;
        p.profile().ranges = {name};
        p.issue(Severity::Error, name, name, name);
        const Analysis analysis = test::analysisOf(p);
        const Analysis plain = test::analysisOf(test::showcase());
        CAPTURE(name.substr(0, 60));

        const std::string markdown =
            render(analysis, ReportFormat::Markdown, {.profilePath = name.substr(0, 3000)});
        CHECK(count(markdown, "\n## ") ==
              count(render(plain, ReportFormat::Markdown), "\n## ") + 1);
        CHECK(count(markdown, "\n# ") == 0);
        CHECK(count(markdown, "\n```") == count(render(plain, ReportFormat::Markdown), "\n```"));
        CHECK(markdown.size() < 40000);
        CHECK(markdown.find('\x1b') == std::string::npos);
        // Every row of the ranking keeps its number of cells: no unescaped bar is added.
        for (std::size_t at = markdown.find("\n| 1 "); at != std::string::npos;) {
            const std::string row = markdown.substr(at + 1, markdown.find('\n', at + 1) - at - 1);
            CHECK(count(row, "|") - count(row, "\\|") == 8);
            break;
        }

        const std::string text = render(analysis, ReportFormat::Text);
        CHECK(text.size() < 20000);
        for (std::size_t at = 0; at < text.size();) {
            const auto c = utf8::next(text, at);
            REQUIRE(c.has_value());
            if (*c != '\n') REQUIRE_FALSE(utf8::isHidden(*c));
        }
        const std::string json = render(analysis, ReportFormat::Json);
        CHECK(Json::parse(json)["kernels"].size() == plain.kernels.size());
        CHECK_FALSE(contains(json, "</"));
        const auto rows = parseCsv(render(analysis, ReportFormat::Csv));
        REQUIRE(rows.size() == plain.kernels.size() + 1);
        for (const auto& row : rows) {
            CHECK(row.size() == rows[0].size());
            for (const std::string& field : row)
                if (!field.empty() &&
                    field.find_first_not_of("0123456789.-+e") != std::string::npos)
                    CHECK(std::string("=+-@\t\r").find(field[0]) == std::string::npos);
        }
        CHECK(test::wellFormedXml(render(analysis, ReportFormat::Svg)) == "");
    }
}

TEST_CASE("a budget trims from the bottom and says what is gone") {
    const Analysis analysis = test::analysisOf(test::showcase());
    const std::string full = render(analysis, ReportFormat::Markdown);
    CHECK_FALSE(contains(full, "Trimmed"));
    for (const std::size_t budget : {2000, 1500, 1200, 1000, 800}) {
        const std::string text = render(analysis, ReportFormat::Markdown, {.budgetTokens = budget});
        CAPTURE(budget, text);
        CHECK(estimateTokens(text) <= budget);
        CHECK(contains(text, "## 1. `transpose"));
        CHECK(contains(text, "**Verdict** (confidence high): Shared pipe at 88 %."));
        if (budget < estimateTokens(full)) CHECK(contains(text, "Trimmed to a budget"));
        if (!contains(text, "## 3.")) CHECK(contains(text, "kernel section"));
    }
    // The last kernels are dropped before any part of the first.
    for (std::size_t budget = estimateTokens(full); budget > 400; budget -= 20) {
        const std::string some = render(analysis, ReportFormat::Markdown, {.budgetTokens = budget});
        if (contains(some, "\n- 5. `copy`")) continue;
        CAPTURE(some);
        CHECK(contains(some, "\n**1. Bank conflicts"));
        break;
    }
    // With one kernel, parts are dropped from the bottom.
    const std::string one = renderKernelHints(analysis, 0, {.budgetTokens = 500});
    CHECK(estimateTokens(one) <= 500);
    CHECK(contains(one, "Edit:"));
    CHECK_FALSE(contains(one, "**Ruled out:**"));
    CHECK(contains(one, "ruled out"));
    // If nothing fits the budget, the verdict is still kept.
    CHECK(contains(renderKernelHints(analysis, 0, {.budgetTokens = 1}), "**Verdict** "));
}

TEST_CASE("filters, top and broken patterns") {
    const Analysis analysis = test::analysisOf(test::showcase());
    const Json json =
        Json::parse(render(analysis, ReportFormat::Json, {.top = 1, .kernelFilter = "gelu"}));
    REQUIRE(json["kernels"].size() == 1);
    CHECK(json["kernels"][0]["rank"] == 3);  // its rank in the whole profile
    const auto broken = renderReport(analysis, ReportFormat::Csv, {.kernelFilter = "(("});
    REQUIRE_FALSE(broken.ok());
    CHECK(exitCode(broken.error().code) == 64);
    CHECK_FALSE(renderReport(analysis, ReportFormat::Svg, {.kernelFilter = "nothing"}).ok());
    CHECK(contains(render(analysis, ReportFormat::Markdown, {.kernelFilter = "nothing"}),
                   "None of the 5 kernels matches the filter `nothing`"));
    CHECK(contains(render(analysis, ReportFormat::Markdown, {.top = 2}), "3 more"));
    test::SyntheticProfile p = test::showcase();
    p.profile().kernels[0].name = std::string(1 << 20, 'x');
    // Matching ends for any length of name and nesting of the pattern.
    for (const char* pattern : {"(x+x+)+y|.*z", "(x*)*y"})
        CHECK(renderReport(test::analysisOf(p), ReportFormat::Csv, {.kernelFilter = pattern}).ok());
}

TEST_CASE("a report says first if the program may have failed") {
    constexpr const char* kWarning = "If it failed, what follows is not its usual work.";
    test::SyntheticProfile p = test::showcase();
    const auto brief = [&] {
        const std::string text =
            render(test::analysisOf(p), ReportFormat::Markdown, {.budgetTokens = 700});
        return text.substr(0, text.find("## "));
    };
    CHECK_FALSE(contains(brief(), kWarning));
    p.profile().capture.exitCode = 3;
    CHECK(contains(brief(), "The program: exit code 3. " + std::string(kWarning)));
    p.profile().capture.exitCode.reset();
    CHECK_FALSE(contains(brief(), kWarning));  // the end of the program is not known
    p.profile().capture.termSignal = 11;
    CHECK(contains(brief(), "The program: ended by signal 11. "));
}

TEST_CASE("recording issues are always listed") {
    test::SyntheticProfile p = test::showcase();
    p.issue(Severity::DataLoss, "ranges-dropped", "3 launches were not measured", "record again");
    const Analysis analysis = test::analysisOf(p);
    for (const ReportFormat format :
         {ReportFormat::Markdown, ReportFormat::Text, ReportFormat::Json})
        CHECK(contains(render(analysis, format), "3 launches were not measured"));
    CHECK(contains(render(analysis, ReportFormat::Markdown, {.budgetTokens = 100}),
                   "3 launches were not measured"));
    CHECK(contains(renderKernelHints(analysis, 0), "1 problem while recording"));
}

TEST_CASE("an empty profile ends in a report") {
    const Analysis analysis = test::analysisOf(test::SyntheticProfile());
    for (const ReportFormat format : {ReportFormat::Markdown, ReportFormat::Text})
        CHECK(contains(render(analysis, format), "No kernel launch was measured"));
    CHECK(Json::parse(render(analysis, ReportFormat::Json))["kernels"].empty());
    CHECK(parseCsv(render(analysis, ReportFormat::Csv)).size() == 1);
    CHECK(test::wellFormedXml(render(analysis, ReportFormat::Svg)) == "");
    CHECK_FALSE(renderReport({}, ReportFormat::Text).ok());
}

TEST_CASE("names as long as PyTorch's are whole in JSON and CSV") {
    const Analysis& analysis = test::recorded("h200_triton_source");
    const Json json = Json::parse(render(analysis, ReportFormat::Json, {.top = 1000}));
    const auto rows = parseCsv(render(analysis, ReportFormat::Csv, {.top = 1000}));
    const auto column =
        static_cast<std::size_t>(std::ranges::find(rows[0], "full_name") - rows[0].begin());
    std::size_t longest = 0;
    for (std::size_t i = 0; i < json["kernels"].size(); ++i) {
        const std::string name = json["kernels"][i]["full_name"];
        CHECK(name == analysis.kernels[i].fullName);
        CHECK(rows[i + 1][column] == name);
        longest = std::max(longest, name.size());
    }
    CHECK(longest > 4096);
}

TEST_CASE("launches have a row each, in the order of the profile, with their counters") {
    test::SyntheticProfile p = test::showcase();
    p.profile().launches[1].start = Seconds{2e-3};
    p.profile().launches[1].duration = Seconds{5e-6};
    p.profile().processes[0].rank = 3;
    const Analysis analysis = test::analysisOf(p);
    const Profile& profile = *analysis.profile;
    const auto rows = parseCsv(render(analysis, ReportFormat::LaunchesCsv));
    REQUIRE(rows.size() == profile.launches.size() + 1);
    const auto cell = [&](std::size_t launch, const std::string& name) {
        const auto column = std::ranges::find(rows[0], name) - rows[0].begin();
        REQUIRE(column < std::ssize(rows[0]));
        return rows[launch + 1].at(static_cast<std::size_t>(column));
    };
    for (std::size_t i = 0; i < profile.launches.size(); ++i) {
        CHECK(rows[i + 1].size() == rows[0].size());
        CHECK(cell(i, "launch") == std::to_string(i));
        const double bytes = profile.counters.column("dram__bytes_read.sum")[i];
        const std::string shown = cell(i, "dram__bytes_read.sum");
        CHECK((bytes == bytes ? std::stod(shown) == bytes : shown.empty()));
    }
    CHECK(cell(0, "start_ns").empty());
    CHECK(cell(1, "start_ns") == "2000000");
    CHECK(cell(1, "duration_ns") == "5000");
    CHECK(cell(1, "rank") == "3");
    const auto ids = kernelIds(analysis);
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k)
        CHECK(cell(analysis.kernels[k].group.launches[0], "kernel") == ids[k]);
    // Only what was chosen.
    const auto some =
        parseCsv(render(analysis, ReportFormat::LaunchesCsv, {.kernelFilter = "transpose"}));
    CHECK(some.size() < rows.size());
}

TEST_CASE("rows for query engines have what the JSON has, a line each") {
    const Analysis& analysis = test::recorded("h200_torch_graph");
    const Json whole = Json::parse(render(analysis, ReportFormat::Json, {.profilePath = "a.json"}));
    std::istringstream lines(render(analysis, ReportFormat::Jsonl, {.profilePath = "a.json"}));
    std::vector<Json> rows;
    for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
    const auto& kernels = whole["kernels"];
    const auto& actions = whole["program"]["actions"];
    REQUIRE(rows.size() > 1 + kernels.size() + actions.size());
    for (const Json& row : rows) {
        CHECK(row["profile"] == "a.json");
        CHECK(row["created"] == whole["profile"]["created_utc"]);
        CHECK(row["gpu"] == whole["devices"][0]["name"]);
    }
    const auto seconds = [](const Json& ns) { return Approx(ns.get<double>() * 1e-9); };
    CHECK(rows[0]["row"] == "program");
    CHECK(rows[0]["busy_share"] == whole["program"]["busy_share"]);
    std::size_t at = 0;
    for (const Json& kernel : kernels) {
        const Json& row = rows[++at];
        CHECK(row["row"] == "kernel");
        CHECK(row["id"] == kernel["id"]);
        CHECK(row.value("range", Json()) == kernel["range"]);
        CHECK(row["median_s"].get<double>() == seconds(kernel["duration"]["median_ns"]));
        CHECK(row["time_share"] == kernel["time_share_ratio"]);
        CHECK(row["verdict"] == kernel["verdict"]["class"]);
        CHECK(row["findings"].size() == kernel["findings"].size());
        for (const auto& [key, value] : kernel["quantities"].items())
            CHECK(row.value(key, Json()) == value);
    }
    for (const Json& action : actions) {
        const Json& row = rows[++at];
        CHECK(row["row"] == "action");
        CHECK(row["id"] == action["id"]);
        CHECK(row["bound_window_s"] == action["bound_seconds"]);
        CHECK_FALSE(row.contains("bound_recorded_s"));
    }
    // What the kernel's finding saves in a window, and in all its launches.
    const Json& found = rows.at(at + 1);
    CHECK(found["id"].get<std::string>() ==
          kernels[0]["id"].get<std::string>() + "/missing-tensor-core");
    CHECK(found["bound_window_s"].get<double>() ==
          seconds(kernels[0]["findings"][0]["gain_window_ns"]));
    CHECK(found["bound_recorded_s"].get<double>() ==
          Approx(kernels[0]["findings"][0]["gain_ratio"].get<double>() *
                 kernels[0]["duration"]["total_ns"].get<double>() * 1e-9));
}

TEST_CASE("rows of chosen kernels count these kernels' launches and time") {
    const Analysis& analysis = test::recorded("h200_torch_graph");
    const auto programRow = [&](const std::string& kernel) {
        const std::string text =
            render(analysis, ReportFormat::Jsonl, {.kernelFilter = kernel, .profilePath = "a"});
        double launches = 0, total = 0;
        std::istringstream lines(text);
        std::string line;
        std::getline(lines, line);
        const Json program = Json::parse(line);
        while (std::getline(lines, line)) {
            const Json row = Json::parse(line);
            if (row["row"] != "kernel") continue;
            launches += row["launches"].get<double>();
            total += row["total_s"].get<double>();
        }
        CHECK(program["launches"].get<double>() == launches);
        CHECK(program["total_s"].get<double>() == Approx(total));
        return launches;
    };
    const double all = programRow("");
    const double some = programRow("sm80_xmma");
    CHECK(some > 0);
    CHECK(some < all);
}

TEST_CASE("operations of tensor cores in JSON and CSV: counted, 0, or missing") {
    const Analysis& analysis = test::recorded("h200_tensor");
    const Json json = Json::parse(render(analysis, ReportFormat::Json));
    const Json& product = json["kernels"][0];
    CHECK(product["quantities"]["tensor_bf16_ops"] == 2112.0 * 8 * 512 * 8 * 4096);
    CHECK(product["quantities"]["tensor_bf16_ops_per_s"].get<double>() ==
          Approx(6.36e14).epsilon(0.01));
    CHECK(product["quantities"]["tensor_fp16_ops"] == 0.0);
    CHECK(product["quantities"]["tensor_fp4_ops"].is_null());
    CHECK(contains(product["missing"]["tensor_fp4_ops"], "this chip has no such counters"));
    REQUIRE_FALSE(product["roofline"].empty());
    for (const Json& dot : product["roofline"]) {
        CHECK(dot["precision"] == "BF16 tensor");
        CHECK(dot["flops_per_s"] == product["quantities"]["tensor_bf16_ops_per_s"]);
    }
    std::size_t roofs = 0;
    for (const Json& roof : json["roofs"]) roofs += roof.value("precision", "") == "BF16 tensor";
    CHECK(roofs == 2);  // theoretical and measured

    const auto rows = parseCsv(render(analysis, ReportFormat::Csv));
    const auto column = std::ranges::find(rows[0], "tensor_bf16_ops") - rows[0].begin();
    REQUIRE(column < std::ssize(rows[0]));
    CHECK(rows[1][static_cast<std::size_t>(column)] == "283467841536");

    // They were not requested, so nothing is missing.
    const Json plain = Json::parse(render(test::recorded("h200_bundled"), ReportFormat::Json));
    for (const Json& kernel : plain["kernels"])
        for (const char* part : {"quantities", "missing"})
            CHECK_FALSE(kernel[part].contains("tensor_bf16_ops"));
    const auto others = parseCsv(render(test::recorded("h200_bundled"), ReportFormat::Csv));
    CHECK(others[0] == rows[0]);
    for (std::size_t i = 1; i + 1 < others.size(); ++i)
        CHECK(others[i][static_cast<std::size_t>(column)].empty());
}

TEST_CASE("colours only when asked for") {
    const Analysis analysis = test::analysisOf(test::showcase());
    CHECK(render(analysis, ReportFormat::Text).find('\x1b') == std::string::npos);
    CHECK(contains(render(analysis, ReportFormat::Text, {.colour = true}), "\x1b["));
}

TEST_CASE("a report says what a GPU cannot do, and nothing of what is not known of it") {
    const auto hintsOn = [](const char* chip, int major, int minor) {
        Device device = test::SyntheticProfile::h200();
        device.chip = chip;
        device.computeMajor = major;
        device.computeMinor = minor;
        test::SyntheticProfile p(device);
        test::idleLaunch(p, "k(float*)", {1024, 1, 1}, {256, 1, 1}, 100);
        return renderKernelHints(test::analysisOf(p), 0);
    };
    const char* kTma = "tensor memory accelerator";
    CHECK(contains(hintsOn("GA102", 8, 6), kTma));
    CHECK(contains(hintsOn("", 8, 6), kTma));
    CHECK_FALSE(contains(hintsOn("GH100", 9, 0), kTma));
    CHECK(contains(hintsOn("GH100", 9, 0), "It has no FP4 tensor cores, tensor memory (tcgen05)."));
    CHECK_FALSE(contains(hintsOn("XX100", 9, 9), "It has no"));
    CHECK_FALSE(contains(hintsOn("XX100", 0, 0), "It has no"));
}

TEST_CASE("what was measured inside a process is measured there again, not by a command") {
    test::SyntheticProfile p = test::showcase();
    p.profile().capture.command = {"python3", "-c", "roofscope.measure(model.step)"};
    const std::string text =
        render(test::analysisOf(p), ReportFormat::Markdown, {.profilePath = "app.roofscope.json"});
    CHECK(contains(text, "# in the process that called it: roofscope.measure(model.step)"));
    CHECK_FALSE(contains(text, "record --out"));
}

TEST_CASE("what Nsight Compute measured is measured again by it") {
    for (const char* file :
         {"d/app.csv", "d/app.csv.gz", "d/app.ncu-rep", "d/app.roofscope.json"}) {
        test::SyntheticProfile p = test::showcase();
        p.profile().capture.origin = "imported";
        p.profile().capture.strategy = "imported from Nsight Compute 2024.1";
        p.profile().capture.command = {"app.exe"};
        const std::string text =
            render(test::analysisOf(p), ReportFormat::Markdown, {.profilePath = file});
        CHECK(contains(text, "ncu OPTIONS -o d/app-after.ncu-rep app.exe ARGS  # the same"));
        CHECK(contains(text, "report d/app-after.ncu-rep --format markdown"));
        CHECK(contains(text, "--baseline " + std::string(file)));
        CHECK_FALSE(contains(text, "record --out"));
    }
}

TEST_CASE("a roof of the die is marked, if the board may do less") {
    Profile profile = test::sample("h200_tensor");
    const auto markdown = [&] {
        return render(analyze(std::make_shared<const Profile>(profile)), ReportFormat::Markdown);
    };
    CHECK_FALSE(contains(markdown(), "unverified for this board"));
    profile.devices[0].name = "NVIDIA H20-3e";
    CHECK(contains(markdown(), "TFLOP/s (unverified for this board)"));
}

TEST_CASE("the next command is Nsight Compute's own, where it is known") {
    test::SyntheticProfile p = test::showcase();
    p.profile().capture.origin = "imported";
    p.profile().capture.strategy = "imported from Nsight Compute 2024.1";
    p.profile().capture.command = {"./app", "--profile"};
    p.profile().capture.toolCommand = {"ncu", "-c", "3", "--set", "full"};
    const std::string text =
        render(test::analysisOf(p), ReportFormat::Markdown, {.profilePath = "app.ncu-rep"});
    CHECK(contains(text, "ncu -c 3 --set full -o app-after.ncu-rep ./app --profile\n"));
    CHECK_FALSE(contains(text, "ncu OPTIONS"));
}

TEST_CASE("names of the next profile") {
    CHECK(nextProfileName("app.roofscope.json") == "app-after.roofscope.json");
    CHECK(nextProfileName("d/app-after.roofscope.json.gz") == "d/app-after2.roofscope.json");
    CHECK(nextProfileName("app-after2.roofscope.json") == "app-after3.roofscope.json");
    CHECK(nextProfileName("app-afterwards.json") == "app-afterwards-after.roofscope.json");
    CHECK(nextProfileName("app.sqlite") == "app-after.roofscope.json");
    CHECK(nextProfileName("app.nsys-rep") == "app-after.roofscope.json");
    CHECK(nextProfileName("") == "after.roofscope.json");
}

TEST_CASE("format names") {
    const auto formatOf = [](std::string_view name) {
        const ReportFormatEntry* const entry = findFormat(reportFormats(), name);
        return entry ? std::optional(entry->format) : std::nullopt;
    };
    CHECK(formatOf("markdown") == ReportFormat::Markdown);
    CHECK(formatOf("md") == ReportFormat::Markdown);
    CHECK(formatOf("svg") == ReportFormat::Svg);
    CHECK(formatOf("HTML") == ReportFormat::Html);
    CHECK_FALSE(formatOf("pdf").has_value());
    for (const ReportFormatEntry& entry : reportFormats()) CHECK(&entryOf(entry.format) == &entry);
}

TEST_CASE("measured roofs are named beside the theoretical ones, and only where there are any") {
    test::SyntheticProfile p = test::showcase();
    const auto theoretical = test::analysisOf(p);
    CHECK_FALSE(contains(render(theoretical, ReportFormat::Markdown), "(measured "));
    p.profile().devices[0].ceilings = {
        {.name = "dram_read", .kind = Ceiling::Kind::Bandwidth, .burst = 4.4e12},
        {.name = "dram_write", .kind = Ceiling::Kind::Bandwidth, .burst = 4.1e12},
        {.name = "dram_copy", .kind = Ceiling::Kind::Bandwidth, .burst = 4.2e12}};
    const auto measured = test::analysisOf(p);
    const std::string text = render(measured, ReportFormat::Markdown);
    CHECK(contains(text, "Theoretical roofs: DRAM 4.81 TB/s (measured 4.40 TB/s), "));
    CHECK(contains(text, "(measured on this GPU)"));
    const Json roofs = Json::parse(render(measured, ReportFormat::Json))["roofs"];
    CHECK(std::count_if(roofs.begin(), roofs.end(),
                        [](const Json& roof) { return roof["measured"] == true; }) == 1);
    CHECK(contains(render(measured, ReportFormat::Svg), ", 4.40 measured"));
}
