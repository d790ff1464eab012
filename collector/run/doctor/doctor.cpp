// SPDX-License-Identifier: Apache-2.0
#include "collector/run/doctor/doctor.h"

#include "collector/run/doctor/gpu_probe.h"
#include "collector/run/doctor/judge.h"
#include "collector/run/doctor/probe_process.h"
#include "collector/run/doctor/read_system.h"

namespace roofscope {
namespace {

/// Creating a context takes a second or two; a hung driver must not hang doctor.
constexpr int kGpuLimitSeconds = 60;
constexpr int kSystemLimitSeconds = 10;

/// Reads the facts that a child process sent. If it crashed before it sent any, they stay unknown.
template <class T>
void takeFacts(const nlohmann::json& json, T& facts) {
    try {
        if (!json.is_null()) json.get_to(facts);
    } catch (const nlohmann::json::exception&) {
        facts = {};
    }
}

}  // namespace

Diagnosis diagnose(const std::string& program) {
    using namespace doctor;
    Facts facts;
    const ProbeResult system = runProbe(
        [&](const Reporter& report) { readSystem({}, program, report); }, kSystemLimitSeconds);
    takeFacts(system.facts, facts.system);
    facts.systemEnding = system.ending;
    const ProbeResult gpu = runProbe(probeGpus, kGpuLimitSeconds);
    takeFacts(gpu.facts, facts.gpu);
    facts.gpuEnding = gpu.ending;
    return judge(facts);
}

}  // namespace roofscope
