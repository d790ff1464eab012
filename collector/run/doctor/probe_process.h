// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "collector/run/doctor/facts.h"

namespace roofscope::doctor {

/// Sends what the child has found so far to its parent.
class Reporter {
public:
    explicit Reporter(int file) : m_file(file) {}
    /// The step that comes next. If it hangs or crashes, the parent reports its name.
    void step(const std::string& name) const { send({{"step", name}}); }
    /// Everything found so far; each call replaces what was sent before.
    void facts(const nlohmann::json& all) const { send({{"facts", all}}); }

private:
    void send(const nlohmann::json& message) const;
    int m_file;
};

/// What a child process found, and how it ended.
struct ProbeResult {
    nlohmann::json facts;  ///< null if nothing was sent
    Ending ending;
};

/// Runs `work` in a child process, because a broken driver may crash or never return. Facts that
/// were sent before are kept. A child that sends nothing for `limit` seconds is killed; one that
/// cannot be killed (stuck in the kernel) is left behind.
[[nodiscard]] ProbeResult runProbe(const std::function<void(const Reporter&)>& work, int limit);

}  // namespace roofscope::doctor
