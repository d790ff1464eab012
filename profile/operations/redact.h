// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {

/// Stands where something was left out.
inline constexpr const char* kRedacted = "…";

enum class Redaction {
    Private,  ///< paths, arguments, names of users and hosts
    Names     ///< the same, and every kernel name and NVTX range becomes a hash
};
/// "private", "names".
[[nodiscard]] std::optional<Redaction> parseRedaction(std::string_view name);

/// Finds what tells about people and machines inside a text: paths, addresses ("user@host",
/// "scheme://…"), and given words where they stand alone ("alice" in "alice_run", not in "malice").
/// The one place that knows what such a thing looks like: reports and baselines both use it.
class PrivateParts {
public:
    using Words = std::set<std::string>;
    /// `names` are found in any case ("GPU17" for "gpu17"), `exact` only as they are written.
    explicit PrivateParts(const Words& names = {}, const Words& exact = {});

    /// The text with each private part replaced by what `replacement` makes of it.
    [[nodiscard]] std::string replaced(
        std::string_view text,
        const std::function<std::string(std::string_view)>& replacement) const;
    /// The text with kRedacted in place of each private part.
    [[nodiscard]] std::string removed(std::string_view text) const;
    /// The same without looking for paths: for what is the last part of one already.
    [[nodiscard]] std::string removedWords(std::string_view text) const;

private:
    std::vector<std::string> m_names, m_exact;  // sorted, without duplicates; m_names in lower case
};

/// The names of the machines of a profile: as recorded, and their short forms and domains
/// ("gpu17.example.com" → also "gpu17", "example.com").
[[nodiscard]] PrivateParts::Words hostNames(const Profile& profile);

struct RedactOptions {
    Redaction what = Redaction::Private;
    /// Further names to remove wherever they stand alone: of this user and this host. Names of home
    /// directories ("/home/NAME/…") and hosts that occur in the profile are found without help.
    std::vector<std::string> words = {};
};

/// A profile that can leave a company: before anything is derived from it, so that nothing that is
/// rendered can know more. The numbers stay.
///
/// The command line becomes the program's base name and "…"; file paths become "…" in all texts,
/// and so do the arguments in messages; the UUIDs of GPUs and the names of threads are left out.
/// With Redaction::Names a kernel is called "kernel_" and each part of an NVTX range "range_" and
/// ten hexadecimal digits of the SHA-256 of its name: the same name stays the same name in another
/// report, and whoever can guess a name can check the guess.
[[nodiscard]] Profile redact(Profile profile, const RedactOptions& options = {});

/// The last part of a path ("/a/b.json" → "b.json") without the names that redact() removes from
/// `profile`, which is the one before redaction: `record --out %h.json` puts the host's name there.
[[nodiscard]] std::string redactPath(std::string_view path, const Profile& profile,
                                     const RedactOptions& options = {});

}  // namespace roofscope
