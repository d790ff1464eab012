// SPDX-License-Identifier: Apache-2.0
#include "reports/json_parts.h"

#include <cmath>

#include "reports/escape.h"

namespace roofscope::json_parts {

std::string clean(std::string_view text) {
    constexpr std::size_t kMaxJsonName = 4096;
    return cleanText(text, kMaxJsonName);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

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

void append(std::string& text, const Json& value, std::size_t indent) {
    const std::string own = value.dump(2, ' ', false, Json::error_handler_t::replace);
    text.reserve(text.size() + own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
        text += own[i];
        if (own[i] == '\n') text.append(indent, ' ');
        // Inside strings only; keeps "</script>" from ending a script element when pages embed
        // this.
        if (own[i] == '<' && i + 1 < own.size() && own[i + 1] == '/') text += '\\';
    }
}

std::string dump(const Json& root) {
    std::string text;
    append(text, root, 0);
    return text + "\n";
}

}  // namespace roofscope::json_parts
