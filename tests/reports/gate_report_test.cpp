// SPDX-License-Identifier: Apache-2.0
#include "reports/gate/gate_report.h"

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/reports/hostile_names.h"
#include "tests/reports/well_formed.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/text.h"

using namespace roofscope;
using gate::Judgement;
using gate::Status;
using Json = nlohmann::json;

namespace {

using test::contains;

/// One kernel with a check of each outcome, and a rule that matches no kernel.
Judgement sampleJudgement(const std::string& name = "transpose<32>") {
    Judgement j;
    gate::KernelGate kernel{.name = name, .range = name, .baselineLine = 12, .inProfile = true};
    kernel.checks = {
        {.status = Status::Fail,
         .id = "dram_read_bytes",
         .label = Words("DRAM bytes read"),
         .unit = Unit::Bytes,
         .from = 1e8,
         .to = 2e8,
         .bound = 0.05,
         .reason = {Words("more, beyond noise"), {}}},
        {.status = Status::Incomparable,
         .id = "gpu",
         .label = Words::same("GPU"),
         .reason = {Words("not measured in the profile: {counters}"),
                    {{.name = "counters", .text = Words::same(name.empty() ? "x" : name)}}}},
        {.status = Status::Incomparable, .allowed = true, .id = "kernel"},
        {.improved = true,
         .id = "fp32_flops",
         .label = Words("FP32 operations"),
         .from = 100.0,
         .to = 50.0},
        {.id = "fp64_flops", .label = Words("FP64 operations"), .from = 0.0, .to = 0.0}};
    j.kernels = {kernel};
    j.checks = {{.status = Status::Incomparable, .id = "rules", .label = Words("rules")}};
    j.count = {
        .kernels = 1, .passed = 2, .failed = 1, .incomparable = 2, .allowed = 1, .improved = 1};
    return j;
}

/// The properties of a SARIF 2.1.0 object: those required, and the optional ones that we write.
/// Only property bags may have others; services reject a file with a misspelt property.
struct SarifObject {
    std::set<std::string> required, optional;
};
const std::map<std::string, SarifObject> kSarif{
    {"log", {{"version", "runs"}, {"$schema"}}},
    {"runs", {{"tool"}, {"invocations", "results", "properties"}}},
    {"tool", {{"driver"}, {}}},
    {"driver", {{"name"}, {"version", "rules"}}},
    {"rules", {{"id"}, {"shortDescription"}}},
    {"shortDescription", {{"text"}, {}}},
    {"invocations", {{"executionSuccessful"}, {"exitCode"}}},
    {"results",
     {{"message"}, {"ruleId", "ruleIndex", "level", "locations", "partialFingerprints"}}},
    {"message", {{"text"}, {}}},
    {"locations", {{}, {"physicalLocation", "logicalLocations"}}},
    {"physicalLocation", {{"artifactLocation"}, {"region"}}},
    {"artifactLocation", {{"uri"}, {}}},
    {"region", {{"startLine"}, {}}},
    {"logicalLocations", {{}, {"fullyQualifiedName", "kind"}}}};

/// The first error in an object of this kind, or "".
std::string wrongInSarif(const Json& object, const std::string& kind) {
    const auto known = kSarif.find(kind);
    if (known == kSarif.end()) return kind + " is no object of SARIF that we write";
    for (const std::string& name : known->second.required)
        if (!object.contains(name)) return kind + " lacks " + name;
    for (const auto& [name, value] : object.items()) {
        if (!known->second.required.contains(name) && !known->second.optional.contains(name))
            return kind + " has " + name;
        if (name == "properties" || name == "partialFingerprints") continue;  // property bags
        for (const Json& item : value.is_array() ? value : Json::array({value}))
            if (item.is_object())
                if (std::string wrong = wrongInSarif(item, name); !wrong.empty()) return wrong;
    }
    if (kind == "results" &&
        !std::set<std::string>{"none", "note", "warning", "error"}.contains(object.at("level")))
        return "level " + object.at("level").dump();
    if (kind == "region" && !(object.at("startLine").is_number_unsigned() &&
                              object.at("startLine").get<std::size_t>() >= 1))
        return "startLine " + object.at("startLine").dump();
    return {};
}

/// What Jenkins' schema (junit-10.xsd of its xUnit plugin) says about an element that we write: its
/// attributes and children.
struct JunitElement {
    std::set<std::string> required, optional, children;
};
const std::map<std::string, JunitElement> kJunit{
    {"testsuites", {{}, {"name", "time", "tests", "failures", "errors"}, {"testsuite"}}},
    {"testsuite",
     {{"name", "tests", "failures", "errors"},
      {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
      {"testsuite", "properties", "testcase", "system-out", "system-err"}}},
    {"testcase",
     {{"name"},
      {"time", "classname", "group"},
      {"skipped", "error", "failure", "system-out", "system-err"}}},
    {"skipped", {{}, {"type", "message"}, {}}},
    {"error", {{}, {"type", "message"}, {}}},
    {"failure", {{}, {"type", "message"}, {}}}};

/// The first thing in a well-formed document that the schema does not allow, or "".
std::string wrongInJunit(const std::string& xml) {
    static const std::regex kTag("<(/?)([a-z-]+)((?: [a-z]+=\"[^\"]*\")*)(/?)>");
    static const std::regex kAttribute(" ([a-z]+)=\"[^\"]*\"");
    std::vector<std::string> open;
    for (std::sregex_iterator tag(xml.begin(), xml.end(), kTag), end; tag != end; ++tag) {
        const std::string name = (*tag)[2], attributes = (*tag)[3];
        if (tag->length(1) > 0) {
            open.pop_back();
            continue;
        }
        const auto known = kJunit.find(name);
        if (known == kJunit.end()) return name + " is no element that we write";
        if (open.empty() ? name != "testsuites" : !kJunit.at(open.back()).children.contains(name))
            return name + " stands in " + (open.empty() ? "nothing" : open.back());
        std::set<std::string> has;
        for (std::sregex_iterator a(attributes.begin(), attributes.end(), kAttribute); a != end;
             ++a)
            has.insert((*a)[1]);
        for (const std::string& needed : known->second.required)
            if (!has.contains(needed)) return name + " lacks " + needed;
        for (const std::string& attribute : has)
            if (!known->second.required.contains(attribute) &&
                !known->second.optional.contains(attribute))
                return name + " has " + attribute;
        if (tag->length(4) == 0) open.push_back(name);
    }
    return {};
}

const GateOptions kOptions{.profilePath = "app.roofscope.json",
                           .baselinePath = "perf/my 100%.baseline",
                           .toolVersion = "1.2.3"};

std::string junitBody(const std::string& text) {
    const std::string declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    REQUIRE(text.starts_with(declaration));
    return text.substr(declaration.size());
}

}  // namespace

TEST_CASE("a gate speaks Chinese to people and English to programs") {
    GateOptions options = kOptions;
    options.language = test::kZh;
    const std::string text = renderGate(sampleJudgement(), GateFormat::Text, options);
    CHECK(text.starts_with("性能退化：检查了 1 个内核，共 3 项检查，1 项未通过"));
    CHECK(contains(text,
                   "DRAM 读取字节：100 MB → 200 MB（+100 %，至多 +5 % 可通过）：增多，超出噪声"));
    CHECK(contains(text, "剖析文件未测量：transpose<32>"));
    const std::string markdown = renderGate(sampleJudgement(), GateFormat::Markdown, options);
    CHECK(markdown.starts_with("# GPU 性能门禁：性能退化\n"));
    CHECK(contains(markdown, "## 内核 `transpose<32>`，位于 `transpose<32>`\n\n- **未通过**："));
    for (const auto format :
         {GateFormat::Json, GateFormat::Junit, GateFormat::Sarif, GateFormat::Github})
        CHECK(renderGate(sampleJudgement(), format, options) ==
              renderGate(sampleJudgement(), format, kOptions));
}

TEST_CASE("a gate's text and markdown say verdict, kernel, counter and what was checked") {
    const std::string text = renderGate(sampleJudgement(), GateFormat::Text, kOptions);
    CHECK(text.starts_with("regression: 1 kernel checked with 3 checks, 1 failed"));
    CHECK(contains(text, "kernel transpose<32>"));
    CHECK(contains(text, "DRAM bytes read: 100 MB → 200 MB (+100 %, at most +5 % passes)"));
    CHECK(contains(text, "better"));
    CHECK_FALSE(contains(text, "FP64"));
    const std::string markdown = renderGate(sampleJudgement(), GateFormat::Markdown, kOptions);
    CHECK(markdown.starts_with("# GPU performance gate: regression\n"));
    CHECK(contains(markdown, "## kernel `transpose<32>` in `transpose<32>`\n\n- **fail**: DRAM"));
    // A pull-request comment has room for a limited number of lines; the log has all.
    Judgement many;
    many.count = {.kernels = 100, .failed = 100};
    many.kernels.assign(100, sampleJudgement().kernels[0]);
    CHECK(contains(renderGate(many, GateFormat::Markdown), "240 more lines are not shown"));
    // Another GPU is reported once for all kernels.
    const std::string all = renderGate(many, GateFormat::Text);
    CHECK(contains(all, " (100 kernels)"));
    CHECK(all.find("GPU: measured") == all.rfind("GPU: measured"));
    CHECK_FALSE(contains(renderGate(many, GateFormat::Text), "not shown"));
    // So is a profile of another program, which has none of the baseline's kernels.
    const gate::Check missing{.status = Status::Incomparable,
                              .id = "kernel",
                              .label = Words("kernel"),
                              .reason = {Words::same("the profile has no such kernel"), {}}};
    Judgement other;
    other.count = {.kernels = 0, .incomparable = 3};
    other.kernels.assign(3, {.name = "gone", .baselineLine = 12, .checks = {missing}});
    CHECK(contains(renderGate(other, GateFormat::Text),
                   "the profile has no such kernel (3 kernels)"));
    CHECK_FALSE(contains(renderGate(other, GateFormat::Text), "kernel gone"));
    other.count.kernels = 1;
    CHECK(contains(renderGate(other, GateFormat::Text), "kernel gone"));
    Judgement good;
    good.count = {.kernels = 3, .passed = 30};
    CHECK(renderGate(good, GateFormat::Text) ==
          "pass: 3 kernels checked with 30 checks, all passed\n");
    CHECK(contains(renderGate(Judgement{}, GateFormat::Text), "could not compare: nothing"));
}

TEST_CASE("JUnit: one case for each check, counts that agree") {
    const std::string xml = renderGate(sampleJudgement(), GateFormat::Junit, kOptions);
    CHECK(test::wellFormedXml(junitBody(xml)).empty());
    CHECK(contains(xml, "tests=\"6\" failures=\"1\" errors=\"2\" skipped=\"1\""));
    for (const Judgement& judgement :
         {sampleJudgement(), sampleJudgement("</testcase>\" x=\"1"), Judgement{}})
        CHECK(wrongInJunit(renderGate(judgement, GateFormat::Junit, kOptions)) == "");
    CHECK(wrongInJunit("<testsuites skipped=\"1\">") == "testsuites has skipped");
    CHECK(wrongInJunit("<testsuites><testcase name=\"a\"/>") == "testcase stands in testsuites");
    CHECK(contains(xml, "<failure message=\"DRAM bytes read"));
    // A gate that checked nothing fails for a reader of this file alone.
    CHECK(contains(renderGate(Judgement{}, GateFormat::Junit),
                   "tests=\"1\" failures=\"0\" "
                   "errors=\"1\""));
}

TEST_CASE("SARIF: the fields that 2.1.0 requires") {
    const auto sarif = Json::parse(renderGate(sampleJudgement(), GateFormat::Sarif, kOptions));
    CHECK(sarif.at("version") == "2.1.0");
    CHECK(sarif.at("$schema").get<std::string>().find("sarif-2.1.0") != std::string::npos);
    const auto& run = sarif.at("runs").at(0);
    const auto& driver = run.at("tool").at("driver");
    CHECK(driver.at("name") == "roofscope");
    CHECK(run.at("invocations").at(0).at("executionSuccessful") == true);
    CHECK(run.at("results").size() == 4);
    for (const auto& result : run.at("results")) {
        CHECK_FALSE(result.at("message").at("text").get<std::string>().empty());
        CHECK(driver.at("rules").at(result.at("ruleIndex").get<std::size_t>()).at("id") ==
              result.at("ruleId"));
        const auto& place = result.at("locations").at(0).at("physicalLocation");
        CHECK(place.at("artifactLocation").at("uri") == "perf/my%20100%25.baseline");
        CHECK(place.at("region").at("startLine").get<int>() >= 1);
    }
    CHECK(run.at("results")[0].at("level") == "error");
    CHECK(run.at("results")[0]
              .at("locations")[0]
              .at("physicalLocation")
              .at("region")
              .at("startLine") == 12);
    // Absolute paths of this machine are not written.
    GateOptions absolute = kOptions;
    absolute.baselinePath = "/home/ann/perf.baseline";
    CHECK_FALSE(contains(renderGate(sampleJudgement(), GateFormat::Sarif, absolute), "/home/ann"));
    CHECK_FALSE(contains(renderGate(sampleJudgement(), GateFormat::Github, absolute), "/home/ann"));
}

TEST_CASE("SARIF: every object as 2.1.0 has it") {
    for (const Judgement& judgement :
         {sampleJudgement(), sampleJudgement("</script>\x01 \xff"), Judgement{}})
        for (const GateOptions& options : {kOptions, GateOptions{}}) {
            const auto sarif = Json::parse(renderGate(judgement, GateFormat::Sarif, options));
            CHECK(wrongInSarif(sarif, "log") == "");
            std::set<std::string> ids;  // each rule occurs once
            for (const auto& rule : sarif.at("runs").at(0).at("tool").at("driver").at("rules"))
                CHECK(ids.insert(rule.at("id")).second);
        }
    Json broken = Json::parse(renderGate(sampleJudgement(), GateFormat::Sarif, kOptions));
    broken["runs"][0]["results"][0].erase("message");
    CHECK(wrongInSarif(broken, "log") == "results lacks message");
    broken = Json::parse(renderGate(sampleJudgement(), GateFormat::Sarif, kOptions));
    broken["runs"][0]["results"][0]["severity"] = "error";
    CHECK(wrongInSarif(broken, "log") == "results has severity");
}

TEST_CASE("GitHub's annotations are one line each, escaped") {
    const std::string text =
        renderGate(sampleJudgement("a,b::c%0A\nd"), GateFormat::Github, kOptions);
    CHECK(contains(text, "::error file=perf/my 100%25.baseline,line=12,title=a%2Cb%3A%3Ac%250A d"));
    CHECK(contains(text, "::DRAM bytes read: 100 MB → 200 MB (+100 %25,"));
    CHECK(contains(text, "::error title=roofscope gate::regression: "));
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        CHECK(text.compare(at, 2, "::") == 0);
}

TEST_CASE("names in a gate's verdict are data in every format") {
    std::vector<std::string> names = test::hostileNames();
    for (const char* name : {"::add-mask::x", "x\n::error::y", "##[error]x",
                             "\r\n::stop-commands::", "a%0A::error::b", "title=x,line=1::y"})
        names.emplace_back(name);
    const auto lines = [](const std::string& text) {
        return std::count(text.begin(), text.end(), '\n');
    };
    constexpr std::array kFormats{GateFormat::Text,  GateFormat::Markdown, GateFormat::Json,
                                  GateFormat::Junit, GateFormat::Sarif,    GateFormat::Github};
    for (const std::string& name : names) {
        INFO(name.substr(0, 100));
        const Judgement j = sampleJudgement(name);
        for (const GateFormat format : kFormats) {
            const std::string text = renderGate(j, format, kOptions);
            CHECK(text.size() < 40'000);
            CHECK(lines(text) == lines(renderGate(sampleJudgement(), format, kOptions)));
            CHECK_FALSE(contains(text, "\x1b"));
            if (format == GateFormat::Junit) CHECK(test::wellFormedXml(junitBody(text)).empty());
            if (format == GateFormat::Json || format == GateFormat::Sarif)
                CHECK((Json::accept(text) && !contains(text, "</script>")));
            if (format == GateFormat::Text || format == GateFormat::Github) {
                CHECK_FALSE(contains(text, "##["));
                if (format == GateFormat::Text) {
                    CHECK_FALSE(contains(text, "\n::"));
                    CHECK_FALSE(text.starts_with("::"));
                }
            }
        }
    }
}
