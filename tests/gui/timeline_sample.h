// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "analyzer/model/analysis.h"
#include "tests/reports/profiles.h"

namespace roofscope::test {

/// Launches of two alternating kernels on a stream, one after the other with gaps of `gapUs`.
inline SyntheticProfile launchesInARow(std::size_t count, double lengthUs, double gapUs) {
    SyntheticProfile p;
    const std::uint32_t kernels[] = {p.kernel("first(float*)"), p.kernel("second(float*)")};
    for (std::size_t i = 0; i < count; ++i)
        p.launch(kernels[i % 2], {1024, 1, 1}, {128, 1, 1}).durationUs(lengthUs).launch().start =
            Seconds{double(i) * (lengthUs + gapUs) * 1e-6};
    p.profile().processes[0].launchesSeen = count;
    return p;
}

inline std::shared_ptr<const Analysis> shared(const SyntheticProfile& p) {
    return std::make_shared<const Analysis>(analysisOf(p));
}

}  // namespace roofscope::test
