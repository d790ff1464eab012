// SPDX-License-Identifier: Apache-2.0
/// A part of a PyTorch model that is not trained, in a program that trains.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/operators/operator_flops.h"

namespace roofscope::program {
namespace {

using GradientLine = std::pair<std::string, std::uint32_t>;
using SiteFunction = std::pair<std::string, std::string>;

bool isProduct(const CallSite& site) { return operatorKind(site.op) != OperatorKind::NoProduct; }

/// Whether the last tensor of the operator holds weights. The operands of others (bmm, attention)
/// are all computed.
bool hasWeights(const CallSite& site) {
    return operatorKind(site.op) == OperatorKind::Convolution || site.op == "aten::mm" ||
           site.op == "aten::addmm";
}

/// Whether it belongs to an optimizer, some of which multiply matrices.
bool isOptimizers(const CallSite& site) {
    return site.function == "step" || site.function.ends_with(".step") ||
           site.file.find("/optim") != std::string::npos;
}

/// The size of the last tensor: that of the weights or their transpose.
std::string_view lastSize(const CallSite& site) {
    const std::string_view sizes = site.sizes;
    const auto at = sizes.rfind('[');
    return at == sizes.npos ? std::string_view() : sizes.substr(at);
}

/// Where gradients pass and where not, by the lines from which operators are called.
class Gradients {
public:
    explicit Gradients(const Profile& profile) {
        std::set<GradientLine> forward, backward;  // of products
        for (const CallSite& site : profile.callSites) {
            if (!site.kernel || site.op.empty()) continue;
            // What torch.compile made has no operators for parts of the model.
            m_isKnown = m_isKnown && site.file.find("torchinductor") == std::string::npos;
            const CodeLine line = lineOf(site);
            const GradientLine at(line.file, line.line);
            if (!site.backward.empty()) {
                m_passes.insert(at);
                if (isProduct(site)) backward.insert(at);
            } else if (isProduct(site)) {
                forward.insert(at);
            }
        }
        // A backward pass that the program wrote itself is at lines of its own.
        m_isKnown = m_isKnown && !backward.empty() && std::ranges::includes(forward, backward);
        if (m_isKnown) sort(profile);
    }

    /// Whether nothing is frozen.
    [[nodiscard]] bool empty() const { return !m_isKnown || m_frozenLines.empty(); }

    /// Whether the operator is called where no gradient passes, in a part that multiplies matrices.
    [[nodiscard]] bool isFrozen(const CallSite& site) const {
        return !empty() && site.backward.empty() && site.line > 0 &&
               (m_frozenLines.contains({site.file, site.line}) ||
                m_frozenFunctions.contains({site.file, site.function}));
    }

private:
    void sort(const Profile& profile) {
        std::set<std::string, std::less<>> trained;
        std::set<SiteFunction> passes;
        std::set<GradientLine> shared;
        const auto each = [&](auto use) {
            for (const CallSite& site : profile.callSites)
                if (site.kernel && !site.op.empty() && site.backward.empty())
                    use(site, m_passes.contains({site.file, site.line}));
        };
        each([&](const CallSite& site, bool gradient) {
            if (!gradient) return;
            passes.insert({site.file, site.function});
            if (!hasWeights(site)) return;
            if (lastSize(site).empty()) m_isKnown = false;
            trained.emplace(lastSize(site));
        });
        // The same weights may be used without gradients elsewhere, as by a policy that acts, and
        // the copy of a model that follows it (a teacher, a target network) changes in each step.
        each([&](const CallSite& site, bool gradient) {
            if (gradient || !hasWeights(site)) return;
            const bool own = !lastSize(site).empty() && !trained.contains(lastSize(site));
            if (!own || isOptimizers(site)) {
                shared.insert({site.file, site.line});
                passes.insert({site.file, site.function});
            } else {
                m_frozenLines.insert({site.file, site.line});
            }
        });
        for (const GradientLine& line : shared) m_frozenLines.erase(line);
        each([&](const CallSite& site, bool) {
            const SiteFunction function(site.file, site.function);
            if (m_frozenLines.contains({site.file, site.line}) && !site.function.empty() &&
                !passes.contains(function))
                m_frozenFunctions.insert(function);
        });
    }

    bool m_isKnown = true;
    std::set<GradientLine> m_passes;  ///< a gradient passes
    std::set<GradientLine> m_frozenLines;
    std::set<SiteFunction> m_frozenFunctions;  ///< file and function
};

}  // namespace

void ActionFinder::frozenForward() {
    constexpr double kLeast = 0.2;  // of the window
    if (!m_frameworks.torch) return;
    const Gradients gradients(*m_analysis.profile);
    if (gradients.empty()) return;
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [&](const KernelAnalysis& kernel) {
            bool frozen = false;
            for (const CallSite* site : launchSitesOf(*m_analysis.profile, kernel)) {
                if (site->op.empty()) continue;
                if (!gradients.isFrozen(*site)) return false;
                frozen = true;
            }
            return frozen;
        });
    if (found.time < m_program.window.seconds * kLeast) return;
    addInPlace(
        {.rule = "frozen-forward",
         .alwaysExplained = true,
         .kernels = found.kernels,
         .bound = found.time,
         .sites = launchSites(found.kernels),
         .title = Words("A part that is not trained is computed again"),
         .sentence = Words("{time} of {all} in kernels are forward passes through which no "
                           "gradient comes back, so that only their inputs decide what they give."),
         .edit = Words("If the same inputs come again (further epochs, no random augmentation), "
                       "compute these results once, keep them (in 16 bits; on the CPU if they are "
                       "large) and train on them. If not, run this part under "
                       "torch.inference_mode(), compiled (torch.compile), in larger batches."),
         .args = {number("time", found.time.value, Unit::Seconds),
                  number("all", m_account.time[TimeClass::Kernels].value, Unit::Seconds)}});
}

}  // namespace roofscope::program
