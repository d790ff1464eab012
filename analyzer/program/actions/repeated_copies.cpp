// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/repeated_copies.h"

#include <algorithm>
#include <optional>
#include <set>

#include "analyzer/program/account/sites.h"

namespace roofscope::program {
namespace {

/// With a smaller share, the program also copies new data from the same line.
constexpr double kLeastRepeatedShare = 0.5;
/// If only some of the copies were read, at least this many must have been, and nearly all of them
/// must repeat. They then stand for all.
constexpr std::uint64_t kSample = 16;
constexpr double kNearlyAllRepeat = 0.9;
/// Twice may be a warm-up and the real run.
constexpr std::uint64_t kTimesCopied = 3;
/// Data that stays on the GPU must fit next to everything else.
constexpr double kMostOfMemory = 0.25;

double keptOf(const HostCopies& copies) {
    return static_cast<double>(copies.distinct) * static_cast<double>(copies.bytes);
}

/// Whether a few contents take turns, one in each window. A data set that is copied in each epoch
/// has more; several arrays that are copied in each window are no turns.
bool takeTurns(const HostCopies& copies, double perWindow, std::size_t processes) {
    constexpr std::uint64_t kFew = 4;
    constexpr double kNearlyAll = 0.9, kOnce = 1.5;
    return copies.distinct > 1 && copies.distinct <= kFew * processes && perWindow <= kOnce &&
           static_cast<double>(copies.inTurn) >= kNearlyAll * static_cast<double>(copies.repeated);
}

}  // namespace

RepeatedCopies repeatedCopies(const Profile& profile, const Program& program) {
    RepeatedCopies found;
    if (program.lanes.empty()) return found;
    std::optional<std::uint64_t> memory;
    if (const std::uint32_t device = program.lanes.front().device; device < profile.devices.size())
        memory = profile.devices[device].memoryBytes;
    std::set<std::uint64_t> sizes;
    std::size_t places = 0;
    bool one = true;
    for (const CallSite& site : profile.callSites)
        for (const HostCopies& c : site.hostCopies) {
            const bool sampled = c.read < c.copies && c.read >= kSample;
            const auto compared = static_cast<double>(sampled ? c.read : c.copies);
            if (c.repeated + 1 < kTimesCopied ||
                static_cast<double>(c.repeated) <
                    (sampled ? kNearlyAllRepeat : kLeastRepeatedShare) * compared ||
                (memory && keptOf(c) > kMostOfMemory * static_cast<double>(*memory)))
                continue;
            const auto sized =
                std::ranges::find(program.account.toGpu, c.bytes, &SizedCopies::bytes);
            if (c.bytes == 0 || sized == program.account.toGpu.end()) continue;
            const double perWindow = sized->all.value / static_cast<double>(sized->bytes);
            if (takeTurns(c, perWindow, profile.processes.size())) {
                found.turning += keptOf(c);
                found.turningSent += sized->all;
                continue;
            }
            if (sizes.insert(c.bytes).second) {
                found.time += sized->time;
                found.bytes += sized->all;
                found.perWindow += perWindow;
            }
            found.copies += compared;
            found.sampled = found.sampled || sampled;
            found.repeated += static_cast<double>(c.repeated);
            found.kept += keptOf(c);
            one = one && c.distinct == 1;
            found.versions = found.versions || c.distinct > 1;
            ++places;
            if (const std::string place = siteText(site); !place.empty())
                found.places[place] +=
                    static_cast<double>(c.repeated) * static_cast<double>(c.bytes);
        }
    found.same = one && places == 1;
    // If there is only one content, the first copy carries it as well.
    if (found.same) found.repeated += 1;
    double all = 0;
    for (const auto& [place, bytes] : found.places) all += bytes;
    for (auto& [place, part] : found.places) part /= all;
    return found;
}

}  // namespace roofscope::program
