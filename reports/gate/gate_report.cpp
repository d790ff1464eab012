// SPDX-License-Identifier: Apache-2.0
#include "reports/gate/gate_report.h"

#include <algorithm>
#include <cctype>

#include "reports/gate/formats.h"

namespace roofscope {

std::optional<GateFormat> parseGateFormat(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (lower == "text" || lower == "txt") return GateFormat::Text;
    if (lower == "markdown" || lower == "md") return GateFormat::Markdown;
    if (lower == "json") return GateFormat::Json;
    if (lower == "junit" || lower == "xml") return GateFormat::Junit;
    if (lower == "sarif") return GateFormat::Sarif;
    if (lower == "github") return GateFormat::Github;
    return std::nullopt;
}

std::string renderGate(const gate::Judgement& judgement, GateFormat format,
                       const GateOptions& options) {
    switch (format) {
        case GateFormat::Text:
            return renderGateText(judgement, options);
        case GateFormat::Markdown:
            return renderGateMarkdown(judgement, options);
        case GateFormat::Json:
            return renderGateJson(judgement, options);
        case GateFormat::Junit:
            return renderGateJunit(judgement, options);
        case GateFormat::Sarif:
            return renderGateSarif(judgement, options);
        case GateFormat::Github:
            return renderGateGithub(judgement, options);
    }
    return {};
}

}  // namespace roofscope
