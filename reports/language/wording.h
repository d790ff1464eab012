// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/language.h"
#include "reports/language/sentence.h"

/// The words of the reports, one table per language (english.cpp, chinese.cpp). Rules have their
/// texts beside them (analyzer/rule.h). Numbers, units, counters, rule ids and code are alike in
/// all languages. How to add a language: docs/languages.md.
namespace roofscope {

/// What all parts use.
struct Common {
    Label stop;
    Label comma;
    Label listComma;  ///< between names of a list
    Label semicolon;
    Label colon;
    Mark gap;                                                ///< between two sentences
    Sentence<std::string_view, std::string_view> bracketed;  ///< a remark behind words
    Label notMeasured;
    Label notRecorded;
    Sentence<std::string_view> missing;  ///< counters that are lacking
    Sentence<std::string_view, std::size_t> namesAndMore;
    Label unknown;
    Sentence<std::string_view> madeUp;  ///< the origin of a profile
    Sentence<std::string_view> perLaunch;
    Sentence<std::string_view> atMostPerLaunch;
    Sentence<std::string_view> atMost;
    Sentence<std::string_view> ofGpuTime;     ///< a share
    Sentence<std::string_view> ofAllGpuTime;  ///< a share
    Label nothingToFix;                       ///< in a table
    Label littleToFix;
};

/// Verdicts and what decided them.
struct VerdictWords {
    Label launchBound;
    Label waitsForPeers;
    Label timeOfOthers;
    Label underfilled;
    Label nearRoof;  ///< without the roof's name
    Label memoryBound;
    Label computeBound;
    Label balanced;
    Label latencyBound;
    Label unknown;
    Sentence<std::string_view> nearRoofOf;
    Sentence<std::string_view, std::string_view> classAt;  ///< a class and what limits
    Label low;                                             ///< confidence
    Label medium;
    Label high;
    Label sharedPipe;  ///< a resource, as are the next
    Label l1DataPipe;
    Label tensor;
    Label instructionIssue;
    Label integer;
    Label specialFunctions;
    Label l2Atomics;
    Label busiestResource;  ///< when none is named
    Label registers;        ///< limits the occupancy, as do the next
    Label sharedMemory;
    Label blockSize;
    Label blocksPerSm;
    Sentence<std::string_view, std::string_view>
        dramAt;                               ///< of the theoretical roof, of what can be reached
    Sentence<std::string_view> measuredHere;  ///< behind words on what can be reached
    Sentence<std::string_view, std::string_view> resourceAt;
    Sentence<std::string_view> arithmeticPipe;  ///< of a precision: its instructions
    Sentence<std::string_view> onlyMovingLess;
    Sentence<std::string_view> onlyDoingLess;
    Sentence<std::string_view> mostlyMovingLess;  ///< near the roof, not at it
    Sentence<std::string_view> mostlyDoingLess;
    Sentence<std::string_view> maybeByWgmma;     ///< at the roof of slower instructions
    Plural<std::size_t, std::size_t> fewBlocks;  ///< blocks, SMs, idle SMs
    Sentence<std::string_view> missingCounters;
    Sentence<std::string_view, std::string_view, std::string_view>
        nothingBusy;  ///< a share, the busiest resource, what it waits for
    Label emptyLaunch;
    Sentence<std::string_view, std::string_view> waitsForLaunch;  ///< time of a launch, gap
    Sentence<std::string_view, std::string_view> waitsFor;        ///< in words, the stall reason
    Label waits;
    Label waitsExplained;  ///< where a finding says more
};

/// Facts of kernels, devices and recordings.
struct FactWords {
    Label l2BusierWay;
    Label l2ReadReturn;
    Sentence<std::string_view> bothWays;  ///< a rate
    Label lsuPipe;
    Label tensorPipe;
    Sentence<std::string_view> operations;  ///< of a precision: a share of the roof's
    Sentence<std::string_view> operationsAtMost;
    Sentence<std::string_view> tensorType;  ///< operations of tensor cores on a type
    Label bulkNotCounted, asynchronousNotCounted;
    Label kernelReplay;
    Label applicationReplay;
    Label multiplex;
    Label timingOnly;
    Label strategyNotRecorded;
    Sentence<std::string_view> strategy;
    Plural<> passes;
    Label asyncCopies;  ///< what a GPU lacks, as are the next
    Label bf16Tensor;
    Label fp8Tensor;
    Label tma;
    Label clusters;
    Label wgmma;
    Label fp4Tensor;
    Label tensorMemory;
    Label unknownGpu;
    Sentence<int, int> computeCapability;
    Sentence<std::size_t> sms;
    Label noSoftware;
    Sentence<std::string_view> driver;
    Label noDriver;
    Label noCupti;
    Label cachesNotFlushed;
    Sentence<std::string_view> cacheControl;
    Label clocksNotLocked;
    Sentence<std::string_view> cacheAndClockControl;
    Sentence<std::string_view> clockControl;
    Sentence<std::string_view> counterGroups;
    Sentence<int> endedBySignal;
    Sentence<int> exitCode;
    Label noExitCode;
    Label noCommand;
    Sentence<std::string_view, std::string_view> range;  ///< from, to
    Label sharedLevel;
    Label error;  ///< a severity, as are the next
    Label dataLost;
    Label note;
    Sentence<std::size_t> andMoreIssues;
};

/// The header of a whole profile.
struct HeaderWords {
    Sentence<std::string_view> title;
    Label titleBare;
    Label profile;  ///< facts; so are the next
    Sentence<std::string_view> recordedAt;
    Label gpu;
    Sentence<std::string_view, std::string_view, std::string_view> clocks;  ///< the device, clocks
    Label roofs;
    Label measuredRoofs;
    Label software;
    Sentence<std::string_view, std::string_view> program;  ///< versions, how it ended
    Label measured;
    Sentence<std::string_view, std::size_t, std::size_t> launches;  ///< how, measured, all
    Label durations;
    Label note;
    Label durationsMixed;
    Label durationsTimed;
    Label durationsCounted;
    Label noLaunch;
    Sentence<std::size_t, std::string_view> noMatch;
    Sentence<std::size_t, std::size_t, std::string_view> someMatch;
    Sentence<std::size_t, std::size_t, std::string_view> mostTime;  ///< shown, others, their time
    Sentence<std::string_view> ofTheTime;
    Label tableHead;  ///< markdown
    Label names;
    Label kernels;   ///< a heading
    Label problems;  ///< a heading
    Label notCollected;
    Label notCollectedNorGaps;       ///< when the buffers of launches are known
    Label notCollectedGapsOrChains;  ///< when instructions were counted, nothing else
    Label notCollectedGaps;          ///< when instructions were counted and buffers are known
    Label notCollectedChains;        ///< when instructions were counted and gaps are known
    Label notCollectedNorFusion;     ///< when the gaps are known
    Label notCollectedSource;        ///< when gaps and buffers are known
    Label onlyTimes;                 ///< the profile has no counters
    Label substitutes;               ///< a heading
    Label substitutesWhy;
};

/// The hints of one kernel.
struct KernelWords {
    Label duration;
    Sentence<std::string_view, std::string_view, std::string_view, std::size_t>
        median;  ///< median, least, most, launches
    Sentence<std::string_view> single;
    Label unprofiled;
    Label counterRun;
    Label counters;
    Sentence<std::size_t, std::size_t> averagedOver;  ///< least and most launches
    Label fullName;
    Label range;
    Sentence<std::string_view, std::string_view> gpuNumber;   ///< number of the GPU, its name
    Sentence<std::string_view, std::string_view> gpuNumbers;  ///< the same of several of one model
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view>
        gpuLine;        ///< device, clocks, software
    Plural<> problems;  ///< **bold**
    Label names;
    Sentence<std::string_view, std::string_view> verdict;  ///< words, confidence
    Sentence<std::string_view> headroom;
    Sentence<std::string_view, std::string_view> headroomByFinding;  ///< of which rule
    Sentence<std::string_view, std::string_view> roofShares;         ///< a remark, the list
    Label ncuCounting;
    Sentence<std::string_view, std::string_view> effective;       ///< bandwidth, `effectiveShare`
    Sentence<std::string_view, std::string_view> effectiveShare;  ///< a share, of what
    Label copyRoof;
    Label dramRoof;
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view,
             std::string_view, std::string_view, std::string_view>
        launch;  ///< grid, block, cluster, registers, static, dynamic, local
    Sentence<std::string_view> cluster;
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view,
             std::string_view, std::string_view>
        occupancy;  ///< blocks, theoretical, limiter, achieved, waves, efficiency
    Sentence<std::string_view> limitedBy;
    Sentence<std::string_view> waveEfficiency;
    Sentence<std::string_view> threshold;
    Sentence<std::string_view> healthy;
    Label before;  ///< code
    Label after;
    Label edit;       ///< begins a line
    Label gainBound;  ///< begins a line
    Label expect;
    Sentence<std::string_view, std::string_view> fromTo;
    Label whatToFix;  ///< a heading
    Sentence<std::string_view> nothingToFix;
    Sentence<std::string_view> littleToFix;
    Sentence<std::string_view> noKnownFault;
    Sentence<std::string_view> noDiagnosis;
    Label onlyTimed;  ///< why there is no diagnosis of a kernel that waits for other ranks
    Label countersMissing;
    Label onlyMinor;
    Label noFault;
    Sentence<std::string_view> whatHelps;  ///< follows `onlyMinor` or `noFault`
    Label also;                            ///< begins a list, as do the next
    Label minor;
    Sentence<std::string_view> blocked;  ///< what limits
    Label blockedStart;                  ///< how `blocked` begins
    Label ruledOut;
    Sentence<std::string_view> not_;  ///< a rule without words
    Label constraints;
    Label keepResults;  ///< the same where the kernel itself need not stay
    Sentence<std::string_view> threadsPerBlock;
    Sentence<std::string_view> sharedPerBlock;
    Sentence<std::string_view> registersPerSm;
    Sentence<std::string_view> allows;  ///< a list
    Sentence<std::string_view> lacks;   ///< a list
    Sentence<double> weakFp64;
    Label notMeasured;  ///< begins a list
    Label noTimingRun;
    Label askEdit;
    Label askCallerEdit;
    Label askAgain;
    Label askGroups;   ///< the command reads more counters than before
    Label partLaunch;  ///< parts of a section, when they are left out
    Label partFindings;
    Label partRuledOut;
    Label partConstraints;
    Label partSource;
    Label partSinceBaseline;
    Label partNotMeasured;
    Label partAsk;
};

/// What is said of source lines and instructions.
struct SourceWords {
    Label where;        ///< begins a line of places
    Label heading;      ///< **bold**
    Label headingNote;  ///< behind it
    Label sass;         ///< a paragraph above instructions
    Label line;         ///< columns
    Label offset;
    Label excessSectors;
    Label excessWavefronts;
    Label localSectors;
    Label executed;
    Label samples;
    Label stalled;
    Label samplesNote;   ///< a paragraph below
    Label sassByStalls;  ///< a paragraph above instructions
    Sentence<std::string_view, std::string_view, std::string_view>
        amount;                                               ///< a number, of what, the share
    Sentence<std::string_view, std::string_view> perRequest;  ///< is, would do
    Label none;                                               ///< what is missing, as are the next
    Label record;
    Label differs;
    Label noSass;
    Label noLines;
    Label noTexts;
};

/// What a trimmed report says of itself.
struct BudgetWords {
    Sentence<std::size_t, std::size_t> sections;
    Sentence<std::size_t> rows;
    Label notCollected;
    Label notCollectedNorGiven;  ///< and what stood in for counters
    Label origins;
    Label laterFindings;
    Label details;
    Sentence<std::string_view> parts;
    Sentence<std::size_t, std::size_t> tooSmall;
    Sentence<std::size_t> trimmed;
    Sentence<std::string_view> leftOut;
};

/// The report for a terminal.
struct TextWords {
    Sentence<std::string_view, std::size_t, int, int> device;
    Label program;
    Label measured;
    Sentence<std::size_t, std::string_view, std::string_view> launches;
    Label timingRun;
    Label counterRun;
    Label note;
    Plural<> substitutes;
    Label sinceBaseline;
    Sentence<std::size_t, std::string_view> noMatch;
    Sentence<std::size_t> notShown;
    Label kernel;  ///< columns
    Label count;
    Label median;
    Label share;
    Label verdict;
    Label nothingToFix;
    Label littleToFix;
    Label noKnownFault;
    Label onlyTimed;
    Label noDiagnosis;
    Sentence<std::string_view> saves;
    Sentence<std::string_view> perLaunch;
    Sentence<std::size_t> andMore;
    Sentence<std::string_view, std::string_view> issue;  ///< severity, code
};

/// The page.
struct HtmlWords {
    Label theme;
    Label roofline;  ///< a heading
    Label dotLeads;
    Label filter;
    Label hints;  ///< a heading
    Label upperBounds;
    Sentence<std::size_t> mostTime;
    Label openAll;
    Label closeAll;
    Label oneFile;
    Sentence<std::string_view> confidence;
    Label roofShares;  ///< a heading
    Label ncuCounting;
    Label launch;  ///< a heading
    Label grid;    ///< facts
    Label block;
    Label cluster;
    Label registers;
    Label shared;
    Sentence<std::string_view, std::string_view> sharedParts;
    Label local;
    Label blocksPerSm;
    Label theoretical;
    Sentence<std::string_view> limitedBy;
    Label achieved;
    Label waves;
    Sentence<std::string_view> efficiency;
    Label evidenceTable;
    Label evidence;  ///< columns
    Label value;
    Label threshold;
    Label healthy;
    Label from;
    Label edit;
    Label noName;
    Label table;
    Label kernel;  ///< columns
    Label launches;
    Label total;
    Label share;
    Label median;
    Label medianTip;
    Label dramTip;
    Label verdict;
    Label firstFinding;
    Label sortTip;
    Mark scriptWords;  ///< what the script says, as attributes of the root; empty: the words inside
                       ///< the script
};

/// The roofline plot.
struct PlotWords {
    Label roofline;
    Sentence<std::string_view> titleOf;
    Plural<> describe;
    Sentence<std::string_view> on;  ///< a GPU
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view>
        most;  ///< name, rate, intensity, level
    Plural<> noOperations;
    Plural<> onTensor;
    Plural<> missing;
    Label and_;  ///< before the last one
    Sentence<std::string_view> isNotShown;
    Sentence<std::string_view> areNotShown;
    Label sharedMemory;
    Label theoreticalRoof;
    Label measuredRoof;
    Sentence<std::string_view> measured;
    Sentence<std::string_view, std::string_view> measuredBeside;  ///< a theoretical roof, a rate
    Label fromOther;      ///< what an arrow means: from one kernel to another
    Label sinceBaseline;  ///< the same, between profiles
    Label arrows;         ///< a sentence on them
    Label dotArea;
    Label ncuCounting;
    Label intensity;
    Label performance;
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view>
        tip;  ///< name, level, rate, intensity
    Label noKernel;
};

/// What `roofscope rules` says around the texts of the rules.
struct RuleWords {
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view,
             std::string_view>
        listItem;  ///< id, category, counters, title, when
    Label listEnd;
    Label category;  ///< of equal width
    Label counters;
    Label firesWhen;
    Label says;
    Label why;
    Label edit;
    Label ruledOut;
    Label before;
    Label after;
    Label braces;
    Label memory;  ///< a category, as are the next
    Label parallelism;
    Label latency;
};

/// Everything that reports say in one language. A table that lacks an entry does not compile.
/// How the ranks of a parallel program differ.
struct RankWords {
    Label heading;  ///< in a list of facts
    Label lead;     ///< in text
    Label allKernels;
    Sentence<std::size_t> all;                ///< ranks
    Sentence<std::size_t, std::size_t> some;  ///< so many of all
    /// What; who; fastest, slowest and median time; slowest rank, its factor, fastest rank.
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view,
             std::string_view, std::uint32_t, double, std::uint32_t>
        spread;
    /// The same of two ranks, without a median; the factor is that between them.
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view, std::uint32_t,
             double, std::uint32_t>
        spreadOfTwo;
    Sentence<std::string_view> onHost;
    Sentence<std::size_t, std::size_t> alone;  ///< so many of all launches are compared
    /// Rank; its launches beside kernels that wait, of all; their time, of all: most, then least.
    Sentence<std::uint32_t, std::size_t, std::size_t, std::string_view, std::string_view> beside,
        besideLeast;
    Label besideWhy;   ///< what is compared then
    Label besideEven;  ///< and that nothing is uneven in that
    Sentence<std::size_t> more;
};

/// NVTX ranges that were measured as a whole.
struct RangeWords {
    Label heading;
    Label budget;  ///< how a trimmed report calls them
    Plural<> occurrences;
    Sentence<std::size_t> counted;        ///< of the occurrences
    Sentence<std::string_view> launches;  ///< of one occurrence: "7", "5–7"
    /// Name; occurrences; mean time; where that is from.
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view> what;
    Label timed, profiled;
    Sentence<std::string_view> ofCounted;  ///< the mean is of a part; the median of more
    Sentence<std::string_view> busy;       ///< share of the time in which kernels run
    Sentence<std::string_view> busyGaps;   ///< the same where it is small: tracing widens gaps
    Label notCounted;
    Plural<> slow;  ///< occurrences that the numbers leave out
    /// DRAM bytes, rate, share; L2 rate, share; FP32 rate; FP64 rate; tensor pipe.
    Sentence<std::string_view, std::string_view, std::string_view, std::string_view,
             std::string_view, std::string_view, std::string_view, std::string_view>
        numbers;
    Sentence<std::uint32_t> onDevice;
    Sentence<std::size_t> more;
};

struct Wording {
    Language language;
    Label htmlLanguage;  ///< of the lang attribute: "en"
    Common common;
    VerdictWords verdict;
    FactWords facts;
    HeaderWords header;
    KernelWords kernel;
    SourceWords source;
    BudgetWords budget;
    TextWords text;
    HtmlWords html;
    PlotWords plot;
    RuleWords rules;
    RankWords ranks;
    RangeWords ranges;
};

[[nodiscard]] const Wording& wordingOf(Language language);
[[nodiscard]] const Wording& englishWording();
[[nodiscard]] const Wording& chineseWording();

}  // namespace roofscope
