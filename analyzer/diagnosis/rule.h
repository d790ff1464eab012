// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

class CounterLookup;  // analyzer/counters/counter_lookup.h
struct Rule;
struct Chains;      // analyzer/chains/chains.h
struct LaunchGaps;  // analyzer/launches/launch_gaps.h

/// The sentences of a rule in one language. "{name}" stands for the finding's argument of that
/// name; a translation mentions the same names (a test compares them).
struct RuleText {
    std::string_view title;      ///< "Bank conflicts in shared memory"
    std::string_view firesWhen;  ///< one sentence for `roofscope rules list`
    std::string_view sentence;   ///< what is wrong, with numbers
    std::string_view mechanism;  ///< why that costs time
    std::string_view edit;       ///< one concrete edit
    std::string_view ruledOut;   ///< "bank conflicts ({excess} excess wavefronts)"
    std::string_view gain;       ///< formula of the bound
    /// Replaces `edit` in texts about the rule itself, if the arguments of `edit` would be whole
    /// sentences.
    std::string_view editInGeneral = {};
    /// Replaces `edit` for a Triton kernel, whose author has other means: BLOCK sizes, num_warps,
    /// num_stages, the order of offsets. If empty, the advice for all Triton kernels is used.
    std::string_view editInTriton = {};
    /// The same for a kernel in Numba's Python.
    std::string_view editInNumba = {};
};

/// What a rule says about one launch group. The caller writes the rule's id into the result.
struct NotApplicable {};  ///< the fault cannot occur here (no shared memory): say nothing
using RuleResult = std::variant<NotApplicable, Finding, RuledOut, CannotTell>;

/// What a rule may look at: the analysed group (quantities and verdict are final), its profile, and
/// which launches of all groups hand arrays to each other.
struct RuleInput {
    const Profile& profile;
    const KernelAnalysis& kernel;
    const Chains& chains;
    const CounterLookup& counters;  ///< of the profile: for GroupSums
    const Rule& rule;               ///< the rule that is running
};

/// What a rule about the sequence of launches may look at.
struct SequenceInput {
    const Profile& profile;
    const LaunchGaps& gaps;
};

/// Where the edit of a finding is made.
enum class EditPlace {
    Kernel,  ///< in the kernel's code or its launch shape
    Caller,  ///< where the kernel is chosen and called: another function, type or setting
    Program  ///< in the order of launches around it
};
[[nodiscard]] const char* toString(EditPlace place);  ///< "kernel", "caller", "program"

/// How a rule finds the lines of Finding::places.
enum class NamesLine {
    No,
    ByCounters,  ///< counters per instruction
    BySamples    ///< stall samples
};

/// One diagnosis, of a launch group or of the whole sequence of launches. Each lives in
/// analyzer/rules/<id with underscores>.cpp, which defines `extern const Rule` named like the file
/// inside namespace roofscope::rules; the build lists them.
struct Rule {
    std::string_view id;                      ///< "shared-bank-conflict"
    std::string_view category;                ///< "memory", "parallelism", "latency"
    std::vector<CounterGroup> needs;          ///< without them it cannot decide
    std::vector<CounterGroup> helpedBy = {};  ///< with them it says more, or needs fewer others
    /// Short code lines, the same in all languages; empty if they depend on the case.
    std::string_view before = {}, after = {};
    RuleText en;                                      ///< English; see text()
    RuleResult (*check)(const RuleInput&) = nullptr;  ///< null for a rule about the sequence
    RuleResult (*checkSequence)(const SequenceInput&) = nullptr;  ///< null for all others
    EditPlace editPlace = EditPlace::Kernel;
    NamesLine namesLine = NamesLine::No;
    /// Its edit removes the launch, so its gain says nothing about the kernel's distance to a roof.
    bool removesLaunch = false;
    /// Its edit makes data types smaller, which a bound "with these data types" does not count.
    bool changesDataTypes = false;
    /// Its fault is that the GPU gets too little work at a time; a caller can fix it by passing
    /// more.
    bool tooLittleWork = false;
    /// It watches a resource that the default counters do not cover. While it cannot tell, the
    /// verdict may be wrong.
    bool canChangeVerdict = false;
    /// The edit uses faster instructions of the same pipe. So a kernel at its roof may still get
    /// faster if the rule fires, or if it cannot tell.
    bool canBeatItsRoof = false;
    /// Rules whose findings in the same kernel have this rule's fault as their cause; they are left
    /// out.
    std::vector<std::string_view> explains = {};
    /// Stall reasons that its fault causes ("long_scoreboard"). Its finding is placed before a
    /// finding about such a stall if it gains about as much (Finding::cause).
    std::vector<std::string_view> causesStalls = {};

    /// Whether only someone who can edit the kernel's code can use its answer: why warps wait, and
    /// where.
    [[nodiscard]] bool isAboutCode() const;
    /// Its texts in a language; English where a translation is missing.
    [[nodiscard]] RuleText text(Language language) const;
};

/// All rules of this build, by id. Generated from the files in analyzer/rules/.
[[nodiscard]] std::span<const Rule* const> allRules();
/// The rule of that id, or nullptr.
[[nodiscard]] const Rule* findRule(std::string_view id);

}  // namespace roofscope
