// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/codec/codec.h"
#include "profile/codec/json_tree.h"
#include "profile/model/units.h"

/// What the reading and the writing half of the codec share. Internal to profile/.
namespace roofscope {

inline constexpr std::string_view kFormatName = "roofscope-profile";
inline constexpr int kSchemaMinor = 7;

/// Thrown inside the reader: the file's major version is newer than this build.
struct NewerSchema {
    int major;
};

Result<Profile> profileFromTree(Result<json::Node> tree, std::string_view name,
                                const ReadLimits& limits);
Error tooLarge(std::string_view name, const ReadLimits& limits);

/// What is wrong in a profile: the place ("/calls/name/3") and what; `what` is empty when nothing
/// is.
struct Problem {
    std::string place, what;
    explicit operator bool() const { return !what.empty(); }
};
/// An index beyond its list.
[[nodiscard]] Problem outside(std::string place, std::uint32_t index, const char* list,
                              std::size_t size);

/// What the keys of a ceiling's rates end in.
inline const char* rateSuffix(Ceiling::Kind kind) {
    return kind == Ceiling::Kind::Bandwidth ? "_bytes_per_s" : "_ops_per_s";
}

/// Durations are nanoseconds in the file, as CUPTI gives them; whole nanoseconds come back exactly.
inline Seconds secondsFromNs(double ns) { return {ns / 1e9}; }
double nsFromSeconds(Seconds duration);

}  // namespace roofscope
