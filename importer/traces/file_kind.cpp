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

/// The kind of a file that is not JSON, by its magic bytes. Consumes nothing of any other file.
std::optional<FileKind> kindByMagic(std::streambuf& file) {
    for (const auto& [magic, kind] :
         {std::pair<std::string_view, FileKind>{"SQLite format 3", FileKind::Sqlite},
          {"NVIDIA Tegra Profiler Report", FileKind::NsysReport}}) {
        if (file.sgetc() != magic.front()) continue;
        std::string begin(magic.size(), '\0');
        const auto count = file.sgetn(begin.data(), static_cast<std::streamsize>(begin.size()));
        begin.resize(static_cast<std::size_t>(std::max<std::streamsize>(count, 0)));
        return begin == magic ? kind : FileKind::Unknown;
    }
    return std::nullopt;
}

}  // namespace

FileKind kindOfFile(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return FileKind::Unknown;
    auto file = GzipReader::open(path, 2 * kMostLookedAt, 0);
    if (!file) return FileKind::Unknown;
    if (const auto kind = kindByMagic(**file)) return *kind;
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
