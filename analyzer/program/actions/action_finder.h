// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/program/actions/actions.h"
#include "analyzer/program/actions/data_movement.h"
#include "analyzer/program/actions/optimizer_passes.h"
#include "analyzer/program/actions/tall_svd.h"

namespace roofscope::program {

/// Longest kernel name in a sentence.
inline constexpr std::size_t kLongestKernel = 50;

inline Arg number(std::string name, double value, Unit unit) {
    return {.name = std::move(name), .value = value, .unit = unit};
}
inline Arg words(std::string name, Words text) {
    return {.name = std::move(name), .value = 0, .unit = Unit::Count, .text = std::move(text)};
}

/// findActions(), by what the GPU does or waits for: kernels (kernel_actions.cpp), copies
/// (copy_actions.cpp), the CPU (idle_actions.cpp, host_actions.cpp, launch_actions.cpp,
/// compile_actions.cpp), other ranks (rank_actions.cpp).
class ActionFinder {
public:
    ActionFinder(const Analysis& analysis, const Program& program, const LaunchOrder& order)
        : m_analysis(analysis),
          m_program(program),
          m_order(order),
          m_account(program.account),
          m_frameworks(frameworksOf(*analysis.profile)),
          m_optimizer(optimizerPasses(analysis, program)),
          m_tallSvd(tallSvd(analysis, program)) {
        if (m_optimizer.gain < program.window.seconds * kWorthDoing) m_optimizer = {};
        if (m_tallSvd.gain < program.window.seconds * kWorthDoing) m_tallSvd = {};
    }

    std::vector<Action> run();

private:
    /// Sets what follows from the bound. Drops the action if it is not worth doing; returns whether
    /// it stays.
    bool add(Action action);
    /// The most that an action of its kind can save, whatever it is.
    [[nodiscard]] Seconds mostSaved(const Action& action) const;
    /// Of two actions about the same launches of a library, one of which takes launches away, keeps
    /// the larger.
    void dropRepeated();
    /// Gives each trial that helped to the first action that it fits.
    void addTrials();

    // kernel_actions.cpp
    /// Where these kernels are launched, weighted by the time that they take.
    [[nodiscard]] std::vector<ActionSite> launchSites(
        const std::vector<std::uint32_t>& kernels) const;
    void findings();
    /// The time that passes while kernels run ÷ the sum of their times; 1 if none run side by side.
    [[nodiscard]] double timeAlone() const;
    /// Replaces the edit for grids that are too small if a repeat has many such launches of a few
    /// blocks each.
    void joinTinyLaunches(Action& action) const;
    /// Attention whose scores are written to memory and read again. Removes actions for its kernels
    /// that this one's edit replaces.
    void attention();
    /// Unfused elementwise operators. The rule for chains through the DRAM has its own bound; the
    /// larger of the two is shown.
    void elementwise();
    /// The same for CuPy, whose operators are told by their names, if that saves more than `least`.
    /// Returns whether it was added.
    bool operatorsOfCupy(Seconds least);
    /// Gives an action its kernels and sites, by the seconds that it saves of each kernel.
    void fuseAt(Action& action, const std::map<std::uint32_t, double>& gains) const;
    /// An optimizer that takes many passes, or passes over a table of which few rows are used.
    /// Replaces what rules find in the optimizer's kernels.
    void optimizer();

    // movement_actions.cpp
    /// Kernels that wait for pages of managed memory.
    void pageFaults();
    /// The program's own kernels that take many times as long in the program as while they are
    /// counted, although no managed memory is known and nothing else runs on the GPU.
    void hiddenWaits();
    /// The time that these kernels wait. Includes the shapes of their functions that were not
    /// counted, and adds these to `kernels`.
    struct Waits {
        std::vector<std::uint32_t> kernels;
        double launches = 0;     ///< per window, of those that were counted
        Seconds timed, counted;  ///< per window: in the program, and as long as while counted
        Seconds bound;
    };
    [[nodiscard]] Waits waitsOf(const std::function<bool(std::uint32_t)>& waits) const;
    /// Of such kernels: all launches with a time, and those that took far longer than without
    /// waiting.
    struct FaultedLaunches {
        std::size_t all = 0, waited = 0;
        std::size_t mostOfOne = 0;  ///< of those that waited, launches of one kernel
        Seconds time, without;  ///< of those that waited: in the program, and without page faults
    };
    [[nodiscard]] FaultedLaunches faultedLaunches(
        const std::function<bool(std::uint32_t)>& waits) const;
    [[nodiscard]] bool waitsForPages(std::uint32_t kernel) const;
    /// Whether a kernel of the window waits for pages again and again, so that the CPU must have
    /// had them in between.
    [[nodiscard]] bool pagesComeBack() const;
    /// Kernels of PyTorch that compute nothing.
    void dataMovement();
    /// Joins casts with the elementwise operators, if these are to be fused: one edit does both.
    bool fusesCasts(const KernelsPerWindow& casts);
    /// Whether autograd runs, as in training.
    [[nodiscard]] bool goesBackward() const;
    /// Whether torch.compile made some of the kernels.
    [[nodiscard]] bool isCompiled() const;
    [[nodiscard]] Words editOfMoves(const std::vector<Move>& moves) const;
    [[nodiscard]] static Words editOfCupyMoves(Move move);

    // precision_actions.cpp
    /// Library kernels that multiply in TF32, by their names.
    void tf32Products();
    /// Library kernels that multiply in FP32, by their names, where no counters were read.
    void fp32Products();
    /// PyTorch's attention and products, both for fp32 inputs: one action in place of theirs.
    void modelInFp32();
    /// Kernels that compute in FP64 because an operator met arrays of both precisions.
    void promotedToDouble();
    /// A network of PyTorch in FP64. `found`: the kernels that compute in it; `saves`: the share of
    /// their time that half the bytes save.
    void networkInDouble(const KernelsPerWindow& found, double saves);
    /// Complex transforms of real arrays.
    void realTransforms();

    // sort_actions.cpp
    /// Sorts of all the data: the program may need only the first few.
    void sorts();
    /// Gives an action for merge sorts, which take `time`, its words and its bound. `passes`: how
    /// often one of them moves all elements.
    static void giveWayToRadixSort(Action& action, Seconds time, double passes);
    /// The program's own sort, in many launches.
    void ownSort();
    /// Sparse tensors of PyTorch that are coalesced in each product.
    void coalescing();
    /// Adds an action in place of smaller ones about its kernels alone. Returns whether it did.
    bool addInPlace(Action action);

    // library_algorithms.cpp
    /// Solves with sparse triangular matrices, as in preconditioners by incomplete factors.
    void triangularSolves();
    /// FFTs by Bluestein's algorithm.
    void transformLengths();

    // tall_svd.cpp
    /// Singular values of matrices whose square is small. Replaces what rules find in the kernels.
    void tallMatrices();

    // same_matrix.cpp
    /// Matrix-vector products with one matrix that could be one product with many vectors.
    void sameMatrix();

    // block_sizes.cpp
    /// Shapes of a function that do the same work in other blocks, and in less time.
    void blockSizes();

    // frozen_forward.cpp
    /// Forward passes through which no gradient comes back, in a program that trains.
    void frozenForward();

    // rank_actions.cpp
    /// The bound assumes that even work makes the kernels of every rank take the present mean.
    void unevenRanks();

    // copy_actions.cpp
    /// Sums over copies of some kinds, per window.
    struct CopySum {
        double count = 0, bytes = 0;
        double exposed = 0, time = 0;  ///< s
        double bound = 0;              ///< s; the part that could run beside kernels
        [[nodiscard]] bool isLarge() const {
            return count > 0 && bytes >= kLeastCopy.value * count;
        }
        [[nodiscard]] std::vector<Arg> args() const;
        void leaveOut(const CopySum& others);
    };
    [[nodiscard]] CopySum copiesOf(std::initializer_list<TransferKind> kinds, bool pageable) const;
    /// Copies between host and GPU while no kernel runs. Pageable ones should be pinned or become
    /// fewer, pinned ones moved to where kernels run.
    void copies();
    /// Adds that the copies of an action to the GPU carry a few contents in turn.
    void tellTurns(Action& action) const;
    void pageableToGpu();
    /// A hundred or more copies to the GPU per window, of a few bytes each, unless repeatedCopies()
    /// found that they carry the same data.
    void smallCopies();
    void pageableToHost();
    /// Joins pageableToGpu() and pageableToHost(): one edit serves both.
    void pageableBothWays();
    /// Whether the window is all of the program, so that most memory is copied once.
    [[nodiscard]] bool copiesOnce() const;
    /// Large pinned copies that run nearly all the time, beside kernels or not: another stream does
    /// not make them shorter. Returns whether there are any.
    bool busyLink();
    /// Copies of inputs into a graph's buffers: the graph can read the inputs where they are.
    void graphInputs();
    /// As many bytes come back as are sent, and the CPU does little else than to provide and fill
    /// the memory for them. One edit takes the place of those for the copies; host() then leaves
    /// that work out.
    void returningBuffers();
    /// The memory of the GPU that works most, if known.
    [[nodiscard]] std::optional<Bytes> memoryOfGpu() const;
    /// As many bytes come back as are sent, and the CPU works on what came back. One edit takes the
    /// place of those for the copies and for that work, so this must run last.
    void dataComesBack();
    /// Copies of contents that the GPU already had. Counts all copies of such a size, so the result
    /// is an upper bound.
    void repeatedCopies();

    // idle_actions.cpp
    /// Where calls of this kind in the window come from: by samples of the idle time `cls`, if
    /// there are enough; else by the recorded sites that can belong to the window.
    [[nodiscard]] std::vector<ActionSite> sitesOf(CallKind kind, TimeClass cls,
                                                  Seconds bound) const;
    /// The same for copies in one direction.
    [[nodiscard]] std::vector<ActionSite> sitesOfCopies(TransferKind kind, Seconds bound) const;
    /// Whether the site may have copied like this in the window: by its name, by the sizes of its
    /// copies, and by how often it was called.
    [[nodiscard]] bool mayCopy(const CallSite& site, TransferKind kind) const;
    /// The most calls that a site can have made while sites were recorded, if all counted windows
    /// have `all` such calls; infinite if that is not known.
    [[nodiscard]] double mostCalls(double all) const;
    /// The most repeats of the window that can have run while sites were recorded; 0: not known.
    [[nodiscard]] double repeatsWithSites() const;
    [[nodiscard]] Words callsOf(std::initializer_list<CallKind> kinds) const;
    /// What the CPU did in this class of idle time, by samples. Samples in the module `without` are
    /// left out.
    [[nodiscard]] std::vector<HostFunction> functionsIn(TimeClass cls,
                                                        std::string_view without = {}) const;
    /// Time per window in which the GPU runs kernels or copies.
    [[nodiscard]] Seconds busy() const;
    /// One action for loops of a few short launches that wait for the GPU in each repeat, for
    /// instance to test for convergence. Returns whether it was given. It then replaces those of
    /// synchronisation() and launches(), which have the same edit.
    bool roundTrips();
    /// Without waits, the window lasts as long as the busier of GPU and CPU.
    void synchronisation();
    void idle(TimeClass cls, std::string rule, Words title, Words sentence, Words edit, Words call);
    [[nodiscard]] bool usesThrust() const;
    /// Whether much of the idle time in allocations is that of page-locked memory.
    [[nodiscard]] bool allocatesPinned() const;
    void allocation();
    void loading();

    // host_actions.cpp
    /// The recording does not show what the CPU did outside of CUDA. But it shows what the CPU gave
    /// the GPU next, and the program's NVTX ranges around it. Before a copy to the GPU, the CPU
    /// prepared the copied data.
    struct BeforeWork {
        double data = 0, bytes = 0;  ///< before copies to the GPU of more than a few numbers
        double loader = 0;           ///< in a range of a DataLoader
        std::string range;           ///< of the longest such work in a DataLoader
        const HostWork* most = nullptr;
    };
    [[nodiscard]] BeforeWork beforeWork() const;
    /// Host time of the judged run before the first and after the last work on the GPU.
    [[nodiscard]] Seconds hostAtEnds() const;
    void runEnds();
    struct HostTime;  ///< the rest, and what most of it is
    [[nodiscard]] HostTime hostTime() const;
    /// Says before or after what the host works, if that is known, in title and sentence.
    void sayBesideWhat(Action& action, const HostTime& host) const;
    [[nodiscard]] Words editOfHostWork(const HostTime& host) const;
    /// Of work in processes that the program forked.
    [[nodiscard]] Words editOfWorkers(const SampleTally& samples) const;
    /// The edit if neither a framework nor a function on the stack says more.
    [[nodiscard]] Words usualEditOfHostWork(const HostTime& host) const;
    void host();
    /// Drops what would only make copies faster whose data the CPU works on: done on the GPU, that
    /// work needs no such copies. `bound`: of the action that says so.
    void dropCopiesBack(Seconds bound);

    // strided_views.cpp
    /// Elementwise kernels of PyTorch or CuPy that access views across their order in memory: one
    /// edit of the array's layout mends all of them.
    void stridedViews();

    // xla_actions.cpp
    /// Functions of one step that JAX compiled separately and that pass over the same arrays. At
    /// most the time of all but the longest at the DRAM roof can be saved.
    void separateJits();
    /// A thousand and more kernels of XLA that are hardly longer than empty ones, as in a scan over
    /// small arrays. Returns whether the action was given; it then replaces that of launches().
    bool smallXlaKernels();
    /// Slices that XLA writes into arrays by a kernel each.
    void sliceUpdates();
    /// One action for loops of XLA that need the CPU in each round: jax.lax.while_loop copies one
    /// byte to it, which tells whether to go on. Returns whether it was found. It then replaces
    /// those of synchronisation() and launches().
    bool whileLoops();

    // launch_actions.cpp
    /// Whether nearly all launches of the window are of the program's own kernels, with a grid of
    /// one block.
    [[nodiscard]] bool onOneBlock() const;
    /// Whether the CPU waits for the GPU more than once per window, so not only at its end.
    [[nodiscard]] bool waitsInside() const;
    /// Calls that wait for the GPU, copies included, in a repeat.
    [[nodiscard]] double waitsPerRepeat() const;
    /// The function with the most launch shapes, if these change from repeat to repeat; else null.
    [[nodiscard]] const KernelFunction* changesShapes() const;
    struct LaunchPattern;  ///< of the launches that the GPU waits for
    [[nodiscard]] LaunchPattern launchPattern() const;
    /// The kernels that one launch of many replaces.
    void findMerged(LaunchPattern& pattern) const;
    /// What to do about such launches: in programs of PyTorch, and in all.
    [[nodiscard]] Words editOfTorchLaunches(const LaunchPattern& pattern) const;
    [[nodiscard]] Words editOfLaunches(const LaunchPattern& pattern) const;
    [[nodiscard]] std::vector<Arg> argsOfLaunches(const LaunchPattern& pattern) const;
    /// Whether such launches have an edit that does not depend on waits.
    [[nodiscard]] bool hasOwnEdit(const LaunchPattern& pattern) const;
    /// The time in which the GPU waits for launches, if these are what it waits for.
    [[nodiscard]] std::optional<Seconds> waitsForLaunches() const;
    /// `most`: what is left to save after an edit that comes first.
    void launches(std::optional<Seconds> most = std::nullopt);

    // wait_actions.cpp
    /// One action for several waits in different places of a step. Returns whether it was given. It
    /// then replaces those of synchronisation() and, where the step can only be captured without
    /// these waits, of launches().
    bool waitsWithin();
    /// The lines of these places, with the number of waits in a repeat where it is known:
    /// "train.py:73 4×, train.py:83".
    [[nodiscard]] std::string linesOfWaits(const std::vector<ActionSite>& sites,
                                           double waits) const;

    // tiny_launches.cpp
    /// Thousands of short launches of the program's own, each of a few blocks. Returns whether the
    /// action was given. It then replaces that of launches().
    bool tinyLaunches();

    // compile_actions.cpp
    /// Compilers that run from the first to the last repeat. host() then leaves them out.
    void compiling();

    const Analysis& m_analysis;
    const Program& m_program;
    const LaunchOrder& m_order;
    const Account& m_account;
    Frameworks m_frameworks;
    OptimizerPasses m_optimizer;
    TallSvd m_tallSvd;
    std::vector<Action> m_actions;
    mutable std::optional<double> m_repeatsWithSites;  ///< computed on first use
    bool m_compiling = false;                          ///< compiling() has given an action
    bool m_buffersReturn = false;                      ///< returningBuffers() has given an action
    CopySum m_repeated;                                ///< that repeatedCopies() has an action for
    bool m_repeatedArePageable = false;
    Bytes m_turning;  ///< RepeatedCopies::turning
};

}  // namespace roofscope::program
