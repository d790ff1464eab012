// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/shared_text.h"

#include <functional>
#include <mutex>
#include <unordered_set>

namespace roofscope {

const std::string* SharedText::stored(std::string_view text) {
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    static std::mutex mutex;
    // Never destroyed: values in static storage may outlive it.
    static auto& texts = *new std::unordered_set<std::string, Hash, std::equal_to<>>;
    const std::lock_guard lock(mutex);
    const auto known = texts.find(text);
    return &*(known != texts.end() ? known : texts.emplace(text).first);
}

}  // namespace roofscope
