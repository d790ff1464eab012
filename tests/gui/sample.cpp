// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/sample.h"

#include <stdexcept>

#include "tests/reports/profiles.h"

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

std::size_t kernelNamed(const Analysis& analysis, const std::string& name) {
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i)
        if (analysis.kernels[i].fullName.find(name) != std::string::npos) return i;
    throw std::logic_error("no kernel named " + name);
}

}  // namespace roofscope::test
