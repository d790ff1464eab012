// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/synthetic_program.h"

namespace roofscope::test {

/// A step that copies from pageable memory: "pageable-copy" is the first action.
inline Profile copyingProgram() {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 20'000);
        p.launch("gemm", 5000);
        p.pop();
    }
    return p.build();
}

}  // namespace roofscope::test
