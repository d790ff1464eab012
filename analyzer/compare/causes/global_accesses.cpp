// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "analyzer/compare/causes/causes.h"

namespace roofscope::compare::causes {

namespace {

/// {level} and {moved}: the busiest of the levels that moved fewer bytes, and the factor. If no
/// level did, the factor is that of `sectors`.
std::vector<Arg> levelThatMovedLess(const Measured& m, Both sectors) {
    double most = -1;
    Level level = Level::L1;
    double factor = sectors.slow / sectors.fast;
    for (const MemoryLevel& memory : {kDram, kL2, kL1}) {
        const auto bytes = m.bytesOf(memory.level);
        if (!bytes || !(bytes->fast > 0)) continue;
        if (bytes->slow / bytes->fast < 1 + kSameWork || m.busy(memory.resource) <= most) continue;
        most = m.busy(memory.resource);
        level = memory.level;
        factor = bytes->slow / bytes->fast;
    }
    return {word("level", std::string(toString(level))), number("moved", factor, Unit::Factor)};
}

}  // namespace

FoundCause excessSectors(const Measured& m) {
    const auto sectors =
        m.both([](auto& q) { return sum(known(q.loads.sectors), known(q.stores.sectors)); });
    if (!sectors || !m.requested || !(sectors->slow > 0) || !(sectors->fast > 0))
        return std::nullopt;
    const double slowUse = m.requested->slow / sectors->slow,
                 fastUse = m.requested->fast / sectors->fast;
    if (slowUse > fastUse * (1 - kLeastAmountChange)) return std::nullopt;
    // Loads or stores, whichever lost more sectors.
    const bool loads = *m.slow.loads.sectors - *m.fast.loads.sectors >=
                       *m.slow.stores.sectors - *m.fast.stores.sectors;
    const CoalescingEstimate& a = loads ? m.slow.loads : m.slow.stores;
    const CoalescingEstimate& b = loads ? m.fast.loads : m.fast.stores;
    std::vector<Arg> more{word("op", loads ? Words("load") : Words("store"))};
    for (Arg& arg : levelThatMovedLess(m, *sectors)) more.push_back(std::move(arg));
    // Count only the sectors saved by better use of each sector. The rest disappeared because less
    // was requested.
    const Both used{sectors->slow, sectors->slow * slowUse / fastUse};
    const bool sameLoads = m.requested->within(kSameLoads);
    const auto each = joined(known(a.sectorsPerRequest), known(b.sectorsPerRequest));
    if (each && each->slow > each->fast * (1 + kLeastAmountChange))
        return candidate(m, "excess-sectors", used, m.memoryOrWaiting(), *each, Unit::Count,
                         sameLoads ? Words("sectors per {op} request {fell} from {from} to {to}, "
                                           "so the {level} moved {moved} {less}")
                                   : Words("sectors per {op} request {fell} from {from} to {to}"),
                         std::move(more));
    const auto efficiency = joined(known(a.efficiency), known(b.efficiency));
    if (!efficiency) return std::nullopt;
    return candidate(
        m, "excess-sectors", used, m.memoryOrWaiting(), *efficiency, Unit::Share,
        sameLoads ? Words("the used share of the bytes that global {op}s move {fell} from {from} "
                          "to {to}, so the {level} moved {moved} {less}")
                  : Words("the used share of the bytes that global {op}s move {fell} from {from} "
                          "to {to}"),
        std::move(more));
}

FoundCause spills(const Measured& m) {
    const auto local = m.both([](auto& q) { return known(q.localSectors); });
    const auto all = m.bytesOf(Level::L1);
    if (!local || !all || !(local->slow > local->fast)) return std::nullopt;
    // Attribute only the spills' own share of all L1 traffic to them.
    const double gone = 32.0 * (local->slow - local->fast);
    return candidate(m, "spills", {all->slow, std::max(0.0, all->slow - gone)}, m.memoryOrWaiting(),
                     *local, Unit::Count,
                     Words("local-memory sectors (spilled registers) {fell} from {from} to {to}"));
}

FoundCause narrowAccess(const Measured& m) {
    if (!m.requests || !m.requested || !(m.requests->slow > 0) || !(m.requests->fast > 0))
        return std::nullopt;
    // The width explains the change only if both kernels request the same data. If most requests
    // are gone, the mean width only describes those that are left.
    if (!m.requested->within(m.sameDram() ? kSameLoads : kSameWork)) return std::nullopt;
    const Both width{m.requested->slow / m.requests->slow, m.requested->fast / m.requests->fast};
    if (!(width.fast >= kWider * width.slow)) return std::nullopt;
    Words phrase(
        "a warp moves {to} per global access instead of {from}, which takes {factor} {fewer} "
        "requests");
    std::vector<Arg> more;
    if (const auto rates = m.dramRates()) {
        const auto [before, after] = m.inOrder(*rates);
        more = beforeAfter(m, *rates, Unit::BytesPerSecond);
        more.push_back(word("rose", fellOrRose(after <= before)));
        phrase = Words(
            "a warp moves {to} per global access instead of {from}, which takes {factor} "
            "{fewer} requests, and the DRAM rate {rose} from {before} to {after}");
    }
    return candidate(m, "narrow-access", *m.requests, m.waitingForAccesses(), width, Unit::Bytes,
                     std::move(phrase), std::move(more));
}

FoundCause bulkCopies(const Measured& m) {
    if (!m.sameDram() || loadsInBulk(m.slowSide) || !loadsInBulk(m.fastSide)) return std::nullopt;
    return whereLess(m, "bulk-copies", m.requests, m.waitingForAccesses(), Unit::Count,
                     m.faster
                         ? Words("bulk copies (TMA) replaced loads by threads: global accesses "
                                 "{fell} from {from} to {to} requests at the same DRAM traffic")
                         : Words("loads by threads replaced bulk copies (TMA): global accesses "
                                 "{fell} from {from} to {to} requests at the same DRAM traffic"));
}

FoundCause loadedAgain(const Measured& m) {
    const auto loaded = m.both([](auto& q) { return known(q.loads.requested); });
    if (!loaded || loaded->within(kSameLoads) || m.inBulk) return std::nullopt;
    if (m.sameDram())
        return whereLess(m, "loaded-again", loaded, m.globalMemoryOrWaiting(), Unit::Bytes,
                         Words("global loads request {to} instead of {from} at the same DRAM "
                               "traffic: {factor} {less} is loaded repeatedly"));
    if (!sameArithmetic(m)) return std::nullopt;
    // Whether the values stay in shared memory instead.
    const auto shared = m.bytesOf(Level::Shared);
    const bool kept = m.faster && shared && shared->fast > 2 * shared->slow;
    return whereLess(
        m, "loaded-again", loaded, m.globalMemoryOrWaiting(), Unit::Bytes,
        kept ? Words("global loads ask for {to} instead of {from} for the same arithmetic: a "
                     "loaded value is used {factor} {often}, from shared memory")
             : Words("global loads ask for {to} instead of {from} for the same arithmetic: a "
                     "loaded value is used {factor} {often}"),
        {word("often", m.faster ? Words("as often") : Words("less often"))});
}

}  // namespace roofscope::compare::causes
