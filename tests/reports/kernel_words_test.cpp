// SPDX-License-Identifier: Apache-2.0
// Sentences in reports of recorded kernels that once were wrong, repeated or not English.
#include <cmath>
#include <memory>
#include <string>

#include "reports/answer/answer_words.h"
#include "reports/answer/finding_words.h"
#include "reports/profile/ask_command.h"
#include "reports/report.h"
#include "reports/verdict/major_findings.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/samples.h"
#include "tests/support/text.h"

using namespace roofscope;
using test::contains, test::count, test::recorded;

namespace {

/// The hints for the bundled kernel whose NVTX range starts with `prefix`.
std::string hints(const std::string& prefix, Language language = Language::En) {
    const Analysis& analysis = recorded("h200_bundled");
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i)
        if (analysis.kernels[i].range.starts_with(prefix))
            return renderKernelHints(analysis, i,
                                     {.profilePath = "a.roofscope.json", .language = language});
    FAIL("no kernel in range " << prefix);
    throw;
}

}  // namespace

TEST_CASE("at a roof, the numbers of the verdict are not said again") {
    const std::string text = hints("patterns/copy_16b/");
    CHECK(contains(text,
                   "**Stop here:** no rule found a fault; what would help is "
                   "fewer bytes per launch"));
    CHECK(count(text, "of the attainable bandwidth") == 1);
    CHECK(count(text, "only fewer bytes help") == 1);
}

TEST_CASE("the next command asks for counters without a diagnosis, else names the edit") {
    const std::string unknown = hints("patterns/atomic_contention/");
    CHECK(contains(unknown, "no edit yet"));
    CHECK(contains(unknown, " --groups default,atomics,stalls "));
    CHECK(contains(unknown,
                   "the counter group \"atomics\" would tell whether it is "
                   "atomic-contention"));
    const std::string known = hints("lightning_attention_decode/naive/");
    CHECK_FALSE(contains(known, "--groups"));
    CHECK_FALSE(contains(known, "to see for what"));
    CHECK(contains(hints("patterns/partial_wave/"), "warps wait; begin with finding 1"));
    CHECK_FALSE(contains(hints("patterns/copy_16b/"), "--groups"));
}

TEST_CASE("near a roof, but not at it, little is left and the report says how much") {
    const std::string text = hints("rope/fused_scalar/");
    CHECK(contains(text, "fewer bytes help most"));
    CHECK_FALSE(contains(text, "only fewer bytes"));
    CHECK(contains(text, "**Little to fix here:**"));
    CHECK(contains(text, "Headroom at the attainable roof: at most 50.8 µs"));
    // It is unknown whether its 4-byte accesses cost that, so they are not mentioned.
    CHECK_FALSE(contains(text, "access width"));
}

TEST_CASE("a saving is told per window, else over all launches, else not at all") {
    Finding finding;
    CHECK(savingWords(finding, Seconds{2.5e-3}, Seconds{7.5e-3}, Language::En) ==
          "at most 2.50 ms per window");
    finding.estimate = true;
    CHECK(savingWords(finding, {}, Seconds{7.5e-3}, Language::En) ==
          "about 7.50 ms over all launches");
    CHECK(savingWords(finding, {}, {}, Language::En).empty());
}

TEST_CASE("no report advises to edit a library's kernel") {
    const Analysis& analysis = recorded("h200_torchrun");
    bool found = false;
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        const std::string text =
            renderKernelHints(analysis, i, {.profilePath = "a.roofscope.json"});
        if (!isForeign(kernel.origin)) continue;
        CAPTURE(text);
        CHECK_FALSE(contains(text, "signature"));
        if (majorFindings(kernel).empty()) {
            // No kernel is to be replaced, so the next report is on the same one.
            CHECK(contains(text, "--format markdown --kernel k"));
            continue;
        }
        found = true;
        CHECK_FALSE(contains(text, "```cuda"));
        CHECK(contains(text, "where this kernel is launched. Keep the results."));
        CHECK_FALSE(contains(text, "--format markdown --kernel"));
    }
    CHECK(found);
}

TEST_CASE("launches that can be fused need not keep their kernels") {
    const std::string text = hints("softmax/unfused/");
    REQUIRE(contains(text, "**1. Unfused kernel chain"));
    CHECK_FALSE(contains(text, "signature"));
    CHECK(contains(text, "biasGelu<<<...>>>"));
    CHECK_FALSE(contains(text, "--format markdown --kernel"));
}

TEST_CASE("what was not measured is said once per rule") {
    const std::string text = hints("patterns/atomic_contention/");
    CHECK(contains(text, "atomic-contention: record with the counter group"));
    CHECK_FALSE(contains(text, "not measured ("));
}

TEST_CASE("packed FP16 instructions are no tensor cores") {
    const std::string text = hints("patterns/hfma2/");
    CHECK_FALSE(contains(text, "tensor cores are in use"));
    CHECK_FALSE(contains(text, "asynchronous bulk"));
    // Two of the bundled kernels multiply matrices this way.
    std::size_t notes = 0;
    for (const Words& note : recorded("h200_bundled").notes)
        notes += contains(note.in(Language::En), "2 kernels run on tensor cores");
    CHECK(notes == 1);
}

TEST_CASE("what tensor cores do stands beside the shares of the roofs") {
    const Analysis& analysis = recorded("h200_tensor");
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const bool matrices = contains(analysis.kernels[i].fullName, "matmul");
        const std::string text = renderKernelHints(analysis, i);
        CHECK(contains(text, matrices ? "tensor 64 % (BF16 407 TFLOP/s, 43 % of its roof)"
                                      : "tensor 98 % (BF16 638 TFLOP/s, 65 % of its roof)"));
    }
    // Without a roof only the rate is given, next to the pipe.
    Analysis other = analysis;
    for (TensorWork& work : other.kernels[0].quantities.tensor)
        work.utilisation = Derived<Ratio>::absent("tensor_bf16 peak");
    CHECK(contains(renderKernelHints(other, 0), "tensor 98 % (BF16 638 TFLOP/s)"));
    const std::string report = renderReport(analysis, ReportFormat::Markdown).value();
    CHECK(contains(report, "BF16 tensor 979 TFLOP/s"));
    CHECK_FALSE(contains(report, "- Note"));
}

TEST_CASE("the headroom is that of the kernel, not of the chain that it could vanish in") {
    const Analysis& analysis = recorded("h200_bundled");
    std::size_t chains = 0;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        if (kernel.findings.empty() || kernel.findings.front().ruleId != "unfused-chain") continue;
        if (kernel.verdict.cls != VerdictClass::NearRoof) continue;
        ++chains;
        INFO(kernel.name);
        REQUIRE(kernel.verdict.speedupBound.has());
        CHECK(*kernel.verdict.speedupBound < 1.3);
    }
    CHECK(chains > 10);
}

TEST_CASE("sentences are English") {
    std::string all;
    for (const char* name : {"h200_bundled", "h200_torch_chain"})
        all +=
            renderReport(recorded(name), ReportFormat::Markdown, {.top = 1000, .kernelFilter = "."})
                .value();
    for (const char* wrong : {"× times", " 1 blocks", "(1 waves", "registers limits", "≤ <",
                              "At least 100 %", "launch\\_bounds", "\\__"}) {
        INFO(wrong);
        CHECK_FALSE(contains(all, wrong));
    }
    CHECK(contains(all, "All global accesses move 4 bytes per thread or less"));
    CHECK(contains(all, "Limited by registers, an SM holds only 2 of these blocks at a time"));
}

TEST_CASE("a share that is no share is not printed as one") {
    Analysis analysis = recorded("h200_bundled");
    KernelAnalysis& kernel = analysis.kernels.front();
    for (const double share : {std::nan(""), HUGE_VAL, 1e300}) {
        kernel.verdict.reason.leading->busy = {share};
        kernel.verdict.reason.leading->ofRoof = {share};
        kernel.verdict.speedupBound.value = share;
        for (const ReportFormat format :
             {ReportFormat::Markdown, ReportFormat::Text, ReportFormat::Html, ReportFormat::Csv}) {
            const std::string text = renderReport(analysis, format, {.top = 1}).value();
            CHECK_FALSE(contains(text, " inf"));
            CHECK_FALSE(contains(text, ",inf"));
            CHECK_FALSE(contains(text, "nan %"));
            CHECK_FALSE(contains(text, "00000000000000000000"));
        }
    }
}

TEST_CASE("what the L1 does not count is named by the formulas that are shown") {
    const auto l1 = [](Convention convention, const std::string& range) {
        const auto profile = std::make_shared<const Profile>(test::sample("h200_torch_tensor"));
        const Analysis analysis = analyze(profile, {.convention = convention});
        for (const KernelAnalysis& kernel : analysis.kernels)
            if (kernel.range == range)
                return resourceDetail(kernel, {.use = {.id = ResourceId::L1}}, convention,
                                      Language::En);
        return std::string("no such kernel");
    };
    CHECK(l1(Convention::Roofscope, "bf16") == "bulk copies are not counted");
    // This kernel copies with cp.async, which our formula counts.
    CHECK(l1(Convention::Roofscope, "fp64").empty());
    CHECK(l1(Convention::Ncu, "fp64") == "asynchronous copies are not counted");
}
