// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "analyzer/compare/parts.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/roofline/roofline.h"
#include "profile/chips/chip.h"

/// Why a duration changed, from the counters.
///
/// The slower of the two kernels is the one to explain, whichever came first. Each candidate states
/// how much of some work the faster kernel still does (`kept`: fast / slow), and for what share of
/// the slower kernel's time that work kept its resource busy (`weight`). If nothing else changed,
/// the time would shrink to (1 − weight) + weight × kept of what it was (Amdahl's law). A candidate
/// that predicts more than what was gained explains all of it: another limit was reached first.
namespace roofscope::compare {

namespace {

/// A smaller change of an amount is not worth a sentence.
constexpr double kLeastAmountChange = 0.05;
/// Two kernels do the same work if the bytes that they request differ by at most this share.
constexpr double kSameWork = 0.10;
/// If the DRAM moves the same, requests may differ by this share and still come from the same
/// loads.
constexpr double kSameLoads = 0.50;
/// From this factor on an access is wider.
constexpr double kWider = 1.5;
/// Causes whose explained shares differ by at most this much count as equal. Then the one nearer to
/// the code is named (excess sectors rather than the bytes that they cause).
constexpr double kEquallyGood = 0.15;

std::optional<double> of(const Derived<double>& d) { return d.value; }
template <class Tag>
std::optional<double> of(const Derived<Quantity<Tag>>& d) {
    return d.has() ? std::optional(d->value) : std::nullopt;
}

std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

/// An amount of the slower kernel and of the faster one.
struct Both {
    double slow = 0, fast = 0;
    [[nodiscard]] Both swapped() const { return {fast, slow}; }
    [[nodiscard]] bool within(double share) const {
        return std::abs(slow - fast) <= share * std::max(std::abs(slow), std::abs(fast));
    }
};
std::optional<Both> joined(std::optional<double> slow, std::optional<double> fast) {
    return slow && fast ? std::optional(Both{*slow, *fast}) : std::nullopt;
}

struct MemoryLevel {
    Level level;
    ResourceId resource;
    const char* cause;
};
constexpr MemoryLevel kMemoryLevels[] = {{Level::Dram, ResourceId::Dram, "dram-bytes"},
                                         {Level::L2, ResourceId::L2, "l2-bytes"},
                                         {Level::L1, ResourceId::L1, "l1-bytes"}};

struct Arithmetic {
    Precision precision;
    ResourceId resource;
};
constexpr Arithmetic kArithmetic[] = {{Precision::Fp64, ResourceId::Fp64},
                                      {Precision::Fp32, ResourceId::Fp32},
                                      {Precision::Fp16, ResourceId::Fp16}};

struct Candidate {
    std::string id;
    double kept = 1, weight = 0;
    Remark sentence;
    /// It follows from what stayed the same. It is named only if no other candidate explains
    /// enough.
    bool lastResort = false;
};

/// Whether data comes in other ways than by threads' loads: bulk copies (TMA) bypass the units that
/// count those. Threads' loads that take every sector twice from the DRAM do not look like this.
bool loadsInBulk(const Side& side) {
    constexpr double kLeastByThreads = 0.5;
    const Quantities& q = side.kernel.quantities;
    const auto sectors = of(q.loads.sectors), read = of(q.dramRead);
    return sectors && read && *read > 0 && 32 * *sectors < kLeastByThreads * *read &&
           chipHas(side.device(), ChipFeature::BulkCopies).value_or(false);
}

class Search {
public:
    Search(const Side& from, const Side& to, bool faster)
        : m_from(from),
          m_faster(faster),
          m_slow((faster ? from : to).kernel.quantities),
          m_fast((faster ? to : from).kernel.quantities),
          m_slowSide(faster ? from : to),
          m_fastSide(faster ? to : from),
          // Fewer blocks follow from wider accesses and bulk copies, which are the causes to name.
          m_resources(resourcesOf(m_slow).without(ResourceId::BlockStarts)),
          m_inBulk(loadsInBulk(from) || loadsInBulk(to)),
          m_requests(
              both([](auto& q) { return sum(of(q.loads.requests), of(q.stores.requests)); })),
          m_requested(
              both([](auto& q) { return sum(of(q.loads.requested), of(q.stores.requested)); })),
          m_wavefronts(both([](auto& q) { return of(q.shared.wavefronts); })),
          m_dram(bytesOf(Level::Dram)) {}

    /// All candidates, those nearest to the code first.
    std::vector<Candidate> run() {
        conflicts();
        excessSectors();
        spills();
        narrowAccess();
        bulkCopies();
        loadedAgain();
        tensor();
        wgmma();
        operations();
        gridSize();
        imbalance();
        waves();
        bytes();
        instructions();
        lanes();
        occupancy();
        loadsInFlight();
        return std::move(m_found);
    }

private:
    /// The values that `get` returns for the two kernels.
    template <class Get>
    std::optional<Both> both(Get get) const {
        return joined(get(m_slow), get(m_fast));
    }
    std::optional<Both> bytesOf(Level level) const {
        return both([level](auto& q) { return of(q.bytes[level]); });
    }
    /// A counter's mean over the launches of each.
    std::optional<Both> counted(std::string_view name) const {
        const auto mean = [name](const Side& side) {
            const auto joint =
                GroupSums(side.profile().counters, side.kernel.group.launches).joint({name});
            return joint.ok() ? std::optional(joint.mean(0)) : std::nullopt;
        };
        return joined(mean(m_slowSide), mean(m_fastSide));
    }
    std::optional<Both> operationsOf(Precision precision) const {
        return both([precision](auto& q) { return of(q.flops[precision]); });
    }
    std::optional<Both> dramRates() const {
        return both([](auto& q) { return of(q.bandwidth[Level::Dram]); });
    }
    std::optional<Both> achievedOccupancy() const {
        return both([](auto& q) { return of(q.occupancy.achieved); });
    }
    bool sameDram() const { return m_dram && m_dram->within(kSameWork); }
    double busy(ResourceId id) const { return std::clamp(m_resources.busy(id), 0.0, 1.0); }
    double busiest() const {
        const Resource* resource = m_resources.busiest();
        return resource ? std::clamp(resource->busy, 0.0, 1.0) : 0.0;
    }
    /// The share of time in which no resource works, because warps wait.
    double waiting() const { return m_resources.items.empty() ? 0.0 : 1.0 - busiest(); }
    /// The share of time that wider accesses can shorten: the time that the busiest resource
    /// leaves. Busy shares are of the theoretical roof, because what a mix of reads and writes
    /// attains is already the rate of wide accesses. Issue slots do not count if instructions go
    /// together with the accesses.
    double waitingForAccesses() const {
        const auto instructions = counted(counter::kWarpInstructions);
        const bool issued = instructions && instructions->slow >= kWider * instructions->fast;
        double others = 0;
        for (const Resource& resource : m_resources.items)
            if (!(issued && resource.id == ResourceId::Issue))
                others = std::max(others, resource.ofRoof);
        return m_resources.items.empty() ? 0.0 : std::max(0.0, 1.0 - others);
    }
    /// The share of time that fewer memory transactions can shorten: the memory's busy time, or all
    /// of the time that no arithmetic fills, because then warps wait for memory.
    double memoryOrWaiting() const {
        const Resource* memory = m_resources.busiestMemory();
        const Resource* compute = m_resources.busiestCompute();
        if (!memory) return 0;
        // With hardly any traffic, its amount is not what warps wait for.
        constexpr double kHardlyAny = 0.10;
        if (memory->busy < kHardlyAny) return std::clamp(memory->busy, 0.0, 1.0);
        const double idle = 1 - (compute ? std::clamp(compute->busy, 0.0, 1.0) : 0.0);
        return std::max(std::clamp(memory->busy, 0.0, 1.0), idle);
    }

    /// The values in the order of the profiles.
    std::pair<double, double> inOrder(Both amount) const {
        return m_faster ? std::pair(amount.slow, amount.fast) : std::pair(amount.fast, amount.slow);
    }
    /// {before} and {after}.
    std::vector<Arg> beforeAfter(Both amount, Unit unit) const {
        const auto [before, after] = inOrder(amount);
        return {number("before", before, unit), number("after", after, unit)};
    }

    static Words fellOrRose(bool fell) { return fell ? Words("fell") : Words("rose"); }

    /// Adds a cause. Its phrase can use {from} and {to}, {fell} ("fell" or "rose"), {factor} and
    /// {less} ("less" or "more"), {fewer} ("fewer" or "more"). `amount` is what `kept` compares,
    /// `shown` what the sentence names.
    void add(std::string id, Both amount, double weight, Both shown, Unit unit, Words phrase,
             std::vector<Arg> more = {}) {
        if (!(amount.slow > 0) || !(weight > 0) || !(amount.fast >= 0)) return;
        const double kept = amount.fast / amount.slow;
        if (!(kept < 1 - kLeastAmountChange)) return;
        const auto [from, to] = inOrder(shown);
        std::vector<Arg> args{number("from", from, unit), number("to", to, unit),
                              word("fell", fellOrRose(to < from)),
                              word("less", m_faster ? Words("less") : Words("more")),
                              word("fewer", m_faster ? Words("fewer") : Words("more"))};
        if (kept > 0)
            args.push_back(number("factor", 1 / kept, Unit::Factor));
        else
            args.push_back(word("factor", Words("incomparably")));
        for (Arg& arg : more) args.push_back(std::move(arg));
        m_found.push_back(
            {std::move(id), kept, std::min(weight, 1.0), {std::move(phrase), std::move(args)}});
    }

    /// Adds a cause where the faster kernel has less; nothing unless both values are known.
    void addLess(std::string id, const std::optional<Both>& amount, double weight, Unit unit,
                 Words phrase, std::vector<Arg> more = {}) {
        if (amount)
            add(std::move(id), *amount, weight, *amount, unit, std::move(phrase), std::move(more));
    }
    /// Adds a cause where the faster kernel has more.
    void addMore(std::string id, const std::optional<Both>& amount, double weight, Unit unit,
                 Words phrase, std::vector<Arg> more = {}) {
        if (amount)
            add(std::move(id), amount->swapped(), weight, *amount, unit, std::move(phrase),
                std::move(more));
    }

    void conflicts() {
        // Loads or stores, whichever conflict more: together they would show the mean of both.
        const bool loads =
            of(m_slow.sharedLoads.degree).value_or(0) >= of(m_slow.sharedStores.degree).value_or(0);
        const auto side = [&](const Quantities& q) {
            const auto own = of(loads ? q.sharedLoads.degree : q.sharedStores.degree);
            return own ? own : of(q.shared.degree);
        };
        const auto slow = side(m_slow);
        if (!slow || !m_wavefronts || !m_slow.sharedPipeUtilisation.has()) return;
        // The faster kernel may do without shared memory: then it has no conflicts.
        const Both degree{*slow, std::max(1.0, side(m_fast).value_or(1.0))};
        if (degree.slow < degree.fast * (1 + kLeastAmountChange)) return;
        std::vector<Arg> more{word("kind", loads ? Words("loads") : Words("stores"))};
        Words phrase =
            m_faster ? Words("the {from} bank conflicts are gone with the shared-memory accesses")
                     : Words("shared memory came into use, with {to} bank conflicts");
        if (m_wavefronts->fast > 0) {
            more.push_back(number("waves", m_wavefronts->slow / m_wavefronts->fast, Unit::Factor));
            phrase = Words(
                "bank conflicts of shared {kind} {fell} from {from} to {to}, so shared memory "
                "took {waves} {fewer} wavefronts");
            // Fewer instructions contribute to fewer wavefronts.
            const auto count = both([](auto& q) { return of(q.shared.instructions); });
            if (count && count->slow > count->fast * (1 + kSameWork)) {
                std::ranges::move(beforeAfter(*count, Unit::Count), std::back_inserter(more));
                phrase = Words(
                    "bank conflicts of shared {kind} {fell} from {from} to {to} and shared-memory "
                    "instructions from {before} to {after}, so shared memory took {waves} {fewer} "
                    "wavefronts");
            }
        }
        const auto pipe = both([](auto& q) { return of(q.lsuWavefronts); });
        add("bank-conflicts", pipe ? *pipe : *m_wavefronts, m_slow.sharedPipeUtilisation->value,
            degree, Unit::Ways, std::move(phrase), std::move(more));
    }

    void excessSectors() {
        const auto sectors =
            both([](auto& q) { return sum(of(q.loads.sectors), of(q.stores.sectors)); });
        if (!sectors || !m_requested || !(sectors->slow > 0) || !(sectors->fast > 0)) return;
        const double slowUse = m_requested->slow / sectors->slow,
                     fastUse = m_requested->fast / sectors->fast;
        if (slowUse > fastUse * (1 - kLeastAmountChange)) return;
        // Which side lost more sectors.
        const bool loads = *m_slow.loads.sectors - *m_fast.loads.sectors >=
                           *m_slow.stores.sectors - *m_fast.stores.sectors;
        const CoalescingEstimate& a = loads ? m_slow.loads : m_slow.stores;
        const CoalescingEstimate& b = loads ? m_fast.loads : m_fast.stores;
        std::vector<Arg> more{word("op", loads ? Words("load") : Words("store"))};

        // The busiest of the levels that moved fewer bytes.
        double most = -1;
        Level level = Level::L1;
        double factor = sectors->slow / sectors->fast;
        for (const MemoryLevel& memory : kMemoryLevels) {
            const auto bytes = bytesOf(memory.level);
            if (!bytes || !(bytes->fast > 0)) continue;
            if (bytes->slow / bytes->fast < 1 + kSameWork || busy(memory.resource) <= most)
                continue;
            most = busy(memory.resource);
            level = memory.level;
            factor = bytes->slow / bytes->fast;
        }
        more.push_back(word("level", std::string(toString(level))));
        more.push_back(number("moved", factor, Unit::Factor));
        // Count only the sectors that better use saves; the others were not requested at all.
        const Both used{sectors->slow, sectors->slow * slowUse / fastUse};
        const bool sameLoads = m_requested->within(kSameLoads);
        const auto each = joined(of(a.sectorsPerRequest), of(b.sectorsPerRequest));
        if (each && each->slow > each->fast * (1 + kLeastAmountChange)) {
            add("excess-sectors", used, memoryOrWaiting(), *each, Unit::Count,
                sameLoads ? Words("sectors per {op} request {fell} from {from} to {to}, so the "
                                  "{level} moved {moved} {less}")
                          : Words("sectors per {op} request {fell} from {from} to {to}"),
                std::move(more));
        } else if (const auto efficiency = joined(of(a.efficiency), of(b.efficiency))) {
            add("excess-sectors", used, memoryOrWaiting(), *efficiency, Unit::Share,
                sameLoads
                    ? Words("the used share of the bytes that global {op}s move {fell} from {from} "
                            "to {to}, so the {level} moved {moved} {less}")
                    : Words("the used share of the bytes that global {op}s move {fell} from {from} "
                            "to {to}"),
                std::move(more));
        }
    }

    void spills() {
        const auto local = both([](auto& q) { return of(q.localSectors); });
        const auto all = bytesOf(Level::L1);
        if (!local || !all || !(local->slow > local->fast)) return;
        // Attribute only the spills' own share of all L1 traffic to them.
        const double gone = 32.0 * (local->slow - local->fast);
        add("spills", {all->slow, std::max(0.0, all->slow - gone)}, memoryOrWaiting(), *local,
            Unit::Count,
            Words("local-memory sectors (spilled registers) {fell} from {from} to {to}"));
    }

    void narrowAccess() {
        if (!m_requests || !m_requested || !(m_requests->slow > 0) || !(m_requests->fast > 0))
            return;
        // Only with the same data is the width known to be what changed. If most of what was
        // requested is no longer requested, the mean width is just that of the rest.
        if (!m_requested->within(sameDram() ? kSameLoads : kSameWork)) return;
        const Both width{m_requested->slow / m_requests->slow,
                         m_requested->fast / m_requests->fast};
        if (!(width.fast >= kWider * width.slow)) return;
        Words phrase(
            "a warp moves {to} per global access instead of {from}, which takes {factor} {fewer} "
            "requests");
        std::vector<Arg> more;
        if (const auto rates = dramRates()) {
            const auto [before, after] = inOrder(*rates);
            more = beforeAfter(*rates, Unit::BytesPerSecond);
            more.push_back(word("rose", fellOrRose(after <= before)));
            phrase = Words(
                "a warp moves {to} per global access instead of {from}, which takes {factor} "
                "{fewer} requests, and the DRAM rate {rose} from {before} to {after}");
        }
        add("narrow-access", *m_requests, waitingForAccesses(), width, Unit::Bytes,
            std::move(phrase), std::move(more));
    }

    /// Bulk copies instead of threads' loads: the bytes that they move do not count as loads.
    void bulkCopies() {
        if (!sameDram() || loadsInBulk(m_slowSide) || !loadsInBulk(m_fastSide)) return;
        addLess("bulk-copies", m_requests, waitingForAccesses(), Unit::Count,
                m_faster
                    ? Words("bulk copies (TMA) took the place of loads by threads: global accesses "
                            "{fell} from {from} to {to} requests, while the DRAM moves as much")
                    : Words("loads by threads took the place of bulk copies (TMA): global accesses "
                            "{fell} from {from} to {to} requests, while the DRAM moves as much"));
    }

    /// Whether both do the same arithmetic and store the same. Then they differ in how often they
    /// load.
    bool sameArithmetic() const {
        const auto stored = both([](auto& q) { return of(q.stores.requested); });
        if (!stored || !stored->within(kSameWork)) return false;
        if (usesTensorCores(m_slow) || usesTensorCores(m_fast)) return false;
        double all = 0;
        for (const Arithmetic& arithmetic : kArithmetic) {
            // Constants and conversions count as FP16, too.
            if (arithmetic.precision == Precision::Fp16 && !fp16CanMatter(m_slow) &&
                !fp16CanMatter(m_fast))
                continue;
            const auto flops = operationsOf(arithmetic.precision);
            if (!flops || !flops->within(kSameWork)) return false;
            all += flops->slow;
        }
        return all > 0;
    }

    /// The share of time that global loads can take: without shared memory's time if that is the
    /// busiest.
    double globalMemoryOrWaiting() const {
        const Resource* busiest = m_resources.busiestMemory();
        if (!busiest || busiest->id != ResourceId::SharedPipe) return memoryOrWaiting();
        double memory = waiting();
        for (const Resource& resource : m_resources.items)
            if (resource.memory && resource.id != ResourceId::SharedPipe)
                memory = std::max(memory, resource.busy);
        return std::clamp(memory, 0.0, 1.0);
    }

    /// Data is loaded again and again: the faster kernel requests less for the same work.
    void loadedAgain() {
        const auto loaded = both([](auto& q) { return of(q.loads.requested); });
        if (!loaded || loaded->within(kSameLoads) || m_inBulk) return;
        if (sameDram()) {
            addLess(
                "loaded-again", loaded, globalMemoryOrWaiting(), Unit::Bytes,
                Words("global loads ask for {to} instead of {from}, while the DRAM moves as much: "
                      "{factor} {less} is loaded again"));
            return;
        }
        if (!sameArithmetic()) return;
        // Whether the values stay in shared memory instead.
        const auto shared = bytesOf(Level::Shared);
        const bool kept = m_faster && shared && shared->fast > 2 * shared->slow;
        addLess(
            "loaded-again", loaded, globalMemoryOrWaiting(), Unit::Bytes,
            kept ? Words("global loads ask for {to} instead of {from} for the same arithmetic: a "
                         "loaded value is used {factor} {often}, from shared memory")
                 : Words("global loads ask for {to} instead of {from} for the same arithmetic: a "
                         "loaded value is used {factor} {often}"),
            {word("often", m_faster ? Words("as often") : Words("less often"))});
    }

    void tensor() {
        if (!m_slow.tensorInstructions.has() || usesTensorCores(m_slow) || !usesTensorCores(m_fast))
            return;
        // Without the multiply-adds, their issue slots are free, and so is the shared-memory time
        // of loading their operands one by one.
        double weight = std::max(busy(ResourceId::Fp32), busy(ResourceId::Issue));
        if (m_wavefronts && m_wavefronts->slow > 2 * m_wavefronts->fast)
            weight = std::max(weight, busy(ResourceId::SharedPipe));
        addLess("tensor-cores", operationsOf(Precision::Fp32), weight, Unit::Count,
                m_faster
                    ? Words("the arithmetic moved to the tensor cores: FP32 operations {fell} "
                            "from {from} to {to}")
                    : Words("the arithmetic left the tensor cores: FP32 operations {fell} from "
                            "{from} to {to}"));
    }

    /// Products of four warps (wgmma) instead of products of single warps, which keep the pipe busy
    /// for longer and wait for their operands in registers (docs/rules.md, mma-instead-of-wgmma).
    void wgmma() {
        if (!usesTensorCores(m_slow) || !usesTensorCores(m_fast)) return;
        const auto groups = counted(counter::kSharedGmma);
        if (!groups || groups->slow > 0 || !(groups->fast > 0)) return;
        const auto cycles = both([](const Quantities& q) -> std::optional<double> {
            if (!q.smClock.has() || q.duration.count == 0) return std::nullopt;
            return q.tensorInstructions->value * q.duration.median.value * q.smClock->value;
        });
        // A loop of products does nothing else, so what it waits for goes with them.
        const Resource* busiest = m_resources.busiest();
        const bool loop = busiest && busiest->id == ResourceId::Tensor;
        addLess("wgmma", cycles, loop ? 1.0 : busy(ResourceId::Tensor), Unit::Count,
                m_faster
                    ? Words("the products moved from mma.sync, by single warps, to wgmma, by four: "
                            "the tensor pipe is busy for {to} instead of {from} cycles")
                    : Words("the products moved from wgmma, by four warps, to mma.sync, by single "
                            "ones: the tensor pipe is busy for {to} instead of {from} cycles"));
    }

    void operations() {
        for (const auto& [precision, id] : kArithmetic)
            addLess(
                "operations", operationsOf(precision), busy(id), Unit::Count,
                Words("{precision} operations {fell} from {from} to {to} on a pipe that limited "
                      "the slower kernel"),
                {word("precision", std::string(toString(precision)))});
    }

    void gridSize() {
        const auto blocks = both([](auto& q) { return of(q.occupancy.blocks); });
        const double sms = m_from.device().smCount;
        if (!blocks || !(sms > 0)) return;
        const Both working{std::min(blocks->slow, sms), std::min(blocks->fast, sms)};
        std::vector<Arg> more = beforeAfter(working, Unit::Count);
        more.push_back(number("sms", sms, Unit::Count));
        add("grid-size", working.swapped(), 1.0, *blocks, Unit::Count,
            Words("blocks {fell} from {from} to {to}, so {after} of {sms} SMs {after?has:have} "
                  "work instead "
                  "of {before}"),
            std::move(more));
    }

    void imbalance() {
        // At a full roof all SMs wait for it, whichever of them has more to do.
        addLess("imbalance", both([](auto& q) { return of(q.busiestSmFactor); }), waiting(),
                Unit::Factor, Words("the busiest SM works {to} the average instead of {from}"));
    }

    void waves() {
        const auto count = both([](auto& q) { return of(q.occupancy.waves); });
        // Less than one wave is a matter of the grid size.
        if (!count || count->slow < 1) return;
        addMore("wave-tail", both([](auto& q) { return of(q.occupancy.waveEfficiency); }),
                waiting(), Unit::Share,
                Words("{after} waves instead of {before} fill the GPU to {to} instead of {from}"),
                beforeAfter(*count, Unit::Count));
    }

    void bytes() {
        for (const auto& [level, resource, id] : kMemoryLevels) {
            // Bytes that bypass the L1 are not less work.
            if (level == Level::L1 && (m_inBulk || bypassesL1(m_slow) || bypassesL1(m_fast)))
                continue;
            addLess(id, bytesOf(level), busy(resource), Unit::Bytes,
                    Words("the bytes that the {level} moved {fell} from {from} to {to} ({factor} "
                          "{less})"),
                    {word("level", std::string(toString(level)))});
        }
        addLess("shared-wavefronts", m_wavefronts, busy(ResourceId::SharedPipe), Unit::Count,
                Words("shared-memory wavefronts {fell} from {from} to {to}"));
    }

    void instructions() {
        // Issue slots that are far from being the busiest resource cost next to nothing.
        constexpr double kNearBusiest = 0.6;
        if (busy(ResourceId::Issue) < kNearBusiest * busiest()) return;
        addLess(
            "instructions", counted(counter::kWarpInstructions), busy(ResourceId::Issue),
            Unit::Count,
            Words("warp instructions {fell} from {from} to {to}, and issuing them kept the slower "
                  "kernel {busy} busy"),
            {number("busy", busy(ResourceId::Issue), Unit::Share)});
    }

    void lanes() {
        addMore("active-lanes", both([](auto& q) { return of(q.activeLanes); }),
                busy(ResourceId::Issue), Unit::Share,
                Words("active lanes per warp {fell} from {from} to {to}"));
    }

    void occupancy() {
        // Bulk copies are in flight without a warp that waits for each.
        if (m_inBulk) return;
        addMore("occupancy", achievedOccupancy(), waiting(), Unit::Share,
                Words("achieved occupancy {fell} from {from} to {to} while warps mostly waited"));
    }

    /// The same bytes at another rate, and no other unit is the limit: by Little's law, more bytes
    /// were in flight.
    void loadsInFlight() {
        const Resources fastest = resourcesOf(m_fast);
        const Resource* busiest = fastest.busiest();
        const auto l2 = bytesOf(Level::L2), rates = dramRates(), achieved = achievedOccupancy();
        if (!busiest || busiest->id != ResourceId::Dram || busiest->busy < kBusyShare || !m_dram ||
            !l2 || !rates || !achieved || !(achieved->slow > 0) ||
            !m_dram->within(kLeastAmountChange) || !l2->within(kLeastAmountChange) || m_inBulk)
            return;
        // The slower kernel waits for another unit.
        if (m_resources.busiestExcept({ResourceId::Dram}) >= kBusyShare) return;
        const bool moreWarps = achieved->fast >= achieved->slow * (1 + kLeastAmountChange);
        const bool fewerWarps = achieved->slow >= achieved->fast * (1 + kLeastAmountChange);
        const auto [before, after] = inOrder(*rates);
        Words phrase =
            moreWarps ? Words(
                            "the DRAM moves the same bytes at {after} instead of {before}: the "
                            "achieved occupancy {rose} from {from} to {to}, so that {many} loads "
                            "are in flight")
            : fewerWarps
                ? Words(
                      "the DRAM moves the same bytes at {after} instead of {before}: each warp "
                      "has {many} loads in flight, at an achieved occupancy of {to} instead of "
                      "{from}")
                : Words(
                      "the DRAM moves the same bytes at {after} instead of {before}: each warp "
                      "has {many} loads in flight");
        const auto [from, to] = inOrder(*achieved);
        m_found.push_back(
            {.id = "loads-in-flight",
             .kept = rates->slow / rates->fast,
             .weight = 1,
             .sentence = {std::move(phrase),
                          {number("from", from, Unit::Share), number("to", to, Unit::Share),
                           number("before", before, Unit::BytesPerSecond),
                           number("after", after, Unit::BytesPerSecond),
                           word("rose", fellOrRose(m_faster ? !moreWarps : moreWarps)),
                           word("many", m_faster ? Words(inContext("more loads", "more"))
                                                 : Words(inContext("fewer loads", "fewer")))}},
             .lastResort = true});
    }

    const Side& m_from;
    const bool m_faster;
    const Quantities &m_slow, &m_fast;
    const Side &m_slowSide, &m_fastSide;
    const Resources m_resources;
    const bool m_inBulk;                                ///< either kernel
    const std::optional<Both> m_requests, m_requested;  ///< global loads and stores; bytes of them
    const std::optional<Both> m_wavefronts;             ///< of shared memory
    const std::optional<Both> m_dram;                   ///< bytes
    std::vector<Candidate> m_found;
};

}  // namespace

Cause findCause(const Side& from, const Side& to, const DurationChange& duration) {
    Cause cause;
    if (!duration.changed()) return cause;
    cause.state = Cause::State::NotVisible;
    const bool faster = duration.state == DurationChange::State::Faster;
    const double gained =
        std::log(faster ? duration.from / duration.to : duration.to / duration.from);
    std::vector<Candidate> candidates = Search(from, to, faster).run();
    const auto explained = [gained](const Candidate& candidate) {
        const double left = 1 - candidate.weight + candidate.weight * candidate.kept;
        return left > 0 ? std::min(1.0, -std::log(left) / gained) : 1.0;
    };
    double best = 0;
    for (const Candidate& candidate : candidates)
        if (!candidate.lastResort) best = std::max(best, explained(candidate));
    if (best >= kLeastExplained)
        std::erase_if(candidates, [](const Candidate& candidate) { return candidate.lastResort; });
    else if (!candidates.empty() && candidates.back().lastResort)
        best = explained(candidates.back());
    if (best < kLeastExplained) return cause;
    for (Candidate& candidate : candidates) {
        const double share = explained(candidate);
        if (share < std::max(kLeastExplained, best - kEquallyGood)) continue;
        cause.state = Cause::State::Found;
        cause.id = std::move(candidate.id);
        cause.sentence = std::move(candidate.sentence);
        cause.explained = share;
        break;
    }
    return cause;
}

}  // namespace roofscope::compare
