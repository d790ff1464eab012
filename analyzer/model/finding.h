// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/model/counter_group.h"
#include "analyzer/model/derived.h"
#include "analyzer/model/moved.h"
#include "analyzer/model/shared_text.h"

namespace roofscope {

// g++ warns when a scoped enumerator has the name of a type, as Bytes and Seconds do here.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
/// How a renderer writes a number.
enum class Unit : std::uint8_t {
    Count,
    Bytes,
    Seconds,
    Share /* 0–1, shown as percent */,
    Factor /* "16.5×" */,
    Ways /* "16.5-way" */,
    BytesPerSecond,
    FlopsPerSecond,
    Hertz
};
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/// What a kernel can be limited by.
enum class ResourceId : std::uint8_t {
    Dram,
    L2,
    L2Tags,
    L2Atomics,
    L1,
    L1DataPipe,  ///< the L1's data stage, where it is busier than the L1's bandwidth
    SharedPipe,
    LsuRequests,  ///< memory instructions that the L1 takes; only in imports
    Fp64,
    Fp32,
    Fp16,
    Tensor,
    Integer,
    SpecialFunction,
    Issue,
    BlockStarts,  ///< blocks that the GPU starts per second; only where that is near its limit
    /// Nsight Compute's totals: the busiest of many units, where no resource above explains them.
    MemoryTotal,
    SmTotal
};
[[nodiscard]] const char* toString(ResourceId id);  ///< "DRAM", "shared pipe", "FP32", "tensor"

/// The load that an edit leaves on a resource, at best.
struct Relief {
    ResourceId resource = ResourceId::Dram;
    double left = 0;  ///< share of its present load, 0–1; 0 if not known
};

/// A number, with the name by which a rule's text refers to it ("{degree}").
struct Arg {
    SharedText name;
    double value = 0;
    Unit unit = Unit::Count;
    Words text = {};  ///< when not empty, shown instead of the number (a limiter's name)
};

/// One piece of evidence: the number that was read and what it should be.
struct Evidence {
    Words label;         ///< "global load sectors"
    SharedText formula;  ///< counters it comes from
    double value = 0;
    Unit unit = Unit::Count;
    std::optional<double> threshold = {};  ///< fires beyond this
    std::optional<double> healthy = {};    ///< what a good kernel shows
};

/// How a counter should change if the edit works.
struct ExpectedMovement {
    Words counter;     ///< CUPTI name or a quantity's name, to be shown
    moved::What what;  ///< the same, for a comparison to read
    double from = 0;
    double to = 0;  ///< bound for the new value
    Unit unit = Unit::Count;
};

/// Where in the code a finding is, from the counters per instruction (Profile::sources): a source
/// line, or a single instruction where the line is not known.
struct Place {
    std::optional<std::uint32_t> file;  ///< index into the pass's files; absent: unknown
    std::string path;                   ///< of that file as the compiler knew it; empty: unknown
    std::uint32_t line = 0;             ///< 0: unknown
    std::uint32_t offset = 0;  ///< bytes from the start of the function, of the worst instruction
    std::string opcode;        ///< of that instruction, "LDG.E.128"; empty without SASS
    Words what;                ///< what is counted: "excess sectors"
    double amount = 0;         ///< of `what`, in the launch that was measured
    double share = 0;          ///< of `what` in the whole kernel
    std::optional<double> perRequest;    ///< per executed instruction, sectors or wavefronts
    std::optional<double> idealRequest;  ///< how many would be enough
    Words pattern;  ///< how many instructions, and the address pattern of the worst; or empty
};

/// A diagnosed problem. Text comes from the rule's RuleText, filled with `args` by a renderer.
struct Finding {
    SharedText ruleId;  ///< "shared-bank-conflict"
    Words title = {};   ///< a more exact title for this case; empty: the rule's own
    std::vector<Arg> args;
    std::vector<Evidence> evidence;
    Derived<Seconds> gain;     ///< upper bound, per launch
    Derived<Ratio> gainShare;  ///< gain / duration
    Words gainFormula;         ///< in words and counters
    std::vector<ExpectedMovement> expected;
    /// The resources that the edit relieves. All findings' reliefs together give the joint bound.
    std::vector<Relief> relief = {};
    bool estimate = false;  ///< `gain` is no bound: the edit may also reach more
    bool minor = false;     ///< not worth an edit now: below 3 % of the kernel's time, or `blocked`
    /// Minor although the gain may be large: another resource limits the kernel and must be
    /// relieved first.
    bool blocked = false;
    std::string before, after;  ///< code lines for this case; empty: the rule's own
    Words edit = {};  ///< replaces the rule's edit and code where the reader cannot edit the kernel
    SharedText stall = {};  ///< the stall reason it is about, if any: "long_scoreboard"
    /// Another rule whose fault the edit fixes as well; set by rules that join two edits.
    SharedText alsoFixes = {};
    /// The rule of an earlier finding whose edit fixes this fault or stall as well; empty if there
    /// is none.
    SharedText cause = {};
    std::vector<Place> places = {};  ///< worst first, at most kMostPlaces; empty: not known
};

inline constexpr std::size_t kMostPlaces = 3;  ///< of a finding

/// A fault that was checked for and not found ("bank conflicts: 0.4 %").
struct RuledOut {
    SharedText ruleId;
    std::vector<Arg> args = {};
    /// Upper bound of what the fault costs, as a share of the kernel's time. From kMinorShare on it
    /// is not ruled out.
    double cost = 1;
};

/// A rule that could not decide, and the counters it lacks.
struct CannotTell {
    SharedText ruleId;
    Words missing;  ///< counters by name, or what else is lacking
    Words advice;   ///< what to do about it, in words
    /// What another recording has to read so that the rule can decide; the profile has none of
    /// these groups. Empty if no counter helps.
    std::vector<CounterGroup> groups = {};
    /// What the edit would relieve if the fault is there. A joint bound must include it.
    std::vector<Relief> relief = {};
    /// Whether the advice also holds for imported profiles. If not, these get advice about the tool
    /// that measured them.
    bool forImports = false;
};

}  // namespace roofscope
