// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_parts.h"

#include <cmath>

#include "reports/escape/escape.h"
#include "reports/json/json_writer.h"

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

std::string dump(const Json& root) {
    std::string text;
    const TextSink sink = [&text](std::string_view piece) { text += piece; };
    JsonWriter out(sink);
    out.value(root);
    out.finish();
    return text;
}

}  // namespace roofscope::json_parts
