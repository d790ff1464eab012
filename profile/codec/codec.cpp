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

Error tooLarge(std::string_view name, const ReadLimits& limits) {
    return {.code = ErrorCode::BadData,
            .what = fmt::format("larger than {} bytes", limits.maxBytes),
            .where = std::string(name),
            .advice = "record fewer launches or split the recording"};
}

namespace {

/// Tightens the limits to what a genuine file of this size can hold, so that a made-up file of a
/// few kilobytes cannot ask for gigabytes. A recorded launch takes at least 17 bytes compressed (70
/// uncompressed); uncompressed, ten bytes hold fewer than two other values and one byte fewer than
/// two counter values. On top of that every file gets a fixed allowance.
ReadLimits limitsOfFile(const GzipReader& input, ReadLimits limits) {
    if (!input.fileBytes()) return limits;
    const std::uint64_t bytes = *input.fileBytes() / (input.isPacked() ? 1 : 10);
    constexpr std::uint64_t kLaunches = 200'000, kNodes = 200'000, kCells = 4'000'000;
    limits.maxLaunches = std::min(limits.maxLaunches, kLaunches + bytes);
    limits.maxNodes = std::min(limits.maxNodes, kNodes + 2 * bytes);
    limits.maxCells = std::min(limits.maxCells, kCells + 100 * bytes);
    return limits;
}

}  // namespace

Result<Profile> readProfile(const std::filesystem::path& path, const ReadLimits& most) {
    const std::string name = path.string();
    try {
        auto reader = GzipReader::open(path, most.maxBytes, most.pipeWaitMs);
        if (!reader.ok()) return reader.error();
        GzipReader& input = **reader;
        const ReadLimits limits = limitsOfFile(input, most);
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
        return writeFileAtomically(path, formatProfile(profile), path.extension() == ".gz");
    } catch (const std::bad_alloc&) {
        return Error{.code = ErrorCode::Io,
                     .what = "not enough memory to write this profile",
                     .where = name};
    } catch (const std::exception& error) {
        return Error{.code = ErrorCode::Internal, .what = error.what(), .where = name};
    }
}

}  // namespace roofscope
