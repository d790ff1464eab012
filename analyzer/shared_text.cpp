// SPDX-License-Identifier: Apache-2.0
#include "analyzer/shared_text.h"

#include <functional>
#include <mutex>
#include <unordered_set>

namespace roofscope {

namespace {

struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
    }
};

}  // namespace

const std::string& SharedText::stored(std::string_view text) {
    static std::mutex mutex;
    // Never destroyed: values in static storage may outlive it.
    static auto& texts = *new std::unordered_set<std::string, Hash, std::equal_to<>>;
    const std::lock_guard lock(mutex);
    const auto found = texts.find(text);
    return found != texts.end() ? *found : *texts.emplace(text).first;
}

const std::string& SharedText::none() {
    static const std::string empty;
    return empty;
}

}  // namespace roofscope
