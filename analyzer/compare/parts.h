// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyzer/compare/comparison.h"
#include "analyzer/compare/program_comparison.h"
#include "analyzer/quantities/catalog.h"
#include "analyzer/quantities/device_formulas.h"

/// The steps of compareKernels(), one file each; the search for a cause has a folder.
namespace roofscope::compare {

/// A kernel and the profile that it is part of.
struct Side {
    const Analysis& analysis;
    const KernelAnalysis& kernel;
    const ProfileFormulas& formulas;  ///< of the profile

    [[nodiscard]] const Profile& profile() const { return *analysis.profile; }
    [[nodiscard]] const Device& device() const { return profile().devices[kernel.group.device]; }
    [[nodiscard]] const Kernel& function() const { return profile().kernels[kernel.group.kernel]; }
};

/// The band of the finite values: minimum and maximum, or quartiles from kQuartileRepeats on. Sorts
/// `values`.
[[nodiscard]] Band bandOf(std::span<double> values);
/// True when the bands share no value.
[[nodiscard]] bool apart(const Band& a, const Band& b);
/// Kernels whose stores differ by more than this share may do different work.
inline constexpr double kOtherWork = 0.10;
/// The difference of two amounts as a share of the larger one, 0 to 1.
[[nodiscard]] double differenceShare(double a, double b);
/// |to − from| / from; infinite when `from` is 0 and `to` is not.
[[nodiscard]] double relativeChange(double from, double to);

/// The quantities of a kernel's launches one by one, to see how far they agree. Takes at most 64
/// launches, evenly spread, of those with counters if there are any; all launches of a long
/// training run would only take time.
class Repeats {
public:
    explicit Repeats(const Side& side);
    [[nodiscard]] QuantityValue value(const QuantityEntry& entry) const;  ///< over all launches
    [[nodiscard]] Band band(const QuantityEntry& entry) const;  ///< of a compared quantity

private:
    const Side& m_side;
    /// For each compared quantity, in their order: a value per launch, NaN where it is missing.
    /// Empty if there are fewer than two launches.
    std::vector<std::vector<double>> m_values;
};

[[nodiscard]] bool sameGpu(const Device& a, const Device& b);
[[nodiscard]] bool sameGpu(const Side& from, const Side& to);
[[nodiscard]] DurationChange durationChange(const Side& from, const Side& to);
[[nodiscard]] std::vector<LaunchProperty> launchProperties(const Side& from, const Side& to);
[[nodiscard]] std::vector<Movement> movements(const Side& from, const Side& to);
/// Why the duration changed; NotSought when it did not, or cannot be compared.
[[nodiscard]] Cause findCause(const Side& from, const Side& to, const DurationChange& duration);
[[nodiscard]] std::vector<Promise> checkPromises(const Side& from, const Side& to);
[[nodiscard]] std::vector<std::string> newFindings(const Side& from, const Side& to);

/// Kernels that others replaced; see comparePrograms().
[[nodiscard]] std::vector<KernelExchange> findExchanges(const Analysis& baseline,
                                                        const Analysis& candidate,
                                                        Matching& matching);
/// Judges a promise. `before`: the time before the change that saved `saved`.
[[nodiscard]] PromisedSaving::Outcome outcomeOf(Seconds bound, Seconds saved, Seconds before);
/// What became of the baseline's actions that shorten a class of the account. Those that are still
/// proposed were not carried out, and are left out.
[[nodiscard]] std::vector<PromisedSaving> actionPromises(const Analysis& baseline,
                                                         const Program& before,
                                                         const Analysis& candidate,
                                                         const Program& after);

[[nodiscard]] Arg number(std::string name, double value, Unit unit);
/// `text`: a name of the program or a counter, the same in all languages.
[[nodiscard]] Arg word(std::string name, const std::string& text);
[[nodiscard]] Arg word(std::string name, Words text);

}  // namespace roofscope::compare
