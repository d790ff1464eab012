// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/honesty/loop.h"
#include "analyzer/honesty/review.h"
#include "analyzer/language/words.h"

/// Reports of `roofscope review` and `roofscope check-loop`. Names are data, as in renderReport().
namespace roofscope {

struct HonestyOptions {
    bool colour = false;               ///< ANSI colours in text; only for terminals
    int width = 100;                   ///< text columns
    Language language = Language::En;  ///< for text and markdown; JSON is English
};

enum class HonestyFormat { Text, Markdown, Json };

/// An output format of both. To add one, write its renderers and add a row in honesty_report.cpp.
struct HonestyFormatEntry {
    HonestyFormat format;
    std::string_view name;    ///< "markdown"
    std::string_view suffix;  ///< "md"
    std::string (*review)(const honesty::ReviewFacts&, const honesty::Review&,
                          const HonestyOptions&);
    std::string (*loop)(const std::vector<honesty::LoopKernel>&, const std::string& command,
                        const HonestyOptions&);
};
[[nodiscard]] std::span<const HonestyFormatEntry> honestyFormats();

}  // namespace roofscope
