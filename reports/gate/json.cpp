// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/words.h"
#include "reports/gate/formats.h"
#include "reports/gate/words.h"
#include "reports/json/json_parts.h"

/// The verdict as JSON, with all checks, including those that passed.
namespace roofscope {

namespace {

using json_parts::clean, json_parts::Json, json_parts::list, json_parts::orNull;

Json checkJson(const gate::Check& c) {
    return {{"id", c.id},
            {"status", gate::toString(c.status)},
            {"allowed", c.allowed},
            {"improved", c.improved},
            {"label", clean(c.label.in(Language::En))},
            {"unit", json_parts::unitName(c.unit)},
            {"baseline", orNull(c.from)},
            {"profile", orNull(c.to)},
            {"growth_ratio", orNull(c.growth())},
            {"bound", orNull(c.bound)},
            {"reason", compare_words::sentence(c.reason, Language::En)}};
}

Json reasons(const std::vector<Remark>& notes) {
    return list(notes, [](const Remark& note) {
        return Json(compare_words::sentence(note, Language::En));
    });
}

}  // namespace

std::string renderGateJson(const gate::Judgement& j, const GateOptions& options) {
    const auto& c = j.count;
    Json root = {{"format", "roofscope-gate"},
                 {"schema", {1, 0}},
                 {"tool_version", options.toolVersion},
                 {"profile", clean(options.profilePath)},
                 {"baseline", clean(options.baselinePath)},
                 {"verdict", gate::toString(j.status())},
                 {"exit_code", j.exitCode()},
                 {"summary", gate_words::summary(j)},
                 {"count",
                  {{"kernels", c.kernels},
                   {"passed", c.passed},
                   {"failed", c.failed},
                   {"incomparable", c.incomparable},
                   {"allowed", c.allowed},
                   {"improved", c.improved}}},
                 {"notes", reasons(j.notes)},
                 {"checks", list(j.checks, checkJson)}};
    root["kernels"] = list(j.kernels, [](const gate::KernelGate& kernel) {
        return Json{
            {"name", clean(kernel.name)},
            {"range", clean(kernel.range)},
            {"baseline_line", kernel.baselineLine > 0 ? Json(kernel.baselineLine) : Json(nullptr)},
            {"in_profile", kernel.inProfile},
            {"status", gate::toString(kernel.status())},
            {"notes", reasons(kernel.notes)},
            {"checks", list(kernel.checks, checkJson)}};
    });
    return json_parts::dump(root);
}

}  // namespace roofscope
