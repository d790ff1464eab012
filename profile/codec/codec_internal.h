// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/codec/codec.h"
#include "profile/codec/json_tree.h"
#include "profile/model/units.h"

/// Shared by the reading and the writing half of the codec. Internal to profile/.
namespace roofscope {

inline constexpr std::string_view kFormatName = "roofscope-profile";
inline constexpr int kSchemaMinor = 15;

/// JSON's numbers are doubles, which hold every whole number up to here (2^53).
inline constexpr std::int64_t kMostWhole = std::int64_t{1} << 53;

/// Thrown inside the reader: the file's major version is newer than this build.
struct NewerSchema {
    int major;
};

Result<Profile> profileFromTree(Result<json::Node> tree, std::string_view name,
                                const ReadLimits& limits);
/// How a column is written whose rows all have the same value: as {"all": value}, or as an array.
enum class Columns { Short, InFull };
struct FormattedProfile {
    std::string text;
    std::uint64_t nodes = 0;  ///< as ReadLimits::maxNodes counts them, or a few more
};
FormattedProfile formatProfile(const Profile& profile, Columns columns);
/// Rows of a profile's largest table other than the launches.
std::uint64_t mostRows(const Profile& profile);
/// Counter values, as ReadLimits::maxCells counts them.
std::uint64_t cellsOf(const Profile& profile);
Error tooLarge(std::string_view name, const ReadLimits& limits);

/// A fault in a profile: the place ("/calls/name/3") and what is wrong. An empty `what` means no
/// fault.
struct Problem {
    std::string place, what;
    explicit operator bool() const { return !what.empty(); }
};
/// The fault of an index beyond its list.
[[nodiscard]] Problem outside(std::string place, std::uint32_t index, const char* list,
                              std::size_t size);

/// The suffix of the keys of a ceiling's rates.
inline const char* rateSuffix(Ceiling::Kind kind) {
    return kind == Ceiling::Kind::Bandwidth ? "_bytes_per_s" : "_ops_per_s";
}

/// Files hold durations in nanoseconds, as CUPTI does; whole nanoseconds read back exactly.
inline Seconds secondsFromNs(double ns) { return {ns / 1e9}; }
double nsFromSeconds(Seconds duration);

}  // namespace roofscope
