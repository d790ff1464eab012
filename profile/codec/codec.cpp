// SPDX-License-Identifier: Apache-2.0
// Reads and writes profile files. Text ↔ Profile is in codec_read.cpp and codec_write.cpp.
#include "profile/codec/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "profile/codec/codec_internal.h"
#include "profile/files/gzip_file.h"
#include "profile/files/output_file.h"

namespace roofscope {

constexpr const char* kFewer = "record fewer launches or split the recording";

Error tooLarge(std::string_view name, const ReadLimits& limits) {
    return {.code = ErrorCode::BadData,
            .what = fmt::format("larger than {} bytes", limits.maxBytes),
            .where = std::string(name),
            .advice = kFewer};
}

namespace {

/// Tightens the limits to what a genuine file of this size can hold, so that a made-up file of a
/// few kilobytes cannot ask for gigabytes. A timed launch takes at least 17 bytes compressed (70
/// uncompressed); uncompressed, ten bytes hold fewer than two other values and one byte fewer than
/// two counter values. On top of that every file gets a fixed allowance: any launch may be a group
/// of its own, and analysing a group takes 10 kB.
ReadLimits limitsOfFile(std::uint64_t fileBytes, bool packed, ReadLimits limits) {
    const std::uint64_t bytes = fileBytes / (packed ? 1 : 10);
    constexpr std::uint64_t kLaunches = 20'000, kNodes = 200'000, kCells = 4'000'000;
    limits.maxLaunches = std::min(limits.maxLaunches, kLaunches + bytes);
    limits.maxNodes = std::min(limits.maxNodes, kNodes + 2 * bytes);
    limits.maxCells = std::min(limits.maxCells, kCells + 100 * bytes);
    return limits;
}

/// Whether a file that was just written is so small for its content that limitsOfFile() would
/// refuse it. Launches without times are all alike and compress to almost nothing.
bool isTooShort(const std::filesystem::path& path, bool packed, const Profile& profile,
                std::uint64_t nodes) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    const std::uint64_t bytes = std::filesystem::file_size(path, error);
    const ReadLimits most = limitsOfFile(bytes, packed, {});
    return !error && (profile.launches.size() > most.maxLaunches || nodes > most.maxNodes ||
                      mostRows(profile) > most.maxRows() || cellsOf(profile) > most.maxCells);
}

}  // namespace

Result<Profile> readProfile(const std::filesystem::path& path, const ReadLimits& most) {
    const std::string name = path.string();
    try {
        auto reader = GzipReader::open(path, most.maxBytes, most.pipeWaitMs);
        if (!reader.ok()) return reader.error();
        GzipReader& input = **reader;
        const ReadLimits limits =
            input.fileBytes() ? limitsOfFile(*input.fileBytes(), input.isPacked(), most) : most;
        auto tree = json::parse(input, limits);
        // A read error explains why the JSON looks wrong, so report it first.
        if (!input.readError().empty()) {
            return Error{.code = input.readErrorCode(), .what = input.readError(), .where = name};
        }
        if (input.tooLarge() && !tree.ok()) return tooLarge(name, limits);
        return profileFromTree(std::move(tree), name, limits);
    } catch (const std::bad_alloc&) {
        return Error{
            .code = ErrorCode::Io, .what = "not enough memory for this profile", .where = name};
    } catch (const std::exception& error) {
        return Error{.code = ErrorCode::Internal, .what = error.what(), .where = name};
    }
}

Result<void> writeProfile(const Profile& profile, const std::filesystem::path& path) {
    const std::string name = path.string();
    try {
        if (auto valid = validateProfile(profile, name); !valid.ok()) return valid;
        const bool packed = path.extension() == ".gz";
        auto formatted = formatProfile(profile, Columns::Short);
        const std::uint64_t nodes = formatted.nodes;
        const ReadLimits most;
        if (nodes > most.maxNodes)
            return Error{.code = ErrorCode::BadData,
                         .what = fmt::format("more than {} values", most.maxNodes),
                         .where = name,
                         .advice = kFewer};
        if (formatted.text.size() > most.maxBytes) return tooLarge(name, most);
        auto written = writeFileAtomically(path, std::move(formatted.text),
                                           packed ? Packing::Gzip : Packing::None);
        if (written.ok() && isTooShort(path, packed, profile, nodes))
            written = writeFileAtomically(path, formatProfile(profile, Columns::InFull).text,
                                          packed ? Packing::Stored : Packing::None);
        return written;
    } catch (const std::bad_alloc&) {
        return Error{.code = ErrorCode::Io,
                     .what = "not enough memory to write this profile",
                     .where = name};
    } catch (const std::exception& error) {
        return Error{.code = ErrorCode::Internal, .what = error.what(), .where = name};
    }
}

}  // namespace roofscope
