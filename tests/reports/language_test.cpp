// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/diagnosis/rule.h"
#include "profile/codec/codec.h"
#include "reports/compare/compare_report.h"
#include "reports/escape/escape.h"
#include "reports/language/phrase.h"
#include "reports/report.h"
#include "reports/verdict/verdict_words.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

bool hasIdeographs(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0xE4 && byte <= 0xE9;  // the first byte of U+4000 to U+9FFF
    });
}

std::string without(const std::string& text, const char* pattern) {
    return std::regex_replace(text, std::regex(pattern), " ");
}

/// The visible text of a page, without code and the kernels of the plot.
std::string withoutTags(std::string page) {
    for (const auto& [begin, end] :
         {std::pair{"<style>", "</style>"}, {"<script>", "</script>"}, {"<code>", "</code>"}})
        for (std::size_t at = 0; (at = page.find(begin, at)) != page.npos;)
            page.erase(at, page.find(end, at) + std::string_view(end).size() - at);
    std::string text;
    bool inside = false;
    for (const char c : page) {
        if (c == '<') inside = true;
        if (!inside) text += c;
        if (c == '>') {
            inside = false;
            text += ' ';
        }
    }
    return without(text, "&[a-z0-9#]+;");
}

std::string erased(std::string text, const std::string& part) {
    if (part.empty()) return text;
    for (std::size_t at = 0; (at = text.find(part, at)) != text.npos;) text.erase(at, part.size());
    return text;
}

/// Words of texts not yet translated to Chinese: `./dev lint` lists them, but no test fails.
std::set<std::string> openWords() {
    static const std::set<std::string> kWords = [] {
        std::set<std::string> words;
        FILE* list = popen("python3 '" ROOFSCOPE_SOURCE_DIR
                           "/analyzer/language/translations.py' list '" ROOFSCOPE_SOURCE_DIR
                           "' 2> /dev/null",
                           "r");
        REQUIRE(list);
        std::string text;
        std::array<char, 4096> part;
        while (const std::size_t size = std::fread(part.data(), 1, part.size(), list))
            text.append(part.data(), size);
        pclose(list);
        static const std::regex kWord("[A-Za-z][A-Za-z0-9]*");
        for (auto it = std::sregex_iterator(text.begin(), text.end(), kWord);
             it != std::sregex_iterator(); ++it)
            words.insert(it->str());
        return words;
    }();
    return kWords;
}

/// Words in Latin letters that readers of Chinese reports expect: names, quoted code, and terms
/// that the field does not translate.
const std::set<std::string>& latinTerms() {
    static const std::set<std::string> kTerms{
        "GPU", "GPUs", "NVIDIA", "SM", "DRAM", "L1", "L2", "LSU", "FP64", "FP32", "FP16", "FP8",
        "FP4", "TF32", "TMA", "CUDA", "CUPTI", "CC", "SASS", "NVTX", "FLOP", "XOR", "CPU", "CTA",
        "bf16", "fp16", "fp32", "bank", "padding", "swizzle", "token", "way", "kernel", "replay",
        "markdown", "json", "cp", "async", "wgmma", "HFMA2", "tcgen05", "mma", "sync", "WMMA",
        "cuBLAS", "PyTorch", "GeForce", "torch", "compile", "grid", "stride", "float4", "uint4",
        "threadIdx", "x", "fmad", "false", "fmaf", "Xptxas", "v", "launch", "bounds", "fmul",
        "fadd", "rn", "a", "b", "c", "min", "fma", "add", "mul", "n", "default", "stalls", "pipes",
        "cache", "atomics", "groups", "tensor", "gpu", "time", "duration", "roofscope",
        // units
        "B", "KB", "MB", "GB", "TB", "kB", "Hz", "MHz", "GHz", "GFLOP", "TFLOP", "MFLOP", "PFLOP",
        "s", "ms", "us", "ns", "k", "M", "G", "T", "H200", "GH100",
        // value of a profile field
        "synthetic"};
    return kTerms;
}

/// Latin words outside code that no reader expects. Parts of kernel and range names are excluded:
/// sentences about chains of launches contain them, cut to fit.
std::set<std::string> strayWords(const std::string& text, const Analysis& analysis) {
    const auto named = [&](const std::string& word) {
        return std::any_of(analysis.kernels.begin(), analysis.kernels.end(),
                           [&](const KernelAnalysis& kernel) {
                               return kernel.name.find(word) != word.npos ||
                                      kernel.fullName.find(word) != word.npos;
                           }) ||
               std::any_of(analysis.profile->ranges.begin(), analysis.profile->ranges.end(),
                           [&](const std::string& range) { return range.find(word) != word.npos; });
    };
    std::set<std::string> words;
    static const std::regex kWord("[A-Za-z][A-Za-z0-9]*");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), kWord);
         it != std::sregex_iterator(); ++it)
        if (!latinTerms().contains(it->str()) && !openWords().contains(it->str()) &&
            !named(it->str()))
            words.insert(it->str());
    return words;
}

/// Removes rule ids, counters and messages of the recording, which are data.
std::string withoutData(std::string text, const Analysis& analysis) {
    for (const Rule* rule : allRules()) text = erased(std::move(text), std::string(rule->id));
    for (const Device& device : analysis.profile->devices) text = erased(text, device.name);
    for (const Issue& issue : analysis.profile->issues)
        for (const std::string& part : {issue.message, issue.advice, issue.code})
            text = erased(std::move(text), part);
    for (const std::string& argument : analysis.profile->capture.command) {
        text = erased(std::move(text), argument);
        text = erased(std::move(text), argument.substr(argument.rfind('/') + 1));
    }
    for (const char* code : {"--source top:3", "app.roofscope.json"})
        text = erased(std::move(text), code);
    text = erased(std::move(text), "l2_bytes_write");  // name of a sum of counters
    for (const char* code : {"contiguous()", "channels_last", "CUBLAS_COMPUTE_32F_FAST_TF32",
                             "torch.backends.cuda.matmul.allow_tf32"})
        text = erased(std::move(text), code);
    // CUPTI names such as dram__bytes_read.sum, and the time of the recording.
    return without(without(text, "[a-z0-9]+__[A-Za-z0-9_.]+"), "[0-9-]+T[0-9:]+Z");
}

}  // namespace

TEST_CASE("every rule says all of its sentences, in every language") {
    std::size_t chinese = 0;
    for (const Rule* rule : allRules()) {
        CAPTURE(rule->id);
        for (const Language language : languages()) {
            const RuleText text = rule->text(language);
            for (const std::string_view sentence : {text.title, text.firesWhen, text.sentence,
                                                    text.mechanism, text.edit, text.ruledOut}) {
                CHECK_FALSE(sentence.empty());
                if (language == Language::En) CHECK_FALSE(hasIdeographs(sentence));
                chinese += hasIdeographs(sentence) ? 1 : 0;
            }
            CHECK(rule->en.editInTriton.empty() == text.editInTriton.empty());
        }
    }
    CHECK(chinese > allRules().size());  // so Chinese texts are found
}

TEST_CASE("a Chinese report has no English left outside names, units and code") {
    for (const Analysis& analysis :
         {test::analysisOf(test::showcase()), test::recorded("h200_bundled"),
          test::recorded("h200_torch_chain")}) {
        ReportOptions options{.profilePath = "app.roofscope.json"};
        options.language = test::kZh;
        std::string markdown = renderReport(analysis, ReportFormat::Markdown, options).value();
        for (const char* code : {"```[^`]*```", "``[^\n]*?``", "`[^`\n]*`"})
            markdown = without(markdown, code);
        CHECK(strayWords(withoutData(markdown, analysis), analysis) == std::set<std::string>{});

        // In text reports names are not in code spans: in the table, above findings, in the
        // command.
        std::string text = renderReport(analysis, ReportFormat::Text, options).value();
        CHECK(strayWords(withoutData(text, analysis), analysis) == std::set<std::string>{});

        const std::string page = renderReport(analysis, ReportFormat::Html, options).value();
        CHECK(page.find("<html lang=\"zh-CN\"") != std::string::npos);
        CHECK(strayWords(withoutData(withoutTags(page), analysis), analysis) ==
              std::set<std::string>{});
    }
}

TEST_CASE("a Chinese comparison has no English left outside names, units and code") {
    const Analysis& analysis = test::recorded("h200_bundled");
    Analysis other = analysis;  // lacks a kernel, so that one has no partner
    other.kernels.pop_back();
    CompareOptions options{.baselinePath = "a.roofscope.json", .candidatePath = "b.roofscope.json"};
    options.language = test::kZh;
    // Compares each kernel with the next: all kinds of verdicts, causes, promises and new findings.
    Matching matching;
    for (std::size_t i = 0; i + 1 < analysis.kernels.size(); ++i)
        matching.matches.push_back({.baseline = i, .candidate = i + 1});
    const auto clean = [&](std::string text) {
        for (const char* code : {"```[^`]*```", "``[^\n]*?``", "`[^`\n]*`"})
            text = without(text, code);
        text = withoutData(without(text, "[ab]\\.roofscope\\.json"), analysis);
        for (const KernelAnalysis& kernel : analysis.kernels)
            text = erased(std::move(text), kernel.name);
        return text;
    };
    for (const Comparison& comparison :
         {compareProfiles(analysis, analysis, matching),
          compareProfiles(analysis, other, matchKernels(analysis, other))})
        for (const auto format : {ReportFormat::Markdown, ReportFormat::Text})
            CHECK(strayWords(clean(renderComparison(comparison, analysis, analysis, format, options)
                                       .value()),
                             analysis) == std::set<std::string>{});

    ReportOptions since{.profilePath = "b.roofscope.json"};
    since.language = test::kZh;
    since.baseline = std::make_shared<const ReportBaseline>(ReportBaseline{
        std::make_shared<const Analysis>(analysis), compareProfiles(analysis, analysis, matching)});
    const std::string text = renderReport(analysis, ReportFormat::Markdown, since).value();
    CHECK(text.find("**与基线相比**：") != std::string::npos);
    CHECK(strayWords(clean(text), analysis) == std::set<std::string>{});
}

TEST_CASE("columns of Chinese text line up although its characters are twice as wide") {
    const Analysis analysis = test::analysisOf(test::showcase());
    ReportOptions options;
    options.language = test::kZh;
    options.width = 90;
    const std::string text = renderReport(analysis, ReportFormat::Text, options).value();
    const auto columnOf = [&](const std::string& words) {
        const std::size_t at = text.find(words);
        REQUIRE(at != std::string::npos);
        const std::size_t begin = text.rfind('\n', at) + 1;
        return displayWidth(std::string_view(text).substr(begin, at - begin));
    };
    const std::size_t column = columnOf("判定");
    for (const KernelAnalysis& kernel : analysis.kernels)
        CHECK(columnOf(verdictWords(kernel.verdict, test::kZh)) == column);
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = text.find('\n', from);
        const std::string_view line = std::string_view(text).substr(from, end - from);
        CAPTURE(line);
        CHECK(displayWidth(line) <= 90);
        for (const std::string_view closing : {"，", "。", "；", "）", "、"})
            CHECK(line.substr(std::min(line.find_first_not_of(' '), line.size()))
                      .starts_with(closing) == false);
        from = end + 1;
    }
    CHECK(displayWidth("波前 32") == 7);
}

TEST_CASE("Chinese and Latin letters are set apart, Chinese ones are not") {
    CHECK(spaced("接近 共享内存 屋顶", test::kZh) == "接近共享内存屋顶");
    CHECK(spaced("FP32达 60 %", test::kZh) == "FP32 达 60 %");
    CHECK(spaced("访存瓶颈（DRAM）", test::kZh) == "访存瓶颈（DRAM）");
    CHECK(spaced("at  most", Language::En) == "at  most");
}

TEST_CASE("a report trimmed to a budget drops the same in every language") {
    const Analysis analysis = test::analysisOf(test::showcase());
    for (const std::size_t budget : {800, 1200, 3000}) {
        ReportOptions options{.budgetTokens = budget};
        options.language = test::kZh;
        const std::string text = renderReport(analysis, ReportFormat::Markdown, options).value();
        CAPTURE(budget);
        CHECK(text.find("**1. ") != std::string::npos);
        CHECK(estimateTokens(text) <= budget);
    }
}
