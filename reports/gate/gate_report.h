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
    std::string profilePath, baselinePath;  ///< as given by the user
    std::string toolVersion;                ///< of this roofscope
    bool colour = false;                    ///< ANSI colours in text; only for terminals
    Language language = Language::En;       ///< for text and markdown; other formats are English
};

/// An output format of a gate's verdict. To add one, write its renderer in a file of its own and
/// add a row in gate_report.cpp.
struct GateFormatEntry {
    GateFormat format;
    std::string_view name;    ///< "markdown"
    std::string_view suffix;  ///< "md", the file suffix; also a name; may be empty
    std::string (*render)(const gate::Judgement&, const GateOptions&);
};
[[nodiscard]] std::span<const GateFormatEntry> gateFormats();

/// Renders a gate's verdict. Names are data, as in renderReport().
[[nodiscard]] std::string renderGate(const gate::Judgement& judgement, GateFormat format,
                                     const GateOptions& options = {});

}  // namespace roofscope
