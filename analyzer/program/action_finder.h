// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/program/actions.h"
#include "analyzer/program/data_movement.h"
#include "analyzer/program/optimizer_passes.h"

namespace roofscope::program {

/// Of a kernel's name in a sentence.
inline constexpr std::size_t kLongestKernel = 50;

inline Arg number(std::string name, double value, Unit unit) {
    return {.name = std::move(name), .value = value, .unit = unit};
}
inline Arg words(std::string name, Words text) {
    return {.name = std::move(name), .value = 0, .unit = Unit::Count, .text = std::move(text)};
}

/// findActions(), by what the GPU does or waits for: kernels (kernel_actions.cpp), copies
/// (copy_actions.cpp), the CPU (idle_actions.cpp), other ranks (rank_actions.cpp).
class ActionFinder {
public:
    ActionFinder(const Analysis& analysis, const Program& program, const LaunchOrder& order)
        : m_analysis(analysis),
          m_program(program),
          m_order(order),
          m_account(program.account),
          m_frameworks(frameworksOf(*analysis.profile)),
          m_optimizer(optimizerPasses(analysis, program)) {
        if (m_optimizer.gain < program.window.seconds * kWorthDoing) m_optimizer = {};
    }

    std::vector<Action> run();

private:
    /// Sets what follows from the bound; drops what is not worth doing.
    void add(Action action);

    // kernel_actions.cpp
    /// Where these kernels are launched, by the time that they take.
    [[nodiscard]] std::vector<ActionSite> launchSites(
        const std::vector<std::uint32_t>& kernels) const;
    void findings();
    /// A rule has a bound of its own for chains through the DRAM: the larger of the two is said.
    void elementwise();
    /// In place of what rules find in its kernels.
    void optimizer();

    // movement_actions.cpp
    /// Kernels that took longer in the program than while they were counted, where the program
    /// allocates managed memory: what moved meanwhile are its pages.
    void pageFaults();
    /// Kernels of PyTorch that compute nothing.
    void dataMovement();
    [[nodiscard]] Words editOfMoves(const std::vector<Move>& moves) const;

    // rank_actions.cpp
    /// With even work all ranks take the mean of what their kernels take now.
    void unevenRanks();

    // copy_actions.cpp
    /// Copies between host and GPU that nothing runs beside: pageable ones can do no better, others
    /// can be moved.
    void copies();
    /// Without the copies the graph reads the input itself.
    void graphInputs();
    /// All copies of a size count, so that the bound is one.
    void repeatedCopies();

    // idle_actions.cpp
    [[nodiscard]] std::vector<ActionSite> sitesOf(CallKind kind, Seconds bound) const;
    [[nodiscard]] Words callsOf(std::initializer_list<CallKind> kinds) const;
    /// Without waits the window lasts as long as the busier of GPU and CPU.
    void synchronisation();
    /// Whether torch.cat runs in every repeat, once per layer for instance, and nothing goes
    /// backward: a decode loop whose cache grows, which cannot be captured in a graph.
    [[nodiscard]] bool growsByCat() const;
    /// Whether the CPU waits for the GPU more than once per window: not only at its end.
    [[nodiscard]] bool waitsInside() const;
    void launches();
    void idle(TimeClass cls, std::string rule, Words title, Words sentence, Words edit, Words call);
    [[nodiscard]] bool usesThrust() const;
    void allocation();
    void loading();
    /// What the CPU did without CUDA is not recorded; what it gave the GPU next is, and the ranges
    /// of the program around it. Before a copy to the GPU it is the copied data that it made ready.
    struct BeforeWork {
        double data = 0, bytes = 0;  ///< before copies to the GPU of more than a few numbers
        double loader = 0;           ///< in a range of a DataLoader
        std::string range;           ///< of most of that
        const HostWork* most = nullptr;
    };
    [[nodiscard]] BeforeWork beforeWork() const;
    void host();

    const Analysis& m_analysis;
    const Program& m_program;
    const LaunchOrder& m_order;
    const Account& m_account;
    Frameworks m_frameworks;
    OptimizerPasses m_optimizer;
    std::vector<Action> m_actions;
};

}  // namespace roofscope::program
