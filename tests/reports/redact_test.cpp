// SPDX-License-Identifier: Apache-2.0
#include "profile/operations/redact.h"

#include <memory>

#include "reports/kernels/kernel_id.h"
#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/text.h"

using namespace roofscope;

namespace {

using test::contains;

/// A profile full of private data: all words that start with "zq".
test::SyntheticProfile privateProfile() {
    test::SyntheticProfile p = test::showcase();
    p.profile().capture.command = {"/home/zquser/zqproject/operators", "--zqoption=zqvalue",
                                   "zqdata/zqfile.bin", "/srv/zqserver/zqinput",
                                   "https://zqhost/x"};
    p.profile().processes[0].cuptiPath = "/home/zquser/zqcuda/lib/libcupti.so.13";
    p.profile().kernels[1].name = "loader_of_zquser(float*)";
    p.profile().ranges = {"read /srv/zqserver/zqinput > step"};
    p.profile().launches[0].range = 0;
    p.profile().launches[2].range = 0;
    p.issue(Severity::Error, "program-failed",
            "/home/zquser/zqproject/operators: zqdata/zqfile.bin is missing (zqfile.bin)",
            "mount \"/srv/zqserver/zq folder\" on zqhostname.zqdomain.com, ask zquser@zqhostname");
    p.issue(Severity::DataLoss, "dropped", "zqvalue of --zqoption on zqhostname", "see ~/zqnotes");
    return p;
}

const RedactOptions kPrivate{.words = {"zqhostname", "zqhostname.zqdomain.com"}};

Analysis redacted(const test::SyntheticProfile& p, RedactOptions options) {
    return analyze(std::make_shared<const Profile>(redact(p.build(), options)));
}

/// The profile with times, which a trace needs.
test::SyntheticProfile timed(test::SyntheticProfile p) {
    for (Launch& launch : p.profile().launches) launch.start = launch.duration = Seconds{1e-3};
    return p;
}

/// Renders like the command line.
std::string renderWithout(const Analysis& analysis, ReportFormat format,
                          const std::string& option) {
    ReportOptions options{.profilePath =
                              redactPath("/home/zquser/out/run.roofscope.json", {}, kPrivate)};
    options.askOptions = option;
    return renderReport(analysis, format, options).value();
}

}  // namespace

TEST_CASE("no private word appears in any format") {
    const test::SyntheticProfile p = privateProfile();
    // Without redaction the words do appear.
    const Analysis open = test::analysisOf(p);
    for (const ReportFormat format :
         {ReportFormat::Markdown, ReportFormat::Text, ReportFormat::Html, ReportFormat::Json})
        CHECK(contains(renderReport(open, format).value(), "zqproject"));
    for (const ReportFormat format :
         {ReportFormat::Csv, ReportFormat::Jsonl, ReportFormat::LaunchesCsv, ReportFormat::Svg})
        CHECK(contains(renderReport(open, format).value(), "loader_of_zquser"));
    CHECK(contains(renderReport(test::analysisOf(timed(p)), ReportFormat::Perfetto).value(),
                   "loader_of_zquser"));

    const Analysis closed = redacted(p, kPrivate);
    const Analysis closedTimes = redacted(timed(p), kPrivate);
    for (const ReportFormatEntry& entry : reportFormats()) {
        const ReportFormat format = entry.format;
        const bool trace = format == ReportFormat::Perfetto;
        const std::string text = renderWithout(trace ? closedTimes : closed, format, "--redact");
        CAPTURE(static_cast<int>(format), text.substr(0, 3000));
        CHECK_FALSE(contains(text, "zq"));
        CHECK_FALSE(contains(text, "/home"));
        CHECK_FALSE(contains(text, "/srv"));
        // Names and numbers are kept.
        if (format != ReportFormat::Svg)
            CHECK(contains(text, "transpose<float, 32>") == (format != ReportFormat::Html));
        CHECK(contains(text, "transpose"));
    }
    CHECK_FALSE(contains(renderKernelHints(closed, 0), "zq"));
    const std::string markdown = renderWithout(closed, ReportFormat::Markdown, "--redact");
    CHECK(contains(markdown, "# GPU profile of `operators '…'`"));
    CHECK(contains(
        markdown,
        std::string("roofscope record --out run-after.roofscope.json -- operators '…'  # with the "
                    "arguments that were left out here\n"
                    "roofscope report run-after.roofscope.json --format markdown --kernel ") +
            kernelIds(closed)[0] + " --redact --baseline run.roofscope.json\n"));
    CHECK(contains(renderWithout(closed, ReportFormat::Csv, "--redact"), "run.roofscope.json,1,"));
}

TEST_CASE("names become hashes in every format when they are to go") {
    test::SyntheticProfile p = privateProfile();
    for (Kernel& kernel : p.profile().kernels) kernel.name = "void zqns::zq_" + kernel.name;
    p.profile().kernels[0].symbol = "_Z9zqsymbolv";
    p.profile().ranges = {"zqphase > zqstep"};
    p.issue(Severity::DataLoss, "dropped", "_Z9zqsymbolv during zqphase, zqns::zq_copy too", "");
    RedactOptions options = kPrivate;
    options.what = Redaction::Names;
    const Analysis closed = redacted(p, options);
    const Analysis closedTimes = redacted(timed(p), options);
    for (const ReportFormatEntry& entry : reportFormats()) {
        const ReportFormat format = entry.format;
        const bool trace = format == ReportFormat::Perfetto;
        const std::string text =
            renderWithout(trace ? closedTimes : closed, format, "--redact=names");
        CAPTURE(static_cast<int>(format), text.substr(0, 3000));
        CHECK_FALSE(contains(text, "zq"));
        CHECK_FALSE(contains(text, "transpose"));
        CHECK(contains(text, "kernel_"));
        if (format != ReportFormat::Svg && format != ReportFormat::Text)
            CHECK(contains(text, "range_"));
    }
    // Measurements and order are the same.
    const Analysis open = test::analysisOf(p);
    REQUIRE(open.kernels.size() == closed.kernels.size());
    for (std::size_t i = 0; i < open.kernels.size(); ++i) {
        CHECK(open.kernels[i].verdict.reason == closed.kernels[i].verdict.reason);
        CHECK(open.kernels[i].findings.size() == closed.kernels[i].findings.size());
        CHECK(open.kernels[i].group.kernel == closed.kernels[i].group.kernel);
    }
}

TEST_CASE("the convention stands wherever numbers follow it") {
    const auto profile = std::make_shared<const Profile>(test::showcase().build());
    const Analysis ours = analyze(profile);
    const Analysis ncu = analyze(profile, {.convention = Convention::Ncu});
    const auto in = [](const Analysis& analysis, ReportFormat format) {
        return renderReport(analysis, format).value();
    };
    for (const ReportFormat format : {ReportFormat::Markdown, ReportFormat::Text,
                                      ReportFormat::Html, ReportFormat::Json, ReportFormat::Svg}) {
        CAPTURE(static_cast<int>(format));
        CHECK(contains(in(ncu, format), "Nsight Compute"));
        CHECK_FALSE(contains(in(ours, format), "Nsight Compute"));
    }
    CHECK(contains(in(ncu, ReportFormat::Json), "\"convention\": \"ncu\""));
    CHECK(contains(in(ours, ReportFormat::Json), "\"convention\": \"roofscope\""));
    CHECK(contains(in(ncu, ReportFormat::Csv), ",ncu,"));
    CHECK(contains(in(ours, ReportFormat::Csv), ",roofscope,"));
    // A single section says it too, and names the direction counted.
    const std::string hints = renderKernelHints(ncu, 0);
    CHECK(contains(hints, "(L2 and L1 as Nsight Compute counts them)"));
    CHECK(contains(hints, "L2 (read return)"));
    CHECK_FALSE(contains(hints, "both ways"));
    CHECK(contains(in(ncu, ReportFormat::Html), "L2 (read return)"));
}
