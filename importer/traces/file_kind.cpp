// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/file_kind.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "importer/traces/json_pull.h"
#include "profile/files/gzip_file.h"

namespace roofscope::traces {
namespace {

/// Limits the search for a member that decides; all members before it are short.
constexpr std::uint64_t kMostLookedAt = 32U << 20;

/// Reads the value of "format" and compares it. Other writers may use that member, too.
bool isProfileFormat(JsonPull& json) {
    if (json.kind() == JsonPull::Kind::String) return json.text() == "roofscope-profile";
    json.skip();
    return false;
}

FileKind kindOfObject(JsonPull& json) {
    json.enterObject();
    std::string_view key;
    bool schema = false;
    while (json.nextKey(key) && json.taken() < kMostLookedAt) {
        if (key == "format" && isProfileFormat(json)) return FileKind::Profile;
        if (key == "format") continue;
        for (const std::string_view member :
             {"traceEvents", "deviceProperties", "distributedInfo", "baseTimeNanoseconds",
              "displayTimeUnit", "schemaVersion"})
            if (key == member) return FileKind::Trace;
        if (key == "nodes" && schema) return FileKind::ExecutionTrace;
        schema = schema || key == "schema";
        json.skip();
    }
    return FileKind::OtherJson;
}

/// An array is a list of events without the usual object around it, or a tree of Proton.
FileKind kindOfArray(JsonPull& json) {
    json.enterArray();
    if (!json.nextItem()) return FileKind::OtherJson;
    // Some writers leave "null" in place of an event.
    while (json.kind() == JsonPull::Kind::Word && json.taken() < kMostLookedAt) {
        json.skip();
        if (!json.nextItem()) return FileKind::OtherJson;
    }
    if (json.kind() == JsonPull::Kind::End) return FileKind::Unknown;
    if (json.kind() != JsonPull::Kind::Object) return FileKind::OtherJson;
    json.enterObject();
    std::string_view key;
    while (json.nextKey(key) && json.taken() < kMostLookedAt) {
        if (key == "ph") return FileKind::Trace;
        if (key == "frame" || key == "children") return FileKind::Proton;
        json.skip();
    }
    return FileKind::OtherJson;
}

constexpr std::size_t kBeginning = 64;

std::string beginningOf(const std::filesystem::path& path) {
    std::string begin(kBeginning, '\0');
    auto file = GzipReader::open(path, kBeginning, 0);
    const auto count =
        file ? (*file)->sgetn(begin.data(), static_cast<std::streamsize>(begin.size())) : 0;
    begin.resize(static_cast<std::size_t>(std::max<std::streamsize>(count, 0)));
    return begin;
}

/// A trace of Perfetto is a series of packets, each field 1 of a message: the byte 0x0A and a
/// length. In a text 0x0A is an empty line, and there are none of these other bytes.
bool isPerfetto(std::string_view begin) {
    return begin.size() > 2 && begin[0] == '\n' && begin[1] != '\0' &&
           std::ranges::any_of(begin.substr(2), [](char c) { return c >= 0 && c < '\t'; });
}

/// The kind of a file that is not JSON, by its first bytes.
std::optional<FileKind> kindByMagic(std::string_view begin) {
    using namespace std::string_view_literals;
    for (const auto& [magic, kind] :
         {std::pair{"SQLite format 3"sv, FileKind::Sqlite},
          std::pair{"NVIDIA Tegra Profiler Report"sv, FileKind::NsysReport},
          std::pair{"NVR\0"sv, FileKind::NcuReport}})
        if (begin.starts_with(magic)) return kind;
    return isPerfetto(begin) ? std::optional(FileKind::Perfetto) : std::nullopt;
}

}  // namespace

FileKind kindOfFile(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return FileKind::Unknown;
    if (const auto kind = kindByMagic(beginningOf(path))) return *kind;
    auto file = GzipReader::open(path, 2 * kMostLookedAt, 0);
    if (!file) return FileKind::Unknown;
    try {
        JsonPull json(**file);
        switch (json.kind()) {
            case JsonPull::Kind::Object:
                return kindOfObject(json);
            case JsonPull::Kind::Array:
                return kindOfArray(json);
            default:
                return FileKind::Unknown;
        }
    } catch (const TraceFault&) {
        return FileKind::Unknown;  // reading it as a profile will say what is wrong
    }
}

}  // namespace roofscope::traces
