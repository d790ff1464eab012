// SPDX-License-Identifier: Apache-2.0
// Fuzz target for analysis and reports of profiles from untrusted sources. Built and run like
// profile_fuzz.cpp.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "profile/codec/codec.h"
#include "profile/text/utf8.h"
#include "reports/report.h"
#include "tests/support/languages.h"
#include "tests/support/share_sums.h"

using namespace roofscope;

namespace {

[[noreturn]] void fail(std::string_view what, const std::string& text) {
    std::fprintf(stderr, "%.*s:\n%.4000s\n", int(what.size()), what.data(), text.c_str());
    std::abort();
}

void check(const Analysis& analysis, ReportFormat format, Language language) {
    const auto report = renderReport(analysis, format, {.language = language});
    if (!report.ok()) return;
    if (format == ReportFormat::Json)
        if (const std::string problem = test::sharesProblem(nlohmann::json::parse(*report));
            !problem.empty())
            fail("shares of time: " + problem, *report);
    if (format == ReportFormat::Markdown && language == Language::En)
        if (const std::string problem = test::percentsProblem(*report); !problem.empty())
            fail("percents of time: " + problem, *report);
    for (const char c : *report)
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r')
            fail("a control character", *report);
}

}  // namespace

/// For any bytes: no crash, shares between 0 and 1, time shares that add up, gains no longer than
/// the kernel, and reports without control characters.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ReadLimits limits{.maxBytes = 1 << 20, .maxNodes = 100'000, .maxCells = 1'000'000};
    auto profile = parseProfile(text, "fuzz", limits);
    if (!profile.ok()) return 0;
    const Analysis analysis = analyze(std::make_shared<const Profile>(std::move(*profile)));
    for (const KernelAnalysis& kernel : analysis.kernels) {
        if (kernel.timeShare.has() &&
            !(kernel.timeShare->value >= 0 && kernel.timeShare->value <= 1.000001))
            fail("a share of time", kernel.name);
        for (const Finding& finding : kernel.findings)
            if (finding.gain.has() &&
                !(finding.gain->value >= 0 &&
                  finding.gain->value <= 1.000001 * kernel.quantities.duration.median.value))
                fail("a gain of " + finding.ruleId, kernel.name);
    }
    check(analysis, ReportFormat::Markdown, test::kZh);
    for (const ReportFormatEntry& entry : reportFormats())
        check(analysis, entry.format, Language::En);
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"

int main(int argc, char** argv) {
    return fuzz::runDamaged(argc, argv, {}, fuzz::kJsonPieces, {},
                            2'000);  // each takes milliseconds
}
#endif
