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

void append(Json& object, std::string_view key, Json value) {
    using Members = Json::object_t::Container;
    static_cast<Members&>(object.get_ref<Json::object_t&>())
        .emplace_back(std::string(key), std::move(value));
}

namespace {

/// Above so many kernels each is one line: indenting them would double the file.
constexpr std::size_t kMostIndented = 1000;

/// Lines after the first begin with `indent`. "</", which stands in strings only, is written so
/// that "</script>" ends no script element of a page around it.
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

}  // namespace

std::string dump(const Json& root) {
    std::string text;
    appendText(text, textOf(root, 2), "");
    return text + "\n";
}

std::string dump(const Json& root, std::string_view list, std::size_t count,
                 const std::function<Json(std::size_t)>& item) {
    const std::string whole = dump(root);
    // No string holds a line end, so this is found nowhere else.
    const std::string empty = "\n  \"" + std::string(list) + "\": [";
    const std::size_t begin = whole.find(empty) + empty.size();
    std::string text = whole.substr(0, begin);
    const int indent = count > kMostIndented ? -1 : 2;
    for (std::size_t i = 0; i < count; ++i) {
        text += i == 0 ? "\n    " : ",\n    ";
        appendText(text, textOf(item(i), indent), "    ");
    }
    if (count > 0) text += "\n  ";
    return text.append(whole, begin);
}

}  // namespace roofscope::json_parts
