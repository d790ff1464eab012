// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/language/words.h"
#include "gate/gate.h"

namespace roofscope {

enum class GateFormat { Text, Markdown, Json, Junit, Sarif, Github };

struct GateOptions {
    std::string profilePath, baselinePath;  ///< as the user gave them
    std::string toolVersion;                ///< of this roofscope
    bool colour = false;                    ///< ANSI colours in text; only for terminals
    Language language = Language::En;       ///< of text and markdown; what programs read is English
};

/// A format of a gate's verdict. To add one, write its renderer into a file of its own and its row
/// into gate_report.cpp.
struct GateFormatEntry {
    GateFormat format;
    std::string_view name;    ///< "markdown"
    std::string_view suffix;  ///< "md", of files; also a name; may be empty
    std::string (*render)(const gate::Judgement&, const GateOptions&);
};
[[nodiscard]] std::span<const GateFormatEntry> gateFormats();

/// Renders a gate's verdict. Names are data, as in renderReport().
[[nodiscard]] std::string renderGate(const gate::Judgement& judgement, GateFormat format,
                                     const GateOptions& options = {});

}  // namespace roofscope
