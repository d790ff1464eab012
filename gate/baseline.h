// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/compare/comparison.h"
#include "analyzer/model/analysis.h"
#include "gate/by_name.h"
#include "profile/errors/result.h"

namespace roofscope {
class PrivateDataFilter;
}

/// The baseline of a gate: a small, sorted and stable text file, so that its diff in a pull request
/// shows what changed. It contains no paths, host or user names.
namespace roofscope::gate {

/// A value of a kernel, per launch and in its base unit, with the band of its repeats. Values
/// without noise (registers) have no repeats.
struct Fact {
    double value = 0;
    Band band;
};

struct BaselineDevice {
    std::string name, chip;
    int computeMajor = 0, computeMinor = 0;
    std::uint32_t smCount = 0;
    bool operator==(const BaselineDevice&) const = default;
};

struct BaselineKernel {
    std::size_t line = 0;     ///< of the file, 1-based; 0 when it comes from a profile
    std::string name, range;  ///< as baselineName() writes them; the range may be empty
    std::uint32_t device = 0;
    Dim3 grid, block;
    std::optional<Dim3> cluster;
    std::uint64_t dynamicSharedBytes = 0;
    std::optional<double> smClockHz, dramClockHz;
    ByName<Fact> facts;     ///< by key (gate/keys.h)
    ByName<bool> findings;  ///< rule id → minor
};

/// What the program repeats, and how long a repeat takes without tracing.
struct BaselineProgram {
    std::string window;  ///< toString(WindowKind)
    std::string name;    ///< of the NVTX range, as baselineName() writes it; may be empty
    Fact time;           ///< in seconds; the band is that of the repeats
};

struct Baseline {
    std::string tool;                   ///< "roofscope 0.1.0"
    std::string cacheControl = "none";  ///< Capture::cacheControl
    std::vector<BaselineDevice> devices;
    std::optional<BaselineProgram> program = {};
    /// ids of the rules that the tool knew: a finding of another rule is not "new"
    std::vector<std::string> rules;
    std::vector<BaselineKernel> kernels;  ///< by name, range, device and launch shape
};

/// A name as a baseline stores it: valid UTF-8, with paths and addresses replaced by a hash of them
/// and names of machines by "<host>". Beyond about 4000 bytes it is cut, and a hash of the whole
/// name added. The same name always gives the same text.
[[nodiscard]] std::string baselineName(std::string_view name,
                                       const PrivateDataFilter& privateParts);

/// Makes the kernels of a baseline one at a time, so that they need not all be in memory. The
/// analysis must outlive it.
class BaselineMaker {
public:
    explicit BaselineMaker(const Analysis& analysis);
    ~BaselineMaker();
    BaselineMaker(const BaselineMaker&) = delete;
    BaselineMaker& operator=(const BaselineMaker&) = delete;

    /// Everything but the kernels.
    [[nodiscard]] Baseline head() const;
    /// The kernels in the order of a baseline: indices into Analysis::kernels.
    [[nodiscard]] const std::vector<std::size_t>& order() const;
    /// The name and range of a kernel (an index into Analysis::kernels) as a baseline stores them.
    [[nodiscard]] const std::string& name(std::size_t kernel) const;
    [[nodiscard]] const std::string& range(std::size_t kernel) const;
    [[nodiscard]] BaselineKernel kernel(std::size_t kernel) const;

private:
    struct State;
    std::unique_ptr<const State> m_state;
};

/// The text of the file.
[[nodiscard]] std::string formatBaseline(const Baseline& baseline);

/// The baseline of an analysis as text, made without holding it as a whole, and what is in it.
struct BaselineText {
    std::string text;
    std::size_t kernels = 0, values = 0;
    std::size_t fewLaunches = 0;  ///< kernels with less than kLeastRepeats
};
[[nodiscard]] BaselineText baselineText(const Analysis& analysis);
/// Whether parseBaseline() would read it.
Result<void> checkBaseline(std::string_view text, std::string_view name);

/// Reads it back. Sizes are bounded; errors name file and line.
Result<Baseline> parseBaseline(std::string_view text, std::string_view name);

/// The largest baseline that is read.
inline constexpr std::size_t kMaxBaselineBytes = 256 << 20;

}  // namespace roofscope::gate
