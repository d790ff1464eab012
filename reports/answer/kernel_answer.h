// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/diagnosis/joint_gain.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/model/analysis.h"
#include "reports/findings/edit_text.h"
#include "reports/findings/kernel_facts.h"

/// What an analysis answers about one kernel, before it is in words. Which statements are made, and
/// in which order, is decided here and nowhere else; documents, the window, JSON and the packets
/// made from it only draw the answer, with the words of reports/answer/answer_words.h and
/// finding_words.h. That is why they never disagree.
namespace roofscope {

/// What can be said of a finding, in the order in which it is said.
enum class Statement : std::uint8_t {
    Fault,      ///< what is wrong, with numbers
    Mechanism,  ///< why that costs time
    Cause,      ///< that an earlier finding's edit mends this one, too
    Where,      ///< places in the code
    Edit,       ///< what to change
    Code,       ///< lines before and after the edit
    Evidence,   ///< numbers that the fault's sentence does not mention
    Expect      ///< what should move after the edit
};

/// A finding with what is said of it. Points into the analysis.
struct AnsweredFinding {
    const Finding* found = nullptr;
    const Rule* rule = nullptr;             ///< null where this build does not know it
    std::size_t number = 0;                 ///< from 1
    std::optional<std::size_t> cause = {};  ///< the number of the finding whose edit mends it, too
    std::vector<const Evidence*> evidence = {};  ///< what the fault's sentence does not mention
    CodeLines code = {};
    /// One launch then does what several do now: what should move is a mean over those of now.
    bool fusesLaunches = false;
    std::vector<Statement> statements = {};

    [[nodiscard]] bool says(Statement statement) const;
};

/// What is said of the time that is left with the same work.
enum class Headroom : std::uint8_t {
    Unsaid,       ///< the verdict's reason or a finding says it
    NotMeasured,  ///< and why
    AtRoof,
    AsShortAsLaunch,  ///< as one that does nothing
    Left              ///< Verdict::headroom
};

/// What all edits together bring at most.
struct JointAnswer {
    Seconds bound;                     ///< per launch
    std::optional<double> factor;      ///< absent where nothing would be left
    bool byWorkAlone = false;          ///< there is no finding: by DRAM bytes and operations alone
    std::vector<BeyondJoint> without;  ///< what is not counted, and might bring more
};

/// What relieves the roof that a kernel is near.
enum class RoofAdvice : std::uint8_t {
    None,  ///< nothing but "do less"
    FewerDramBytes,
    FewerL2Bytes,
    FewerL1Accesses,
    FewerSharedAccesses
};

/// What it means that no finding is worth an edit.
struct NothingToEdit {
    NoFindings why = NoFindings::CannotTell;
    bool onlyTimed = false;      ///< no counters were read of it
    bool minorFindings = false;  ///< rules found something, but not what costs the time
    RoofAdvice advice = RoofAdvice::None;
    std::vector<SharedText> undecided;  ///< NoFindings::Undecided: rules that may name the fault
};

/// Rules that could not decide for the same reason.
struct Lack {
    Words advice, missing;  ///< what to do about it; without that, the counters
    std::vector<SharedText> rules;
};

struct KernelAnswer {
    const KernelAnalysis* kernel = nullptr;
    Headroom headroom = Headroom::Unsaid;
    std::optional<JointAnswer> joint;
    std::vector<AnsweredFinding> findings;  ///< worth an edit, at most kMostFindings
    std::optional<NothingToEdit> nothing;   ///< exactly where there are none
    std::vector<const Finding*> further;    ///< also worth an edit
    std::vector<const Finding*> minor;      ///< below 3 % of the time
    std::vector<const Finding*> blocked;    ///< minor before the limiter is relieved
    /// Faults that counters neither show nor exclude, where nobody knows why the kernel is not
    /// faster; the one with the most cost first.
    std::vector<const RuledOut*> undecided;
    std::vector<RuledOut> ruledOut;
    std::vector<Lack> lacks;   ///< nothing where the profile has no counters at all
    bool timingLacks = false;  ///< the duration is that of a run that read counters
};

[[nodiscard]] KernelAnswer answerOf(const Analysis& analysis, const KernelAnalysis& kernel);

/// A finding by itself, as JSON lists all of them: `number` counts from 1.
[[nodiscard]] AnsweredFinding answerOf(const KernelAnalysis& kernel, const Finding& finding,
                                       std::size_t number);

/// Whether the same work could not be done faster, as far as three digits show.
[[nodiscard]] bool hasNoHeadroom(const Verdict& verdict);
/// Set where no finding is worth an edit: what that means.
[[nodiscard]] std::optional<NothingToEdit> nothingToEdit(const KernelAnalysis& kernel);

}  // namespace roofscope
