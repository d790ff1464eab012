// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernels/selection.h"

namespace CLI {
class App;
}

/// One function per subcommand of roofscope-kernels. It declares its options on `app` and sets
/// `run`, which main() calls after parsing; only main() prints errors and exits.
namespace roofscope::kernels::app {

/// What a subcommand does once the command line is parsed. The value is the process exit code.
using Action = std::function<Result<int>()>;

void addListCommand(CLI::App& app, Action& run);
void addRunCommand(CLI::App& app, Action& run);
void addVerifyCommand(CLI::App& app, Action& run);
void addExpectCommand(CLI::App& app, Action& run);
void addCeilingsCommand(CLI::App& app, Action& run);

/// NAME… --shape --dtype, shared by several subcommands.
struct SelectionOptions {
    std::vector<std::string> names;
    std::vector<std::string> shapes;  ///< each "B=64,D=96"; they are joined
    std::string dtype;
    bool allShapes = false;

    /// Declares the options; --all-shapes only if `withAllShapes`.
    void declare(CLI::App& app, bool withAllShapes);
    /// Whether the user chose other cases than the rungs' own.
    [[nodiscard]] bool changesCases() const { return !shapes.empty() || !dtype.empty(); }
    [[nodiscard]] Result<CaseOptions> caseOptions() const;
    /// The selected rungs on the selected cases.
    [[nodiscard]] Result<std::vector<Job>> jobs() const;
};

/// Prints "What is being done, 3 of 12" on one line of stderr if that is a terminal; else nothing.
class Progress {
public:
    explicit Progress(std::size_t total);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void next(const std::string& what);

private:
    bool m_visible = false;
    std::size_t m_done = 0, m_total = 0;
};

/// A case that this GPU cannot run (skipReason()): one line of output, or {range, reason}.
void printSkipped(const Job& job, const std::string& why);
[[nodiscard]] nlohmann::ordered_json skippedJson(const Job& job, const std::string& why);

/// A rung's least compute capability as [9, 0], or null if any GPU can run it.
[[nodiscard]] nlohmann::ordered_json computeCapabilityJson(const Rung& rung);

/// Whether a profiler collects this process's launches (ROOFSCOPE_PROFILING=1, set by
/// `roofscope record`), so that event timings would be meaningless.
[[nodiscard]] bool beingProfiled();

}  // namespace roofscope::kernels::app
