// SPDX-License-Identifier: Apache-2.0
#include "reports/honesty/honesty_report.h"

#include <array>

#include "reports/document/markdown_writer.h"
#include "reports/document/text_writer.h"
#include "reports/honesty/documents.h"
#include "reports/honesty/honesty_json.h"

namespace roofscope {
namespace {

std::string text(const doc::Document& document, const HonestyOptions& options) {
    return doc::toTerminal(
        document, {.width = static_cast<std::size_t>(options.width), .colour = options.colour});
}

std::string reviewText(const honesty::ReviewFacts& facts, const honesty::Review& review,
                       const HonestyOptions& options) {
    return text(honesty::reviewDocument(facts, review, options.language), options);
}
std::string reviewMarkdown(const honesty::ReviewFacts& facts, const honesty::Review& review,
                           const HonestyOptions& options) {
    return doc::toMarkdown(honesty::reviewDocument(facts, review, options.language));
}
std::string loopText(const std::vector<honesty::LoopKernel>& kernels, const std::string& command,
                     const HonestyOptions& options) {
    return text(honesty::loopDocument(kernels, command, options.language), options);
}
std::string loopMarkdown(const std::vector<honesty::LoopKernel>& kernels,
                         const std::string& command, const HonestyOptions& options) {
    return doc::toMarkdown(honesty::loopDocument(kernels, command, options.language));
}

constexpr std::array kFormats{
    HonestyFormatEntry{HonestyFormat::Text, "text", "txt", reviewText, loopText},
    HonestyFormatEntry{HonestyFormat::Markdown, "markdown", "md", reviewMarkdown, loopMarkdown},
    HonestyFormatEntry{HonestyFormat::Json, "json", "json", honesty::reviewJson,
                       honesty::loopJson}};

}  // namespace

std::span<const HonestyFormatEntry> honestyFormats() { return kFormats; }

}  // namespace roofscope
