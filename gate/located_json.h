// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "profile/errors/result.h"

/// JSON that remembers the line of each value, for small files that people edit. Internal to gate/.
namespace roofscope::gate {

struct JsonMember;

/// One value. Arrays and objects are bounded in number and depth when they are read.
struct JsonValue {
    using Items = std::vector<JsonValue>;
    using Members = std::vector<JsonMember>;
    std::variant<std::monostate, bool, double, std::string, Items, Members> value;
    std::size_t line = 0;  ///< 1-based; of the value's end for a text or number, else of its start

    template <class T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&value);
    }
};

struct JsonMember {
    std::string name;
    std::size_t line = 0;
    JsonValue value;
};

/// Limits far above any real file of this kind.
struct JsonLimits {
    std::size_t maxBytes = 1 << 20;
    std::size_t maxDepth = 8;
    std::size_t maxValues = 100'000;
};

/// "FILE:LINE", the place of an error.
[[nodiscard]] std::string place(std::string_view file, std::size_t line);
[[nodiscard]] Error badData(std::string_view file, std::size_t line, std::string what,
                            std::string advice = {});

/// Parses one document that begins on `firstLine` of `file`. Refuses duplicate keys, text that is
/// not UTF-8, and anything beyond a limit; errors name file and line.
Result<JsonValue> parseLocatedJson(std::string_view text, std::string_view file,
                                   std::size_t firstLine, const JsonLimits& limits);

}  // namespace roofscope::gate
