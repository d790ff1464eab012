// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_parts.h"

#include <cmath>

#include "reports/escape/escape.h"

namespace roofscope::json_parts {

std::string clean(std::string_view text) { return cleanText(text, kMaxJsonName); }

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json orNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(clean(text)); }

const char* unitName(Unit unit) {
    switch (unit) {
        case Unit::Count:
            return "count";
        case Unit::Bytes:
            return "bytes";
        case Unit::Seconds:
            return "s";
        case Unit::Share:
            return "ratio";
        case Unit::Factor:
            return "factor";
        case Unit::Ways:
            return "ways";
        case Unit::BytesPerSecond:
            return "bytes_per_s";
        case Unit::FlopsPerSecond:
            return "flops_per_s";
        case Unit::Hertz:
            return "hz";
    }
    return "count";
}

Json dim(const Dim3& extents) { return Json::array({extents.x, extents.y, extents.z}); }

void appendText(std::string& out, std::string_view text, std::string_view indent) {
    while (!text.empty()) {
        std::size_t at = text.find_first_of("\n<");
        if (at == text.npos) at = text.size() - 1;
        out += text.substr(0, at + 1);
        if (text[at] == '\n') out += indent;
        if (text[at] == '<' && text.substr(at + 1).starts_with('/')) out += '\\';
        text.remove_prefix(at + 1);
    }
}

std::string textOf(const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string dump(const Json& root) {
    std::string text;
    appendText(text, textOf(root, 2), "");
    return text + "\n";
}

}  // namespace roofscope::json_parts
