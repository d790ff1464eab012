// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/declared_bytes.h"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "profile/names/name_pattern.h"

namespace roofscope {
namespace {

constexpr double kMostBytes = 9007199254740992.0;  // 2^53: what a profile can hold

}  // namespace

std::optional<std::uint64_t> parseBytes(std::string_view text) {
    // Only digits and a decimal point: no exponents, signs or words.
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    double number = 0;
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + end, number, std::chars_format::fixed);
    if (error != std::errc() || rest != text.data() + end) return std::nullopt;
    static const std::map<std::string_view, double> kUnits{
        {"", 1},
        {"k", 1e3},
        {"M", 1e6},
        {"G", 1e9},
        {"T", 1e12},
        {"Ki", 1024.0},
        {"Mi", 1024.0 * 1024},
        {"Gi", 1024.0 * 1024 * 1024},
        {"Ti", 1024.0 * 1024 * 1024 * 1024},
    };
    std::string_view name = text.substr(end);
    if (name.ends_with('B')) name.remove_suffix(1);
    const auto unit = kUnits.find(name);
    if (unit == kUnits.end()) return std::nullopt;
    const double bytes = number * unit->second;
    if (!(bytes >= 1 && bytes <= kMostBytes) || bytes != std::floor(bytes)) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
}

namespace {

std::string_view innermost(std::string_view path) {
    constexpr std::string_view kInside = " > ";
    const auto at = path.rfind(kInside);
    return at == path.npos ? path : path.substr(at + kInside.size());
}

}  // namespace

Result<DeclaredBytes> parseDeclaredBytes(const std::string& text) {
    const auto refuse = [&](std::string what) {
        return Error{.code = ErrorCode::Usage,
                     .what = std::move(what),
                     .where = "--bytes " + text,
                     .advice = "example: --bytes 'copy|transpose=512Mi'"};
    };
    // Split at the last "=": template names rarely contain one, numbers never.
    const auto at = text.rfind('=');
    if (at == text.npos || at == 0) return refuse("must be KERNEL=BYTES");
    const auto bytes = parseBytes(std::string_view(text).substr(at + 1));
    if (!bytes)
        return refuse("must end in a whole number of bytes from 1, such as 4096, 512M or 1.5Gi");
    DeclaredBytes declared{.kernel = text.substr(0, at), .bytes = *bytes};
    if (const auto pattern = NamePattern::compile(declared.kernel); !pattern)
        return refuse(pattern.error().what);
    return declared;
}

void declareBytes(Profile& profile, const std::vector<DeclaredBytes>& declarations) {
    std::vector<bool> used(declarations.size());
    // Matched once per kernel name, because there are far fewer names than launches.
    std::vector<std::vector<std::size_t>> fitting(profile.kernels.size());
    for (std::size_t s = 0; s < declarations.size(); ++s) {
        const auto pattern = NamePattern::compile(declarations[s].kernel);
        for (std::size_t k = 0; pattern && k < profile.kernels.size(); ++k)
            if (pattern->matchesKernel(profile.kernels[k].name)) fitting[k].push_back(s);
    }
    for (Launch& launch : profile.launches)
        for (const std::size_t s : fitting[launch.kernel]) {
            const DeclaredBytes& declared = declarations[s];
            if (!declared.range.empty() &&
                (!launch.range || innermost(profile.ranges[*launch.range]) != declared.range))
                continue;
            used[s] = true;
            if (!launch.declaredBytes) launch.declaredBytes = declared.bytes;
        }
    for (std::size_t s = 0; s < declarations.size(); ++s)
        if (!used[s] && !declarations[s].kernel.empty())
            profile.issues.push_back(
                {.severity = Severity::Info,
                 .source = "record",
                 .code = "declared-bytes-unused",
                 .message = "no kernel of this recording matches --bytes " + declarations[s].kernel,
                 .advice = "use names as the report shows them"});
}

}  // namespace roofscope
