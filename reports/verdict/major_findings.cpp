// SPDX-License-Identifier: Apache-2.0
#include "reports/verdict/major_findings.h"

namespace roofscope {

std::vector<const Finding*> majorFindings(const KernelAnalysis& kernel) {
    std::vector<const Finding*> found;
    for (const Finding& finding : kernel.findings)
        if (!finding.minor) found.push_back(&finding);
    return found;
}

std::vector<const Finding*> minorFindings(const KernelAnalysis& kernel) {
    std::vector<const Finding*> found;
    for (const Finding& finding : kernel.findings)
        if (finding.minor) found.push_back(&finding);
    return found;
}

}  // namespace roofscope
