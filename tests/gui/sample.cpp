// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/sample.h"

#include <stdexcept>

#include "tests/reports/profiles.h"
#include "tests/support/synthetic_program.h"

namespace roofscope::test {

Profile sampleProfile() {
    SyntheticProfile p = showcase();
    const auto repeated = p.kernel("void ops::repeated<int>(int*)");
    for (const double reads : {3e8, 1e8, 2e8})
        p.launch(repeated, {1024, 1, 1}, {128, 1, 1})
            .set("dram__bytes_read.sum", reads)
            .counterDurationUs(50)
            .range("epoch 1 > step");
    p.launch(p.kernel("unmeasured(float*)"), {1, 1, 1}, {32, 1, 1});
    p.issue(Severity::Info, "clock-not-fixed", "The clocks were not fixed");
    p.issue(Severity::DataLoss, "ranges-dropped", "Two launches have no counters", "Record again");
    return p.build();
}

std::shared_ptr<const Analysis> sampleAnalysis() {
    return std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(sampleProfile())));
}

gui::ProfileDocument sampleDocument() {
    return {.path = QStringLiteral("/profiles/sample.roofscope.json"),
            .analysis = sampleAnalysis(),
            .loadedAt = QDateTime::currentDateTime()};
}

Profile rangesProfile() {
    SyntheticProfile p;
    p.launch(p.kernel("k()"), {1, 1, 1}, {32, 1, 1}).counterDurationUs(10);
    Profile profile = p.build();
    profile.ranges = {"step > layer", "<b>hostile</b>", "never timed"};
    profile.rangeMeasurements = {
        {.range = 0, .ordinal = 0, .launches = 7, .duration = Seconds{1e-3}},
        {.range = 0, .ordinal = 1, .launches = 6, .duration = Seconds{1e-3}},
        {.range = 1, .duration = Seconds{5e-4}},
        {.range = 2, .launches = 0}};
    profile.rangeCounters.resize(4);
    profile.rangeCounters.set("gpu__time_duration.sum", 0, 1e6);
    profile.rangeCounters.set("dram__bytes_read.sum", 0, 2e9);
    profile.rangeCounters.set("dram__bytes_write.sum", 0, 0);
    return profile;
}

std::shared_ptr<const Analysis> rangesAnalysis() {
    return std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(rangesProfile())));
}

Profile programProfile() {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 20'000);
        p.call("cudaMalloc", CallKind::Allocate, 900);
        p.launch("gemm", 4000);
        for (int k = 0; k < 20; ++k) p.launch("add", 25);
        p.sync().memset(4096, 5);
        p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, 64e6, 30'000);
        p.pop();
    }
    Profile profile = p.build();
    for (const char* call : {"cudaMemcpyAsync", "cudaStreamSynchronize"})
        profile.callSites.push_back({.kernel = std::nullopt,
                                     .call = call,
                                     .file = "/build/app/train.py",
                                     .line = call[4] == 'M' ? 5U : 8U,
                                     .function = "step",
                                     .count = 12});
    profile.callSites.push_back({.kernel = profile.launches[1].kernel,
                                 .file = "/build/app/ops/gemm.py",
                                 .line = 3,
                                 .function = "forward",
                                 .count = 6});
    return profile;
}

std::size_t kernelNamed(const Analysis& analysis, const std::string& name) {
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i)
        if (analysis.kernels[i].fullName.find(name) != std::string::npos) return i;
    throw std::logic_error("no kernel named " + name);
}

}  // namespace roofscope::test
