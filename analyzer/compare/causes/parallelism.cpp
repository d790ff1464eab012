// SPDX-License-Identifier: Apache-2.0
// Causes in parallelism: how many SMs, warps and loads work at the same time.
#include <algorithm>
#include <utility>

#include "analyzer/compare/causes/causes.h"

namespace roofscope::compare::causes {

FoundCause gridSize(const Measured& m) {
    const auto blocks = m.both([](auto& q) { return known(q.occupancy.blocks); });
    const double sms = m.device.smCount;
    if (!blocks || !(sms > 0)) return std::nullopt;
    const Both working{std::min(blocks->slow, sms), std::min(blocks->fast, sms)};
    std::vector<Arg> more = beforeAfter(m, working, Unit::Count);
    more.push_back(number("sms", sms, Unit::Count));
    return candidate(
        m, "grid-size", working.swapped(), 1.0, *blocks, Unit::Count,
        Words("blocks {fell} from {from} to {to}, so {after} of {sms} SMs {after?has:have} "
              "work instead of {before}"),
        std::move(more));
}

FoundCause imbalance(const Measured& m) {
    // Weighted by the time in which no roof is busy: at a full roof all SMs wait, whichever has
    // more to do.
    return whereLess(
        m, "imbalance", m.both([](auto& q) { return known(q.busiestSmFactor); }), m.waiting(),
        Unit::Factor,
        Words("the busiest SM works {to} as long as the average one, instead of {from}"));
}

FoundCause waveTail(const Measured& m) {
    const auto count = m.both([](auto& q) { return known(q.occupancy.waves); });
    // Less than one wave is a matter of the grid size.
    if (!count || count->slow < 1) return std::nullopt;
    return whereMore(
        m, "wave-tail", m.both([](auto& q) { return known(q.occupancy.waveEfficiency); }),
        m.waiting(), Unit::Share,
        Words("{after} waves instead of {before} fill the GPU to {to} instead of {from}"),
        beforeAfter(m, *count, Unit::Count));
}

FoundCause occupancy(const Measured& m) {
    // Bulk copies stay in flight without a warp that waits for each, so they need little occupancy.
    if (m.inBulk) return std::nullopt;
    return whereMore(m, "occupancy", m.achievedOccupancy(), m.waiting(), Unit::Share,
                     Words("achieved occupancy {fell} from {from} to {to} while warps mostly "
                           "waited"));
}

FoundCause loadsInFlight(const Measured& m) {
    const Resources fastest = resourcesOf(m.fast);
    const Resource* busiest = fastest.busiest();
    const auto l2 = m.bytesOf(Level::L2), rates = m.dramRates(), achieved = m.achievedOccupancy();
    if (!busiest || busiest->id != ResourceId::Dram || busiest->busy < kBusyShare || !m.dram ||
        !l2 || !rates || !achieved || !(achieved->slow > 0) ||
        !m.dram->within(kLeastAmountChange) || !l2->within(kLeastAmountChange) || m.inBulk)
        return std::nullopt;
    // If another unit is busy, the slower kernel waits for that one.
    if (m.resources.busiestExcept({ResourceId::Dram}) >= kBusyShare) return std::nullopt;
    const bool moreWarps = achieved->fast >= achieved->slow * (1 + kLeastAmountChange);
    const bool fewerWarps = achieved->slow >= achieved->fast * (1 + kLeastAmountChange);
    const auto [before, after] = m.inOrder(*rates);
    Words phrase =
        moreWarps
            ? Words(
                  "the DRAM moves the same bytes at {after} instead of {before}: the achieved "
                  "occupancy {rose} from {from} to {to}, so that {many} loads are in flight")
        : fewerWarps
            ? Words(
                  "the DRAM moves the same bytes at {after} instead of {before}: each warp has "
                  "{many} loads in flight, at an achieved occupancy of {to} instead of {from}")
            : Words(
                  "the DRAM moves the same bytes at {after} instead of {before}: each warp has "
                  "{many} loads in flight");
    const auto [from, to] = m.inOrder(*achieved);
    return Candidate{
        .id = "loads-in-flight",
        .kept = rates->slow / rates->fast,
        .weight = 1,
        .sentence = {std::move(phrase),
                     {number("from", from, Unit::Share), number("to", to, Unit::Share),
                      number("before", before, Unit::BytesPerSecond),
                      number("after", after, Unit::BytesPerSecond),
                      word("rose", fellOrRose(m.faster ? !moreWarps : moreWarps)),
                      word("many", m.faster ? Words(inContext("more loads", "more"))
                                            : Words(inContext("fewer loads", "fewer")))}},
        .lastResort = true};
}

}  // namespace roofscope::compare::causes
