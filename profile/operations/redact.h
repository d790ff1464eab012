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

/// Replaces what was removed.
inline constexpr const char* kRedacted = "…";

enum class Redaction {
    Private,  ///< paths, arguments, names of users and hosts
    Names     ///< the same, and every kernel name and NVTX range becomes a hash
};
/// "private", "names".
[[nodiscard]] std::optional<Redaction> parseRedaction(std::string_view name);

/// Finds what identifies people and machines in a text: paths, addresses ("user@host",
/// "scheme://…"), and given words where they stand alone ("alice" in "alice_run", not in "malice").
/// The only place that defines this; reports and baselines both use it.
class PrivateDataFilter {
public:
    using Words = std::set<std::string>;
    /// `names` match in any case ("GPU17" for "gpu17"), `exact` only as written.
    explicit PrivateDataFilter(const Words& names = {}, const Words& exact = {});

    /// The text with each private part replaced by `replacement(part)`.
    [[nodiscard]] std::string replaced(
        std::string_view text,
        const std::function<std::string(std::string_view)>& replacement) const;
    /// The text with each private part replaced by kRedacted.
    [[nodiscard]] std::string removed(std::string_view text) const;
    /// The same without looking for paths, for text that is already the last part of a path.
    [[nodiscard]] std::string removedWords(std::string_view text) const;

private:
    std::vector<std::string> m_names, m_exact;  // sorted, without duplicates; m_names in lower case
};

/// The machine names in a profile: as recorded, their short forms and their domains
/// ("gpu17.example.com" → also "gpu17", "example.com").
[[nodiscard]] PrivateDataFilter::Words hostNames(const Profile& profile);

struct RedactOptions {
    Redaction what = Redaction::Private;
    /// Further names to remove wherever they stand alone: those of this user and host. User names
    /// in home directories ("/home/NAME/…") and hosts in the profile are found automatically.
    std::vector<std::string> words = {};
};

/// Makes a profile fit to leave a company. Applied before analysis, so that no report can contain
/// more. The numbers stay.
///
/// The command line becomes the program's base name and "…". File paths become "…" in all texts,
/// and so do the arguments in messages. The UUIDs of GPUs and the names of threads are removed.
/// With Redaction::Names a kernel name becomes "kernel_" and each part of an NVTX range "range_",
/// plus ten hexadecimal digits of the name's SHA-256. Equal names stay equal across reports, but
/// whoever guesses a name can verify the guess.
[[nodiscard]] Profile redact(Profile profile, const RedactOptions& options = {});

/// The last part of a path ("/a/b.json" → "b.json") without the names that redact() removes. Pass
/// the profile as it was before redaction. `record --out %h.json`, for example, puts the host's
/// name into the path.
[[nodiscard]] std::string redactPath(std::string_view path, const Profile& profile,
                                     const RedactOptions& options = {});

}  // namespace roofscope
