// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/language/sentence.h"
#include "analyzer/names/library_product.h"
#include "analyzer/quantities/coalescing.h"
#include "analyzer/source/address_kinds.h"
#include "analyzer/source/source_analysis.h"
#include "analyzer/source/stalls.h"

namespace roofscope::rules {

namespace {

/// A misaligned but contiguous 4-byte access takes 5 sectors instead of 4: 0.8 is still healthy.
constexpr double kHealthyEfficiency = 0.8;
/// If the caches below the L1 move no more than was requested, later accesses use the other bytes
/// of a sector, and only the L1 handles sectors twice. Below this share of its time, that holds
/// nothing up.
constexpr double kL1InUse = 0.40;
/// A smaller share of certain excess sectors does not matter (edges, tails).
constexpr double kLeastExcess = 0.10;
/// A level carries excess traffic if it moves more than was requested. A tenth is allowed for line
/// fills, instruction fetches and what other kernels left in the caches.
constexpr double kInflated = 1.1;
/// Each thread walks along a row of its own if an access takes about one sector for each active
/// lane, and at least four times the sectors that neighbours would need. With fewer active lanes
/// than kLeastLanes, sectors do not show it.
constexpr double kSectorPerLane = 0.5, kLeastLanes = 8.0, kOfNeighbours = 4.0;

const Words kLoads("loads"), kStores("stores");

/// Loads or stores, as the rule judges them: exactly if each instruction was counted, otherwise by
/// the estimate for the whole kernel.
struct Side {
    const CoalescingEstimate* estimate = nullptr;
    bool exact = false;
    std::optional<double> efficiency;  ///< of the bytes moved; exact: of the sectors
    double removable = 0;              ///< sectors, per launch; an upper bound unless exact
    double certain = 0;                ///< of those, the ones that are certainly too many
    double excess = 0;                 ///< share of sectors that are certainly too many
    double perRequest = 0, idealRequest = 0;

    [[nodiscard]] bool uncoalesced() const {
        return efficiency && *efficiency < kHealthyEfficiency && excess >= kLeastExcess;
    }
};

Side estimated(const CoalescingEstimate& s) {
    Side side{.estimate = &s};
    if (!s.efficiency.has() || !s.certainExcess.has() || !(*s.sectors > 0)) return side;
    side.efficiency = s.efficiency->value;
    // A request takes at least one sector, however little it requests.
    side.removable = *s.sectors - std::max(s.requested->value / kSectorBytes, *s.requests);
    side.certain = *s.certainExcess;
    side.excess = side.certain / *s.sectors;
    side.perRequest = s.sectorsPerRequest.has() ? *s.sectorsPerRequest : 0.0;
    side.idealRequest = (*s.sectors - side.removable) / *s.requests;
    return side;
}

Side judge(const RuleInput& input, const CoalescingEstimate& estimate,
           std::span<const SassKind> kinds) {
    const SourceAnalysis* source = input.kernel.source.get();
    if (!source || !source->hasSass || !source->agrees || !estimate.sectors.has())
        return estimated(estimate);
    const SourceSums sums = source->sumOf(kinds);
    if (!sums.sectors || !sums.excessSectors || !sums.executed) return estimated(estimate);
    Side side{.estimate = &estimate, .exact = true};
    if (!(*sums.sectors > 0) || !(*sums.executed > 0)) return side;
    side.excess = *sums.excessSectors / *sums.sectors;
    side.efficiency = 1.0 - side.excess;
    side.removable = side.certain = side.excess * *estimate.sectors;
    side.perRequest = *sums.sectors / *sums.executed;
    side.idealRequest = (*sums.sectors - *sums.excessSectors) / *sums.executed;
    return side;
}

/// What a bound assumes about a quantity that was not measured: the value that leaves the least to
/// gain, or the most, and never just 0. Both bounds are equal if everything was measured.
enum class Unmeasured { LeastGain, MostGain };

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

double valueOr(const Derived<double>& d, double other) { return d.has() ? *d : other; }
double valueOr(const Derived<Bytes>& d, double other) { return d.has() ? d->value : other; }

/// The sectors of both sides.
double sectorsOf(const Quantities& q, Unmeasured unmeasured) {
    const double other = unmeasured == Unmeasured::LeastGain ? kUnbounded : 0.0;
    return valueOr(q.loads.sectors, other) + valueOr(q.stores.sectors, other);
}

/// The bytes that both sides requested; a sector holds at most 32 of them.
double requestedOf(const Quantities& q, Unmeasured unmeasured) {
    double sum = 0;
    for (const CoalescingEstimate* side : {&q.loads, &q.stores})
        sum += valueOr(side->requested, unmeasured == Unmeasured::MostGain
                                            ? 0.0
                                            : kSectorBytes * valueOr(side->sectors, kUnbounded));
    return sum;
}

/// The bytes that a level moved. If that is not known of the L2, it is at least what was counted,
/// and at least every stored sector, because the L1 writes through.
double movedOf(const Quantities& q, Level level, Unmeasured unmeasured) {
    if (q.bytes[level].has()) return q.bytes[level]->value;
    if (unmeasured == Unmeasured::MostGain) return kUnbounded;
    if (level != Level::L2) return 0;
    return std::max(valueOr(q.l2Counted, 0.0), kSectorBytes * valueOr(q.stores.sectors, 0.0));
}

/// Whether it is an attention kernel of a library: a caller can hardly change how it accesses
/// memory.
bool isLibraryAttention(const KernelAnalysis& kernel) {
    return isForeign(kernel.origin) && isAttention(kernel.fullName);
}

/// Upper bound of the time that coalescing saves, as a share.
///
/// Sectors beyond requested/32 could go, with the time of the levels that carry them. Of the L1's
/// wavefronts, all beyond one per request and 128 requested bytes could go. The time saved is
/// proportional to how close these levels are to the busiest resource: all of it if one of them
/// leads, little if they idle while a pipe is busy. What the rest of the kernel needs remains.
struct Gain {
    double share = 0;
    double stays = 0;        ///< share of the time that the rest of the kernel needs
    bool otherRoof = false;  ///< a resource that coalescing does not relieve is near its roof
    bool inflated = false;   ///< the L2 or the DRAM moves more than was requested
    bool usedLater = false;  ///< neither does, and the L1 has time
};

/// The share of the L1's wavefronts that coalescing can save. Excess sectors cost about one
/// wavefront each (a naive matrix product: 1.08), so a few scattered stores save none of the
/// others.
double removableWavefronts(const Quantities& q, double removableSectors, Unmeasured unmeasured) {
    constexpr double kWavefrontBytes = 128, kPerSector = 2;
    if (!q.lsuWavefronts.has() || !(*q.lsuWavefronts > 0)) return 0;
    const double other = unmeasured == Unmeasured::LeastGain ? *q.lsuWavefronts : 0.0;
    double needed = valueOr(q.shared.wavefronts, other);
    for (const CoalescingEstimate* side : {&q.loads, &q.stores})
        needed += std::max(valueOr(side->requests, other),
                           valueOr(side->requested, other) / kWavefrontBytes);
    const double excess = std::min(*q.lsuWavefronts - needed, kPerSector * removableSectors);
    return std::max(0.0, excess / *q.lsuWavefronts);
}

Gain gainOf(const Quantities& q, double removableSectors, Unmeasured unmeasured) {
    const double sectors = sectorsOf(q, unmeasured);
    const double requested = requestedOf(q, unmeasured);
    const Resources resources = resourcesOf(q);
    const bool sharedLeads = resources.find(ResourceId::SharedPipe) != nullptr;
    const double l1 = resources.busy(ResourceId::L1);
    double affected = l1;
    double removable = removableSectors / sectors;
    const double removableOfL1 = removableWavefronts(q, removableSectors, unmeasured);
    double stays = affected * (1.0 - std::max(removable, removableOfL1));
    bool inflated = false;
    double dramSpared = 0;
    if (sharedLeads) stays = std::max(stays, resources.busy(ResourceId::SharedPipe));
    const auto level = [&](Level which, ResourceId id) {
        const double moved = movedOf(q, which, unmeasured);
        const double busy = std::max(resources.busy(id),
                                     which == Level::L2 ? resources.busy(ResourceId::L2Tags) : 0.0);
        if (moved > kInflated * requested) {
            inflated = true;
            affected = std::max(affected, busy);
            if (which == Level::Dram) dramSpared = 1.0 - requested / moved;
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
    // If the L1 leads, its wavefronts are the time.
    if (l1 >= busiest->busy) removable = std::max(removable, removableOfL1);
    double part = std::min(1.0, affected / busiest->busy);
    // If issuing or arithmetic is the limit and memory is not busy, memory holds nothing up.
    if (!busiest->memory && busiest->busy >= kBusyShare && affected < kL1InUse) part = 0;
    const bool usedLater = !inflated && l1 < kL1InUse;
    if (usedLater) part = std::min(part, l1);
    // If the DRAM is the limit and the L1 has time, only bytes that the DRAM need not move are
    // gained.
    if (busiest->id == ResourceId::Dram && busiest->busy >= kBusyShare && l1 < kL1InUse)
        removable = std::min(removable, dramSpared);
    return {.share = std::max(0.0, std::min(removable * part, 1.0 - std::min(stays, 1.0))),
            .stays = stays,
            .otherRoof = stays >= kNearRoofShare,
            .inflated = inflated,
            .usedLater = usedLater};
}

/// How a finding with a gain is reported: not at all, as minor, or as worth an edit.
enum class Worth { Nothing, Minor, Edit };

Worth worthOf(const Gain& bound, double gain) {
    if (gain < kLeastReportedGain) return Worth::Nothing;
    return gain < kMinorShare || bound.otherRoof ? Worth::Minor : Worth::Edit;
}

void addEvidence(Finding& finding, const Side& side, const Words& kind, std::string_view bytes,
                 std::string_view sectors) {
    const CoalescingEstimate& s = *side.estimate;
    const Words perRequest = wordsOf("sectors per request, global {}", kind);
    if (side.exact)
        finding.evidence.push_back(
            {.label = wordsOf("sectors beyond the ideal, global {}", kind),
             .formula = "(sectors − ideal) / sectors, instruction by instruction: " +
                        std::string(counter::kSassGlobalSectors) + ", …_ideal",
             .value = side.excess,
             .unit = Unit::Share,
             .threshold = 1.0 - kHealthyEfficiency,
             .healthy = 0.0});
    else
        finding.evidence.push_back(
            {.label = wordsOf("coalescing efficiency, global {}", kind),
             .formula = std::string(bytes) + " / (32 × " + std::string(sectors) + ")",
             .value = *side.efficiency,
             .unit = Unit::Share,
             .threshold = kHealthyEfficiency,
             .healthy = 1.0});
    if (side.exact || s.sectorsPerRequest.has())
        finding.evidence.push_back({.label = perRequest,
                                    .formula = side.exact
                                                   ? std::string(counter::kSassGlobalSectors) +
                                                         " / " + std::string(counter::kSassExecuted)
                                                   : s.sectorsPerRequest.how.str(),
                                    .value = side.perRequest,
                                    .unit = Unit::Count,
                                    .healthy = side.idealRequest});
    finding.expected.push_back({.counter = Words::lasting(sectors),
                                .what = moved::Counters{sectors},
                                .from = *s.sectors,
                                .to = *s.sectors - side.certain,
                                .unit = Unit::Count});
}

/// Whether stalls are known, and warps mostly wait for something other than global memory.
bool waitsForOther(const RuleInput& input) {
    constexpr double kMuch = 0.30;  // as for dominant-stall
    const Stalls stalls = stallsOf(input.profile, input.kernel);
    if (!stalls.missing.empty() || stalls.reasons.empty()) return false;
    return stalls.shareOf("long_scoreboard") + stalls.shareOf("lg_throttle") +
               stalls.shareOf("drain") <
           kMuch;
}

/// Whether a few blocks run, in which each thread walks along a row of its own. If neighbouring
/// threads take neighbouring elements instead, accesses are coalesced, and there are as many
/// threads as elements: one edit fixes the access and the grid.
bool isWalkOfFewBlocks(const RuleInput& input, const Side& side) {
    // With a thread for each element, an SM must get at least this many: half of what it holds.
    constexpr double kLanes = 32, kThreadsPerSm = 1024;
    const double elements = side.estimate->requests.has() ? *side.estimate->requests * kLanes : 0;
    const auto& active = input.kernel.quantities.activeLanes;
    const double lanes = kLanes * (active.has() ? active->value : 1.0);
    return elements >= kThreadsPerSm * deviceOf(input).smCount &&
           input.kernel.origin == KernelOrigin::Own &&
           isUnderfilled(deviceOf(input), input.kernel.group) && !isNearlyEmptyLaunch(input) &&
           lanes >= kLeastLanes && side.perRequest >= kSectorPerLane * lanes &&
           side.perRequest >= kOfNeighbours * side.idealRequest;
}

/// Gives the finding an edit that also fills the GPU.
void joinWithGrid(const RuleInput& input, Finding& finding) {
    finding.alsoFixes = "grid-too-small";
    finding.edit = Words(
        "Let neighbouring threads take neighbouring elements of a row, one or a few each (with a "
        "reduction where a row has one result), instead of a row for each thread: accesses become "
        "coalesced, and the grid (now {blocks} {blocks?block:blocks} on {sms} SMs; make it 2-D) "
        "fills the GPU. Where a thread must walk its row in order, store the array transposed.");
    finding.before =
        "int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "for (int j = 0; j < columns; ++j) y[row * columns + j] = f(x[row * columns + j]);";
    finding.after =
        "int j = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;  // grid: 2-D\n"
        "if (j < columns) y[row * columns + j] = f(x[row * columns + j]);";
    const auto blocks = static_cast<double>(input.kernel.group.grid.total());
    const double sms = deviceOf(input).smCount;
    finding.args.push_back(arg("blocks", blocks, Unit::Count));
    finding.args.push_back(arg("sms", sms, Unit::Count));
    finding.expected.push_back({.counter = Words("blocks"),
                                .what = moved::Value::Blocks,
                                .from = blocks,
                                .to = sms,
                                .unit = Unit::Count});
}

/// Where most of the addresses come from. `Computed` also if that is not known.
enum class Addresses { Computed, Placed, Indexed, Walked, Searched };

Addresses addressesOf(const RuleInput& input, bool loads, bool stores) {
    if (input.kernel.origin != KernelOrigin::Own || !input.kernel.source)
        return Addresses::Computed;
    std::vector<SassKind> judged;
    if (loads) judged.insert(judged.end(), kGlobalLoadKinds.begin(), kGlobalLoadKinds.end());
    if (stores) judged.insert(judged.end(), kGlobalStoreKinds.begin(), kGlobalStoreKinds.end());
    const AddressKinds kinds = addressKinds(input.profile, *input.kernel.source, judged);
    const double loaded = kinds.indexed + kinds.walked + kinds.searched;
    if (kinds.placed > std::max(loaded, kinds.computed)) return Addresses::Placed;
    if (loaded <= kinds.computed + kinds.placed) return Addresses::Computed;
    if (kinds.searched > std::max(kinds.indexed, kinds.walked)) return Addresses::Searched;
    return kinds.walked > kinds.indexed ? Addresses::Walked : Addresses::Indexed;
}

/// Gives the finding another edit if lanes loaded the addresses, or computed them from positions:
/// then neighbouring threads cannot just take neighbouring elements.
void adaptTo(Addresses addresses, Finding& finding) {
    if (addresses == Addresses::Computed) return;
    if (addresses == Addresses::Placed) {
        finding.title = Words("Neighbouring threads read positions in different rows");
        finding.edit = Words(
            "The addresses come from positions that are rounded to integers (interpolation, "
            "resampling). Store the array transposed, so that the index that differs between "
            "neighbouring threads is its last one: a copy before costs one pass. Or let "
            "neighbouring threads take positions along a row, or read through a texture.");
        finding.before =
            "int i = int(position);             // differs a little between lanes\n"
            "sum += data[i * channels + c];     // a row for each lane";
        finding.after =
            "int i = int(position);\n"
            "sum += columns[c * samples + i];   // transposed before: lanes share sectors";
        return;
    }
    if (addresses == Addresses::Searched) {
        finding.title = Words("Each thread searches on a path of its own");
        finding.edit = Words(
            "Where each load goes depends on a comparison with the one before (a binary search, a "
            "tree). Sort or bucket the keys that are looked up, so that neighbouring threads take "
            "the same path. Or let one sector decide several steps: nodes of 8 to 32 sorted keys "
            "(a B-tree), with the top levels in shared memory.");
        finding.before =
            "while (low < high) {                       // 32 bytes fetched for each comparison\n"
            "    int middle = (low + high) / 2;\n"
            "    if (table[middle] < key) low = middle + 1; else high = middle;\n"
            "}";
        finding.after =
            "int node = 0;                              // 8 keys: one sector decides 3 steps\n"
            "for (int level = 0; level < levels; ++level) {\n"
            "    int smaller = 0;\n"
            "    for (int k = 0; k < 8; ++k) smaller += nodes[node].key[k] < key;\n"
            "    node = node * 9 + 1 + smaller;\n"
            "}";
        return;
    }
    if (addresses == Addresses::Walked) {
        finding.title = Words("Each thread walks along a row of its own");
        finding.edit = Words(
            "Each thread starts at a place that it loaded, and goes on from there. Give a row to "
            "4 to 32 lanes (as many as a row is long), so that they read neighbouring elements, "
            "and combine their results with shuffles.");
        finding.before =
            "int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "for (int e = start[row]; e < start[row + 1]; ++e) sum += value[e];";
        finding.after =
            "int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;\n"
            "for (int e = start[row] + lane; e < start[row + 1]; e += 32) sum += value[e];\n"
            "for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);";
        finding.alsoFixes = "idle-lanes";
        return;
    }
    finding.title = Words("Scattered accesses by an index that is loaded");
    finding.edit = Words(
        "The addresses come from loaded indices. Sort or renumber the elements (once, if the order "
        "stays) so that neighbouring threads get near ones, and keep the fields that one index "
        "needs side by side, in small types: 32 bytes are one sector.");
    finding.before = "y[i] = mass[index[i]] * speed[index[i]];";
    finding.after =
        "struct Both { float mass, speed; };  // one sector for an index, not two\n"
        "const Both b = both[index[i]];       // index: sorted, or elements renumbered, "
        "beforehand\n"
        "y[i] = b.mass * b.speed;";
}

/// "used", with the reason if a low share is no fault. Bytes that several lanes read count once, so
/// a warp that reads one word uses an eighth of a sector that it cannot do without.
Words usedOf(const Side& side, bool usedLater) {
    if (usedLater) return Words("used at once, the rest by later accesses from the L1");
    const bool little = side.efficiency && *side.efficiency < kHealthyEfficiency && !side.exact;
    if (little && side.estimate->certainExcess.has() && *side.estimate->certainExcess == 0)
        return Words("used, but no sector is certainly too many");
    return Words("used");
}

RuleResult check(const RuleInput& input) {
    const Quantities& q = input.kernel.quantities;
    if (!q.loads.sectors.has() && !q.stores.sectors.has())
        return cannotTell(q.loads.sectors.missing);
    const bool noLoads = q.loads.sectors.has() && q.loads.efficiency.notApplicable();
    const bool noStores = q.stores.sectors.has() && q.stores.efficiency.notApplicable();
    // Everything through bulk copies; or what a caller cannot change.
    if ((noLoads && noStores) || isLibraryAttention(input.kernel)) return NotApplicable{};

    const Side load = judge(input, q.loads, kGlobalLoadKinds);
    const Side store = judge(input, q.stores, kGlobalStoreKinds);
    const bool loads = load.uncoalesced(), stores = store.uncoalesced();
    const Words bytes("bytes");
    const Words sectors("sectors");
    const auto ruledOut = [&](double cost, bool usedLater = false) {
        // The worse side, in the unit that it was judged by.
        const bool storesWorse =
            store.efficiency && (!load.efficiency || *store.efficiency < *load.efficiency);
        const Side& worse = storesWorse ? store : load;
        return RuledOut{
            .args = {arg("efficiency", worse.efficiency.value_or(1.0), Unit::Share),
                     arg("moved", worse.exact ? sectors : bytes),
                     arg("used", usedOf(worse, usedLater)), arg("cost", cost, Unit::Share)},
            .cost = cost};
    };
    if (!loads && !stores) {
        if (const auto missing = firstMissing(q.loads.sectors, q.stores.sectors))
            return cannotTell(*missing);
        // Sectors that are not certainly in excess may still be unnecessary.
        return ruledOut(gainOf(q, load.removable + store.removable, Unmeasured::MostGain).share);
    }
    const double removable = (loads ? load.removable : 0.0) + (stores ? store.removable : 0.0);
    if (!resourcesOf(q).busiest()) return cannotTell(resourcesOf(q).missing);
    const auto gainIf = [&](const Gain& bound, Unmeasured unmeasured) {
        // If few SMs have work, the launch waits for latency; only the memory's own time shrinks.
        const double memoryTime =
            std::min(memoryTimeIfUnderfilled(input), memoryTimeIfUneven(input));
        const double most =
            memoryTime < 1 ? memoryTime * removable / sectorsOf(q, unmeasured) : 1.0;
        return limitToEmptyLaunch(input, std::min(bound.share, most));
    };
    const Gain bound = gainOf(q, removable, Unmeasured::LeastGain);
    const Side& main = loads ? load : store;
    const Addresses addresses = addressesOf(input, loads, stores);
    const bool joined =
        addresses == Addresses::Computed && isWalkOfFewBlocks(input, main) && !waitsForOther(input);
    const double alone = gainIf(bound, Unmeasured::LeastGain);
    // With enough blocks, the launch no longer waits for latency.
    const double gain =
        joined && alone >= kMinorShare
            ? std::max(alone, limitToEmptyLaunch(input, std::max(0.0, 1.0 - bound.stays)))
            : alone;
    // Quantities that were not measured may decide whether this is worth an edit.
    if (const auto missing =
            firstMissing(q.loads.sectors, q.stores.sectors, q.loads.requested, q.stores.requested,
                         q.bytes[Level::L2], q.bytes[Level::Dram], q.shared.wavefronts)) {
        const Gain most = gainOf(q, removable, Unmeasured::MostGain);
        if (worthOf(bound, alone) != worthOf(most, gainIf(most, Unmeasured::MostGain)))
            return cannotTell(*missing);
    }
    if (gain < kLeastReportedGain) return ruledOut(gain, bound.usedLater);

    Finding finding = makeEstimate(input, gain);
    if (bound.otherRoof && !finding.minor) finding.minor = finding.blocked = true;
    finding.relief = relieves({ResourceId::L1, ResourceId::Issue});
    // A sector that was fetched again for each of its bytes is then fetched once.
    const double requested = requestedOf(q, Unmeasured::LeastGain);
    const double used = std::min(load.efficiency.value_or(1.0), store.efficiency.value_or(1.0));
    const auto relieve = [&](Level level, ResourceId id) {
        if (const double moved = movedOf(q, level, Unmeasured::LeastGain); moved > 0)
            finding.relief.push_back({id, std::min({1.0, requested / moved, used})});
    };
    relieve(Level::L2, ResourceId::L2);
    relieve(Level::Dram, ResourceId::Dram);
    finding.args = {
        arg("kind", loads && stores ? Words("loads and stores")
                    : loads         ? kLoads
                                    : kStores),
        arg("efficiency", *main.efficiency, Unit::Share),
        arg("moved", main.exact ? sectors : bytes),
        arg("sectors", main.perRequest, Unit::Count),
        arg("ideal", main.idealRequest, Unit::Count),
        arg("waste", bound.inflated
                         ? Words("Each costs a slot in the L1, a transfer from the L2 "
                                 "and, when it misses, from DRAM, mostly for bytes that "
                                 "no lane asked for")
                         : Words("Each costs a slot in the L1. Its other bytes are used "
                                 "by later accesses, which take the same sectors again"))};
    if (loads)
        addEvidence(finding, load, kLoads, counter::kGlobalLoadBytes, counter::kGlobalLoadSectors);
    if (stores)
        addEvidence(finding, store, kStores, counter::kGlobalStoreBytes,
                    counter::kGlobalStoreSectors);
    adaptTo(addresses, finding);
    if (joined && alone >= kMinorShare && !finding.minor) joinWithGrid(input, finding);
    if (input.kernel.source)
        finding.places = uncoalescedPlaces(input.profile, *input.kernel.source);
    return finding;
}

}  // namespace

extern const Rule global_uncoalesced;
const Rule global_uncoalesced{
    .id = "global-uncoalesced",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "for (int e = 0; e < E; ++e) y[threadIdx.x * E + e] = f(x[threadIdx.x * E + e]);",
    .after = "for (int i = threadIdx.x; i < D * E; i += blockDim.x) y[i] = f(x[i]);",
    .en =
        {.title = "Uncoalesced global memory accesses",
         .firesWhen =
             "Global loads or stores use less than 80 % of the sectors they move, at least 10 % "
             "of the sectors are certainly too many, and the levels that carry them cost time.",
         .sentence =
             "Global {kind} use {efficiency} of the {moved} they move: {sectors} sectors per "
             "request, at best {ideal}.",
         .mechanism = "The 32 lanes of a warp touch addresses that lie far apart, so one "
                      "instruction needs up to 32 sectors of 32 bytes. {waste}.",
         .edit =
             "Let neighbouring threads touch neighbouring addresses: make threadIdx.x the index of "
             "the contiguous dimension, i.e. swap which index the thread and which the loop runs "
             "over. Let each thread load neighbouring bytes that it needs in one access (float4). "
             "When both orders are needed, load coalesced into a shared tile and transpose there. "
             "If a thread must walk its row, store the array transposed.",
         .ruledOut = "coalescing ({efficiency} of the moved {moved} {used}, certain waste at most "
                     "{cost} of the time)",
         .gain = "min(removable share of the sectors (of the wavefronts, where the L1 leads) × "
                 "(busiest level that carries them / busiest resource), 1 − what the rest of the "
                 "kernel needs) × duration",
         .editInTriton = "In Triton, let tl.arange run along the dimension whose stride is 1, with "
                         "at least 32 elements of the block in it. Load a transposed operand in "
                         "memory order, and transpose the block with tl.trans."},
    .check = check,
    .namesLine = NamesLine::ByCounters,
    .explains = {"l2-tag-bound"},
    .causesStalls = {"long_scoreboard", "lg_throttle", "drain"}};

}  // namespace roofscope::rules
