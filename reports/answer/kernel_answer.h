// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/diagnosis/joint_gain.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/model/analysis.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/stalls.h"
#include "reports/answer/edit_text.h"
#include "reports/verdict/major_findings.h"
#include "reports/verdict/no_findings.h"

/// What an analysis says about one kernel, before it is put into words. Only this room decides
/// which statements are made and in which order. Documents, the window, JSON and the packets made
/// from it draw the answer with the words of reports/answer/answer_words.h and finding_words.h, so
/// they never disagree.
namespace roofscope {

/// The statements about a finding, in the order in which they are shown.
enum class Statement : std::uint8_t {
    Fault,      ///< what is wrong, with numbers
    Mechanism,  ///< why that costs time
    Cause,      ///< an earlier finding's edit also fixes this one
    Where,      ///< places in the code
    Edit,       ///< what to change
    Code,       ///< lines before and after the edit
    Evidence,   ///< numbers that the fault's sentence does not mention
    Expect      ///< what should move after the edit
};

/// A finding and the statements about it. Points into the analysis.
struct AnsweredFinding {
    const Finding* found = nullptr;
    const Rule* rule = nullptr;  ///< null if this build does not know the rule
    std::size_t number = 0;      ///< from 1
    std::optional<std::size_t> cause =
        {};  ///< number of the finding whose edit also fixes this one
    std::vector<const Evidence*> evidence = {};  ///< what the fault's sentence does not mention
    CodeLines code = {};
    /// After the edit one launch does the work of several; the expected values are means over
    /// today's launches.
    bool fusesLaunches = false;
    std::vector<Statement> statements = {};

    [[nodiscard]] bool says(Statement statement) const;
};

/// What is said about headroom: how much faster the same work could be.
enum class Headroom : std::uint8_t {
    SaidElsewhere,   ///< the verdict's reason or a finding says it
    NothingCounted,  ///< the profile has no counters at all
    NotMeasured,     ///< not measured, with the reason
    AtRoof,
    AsShortAsLaunch,  ///< as short as the launch of an empty kernel
    Left              ///< Verdict::headroom
};

/// What a joint bound comes from.
enum class JointFrom : std::uint8_t {
    Work,           ///< no finding: DRAM bytes and operations alone
    WorkThatStays,  ///< those that stay after the edits; the findings' own gains add up to less
    Edits
};

/// The most that all edits together can gain.
struct JointAnswer {
    Seconds bound;                 ///< per launch
    std::optional<double> factor;  ///< absent where nothing would be left
    JointFrom from = JointFrom::Edits;
    std::vector<BeyondJoint> without;  ///< edits left out, which might gain more
};

/// What relieves the roof that a kernel is near.
enum class RoofAdvice : std::uint8_t {
    None,  ///< nothing but "do less"
    FewerDramBytes,
    FewerL2Bytes,
    FewerL1Accesses,
    FewerSharedAccesses
};

/// What to say when no finding is worth an edit.
struct NothingToEdit {
    NoFindings why = NoFindings::CannotTell;
    bool onlyTimed = false;      ///< no counters were read of it
    bool minorFindings = false;  ///< rules found something, but not what costs the time
    RoofAdvice advice = RoofAdvice::None;
    std::vector<SharedText> undecided;  ///< rules that might name the fault (Undecided)
};

/// Rules that could not decide for the same reason.
struct Lack {
    Words advice, missing;  ///< what to do about it, else the missing counters
    std::vector<SharedText> rules;
};

/// A resource that is worth showing.
struct AnsweredResource {
    Resource use;
    bool limits = false;  ///< the verdict names it as the limiter
};

struct KernelAnswer {
    const KernelAnalysis* kernel = nullptr;
    std::vector<AnsweredResource> resources;  ///< busiest first
    Stalls stalls;                            ///< the largest ones, of what was recorded
    Headroom headroom = Headroom::SaidElsewhere;
    std::optional<JointAnswer> joint;
    std::vector<AnsweredFinding> findings;  ///< worth an edit, at most kMostFindings
    std::optional<NothingToEdit> nothing;   ///< set exactly if there are no findings
    std::vector<const Finding*> further;    ///< also worth an edit
    std::vector<const Finding*> minor;      ///< below 3 % of the time
    std::vector<const Finding*> blocked;    ///< minor until the limiter is relieved
    /// Faults that the counters neither show nor exclude, costliest first. Set only if it is
    /// unknown why the kernel is not faster.
    std::vector<const RuledOut*> undecided;
    std::vector<RuledOut> ruledOut;
    std::vector<Lack> lacks;              ///< empty if the profile has no counters at all
    bool durationFromCounterRun = false;  ///< the duration comes from a run that read counters
};

[[nodiscard]] KernelAnswer answerOf(const Analysis& analysis, const KernelAnalysis& kernel);

/// One finding on its own, for JSON, which lists all of them; `number` counts from 1.
[[nodiscard]] AnsweredFinding answerOf(const KernelAnalysis& kernel, const Finding& finding,
                                       std::size_t number);

/// Whether the headroom rounds to 1.00× (three digits).
[[nodiscard]] bool hasNoHeadroom(const Verdict& verdict);
/// What it means that no finding is worth an edit; nullopt if one is.
[[nodiscard]] std::optional<NothingToEdit> nothingToEdit(const KernelAnalysis& kernel);

}  // namespace roofscope
