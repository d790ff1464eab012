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

namespace {

/// Lines after the first begin with `indent`. "</", which stands in strings only, is written so
/// that
/// "</script>" ends no script element of a page around it.
void append(std::string& out, const Json& value, std::string_view indent) {
    const std::string text = value.dump(2, ' ', false, Json::error_handler_t::replace);
    for (std::size_t at = 0; at < text.size(); ++at) {
        out += text[at];
        if (text[at] == '\n') out += indent;
        if (text[at] == '<' && at + 1 < text.size() && text[at + 1] == '/') out += '\\';
    }
}

}  // namespace

std::string dump(const Json& root) {
    std::string text;
    append(text, root, "");
    return text + "\n";
}

std::string dump(const Json& root, std::string_view list, std::size_t count,
                 const std::function<Json(std::size_t)>& item) {
    const std::string whole = dump(root);
    // No string holds a line end, so this is found nowhere else.
    const std::string empty = "\n  \"" + std::string(list) + "\": [";
    const std::size_t begin = whole.find(empty) + empty.size();
    std::string text = whole.substr(0, begin);
    for (std::size_t i = 0; i < count; ++i) {
        text += i == 0 ? "\n    " : ",\n    ";
        append(text, item(i), "    ");
    }
    if (count > 0) text += "\n  ";
    return text.append(whole, begin);
}

}  // namespace roofscope::json_parts
