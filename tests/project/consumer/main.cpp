// SPDX-License-Identifier: Apache-2.0
// A ten-line independent program: reads a profile, analyses it, prints its report.
#include <cstdio>

#include "profile/codec/codec.h"
#include "reports/report.h"

int main(int argc, char** argv) {
    const auto read = roofscope::readProfile(argc > 1 ? argv[1] : "missing.roofscope.json");
    if (!read) return std::fputs(read.error().message().c_str(), stderr), 3;
    const auto analysis = roofscope::analyze(std::make_shared<roofscope::Profile>(read.value()));
    const auto text = roofscope::renderReport(analysis, roofscope::ReportFormat::Markdown);
    return text && std::puts(text.value().c_str()) >= 0 ? 0 : 1;
}
