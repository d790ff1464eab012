// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/compare/parts.h"
#include "analyzer/counter_names.h"
#include "analyzer/group_sums.h"
#include "analyzer/resources.h"
#include "analyzer/roofline.h"
#include "profile/chip.h"

/// Why a duration changed, from the counters.
///
/// The slower of the two kernels is the one to explain, whichever came first. Each candidate says
/// how much less of some work the faster one does (`kept`: fast / slow) and for what share of the
/// slower one's time that work kept its resource busy (`weight`). If nothing else changed, the time
/// would become (1 − weight) + weight × kept of what it was (Amdahl's law). A change that predicts
/// more than what was gained explains all of it: the next limit came first.
namespace roofscope::compare {

namespace {

/// A smaller change of an amount explains nothing worth a sentence.
constexpr double kLeastAmountChange = 0.05;
/// "The same bytes": requested by both kernels within this share.
constexpr double kSameWork = 0.10;
/// Where the DRAM moves the same, requests may differ by so much and still be of the same loads.
constexpr double kSameLoads = 0.50;
/// From this factor on an access is wider.
constexpr double kWider = 1.5;
/// Causes this close explain equally well; then the one nearer to the code is named (excess
/// sectors rather than the bytes that they cause).
constexpr double kEquallyGood = 0.15;

std::optional<double> of(const Derived<double>& d) { return d.value; }
template <class Tag>
std::optional<double> of(const Derived<Quantity<Tag>>& d) {
    return d.has() ? std::optional(d->value) : std::nullopt;
}

std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

bool within(double a, double b, double share) {
    return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b));
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
    /// It follows from what stayed the same, and is named only where nothing that changed explains
    /// the rest.
    bool lastResort = false;
};

/// Whether data comes by other ways than loads of threads: bulk copies (TMA) pass by the units that
/// count those. Loads that take every sector twice from the DRAM are none.
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
          m_to(to),
          m_faster(faster),
          m_slow((faster ? from : to).kernel.quantities),
          m_fast((faster ? to : from).kernel.quantities),
          m_slowSide(faster ? from : to),
          m_fastSide(faster ? to : from),
          m_resources(resourcesOf(m_slow)) {}

    /// In the order of nearness to the code.
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
    double busy(ResourceId id) const { return std::clamp(m_resources.busy(id), 0.0, 1.0); }
    double busiest() const {
        const Resource* resource = m_resources.busiest();
        return resource ? std::clamp(resource->busy, 0.0, 1.0) : 0.0;
    }
    /// The share of time in which no resource works: warps wait.
    double waiting() const { return m_resources.items.empty() ? 0.0 : 1.0 - busiest(); }
    /// What wider accesses can shorten: the time in which no resource is at its theoretical roof
    /// (what a mix of reads and writes attains is that of wide ones), and in which instructions are
    /// issued that went with the accesses.
    double waitingForAccesses() const {
        const auto slow = mean(m_slowSide, counter::kWarpInstructions);
        const auto fast = mean(m_fastSide, counter::kWarpInstructions);
        const bool issued = slow && fast && *slow >= kWider * *fast;
        double others = 0;
        for (const Resource& resource : m_resources.items)
            if (!(issued && resource.id == ResourceId::Issue))
                others = std::max(others, resource.ofRoof);
        return m_resources.items.empty() ? 0.0 : std::max(0.0, 1.0 - others);
    }
    /// What fewer memory transactions can shorten: the memory's busy time, or all of the time that
    /// no arithmetic fills, because then warps wait for memory.
    double memoryOrWaiting() const {
        const Resource* memory = m_resources.busiestMemory();
        const Resource* compute = m_resources.busiestCompute();
        if (!memory) return 0;
        // Hardly any traffic: its amount is not what warps wait for.
        constexpr double kHardlyAny = 0.10;
        if (memory->busy < kHardlyAny) return std::clamp(memory->busy, 0.0, 1.0);
        const double idle = 1 - (compute ? std::clamp(compute->busy, 0.0, 1.0) : 0.0);
        return std::max(std::clamp(memory->busy, 0.0, 1.0), idle);
    }

    /// The values in the order of the profiles.
    template <class T>
    std::pair<T, T> inOrder(T slow, T fast) const {
        return m_faster ? std::pair(slow, fast) : std::pair(fast, slow);
    }

    static Words fellOrRose(bool fell) { return fell ? Words("fell", "降") : Words("rose", "升"); }

    /// Adds a cause with {from} and {to}, {fell} ("fell" or "rose"), {factor} and {less} ("less" or
    /// "more"), {fewer} ("fewer" or "more"). `amount` is what `kept` compares; `shown` what the
    /// sentence names.
    void add(std::string id, double slowAmount, double fastAmount, double weight,
             std::pair<double, double> shown, Unit unit, Words phrase, std::vector<Arg> more = {}) {
        if (!(slowAmount > 0) || !(weight > 0) || !(fastAmount >= 0)) return;
        const double kept = fastAmount / slowAmount;
        if (!(kept < 1 - kLeastAmountChange)) return;
        const auto [from, to] = inOrder(shown.first, shown.second);
        std::vector<Arg> args{
            number("from", from, unit), number("to", to, unit), word("fell", fellOrRose(to < from)),
            word("less", m_faster ? Words("less", "减少") : Words("more", "增加")),
            word("fewer", m_faster ? Words("fewer", "减少") : Words("more", "增加"))};
        if (kept > 0)
            args.push_back(number("factor", 1 / kept, Unit::Factor));
        else
            args.push_back(word("factor", Words("incomparably", "无法用倍数表示")));
        for (Arg& arg : more) args.push_back(std::move(arg));
        m_found.push_back(
            {std::move(id), kept, std::min(weight, 1.0), {std::move(phrase), std::move(args)}});
    }

    void conflicts() {
        // Of loads or stores, whichever conflict more: together they show the mean of both.
        const bool loads =
            of(m_slow.sharedLoads.degree).value_or(0) >= of(m_slow.sharedStores.degree).value_or(0);
        const auto side = [&](const Quantities& q) {
            const auto own = of(loads ? q.sharedLoads.degree : q.sharedStores.degree);
            return own ? own : of(q.shared.degree);
        };
        const auto slow = side(m_slow), fast = side(m_fast);
        const auto slowWaves = of(m_slow.shared.wavefronts),
                   fastWaves = of(m_fast.shared.wavefronts);
        const auto slowPipe = of(m_slow.lsuWavefronts), fastPipe = of(m_fast.lsuWavefronts);
        if (!slow || !slowWaves || !fastWaves || !m_slow.sharedPipeUtilisation.has()) return;
        // The faster kernel may do without shared memory: then it has no conflicts.
        const double fastDegree = std::max(1.0, fast.value_or(1.0));
        if (*slow < fastDegree * (1 + kLeastAmountChange)) return;
        const bool pipe = slowPipe && fastPipe;
        std::vector<Arg> more{
            word("kind", loads ? Words("loads", "加载") : Words("stores", "存储"))};
        Words phrase =
            m_faster ? Words("the {from} bank conflicts are gone with the shared-memory accesses",
                             "{from} 的存储体冲突随共享内存访问一起消失")
                     : Words("shared memory came into use, with {to} bank conflicts",
                             "开始使用共享内存，存储体冲突为 {to}");
        if (*fastWaves > 0) {
            more.push_back(number("waves", *slowWaves / *fastWaves, Unit::Factor));
            Words instructions;
            // Fewer instructions have a part in fewer wavefronts.
            const auto a = of(m_slow.shared.instructions), b = of(m_fast.shared.instructions);
            if (a && b && *a > *b * (1 + kSameWork)) {
                const auto [before, after] = inOrder(*a, *b);
                more.push_back(number("before", before, Unit::Count));
                more.push_back(number("after", after, Unit::Count));
                instructions = {" and shared-memory instructions from {before} to {after}",
                                "，共享内存指令从 {before} 变为 {after}"};
            }
            phrase = {"bank conflicts of shared {kind} {fell} from {from} to {to}" +
                          instructions.in(Language::En) +
                          ", so shared memory took {waves} {fewer} wavefronts",
                      "共享内存{kind}的存储体冲突从 {from} {fell}到 {to}" +
                          instructions.in(Language::Zh) +
                          "，因此共享内存的波前{fewer}（相差 {waves}）"};
        }
        add("bank-conflicts", pipe ? *slowPipe : *slowWaves, pipe ? *fastPipe : *fastWaves,
            m_slow.sharedPipeUtilisation->value, {*slow, fastDegree}, Unit::Ways, std::move(phrase),
            std::move(more));
    }

    void excessSectors() {
        const auto slow = sum(of(m_slow.loads.sectors), of(m_slow.stores.sectors));
        const auto fast = sum(of(m_fast.loads.sectors), of(m_fast.stores.sectors));
        const auto slowBytes = sum(of(m_slow.loads.requested), of(m_slow.stores.requested));
        const auto fastBytes = sum(of(m_fast.loads.requested), of(m_fast.stores.requested));
        if (!slow || !fast || !slowBytes || !fastBytes || !(*slow > 0) || !(*fast > 0)) return;
        const double slowUse = *slowBytes / *slow, fastUse = *fastBytes / *fast;
        if (slowUse > fastUse * (1 - kLeastAmountChange)) return;
        // Which side lost more sectors.
        const bool loads = *m_slow.loads.sectors - *m_fast.loads.sectors >=
                           *m_slow.stores.sectors - *m_fast.stores.sectors;
        const CoalescingScreen& a = loads ? m_slow.loads : m_slow.stores;
        const CoalescingScreen& b = loads ? m_fast.loads : m_fast.stores;
        std::vector<Arg> more{word("op", loads ? Words("load", "加载") : Words("store", "存储"))};

        // The busiest level that moved less with them.
        double most = -1;
        Level level = Level::L1;
        double factor = *slow / *fast;
        for (const MemoryLevel& memory : kMemoryLevels) {
            const auto &s = m_slow.bytes[memory.level], &f = m_fast.bytes[memory.level];
            if (!s.has() || !f.has() || !(f->value > 0)) continue;
            if (s->value / f->value < 1 + kSameWork || busy(memory.resource) <= most) continue;
            most = busy(memory.resource);
            level = memory.level;
            factor = s->value / f->value;
        }
        more.push_back(word("level", std::string(toString(level))));
        more.push_back(number("moved", factor, Unit::Factor));
        // Of fewer sectors only what better use of them explains; the rest was not asked for.
        const double ideal = *slow * slowUse / fastUse;
        const bool sameLoads = within(*slowBytes, *fastBytes, kSameLoads);
        const Words moved = sameLoads ? Words(", so the {level} moved {moved} {less}",
                                              "，因此 {level} 的搬运量{less}（相差 {moved}）")
                                      : Words();
        const auto spr = std::pair(of(a.sectorsPerRequest), of(b.sectorsPerRequest));
        if (spr.first && spr.second && *spr.first > *spr.second * (1 + kLeastAmountChange)) {
            add("excess-sectors", *slow, ideal, memoryOrWaiting(), {*spr.first, *spr.second},
                Unit::Count,
                {"sectors per {op} request {fell} from {from} to {to}" + moved.in(Language::En),
                 "每个{op}请求的扇区数从 {from} {fell}到 {to}" + moved.in(Language::Zh)},
                std::move(more));
        } else if (a.efficiency.has() && b.efficiency.has()) {
            add("excess-sectors", *slow, ideal, memoryOrWaiting(),
                {a.efficiency->value, b.efficiency->value}, Unit::Share,
                {"the used share of the bytes that global {op}s move {fell} from {from} to {to}" +
                     moved.in(Language::En),
                 "全局{op}所搬运字节的有效占比从 {from} {fell}到 {to}" + moved.in(Language::Zh)},
                std::move(more));
        }
    }

    void spills() {
        const auto slow = of(m_slow.localSectors), fast = of(m_fast.localSectors);
        if (!slow || !fast || !(*slow > *fast)) return;
        const auto slowAll = of(m_slow.bytes[Level::L1]), fastAll = of(m_fast.bytes[Level::L1]);
        if (!slowAll || !fastAll) return;
        // Of all L1 traffic only what the spills were is put down to them.
        const double gone = 32.0 * (*slow - *fast);
        add("spills", *slowAll, std::max(0.0, *slowAll - gone), memoryOrWaiting(), {*slow, *fast},
            Unit::Count,
            Words("local-memory sectors (spilled registers) {fell} from {from} to {to}",
                  "本地内存扇区（寄存器溢出）从 {from} {fell}到 {to}"));
    }

    void narrowAccess() {
        const auto slow = sum(of(m_slow.loads.requests), of(m_slow.stores.requests));
        const auto fast = sum(of(m_fast.loads.requests), of(m_fast.stores.requests));
        const auto slowBytes = sum(of(m_slow.loads.requested), of(m_slow.stores.requested));
        const auto fastBytes = sum(of(m_fast.loads.requested), of(m_fast.stores.requested));
        if (!slow || !fast || !slowBytes || !fastBytes || !(*slow > 0) || !(*fast > 0)) return;
        // Without the same data there is no telling that the width is what changed.
        const auto slowDram = of(m_slow.bytes[Level::Dram]),
                   fastDram = of(m_fast.bytes[Level::Dram]);
        const bool sameDram = slowDram && fastDram && within(*slowDram, *fastDram, kSameWork);
        // Nor where most of what was asked for is no longer asked for: then the mean width is that
        // of what is left.
        if (!within(*slowBytes, *fastBytes, sameDram ? kSameLoads : kSameWork)) return;
        const double slowWidth = *slowBytes / *slow, fastWidth = *fastBytes / *fast;
        if (!(fastWidth >= kWider * slowWidth)) return;
        Words rate;
        std::vector<Arg> more;
        const auto &a = m_slow.bandwidth[Level::Dram], &b = m_fast.bandwidth[Level::Dram];
        if (a.has() && b.has()) {
            const auto [before, after] = inOrder(a->value, b->value);
            more = {number("before", before, Unit::BytesPerSecond),
                    number("after", after, Unit::BytesPerSecond),
                    word("rose", fellOrRose(after <= before))};
            rate = {", and the DRAM rate {rose} from {before} to {after}",
                    "，DRAM 速率从 {before} {rose}到 {after}"};
        }
        add("narrow-access", *slow, *fast, waitingForAccesses(), {slowWidth, fastWidth},
            Unit::Bytes,
            {"a warp moves {to} per global access instead of {from}, which takes {factor} {fewer} "
             "requests" +
                 rate.in(Language::En),
             "一个线程束每次全局访问搬运 {to} 而不是 {from}，请求数{fewer}（相差 {factor}）" +
                 rate.in(Language::Zh)},
            std::move(more));
    }

    /// Bulk copies instead of threads' loads: what they move is not counted as loads.
    void bulkCopies() {
        const auto slow = sum(of(m_slow.loads.requests), of(m_slow.stores.requests));
        const auto fast = sum(of(m_fast.loads.requests), of(m_fast.stores.requests));
        const auto slowDram = of(m_slow.bytes[Level::Dram]),
                   fastDram = of(m_fast.bytes[Level::Dram]);
        if (!slow || !fast || !slowDram || !fastDram || !within(*slowDram, *fastDram, kSameWork) ||
            loadsInBulk(m_slowSide) || !loadsInBulk(m_fastSide))
            return;
        add("bulk-copies", *slow, *fast, waitingForAccesses(), {*slow, *fast}, Unit::Count,
            m_faster
                ? Words("bulk copies (TMA) took the place of loads by threads: global accesses "
                        "{fell} from {from} to {to} requests, while the DRAM moves as much",
                        "批量拷贝（TMA）取代了线程的加载：全局访问从 {from} {fell}到 {to} 次请"
                        "求，而 DRAM 搬运量不变")
                : Words("loads by threads took the place of bulk copies (TMA): global accesses "
                        "{fell} from {from} to {to} requests, while the DRAM moves as much",
                        "线程的加载取代了批量拷贝（TMA）：全局访问从 {from} {fell}到 {to} 次请"
                        "求，而 DRAM 搬运量不变"));
    }

    /// Both do the same arithmetic and store the same: what differs is how often values are loaded.
    bool sameArithmetic() const {
        const auto slowStores = of(m_slow.stores.requested),
                   fastStores = of(m_fast.stores.requested);
        if (!slowStores || !fastStores || !within(*slowStores, *fastStores, kSameWork))
            return false;
        if (usesTensorCores(m_slow) || usesTensorCores(m_fast)) return false;
        double all = 0;
        for (const Arithmetic& arithmetic : kArithmetic) {
            // Constants and conversions count as FP16, too.
            if (arithmetic.precision == Precision::Fp16 && !fp16CanMatter(m_slow) &&
                !fp16CanMatter(m_fast))
                continue;
            const auto slow = of(m_slow.flops[arithmetic.precision]),
                       fast = of(m_fast.flops[arithmetic.precision]);
            if (!slow || !fast) return false;
            if (!within(*slow, *fast, kSameWork)) return false;
            all += *slow;
        }
        return all > 0;
    }

    /// The time that global loads can take, beside the shared memory where that is what is busy.
    double globalMemoryOrWaiting() const {
        const Resource* busiest = m_resources.busiestMemory();
        if (!busiest || busiest->id != ResourceId::SharedPipe) return memoryOrWaiting();
        double memory = waiting();
        for (const Resource& resource : m_resources.items)
            if (resource.memory && resource.id != ResourceId::SharedPipe)
                memory = std::max(memory, resource.busy);
        return std::clamp(memory, 0.0, 1.0);
    }

    /// Data that is loaded again and again: less is asked for although the work is the same.
    void loadedAgain() {
        const auto slow = of(m_slow.loads.requested), fast = of(m_fast.loads.requested);
        const auto slowDram = of(m_slow.bytes[Level::Dram]),
                   fastDram = of(m_fast.bytes[Level::Dram]);
        if (!slow || !fast || within(*slow, *fast, kSameLoads) || loadsInBulk(m_slowSide) ||
            loadsInBulk(m_fastSide))
            return;
        const bool sameDram = slowDram && fastDram && within(*slowDram, *fastDram, kSameWork);
        if (sameDram) {
            add("loaded-again", *slow, *fast, globalMemoryOrWaiting(), {*slow, *fast}, Unit::Bytes,
                Words("global loads ask for {to} instead of {from}, while the DRAM moves as much: "
                      "{factor} {less} is loaded again",
                      "全局加载请求 {to} 而不是 {from}，DRAM 搬运量不变：重复加载{less}（相差 "
                      "{factor}）"));
            return;
        }
        if (!sameArithmetic()) return;
        // Where the values wait instead.
        const auto slowShared = of(m_slow.bytes[Level::Shared]),
                   fastShared = of(m_fast.bytes[Level::Shared]);
        const bool shared = slowShared && fastShared && *fastShared > 2 * *slowShared;
        const Words kept =
            shared && m_faster ? Words(", from shared memory", "，从共享内存读取") : Words();
        add("loaded-again", *slow, *fast, globalMemoryOrWaiting(), {*slow, *fast}, Unit::Bytes,
            {"global loads ask for {to} instead of {from} for the same arithmetic: a loaded value "
             "is used {factor} {often}" +
                 kept.in(Language::En),
             "运算相同，全局加载请求 {to} 而不是 {from}：每个加载的值的使用次数{often}（相差 "
             "{factor}）" +
                 kept.in(Language::Zh)},
            {word("often", m_faster ? Words("as often", "增加") : Words("less often", "减少"))});
    }

    void tensor() {
        if (!m_slow.tensorInstructions.has() || usesTensorCores(m_slow) || !usesTensorCores(m_fast))
            return;
        const auto a = of(m_slow.flops[Precision::Fp32]), b = of(m_fast.flops[Precision::Fp32]);
        if (!a || !b) return;
        // Issuing the multiply-adds stops with them, and so does loading their operands from shared
        // memory one by one.
        double weight = std::max(busy(ResourceId::Fp32), busy(ResourceId::Issue));
        const auto slowWaves = of(m_slow.shared.wavefronts),
                   fastWaves = of(m_fast.shared.wavefronts);
        if (slowWaves && fastWaves && *slowWaves > 2 * *fastWaves)
            weight = std::max(weight, busy(ResourceId::SharedPipe));
        add("tensor-cores", *a, *b, weight, {*a, *b}, Unit::Count,
            m_faster ? Words("the arithmetic moved to the tensor cores: FP32 operations {fell} "
                             "from {from} to {to}",
                             "运算转移到张量核心：FP32 运算从 {from} {fell}到 {to}")
                     : Words("the arithmetic left the tensor cores: FP32 operations {fell} from "
                             "{from} to {to}",
                             "运算离开了张量核心：FP32 运算从 {from} {fell}到 {to}"));
    }

    /// Products of four warps (wgmma) instead of those of single ones, which keep the pipe for
    /// longer and wait for their operands in registers (docs/rules.md, mma-instead-of-wgmma).
    void wgmma() {
        if (!usesTensorCores(m_slow) || !usesTensorCores(m_fast)) return;
        const auto slowGroups = mean(m_slowSide, counter::kSharedGmma),
                   fastGroups = mean(m_fastSide, counter::kSharedGmma);
        if (!slowGroups || !fastGroups || *slowGroups > 0 || !(*fastGroups > 0)) return;
        const auto cycles = [](const Quantities& q) -> std::optional<double> {
            if (!q.smClock.has() || q.duration.count == 0) return std::nullopt;
            return q.tensorInstructions->value * q.duration.median.value * q.smClock->value;
        };
        const auto slow = cycles(m_slow), fast = cycles(m_fast);
        if (!slow || !fast) return;
        // A loop of products does nothing else: what it waits for goes with them.
        const Resource* busiest = m_resources.busiest();
        const bool loop = busiest && busiest->id == ResourceId::Tensor;
        add("wgmma", *slow, *fast, loop ? 1.0 : busy(ResourceId::Tensor), {*slow, *fast},
            Unit::Count,
            m_faster
                ? Words("the products moved from mma.sync, by single warps, to wgmma, by four: "
                        "the tensor pipe is busy for {to} instead of {from} cycles",
                        "乘积从单个线程束的 mma.sync 转为四个线程束的 wgmma：张量流水线忙碌 "
                        "{to} 个而不是 {from} 个周期")
                : Words("the products moved from wgmma, by four warps, to mma.sync, by single "
                        "ones: the tensor pipe is busy for {to} instead of {from} cycles",
                        "乘积从四个线程束的 wgmma 转为单个线程束的 mma.sync：张量流水线忙碌 "
                        "{to} 个而不是 {from} 个周期"));
    }

    void operations() {
        for (const auto& [precision, id] : kArithmetic) {
            const auto slow = of(m_slow.flops[precision]), fast = of(m_fast.flops[precision]);
            if (!slow || !fast) continue;
            add("operations", *slow, *fast, busy(id), {*slow, *fast}, Unit::Count,
                Words("{precision} operations {fell} from {from} to {to} on a pipe that limited "
                      "the slower kernel",
                      "{precision} 运算从 {from} {fell}到 {to}，而较慢的内核正受限于这条流水线"),
                {word("precision", std::string(toString(precision)))});
        }
    }

    void gridSize() {
        const auto slow = of(m_slow.occupancy.blocks), fast = of(m_fast.occupancy.blocks);
        const double sms = m_from.device().smCount;
        if (!slow || !fast || !(sms > 0)) return;
        const double slowSms = std::min(*slow, sms), fastSms = std::min(*fast, sms);
        const auto [before, after] = inOrder(slowSms, fastSms);
        add("grid-size", fastSms, slowSms, 1.0, {*slow, *fast}, Unit::Count,
            Words("blocks {fell} from {from} to {to}, so {after} of {sms} SMs {after?has:have} "
                  "work instead "
                  "of {before}",
                  "线程块数从 {from} {fell}到 {to}，因此 {sms} 个 SM 中有工作的从 {before} 个变为 "
                  "{after} 个"),
            {number("before", before, Unit::Count), number("after", after, Unit::Count),
             number("sms", sms, Unit::Count)});
    }

    void imbalance() {
        const auto slow = of(m_slow.busiestSmFactor), fast = of(m_fast.busiestSmFactor);
        if (!slow || !fast) return;
        // Where a roof is full all SMs wait for it, whichever of them has more to do.
        add("imbalance", *slow, *fast, waiting(), {*slow, *fast}, Unit::Factor,
            Words("the busiest SM works {to} the average instead of {from}",
                  "最忙的 SM 的工作量从平均值的 {from} 变为 {to}"));
    }

    void waves() {
        const auto slow = of(m_slow.occupancy.waveEfficiency),
                   fast = of(m_fast.occupancy.waveEfficiency);
        const auto slowWaves = of(m_slow.occupancy.waves), fastWaves = of(m_fast.occupancy.waves);
        // Less than one wave is a matter of the grid's size.
        if (!slow || !fast || !slowWaves || !fastWaves || *slowWaves < 1) return;
        const auto [before, after] = inOrder(*slowWaves, *fastWaves);
        add("wave-tail", *fast, *slow, waiting(), {*slow, *fast}, Unit::Share,
            Words("{after} waves instead of {before} fill the GPU to {to} instead of {from}",
                  "波次数从 {before} 变为 {after}，GPU 的填充率从 {from} 变为 {to}"),
            {number("before", before, Unit::Count), number("after", after, Unit::Count)});
    }

    void bytes() {
        for (const auto& [level, resource, id] : kMemoryLevels) {
            const auto slow = of(m_slow.bytes[level]), fast = of(m_fast.bytes[level]);
            if (!slow || !fast) continue;
            // What passes by the L1 is not less work.
            if (level == Level::L1 && (loadsInBulk(m_slowSide) || loadsInBulk(m_fastSide) ||
                                       bypassesL1(m_slow) || bypassesL1(m_fast)))
                continue;
            add(id, *slow, *fast, busy(resource), {*slow, *fast}, Unit::Bytes,
                Words("the bytes that the {level} moved {fell} from {from} to {to} ({factor} "
                      "{less})",
                      "{level} 搬运的字节从 {from} {fell}到 {to}（{less}，相差 {factor}）"),
                {word("level", std::string(toString(level)))});
        }
        const auto slow = of(m_slow.shared.wavefronts), fast = of(m_fast.shared.wavefronts);
        if (slow && fast)
            add("shared-wavefronts", *slow, *fast, busy(ResourceId::SharedPipe), {*slow, *fast},
                Unit::Count,
                Words("shared-memory wavefronts {fell} from {from} to {to}",
                      "共享内存波前从 {from} {fell}到 {to}"));
    }

    static std::optional<double> mean(const Side& side, std::string_view name) {
        const auto joint =
            GroupSums(side.profile().counters, side.kernel.group.launches).joint({name});
        return joint.ok() ? std::optional(joint.mean(0)) : std::nullopt;
    }

    void instructions() {
        const auto slow = mean(m_slowSide, counter::kWarpInstructions);
        const auto fast = mean(m_fastSide, counter::kWarpInstructions);
        // A pipe that is far from being the busiest costs next to nothing beside it.
        constexpr double kNearBusiest = 0.6;
        if (!slow || !fast || busy(ResourceId::Issue) < kNearBusiest * busiest()) return;
        add("instructions", *slow, *fast, busy(ResourceId::Issue), {*slow, *fast}, Unit::Count,
            Words("warp instructions {fell} from {from} to {to}, and issuing them kept the slower "
                  "kernel {busy} busy",
                  "线程束指令从 {from} {fell}到 {to}，而较慢的内核有 {busy} 的时间用于发射指令"),
            {number("busy", busy(ResourceId::Issue), Unit::Share)});
    }

    void lanes() {
        const auto slow = of(m_slow.activeLanes), fast = of(m_fast.activeLanes);
        if (!slow || !fast) return;
        add("active-lanes", *fast, *slow, busy(ResourceId::Issue), {*slow, *fast}, Unit::Share,
            Words("active lanes per warp {fell} from {from} to {to}",
                  "每个线程束的活跃线程占比从 {from} {fell}到 {to}"));
    }

    void occupancy() {
        const auto slow = of(m_slow.occupancy.achieved), fast = of(m_fast.occupancy.achieved);
        // Bulk copies are on their way without a warp that waits for each.
        if (!slow || !fast || loadsInBulk(m_slowSide) || loadsInBulk(m_fastSide)) return;
        add("occupancy", *fast, *slow, waiting(), {*slow, *fast}, Unit::Share,
            Words("achieved occupancy {fell} from {from} to {to} while warps mostly waited",
                  "实际占用率从 {from} {fell}到 {to}，而线程束大多在等待"));
    }

    /// The same bytes at another rate, with no unit in the way: by Little's law more of them were
    /// on their way at a time.
    void loadsInFlight() {
        const Resources fastest = resourcesOf(m_fast);
        const Resource* busiest = fastest.busiest();
        const auto slowDram = of(m_slow.bytes[Level::Dram]),
                   fastDram = of(m_fast.bytes[Level::Dram]);
        const auto slowL2 = of(m_slow.bytes[Level::L2]), fastL2 = of(m_fast.bytes[Level::L2]);
        const auto &a = m_slow.bandwidth[Level::Dram], &b = m_fast.bandwidth[Level::Dram];
        const auto slow = of(m_slow.occupancy.achieved), fast = of(m_fast.occupancy.achieved);
        if (!busiest || busiest->id != ResourceId::Dram || busiest->busy < kBusyShare ||
            !slowDram || !fastDram || !slowL2 || !fastL2 || !a.has() || !b.has() || !slow ||
            !fast || !(*slow > 0) || !within(*slowDram, *fastDram, kLeastAmountChange) ||
            !within(*slowL2, *fastL2, kLeastAmountChange) || loadsInBulk(m_slowSide) ||
            loadsInBulk(m_fastSide))
            return;
        // Some other unit is what the slower one waits for.
        if (m_resources.busiestExcept({ResourceId::Dram}) >= kBusyShare) return;
        const bool moreWarps = *fast >= *slow * (1 + kLeastAmountChange);
        const bool fewerWarps = *slow >= *fast * (1 + kLeastAmountChange);
        const auto [before, after] = inOrder(a->value, b->value);
        Words phrase =
            moreWarps ? Words(
                            "the DRAM moves the same bytes at {after} instead of {before}: the "
                            "achieved occupancy {rose} from {from} to {to}, so that {many} loads "
                            "are in flight",
                            "DRAM 以 {after} 而不是 {before} 搬运相同的字节：实际占用率从 {from} "
                            "{rose}到 {to}，因此在途的加载更{many}")
            : fewerWarps
                ? Words(
                      "the DRAM moves the same bytes at {after} instead of {before}: each warp "
                      "has {many} loads in flight, at an achieved occupancy of {to} instead of "
                      "{from}",
                      "DRAM 以 {after} 而不是 {before} 搬运相同的字节：每个线程束的在途加载更"
                      "{many}，实际占用率为 {to} 而不是 {from}")
                : Words(
                      "the DRAM moves the same bytes at {after} instead of {before}: each warp "
                      "has {many} loads in flight",
                      "DRAM 以 {after} 而不是 {before} 搬运相同的字节：每个线程束的在途加载更"
                      "{many}");
        const auto [from, to] = inOrder(*slow, *fast);
        m_found.push_back(
            {.id = "loads-in-flight",
             .kept = a->value / b->value,
             .weight = 1,
             .sentence = {std::move(phrase),
                          {number("from", from, Unit::Share), number("to", to, Unit::Share),
                           number("before", before, Unit::BytesPerSecond),
                           number("after", after, Unit::BytesPerSecond),
                           word("rose", fellOrRose(m_faster ? !moreWarps : moreWarps)),
                           word("many", m_faster ? Words("more", "多") : Words("fewer", "少"))}},
             .lastResort = true});
    }

    const Side& m_from;
    const Side& m_to;
    const bool m_faster;
    const Quantities &m_slow, &m_fast;
    const Side &m_slowSide, &m_fastSide;
    const Resources m_resources;
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
