// SPDX-License-Identifier: Apache-2.0
#include "reports/gate/gate_report.h"

#include <algorithm>
#include <array>

#include "reports/gate/formats.h"

namespace roofscope {

std::span<const GateFormatEntry> gateFormats() {
    static constexpr std::array kFormats{
        GateFormatEntry{GateFormat::Text, "text", "txt", renderGateText},
        GateFormatEntry{GateFormat::Markdown, "markdown", "md", renderGateMarkdown},
        GateFormatEntry{GateFormat::Json, "json", "json", renderGateJson},
        GateFormatEntry{GateFormat::Junit, "junit", "xml", renderGateJunit},
        GateFormatEntry{GateFormat::Sarif, "sarif", "sarif", renderGateSarif},
        GateFormatEntry{GateFormat::Github, "github", "", renderGateGithub},
    };
    return kFormats;
}

std::string renderGate(const gate::Judgement& judgement, GateFormat format,
                       const GateOptions& options) {
    return std::ranges::find(gateFormats(), format, &GateFormatEntry::format)
        ->render(judgement, options);
}

}  // namespace roofscope
