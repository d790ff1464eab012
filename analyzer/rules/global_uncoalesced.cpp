// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>

#include "analyzer/coalescing.h"
#include "analyzer/counter_names.h"
#include "analyzer/rule_support.h"

namespace roofscope::rules {

namespace {

constexpr std::string_view kId = "global-uncoalesced";

/// A misaligned but contiguous 4-byte access takes 5 sectors instead of 4: 0.8 is still healthy.
constexpr double kHealthyEfficiency = 0.8;
/// Sectors beyond the certain bound that are too few to matter (edges, tails).
constexpr double kLeastExcess = 0.10;
/// A level carries excess traffic when it moves more than was asked for; a tenth is left to line
/// fills, instruction fetches and what other kernels left in the caches.
constexpr double kInflated = 1.1;

bool isUncoalesced(const CoalescingScreen& s) {
    return s.efficiency.has() && s.certainExcess.has() && *s.sectors > 0 &&
           s.efficiency->value < kHealthyEfficiency &&
           *s.certainExcess / *s.sectors >= kLeastExcess;
}

double value(const Derived<double>& d) { return d.has() ? *d : 0.0; }
double value(const Derived<Bytes>& d) { return d.has() ? d->value : 0.0; }

/// Upper bound of the time that coalescing recovers, as a share.
///
/// Sectors beyond requested/32 could go, with the time of the levels that carry them. The time is
/// taken to follow those levels in proportion to how close they are to the busiest resource: all of
/// it when one of them leads, little of it when they idle beside a busy pipe. What the rest of the
/// kernel needs stays.
struct Gain {
    double share = 0;
    bool otherRoof = false;  ///< something that coalescing does not relieve is near its roof
};

Gain gainOf(const Quantities& q, double removableSectors) {
    const double sectors = value(q.loads.sectors) + value(q.stores.sectors);
    const double requested = value(q.loads.requested) + value(q.stores.requested);
    const double removable = removableSectors / sectors;
    const Resources resources = resourcesOf(q);

    const bool sharedLeads = resources.find(ResourceId::SharedPipe) != nullptr;
    double affected = resources.busy(ResourceId::L1);
    double stays = affected * (1.0 - removable);
    if (sharedLeads) stays = std::max(stays, resources.busy(ResourceId::SharedPipe));
    const auto level = [&](Level which, ResourceId id) {
        const double moved = value(q.bytes[which]), busy = resources.busy(id);
        if (moved > kInflated * requested) {
            affected = std::max(affected, busy);
            stays = std::max(stays, busy * requested / moved);
        } else {
            stays = std::max(stays, busy);
        }
    };
    level(Level::L2, ResourceId::L2);
    level(Level::Dram, ResourceId::Dram);
    stays = std::max(stays, resources.busiestExcept({ResourceId::Dram, ResourceId::L2,
                                                     ResourceId::L1, ResourceId::SharedPipe}));
    const Resource* busiest = resources.busiest();
    if (!busiest || !(busiest->busy > 0)) return {};
    const double part = std::min(1.0, affected / busiest->busy);
    return {.share = std::max(0.0, std::min(removable * part, 1.0 - std::min(stays, 1.0))),
            .otherRoof = stays >= kNearRoofShare};
}

void addEvidence(Finding& finding, const CoalescingScreen& s, const char* kind,
                 std::string_view bytes, std::string_view sectors) {
    finding.evidence.push_back(
        {.label = std::string("coalescing efficiency, global ") + kind,
         .formula = std::string(bytes) + " / (32 × " + std::string(sectors) + ")",
         .value = s.efficiency->value,
         .unit = Unit::Share,
         .threshold = kHealthyEfficiency,
         .healthy = 1.0});
    if (s.sectorsPerRequest.has())
        finding.evidence.push_back({.label = std::string("sectors per request, global ") + kind,
                                    .formula = s.sectorsPerRequest.how,
                                    .value = *s.sectorsPerRequest,
                                    .unit = Unit::Count,
                                    .threshold = std::nullopt,
                                    .healthy = s.requested->value / (kSectorBytes * *s.requests)});
    finding.expected.push_back({.counter = std::string(sectors),
                                .from = *s.sectors,
                                .to = s.requested->value / kSectorBytes,
                                .unit = Unit::Count});
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.loads.sectors.has() && !q.stores.sectors.has())
        return cannotTell(kId, q.loads.sectors.missing);
    const bool noLoads = q.loads.sectors.has() && q.loads.efficiency.notApplicable();
    const bool noStores = q.stores.sectors.has() && q.stores.efficiency.notApplicable();
    if (noLoads && noStores) return NotApplicable{};  // e.g. everything through bulk copies

    const bool loads = isUncoalesced(q.loads), stores = isUncoalesced(q.stores);
    const auto worst = [&] {
        double efficiency = 1.0;
        for (const auto* s : {&q.loads, &q.stores})
            if (s->efficiency.has()) efficiency = std::min(efficiency, s->efficiency->value);
        return efficiency;
    };
    const auto ruledOut = [&](double cost) {
        return RuledOut{
            .ruleId = std::string(kId),
            .args = {arg("efficiency", worst(), Unit::Share), arg("cost", cost, Unit::Share)}};
    };
    if (!loads && !stores) {
        if (!q.loads.sectors.has()) return cannotTell(kId, q.loads.sectors.missing);
        if (!q.stores.sectors.has()) return cannotTell(kId, q.stores.sectors.missing);
        return ruledOut(0.0);
    }
    double removable = 0;
    for (const auto* s : {loads ? &q.loads : nullptr, stores ? &q.stores : nullptr})
        if (s) removable += *s->sectors - s->requested->value / kSectorBytes;
    if (!resourcesOf(q).busiest()) return cannotTell(kId, resourcesOf(q).missing);
    const Gain bound = gainOf(q, removable);
    const double gain = aboveEmptyLaunch(input, bound.share);
    if (gain < kWorthNaming) return ruledOut(gain);

    Finding finding = makeFinding(
        input, kId, gain,
        "min(removable sectors / sectors × (busiest level that carries them / busiest resource), "
        "1 − what the rest of the kernel needs) × duration");
    if (bound.otherRoof && !finding.minor) finding.minor = finding.blocked = true;
    const CoalescingScreen& main = loads ? q.loads : q.stores;
    finding.args = {
        arg("kind", loads && stores ? "loads and stores"
                    : loads         ? "loads"
                                    : "stores"),
        arg("efficiency", main.efficiency->value, Unit::Share),
        arg("sectors", main.sectorsPerRequest.has() ? *main.sectorsPerRequest : 0.0, Unit::Count),
        arg("ideal", main.requested->value / (kSectorBytes * *main.requests), Unit::Count)};
    if (loads)
        addEvidence(finding, q.loads, "loads", counter::kGlobalLoadBytes,
                    counter::kGlobalLoadSectors);
    if (stores)
        addEvidence(finding, q.stores, "stores", counter::kGlobalStoreBytes,
                    counter::kGlobalStoreSectors);
    return finding;
}

}  // namespace

extern const Rule global_uncoalesced;
const Rule global_uncoalesced{
    .id = kId,
    .category = "memory",
    .firesWhen =
        "Global loads or stores use less than 80 % of the sectors they move, at least 10 % "
        "of the sectors are certainly too many, and the levels that carry them cost time.",
    .needs = "default",
    .en = {.title = "Uncoalesced global memory accesses",
           .sentence =
               "Global {kind} use {efficiency} of the bytes they move: {sectors} sectors per "
               "request where {ideal} would do.",
           .mechanism =
               "The 32 lanes of a warp touch addresses that lie far apart, so one "
               "instruction needs up to 32 sectors of 32 bytes. Each costs a slot in the "
               "L1, a transfer from the L2 and, when it misses, from DRAM, mostly for bytes "
               "that no lane asked for.",
           .edit = "Let neighbouring threads touch neighbouring addresses: make threadIdx.x the "
                   "index of the contiguous dimension, i.e. swap which index the thread and which "
                   "the loop runs over. When both orders are needed, load coalesced into a shared "
                   "tile and transpose there.",
           .before =
               "for (int e = 0; e < E; ++e) y[threadIdx.x * E + e] = f(x[threadIdx.x * E + e]);",
           .after = "for (int i = threadIdx.x; i < D * E; i += blockDim.x) y[i] = f(x[i]);",
           .ruledOut =
               "not coalescing ({efficiency} of the moved bytes used, certain waste at most "
               "{cost} of the time)"},
    .check = check};

}  // namespace roofscope::rules
