// SPDX-License-Identifier: Apache-2.0
// Profiles as files. Text ↔ Profile is in codec_read.cpp and codec_write.cpp.
#include "profile/codec/codec.h"

#include <fmt/format.h>

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

Result<Profile> readProfile(const std::filesystem::path& path, const ReadLimits& limits) {
    const std::string name = path.string();
    try {
        auto reader = GzipReader::open(path, limits.maxBytes, limits.pipeWaitMs);
        if (!reader.ok()) return reader.error();
        GzipReader& input = **reader;
        auto tree = json::parse(input, limits);
        // What went wrong below the JSON explains what looks wrong in it.
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
