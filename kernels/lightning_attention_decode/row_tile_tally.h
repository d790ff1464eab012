// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/lightning_attention_decode/decode_step.h"

namespace roofscope::kernels::lightning {

/// The accesses of one block of `shared_conflict` and `shared_padded`, which differ only in the row
/// stride of the shared tile (in words).
[[nodiscard]] inline AccessCounts tallyRowTile(const BlockView& b, int stride, int threads) {
    const int D = b.keyWidth, E = b.valueWidth, s = b.elementBytes;
    BlockTally block(threads);
    const auto inRow = [=](auto address) {
        return [=](int thread) { return thread < D ? std::int64_t{address(thread)} : kInactive; };
    };
    const auto inColumn = [=](auto address) {
        return [=](int thread) { return thread < E ? std::int64_t{address(thread)} : kInactive; };
    };
    const int q = D * stride, k = q + D, v = k + D, out = v + E;  // words in shared memory

    block.globalLoad(s, inRow([&](int d) { return b.q + d * s; }));
    block.sharedStore(inRow([&](int d) { return q + d; }));
    block.globalLoad(s, inRow([&](int d) { return b.k + d * s; }));
    block.sharedStore(inRow([&](int d) { return k + d; }));
    block.globalLoad(s, inColumn([&](int e) { return b.v + e * s; }));
    block.sharedStore(inColumn([&](int e) { return v + e; }));

    block.globalLoad(4, inRow([&](int) { return b.slope; }));
    block.sharedLoad(inRow([&](int d) { return k + d; }));
    for (int e = 0; e < E; ++e) {
        block.globalLoad(4, inRow([&](int d) { return b.kv + (d * E + e) * 4; }));
        block.sharedLoad(inRow([&](int) { return v + e; }));
        block.sharedStore(inRow([&](int d) { return d * stride + e; }));
    }
    for (int e = 0; e < E; ++e) {
        block.sharedLoad(inRow([&](int d) { return d * stride + e; }));
        block.globalStore(4, inRow([&](int d) { return b.kv + (d * E + e) * 4; }));
    }
    for (int d = 0; d < D; ++d) {
        block.sharedLoad(inColumn([&](int) { return q + d; }));
        block.sharedLoad(inColumn([&](int e) { return d * stride + e; }));
    }
    block.sharedStore(inColumn([&](int e) { return out + e; }));
    for (int e = 0; e < E; ++e) {
        block.sharedLoad([&](int thread) { return thread == 0 ? out + e : kInactive; });
        block.globalStore(s, [&](int thread) { return thread == 0 ? b.out + e * s : kInactive; });
    }
    return block.counts();
}

}  // namespace roofscope::kernels::lightning
