// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace roofscope {

/// Stands where something was left out.
inline constexpr const char* kRedacted = "…";

enum class Redaction {
    Private,  ///< paths, arguments, names of users and hosts
    Names     ///< the same, and every kernel name and NVTX range becomes a hash
};
/// "private", "names".
[[nodiscard]] std::optional<Redaction> parseRedaction(std::string_view name);

struct RedactOptions {
    Redaction what = Redaction::Private;
    /// Further words to remove wherever they stand alone: names of this user and this host. Names
    /// of home directories ("/home/NAME/…") that occur in the profile are found without help.
    std::vector<std::string> words = {};
};

/// A profile that can leave a company: before anything is derived from it, so that nothing that is
/// rendered can know more. The numbers stay.
///
/// The command line becomes the program's base name and "…"; file paths become "…" in all texts,
/// and so do the arguments in messages; the UUIDs of GPUs and the names of threads are left out. With Redaction::Names a
/// kernel is called "kernel_" and each part of an NVTX range "range_" and ten hexadecimal digits of
/// the SHA-256 of its name: the same name stays the same name in another report, and whoever can
/// guess a name can check the guess.
[[nodiscard]] Profile redact(Profile profile, const RedactOptions& options = {});

/// The last part of a path ("/a/b.json" → "b.json") without the words of redact().
[[nodiscard]] std::string redactPath(std::string_view path, const RedactOptions& options = {});

}  // namespace roofscope
