// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/language.h"
#include "gate/gate.h"

namespace roofscope {

enum class GateFormat { Text, Markdown, Json, Junit, Sarif, Github };
/// "text", "markdown" or "md", "json", "junit" or "xml", "sarif", "github"; in capitals too.
[[nodiscard]] std::optional<GateFormat> parseGateFormat(std::string_view name);

struct GateOptions {
    std::string profilePath, baselinePath;  ///< as the user gave them
    std::string toolVersion;                ///< of this roofscope
    bool colour = false;                    ///< ANSI colours in text; only for terminals
    Language language = Language::En;       ///< of text and markdown; what programs read is English
};

/// Renders a gate's verdict. Names are data, as in renderReport().
[[nodiscard]] std::string renderGate(const gate::Judgement& judgement, GateFormat format,
                                     const GateOptions& options = {});

}  // namespace roofscope
