// SPDX-License-Identifier: Apache-2.0
#include "analyzer/chains/chains.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "analyzer/chains/buffer_access.h"
#include "analyzer/roofline/resources.h"

namespace roofscope {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
/// Keeping values for more launches than this would take a whole register file.
constexpr std::uint32_t kWindow = 8;
/// Warp-uniform operands (one value per row) fetch a whole sector for a few bytes, so the loads of
/// an elementwise kernel need not be perfectly coalesced. Its stores are.
constexpr double kCoalescedLoads = 0.8, kCoalescedStores = 0.95;
/// Allowance for scalars and edges in addition to the operands.
constexpr double kSlack = 0.05;
/// Longest loop body that is looked for, in launches.
constexpr std::size_t kLongestBody = 64;
/// At this share or more, and clearly ahead of the others, DRAM still counts as the limiter,
/// although latency plays a part below 60 %.
constexpr double kLeadingShare = 0.40;

/// What the counters say of one launch group; bytes are per launch.
struct GroupFacts {
    bool dramLimited = false;
    bool plain = false;  ///< coalesced, neither shared nor local memory
    double stored = 0, loaded = 0, l2 = 0;
};

GroupFacts factsOf(const Profile& profile, const KernelAnalysis& kernel) {
    const Quantities& q = kernel.quantities;
    const Device& device = profile.devices[kernel.group.device];
    GroupFacts facts;
    if (!device.l2Bytes || !q.loads.requested.has() || !q.stores.requested.has()) return facts;
    facts.l2 = static_cast<double>(*device.l2Bytes);
    facts.loaded = q.loads.requested->value;
    facts.stored = q.stores.requested->value;
    facts.dramLimited = isDramLimited(kernel);
    const auto coalesced = [](const CoalescingEstimate& s, double least) {
        return s.efficiency.notApplicable() || (s.efficiency.has() && s.efficiency->value >= least);
    };
    facts.plain = q.shared.instructions.has() && *q.shared.instructions == 0 &&
                  q.localBytes.has() && q.localBytes->value == 0 &&
                  coalesced(q.loads, kCoalescedLoads) && coalesced(q.stores, kCoalescedStores);
    return facts;
}

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t item) {
    return std::ranges::find(list, item) != list.end();
}

/// A launch group with one list of buffers. Many launches share it.
class Use {
public:
    Use(const Profile& profile, const GroupFacts& facts, BufferAccess access)
        : m_profile(profile), m_facts(facts), m_access(std::move(access)) {
        const auto inputs = static_cast<double>(inputCount());
        m_elementwise = m_access.known && facts.stored > 0 &&
                        (m_access.elementwiseByName ||
                         (facts.plain && facts.loaded <= (1 + kSlack) * inputs * facts.stored));
    }

    [[nodiscard]] const GroupFacts& facts() const { return m_facts; }
    [[nodiscard]] const BufferAccess& access() const { return m_access; }
    [[nodiscard]] bool elementwise() const { return m_elementwise; }

    /// Whether both run the same kernel with the same shape on the same buffers.
    [[nodiscard]] bool sameWork(const Use& other) const {
        return &m_facts == &other.m_facts && m_access.reads == other.m_access.reads &&
               m_access.mutables == other.m_access.mutables;
    }

    /// Lower bound of the bytes stored to a buffer: all stored bytes, less the sizes of the other
    /// outputs.
    [[nodiscard]] double written(std::uint32_t buffer) const {
        return std::min(m_facts.stored - sizeOfOthers(m_access.mutables, buffer), size(buffer));
    }
    /// Lower bound of the bytes loaded from a buffer.
    [[nodiscard]] double read(std::uint32_t buffer) const {
        if (!contains(m_access.reads, buffer))
            return updatesInPlace() ? std::min(m_facts.loaded, size(buffer)) : 0.0;
        const auto inputs = static_cast<double>(m_access.reads.size());
        double least = m_facts.loaded - sizeOfOthers(m_access.reads, buffer);
        // If the bytes suffice to read every input once, every input was read.
        if (m_elementwise && (m_access.elementwiseByName ||
                              m_facts.loaded >= (1 - kSlack) * inputs * m_facts.stored))
            least = std::max(least, m_facts.loaded / inputs);
        return std::min(least, size(buffer));
    }
    /// Whether it loads more than its read-only inputs hold, so that it may also read the buffers
    /// that it may write.
    [[nodiscard]] bool mayReadMutables() const {
        if (m_access.elementwiseByName) return false;
        if (m_access.reads.empty()) return m_facts.loaded > 0;
        if (m_elementwise) return false;
        return m_facts.loaded > (1 + kSlack) * sizeOfOthers(m_access.reads, kNone);
    }
    /// Whether its only buffer is both read and written.
    [[nodiscard]] bool updatesInPlace() const {
        return m_access.reads.empty() && m_access.mutables.size() == 1 && m_facts.loaded > 0 &&
               m_facts.stored > 0;
    }

private:
    [[nodiscard]] std::size_t inputCount() const {
        return m_access.reads.empty() ? m_access.mutables.size() : m_access.reads.size();
    }
    [[nodiscard]] double size(std::uint32_t buffer) const {
        return static_cast<double>(m_profile.buffers[buffer].bytes);
    }
    [[nodiscard]] double sizeOfOthers(const std::vector<std::uint32_t>& list,
                                      std::uint32_t buffer) const {
        double bytes = 0;
        for (const std::uint32_t other : list)
            if (other != buffer) bytes += size(other);
        return bytes;
    }

    const Profile& m_profile;
    const GroupFacts& m_facts;
    BufferAccess m_access;
    bool m_elementwise = false;
};

/// A launch that reads what another one wrote, and could be fused with it.
struct Link {
    std::uint32_t launch = 0;
    const Use* use = nullptr;
    double handed = 0;  ///< bytes
};

/// What is in a buffer: the output of one launch, until another launch writes there.
struct Contents {
    std::uint32_t launch = kNone;  ///< kNone: no launch has written there yet
    std::uint64_t number = 0;      ///< in the order of writing
    double bytes = 0;              ///< certainly written; 0 when that is not known
    std::vector<Link> links = {};
    bool readElsewhere = false;
};

/// Consecutive launches of one stream that are DRAM-limited and whose buffers are known.
struct StreamRun {
    std::uint32_t id = 0;
    std::uint32_t length = 0;
    std::uint32_t notElementwise = 0;  ///< launches of the run that are not elementwise
    std::uint64_t epoch = 0;           ///< entry of m_epochs at its start
};

/// Where a launch stands in its run.
struct Place {
    std::uint32_t run = kNone;
    std::uint32_t position = 0;
    std::uint32_t notElementwise = 0;  ///< in the run up to this launch, itself included
    const Use* use = nullptr;
};

class ChainFinder {
public:
    ChainFinder(const Profile& profile, std::span<const KernelAnalysis> groups)
        : m_profile(profile),
          m_groups(groups),
          m_groupOf(profile.launches.size(), kNone),
          m_places(profile.launches.size()),
          m_round(profile.launches.size()),
          m_isStep(profile.launches.size()),
          m_present(profile.buffers.size()),
          m_parent(profile.launches.size()),
          m_epochs(profile.processes.size()) {
        std::iota(m_parent.begin(), m_parent.end(), 0U);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            m_facts.push_back(factsOf(profile, groups[g]));
            m_buffers.emplace_back(groups[g].fullName);
            for (const std::uint32_t launch : groups[g].group.launches)
                m_groupOf[launch] = static_cast<std::uint32_t>(g);
        }
    }

    Chains find() {
        numberRounds();
        for (std::uint32_t launch = 0; launch < m_profile.launches.size(); ++launch) visit(launch);
        for (Contents& contents : m_present) keepLinked(contents);
        std::ranges::sort(m_linked, {}, &Contents::number);
        for (const Contents& contents : m_linked) handOver(contents);
        collect();
        return std::move(m_chains);
    }

private:
    /// Numbers the rounds of loops. A loop is two or more launches of a stream that come three or
    /// more times in the same order. A compiler that fuses the body of a loop does not fuse across
    /// rounds.
    void numberRounds() {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> streams;
        for (std::uint32_t i = 0; i < m_profile.launches.size(); ++i)
            streams[{m_profile.launches[i].process, m_profile.launches[i].stream}].push_back(i);
        for (const auto& entry : streams) {
            const std::vector<std::uint32_t>& order = entry.second;
            const auto group = [&](std::size_t i) { return m_groupOf[order[i]]; };
            const auto again = [&](std::size_t i, std::size_t period) {
                for (std::size_t k = i; k < i + period; ++k)
                    if (k >= order.size() || group(k) != group(k - period)) return false;
                return true;
            };
            std::unordered_map<std::uint32_t, std::size_t> last;  // by group: where in `order`
            std::size_t end = 0, length = 0;                      // of the round
            std::uint32_t round = 0;
            for (std::size_t i = 0; i < order.size(); ++i) {
                const auto [seen, isNew] = last.try_emplace(group(i), i);
                const std::size_t period = i - seen->second;
                seen->second = i;
                if (i >= end && period >= 2 && period <= kLongestBody && again(i, period) &&
                    ((i == end && period == length) || again(i + period, period)))
                    ++round, end = i + period, length = period;
                m_round[order[i]] = round;
            }
            markSteps(order);
        }
    }

    /// Marks launches of a kernel that comes eight or more times in a row: a time step or a sweep.
    /// Counters cannot tell an elementwise kernel from one that reads its neighbours' values, each
    /// once (lattice Boltzmann). Only elementwise kernels that are known by name can follow each
    /// other in one expression.
    void markSteps(const std::vector<std::uint32_t>& order) {
        constexpr std::size_t kSteps = 8;
        for (std::size_t first = 0, next = 0; first < order.size(); first = next) {
            const std::uint32_t group = m_groupOf[order[first]];
            while (next < order.size() && m_groupOf[order[next]] == group) ++next;
            if (next - first >= kSteps && group != kNone && !m_buffers[group].elementwiseByName())
                for (std::size_t i = first; i < next; ++i) m_isStep[order[i]] = true;
        }
    }

    void visit(std::uint32_t index) {
        const Launch& launch = m_profile.launches[index];
        const std::uint32_t group = m_groupOf[index];
        if (group == kNone || !launch.arguments ||
            *launch.arguments >= m_profile.argumentLists.size()) {
            noteUndecided(index, group != kNone && m_facts[group].dramLimited, false);
            // A launch with unknown arguments may write anywhere: link nothing across it.
            if (launch.process < m_epochs.size()) ++m_epochs[launch.process];
            return;
        }
        noteUndecided(index, m_facts[group].dramLimited, true);
        const Use& use = useOf(group, *launch.arguments);
        StreamRun& run = m_runs[{launch.process, launch.stream}];
        const std::uint64_t epoch = launch.process < m_epochs.size() ? m_epochs[launch.process] : 0;
        if (!use.access().known) {
            run = {};
            for (const auto& argument : m_profile.argumentLists[*launch.arguments]) {
                noteRead(argument.buffer);
                setContents(argument.buffer, index, 0);
            }
            return;
        }
        const bool member = use.facts().dramLimited;
        if (!member || run.length == 0 || run.epoch != epoch)
            run = {.id = m_nextRun++, .length = 0, .notElementwise = 0, .epoch = epoch};

        Place& place = m_places[index];
        place.use = &use;
        if (member) {
            place.run = run.id;
            place.position = run.length;
            m_chains.judged.insert(index);
        }
        for (const std::uint32_t buffer : use.access().reads)
            if (!link(buffer, index, run)) noteRead(buffer);
        for (const std::uint32_t buffer : use.access().mutables) {
            // An in-place operation that names its buffer twice was handled with the reads.
            const bool alsoInput = contains(use.access().reads, buffer);
            if (!alsoInput && use.mayReadMutables() && !link(buffer, index, run)) noteRead(buffer);
            setContents(buffer, index, member ? use.written(buffer) : 0);
        }
        if (!member) {
            run = {};
            return;
        }
        ++run.length;
        if (!use.elementwise()) ++run.notElementwise;
        place.notElementwise = run.notElementwise;
    }

    /// Links the launch to the one that wrote the buffer. False if they cannot be linked.
    bool link(std::uint32_t buffer, std::uint32_t index, const StreamRun& run) {
        Contents& contents = m_present[buffer];
        if (contents.launch == kNone) return false;
        const Place& from = m_places[contents.launch];
        const Place& to = m_places[index];
        if (to.run == kNone || from.run != to.run || contents.launch == index) return false;
        if (m_round[contents.launch] != m_round[index]) return false;
        if (m_isStep[index] && m_groupOf[contents.launch] == m_groupOf[index]) return false;
        const double handed = std::min(contents.bytes, to.use->read(buffer));
        if (!(handed > to.use->facts().l2)) return false;
        const std::uint32_t distance = to.position - from.position;
        if (distance == 0 || distance > kWindow) return false;
        if (distance == 1) {
            if (!from.use->elementwise() && !to.use->elementwise()) return false;
        } else if (!from.use->elementwise() || (run.notElementwise != from.notElementwise &&
                                                !inputsUnchanged(contents.launch))) {
            return false;
        }
        contents.links.push_back({.launch = index, .use = to.use, .handed = handed});
        return true;
    }

    /// Makes the launches that hand data over members of a chain. A launch that repeats with the
    /// same buffers while its input is unchanged (a warm-up, a benchmark) is left out: its input
    /// was computed once, and a fused launch would have to compute it again each time.
    void handOver(const Contents& contents) {
        const auto repeats = [&](const Link& link) {
            return std::ranges::count_if(contents.links, [&](const Link& other) {
                       return other.use->sameWork(*link.use);
                   }) > 1;
        };
        double most = 0;
        bool readElsewhere = contents.readElsewhere;
        for (const Link& link : contents.links) {
            if (repeats(link)) {
                readElsewhere = true;
                continue;
            }
            most = std::max(most, link.handed);
            m_chains.members[link.launch].readBytes += link.handed;
            m_chains.members.try_emplace(contents.launch);
            m_parent[root(link.launch)] = root(contents.launch);
        }
        if (most > 0 && !readElsewhere) m_chains.members[contents.launch].writeBytes += most;
    }

    /// Whether the inputs of a launch are unchanged, so that a later launch could redo its work.
    [[nodiscard]] bool inputsUnchanged(std::uint32_t launch) const {
        const Use& use = *m_places[launch].use;
        if (use.access().reads.empty() && use.mayReadMutables()) return false;
        for (const std::uint32_t buffer : use.access().reads)
            if (m_present[buffer].launch != kNone && m_present[buffer].launch >= launch)
                return false;
        return true;
    }

    void noteUndecided(std::uint32_t index, bool dramLimited, bool buffersKnown) {
        const Launch& launch = m_profile.launches[index];
        Previous& previous = m_previous[{launch.process, launch.stream}];
        if (dramLimited && previous.dramLimited) {
            if (!buffersKnown) m_chains.undecided.insert(index);
            if (!previous.buffersKnown) m_chains.undecided.insert(previous.launch);
        }
        previous = {.launch = index, .dramLimited = dramLimited, .buffersKnown = buffersKnown};
    }

    void noteRead(std::uint32_t buffer) { m_present[buffer].readElsewhere = true; }

    void setContents(std::uint32_t buffer, std::uint32_t launch, double bytes) {
        keepLinked(m_present[buffer]);
        m_present[buffer] = {.launch = launch,
                             .number = m_written++,
                             .bytes = bytes,
                             .links = {},
                             .readElsewhere = false};
    }

    /// Most contents are never linked: keeping those of a million launches would take more memory
    /// than the rest of the profile.
    void keepLinked(Contents& contents) {
        if (!contents.links.empty()) m_linked.push_back(std::move(contents));
    }

    const Use& useOf(std::uint32_t group, std::uint32_t list) {
        const auto [it, isNew] = m_uses.try_emplace({group, list});
        if (isNew)
            it->second = std::make_unique<Use>(
                m_profile, m_facts[group], m_buffers[group].access(m_profile.argumentLists[list]));
        return *it->second;
    }

    std::uint32_t root(std::uint32_t launch) {
        while (m_parent[launch] != launch) launch = m_parent[launch] = m_parent[m_parent[launch]];
        return launch;
    }

    void collect() {
        std::vector<std::uint32_t> launches;
        for (const auto& [launch, member] : m_chains.members) launches.push_back(launch);
        std::ranges::sort(launches);
        std::unordered_map<std::uint32_t, std::uint32_t> chainOf;  // by root
        for (const std::uint32_t launch : launches) {
            const auto [it, isNew] = chainOf.try_emplace(
                root(launch), static_cast<std::uint32_t>(m_chains.chains.size()));
            if (isNew) m_chains.chains.emplace_back();
            m_chains.chains[it->second].launches.push_back(launch);
            m_chains.members[launch].chain = it->second;
        }
    }

    const Profile& m_profile;
    std::span<const KernelAnalysis> m_groups;
    std::vector<GroupFacts> m_facts;
    std::vector<KernelBuffers> m_buffers;  ///< by group
    std::vector<std::uint32_t> m_groupOf;  ///< by launch
    std::vector<Place> m_places;           ///< by launch
    std::vector<std::uint32_t> m_round;    ///< by launch: the round of a loop in its stream
    std::vector<bool> m_isStep;            ///< by launch: see markSteps()
    std::vector<Contents> m_present;       ///< by buffer
    std::vector<std::uint32_t> m_parent;   ///< by launch: union-find
    std::vector<std::uint64_t> m_epochs;   ///< by process: how many launches had unknown arguments
                                           ///< so far
    std::vector<Contents> m_linked;        ///< also those that were overwritten since
    std::uint64_t m_written = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<Use>> m_uses;
    std::map<std::pair<std::uint32_t, std::uint32_t>, StreamRun> m_runs;  ///< by process and stream
    struct Previous {
        std::uint32_t launch = 0;
        bool dramLimited = false, buffersKnown = false;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Previous> m_previous;  ///< like m_runs
    std::uint32_t m_nextRun = 0;
    Chains m_chains;
};

}  // namespace

bool isDramLimited(const KernelAnalysis& kernel) {
    const VerdictClass cls = kernel.verdict.cls;
    if (cls == VerdictClass::Underfilled || !isKnown(cls)) return false;
    const Resources resources = resourcesOf(kernel.quantities);
    const Resource* dram = resources.find(ResourceId::Dram);
    if (!dram) return false;
    const double next = resources.busiestExcept({ResourceId::Dram, ResourceId::BlockStarts});
    if (dram->busy < next) return false;
    return dram->busy >= kBusyShare || (dram->busy >= kLeadingShare && dram->busy - next >= kLead);
}

Chains findChains(const Profile& profile, std::span<const KernelAnalysis> groups) {
    if (profile.argumentLists.empty()) return {};
    // The reader checks this, but a profile built in code may not have been checked.
    for (const BufferArgument& argument : profile.argumentLists.all())
        if (argument.buffer >= profile.buffers.size()) return {};
    Chains chains = ChainFinder(profile, groups).find();
    chains.recorded = true;
    return chains;
}

}  // namespace roofscope
