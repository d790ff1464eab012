// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/gate/gate_report.h"

/// One function per output format of the gate, each in its own file.
namespace roofscope {

[[nodiscard]] std::string renderGateText(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateMarkdown(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateJson(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateJunit(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateSarif(const gate::Judgement& j, const GateOptions& options);
[[nodiscard]] std::string renderGateGithub(const gate::Judgement& j, const GateOptions& options);

}  // namespace roofscope
