// SPDX-License-Identifier: Apache-2.0
#include "kernels/access_tally.h"

#include "tests/support/catch.h"

using namespace roofscope::kernels;

TEST_CASE("a warp of consecutive floats asks for 128 bytes in 4 sectors") {
    BlockTally block(32);
    block.globalLoad(4, [](int t) { return std::int64_t{t} * 4; });
    CHECK(block.counts().globalLoadBytes == 128);
    CHECK(block.counts().globalLoadSectors == 4);
}

TEST_CASE("an unaligned warp touches one sector more") {
    BlockTally block(32);
    block.globalStore(4, [](int t) { return std::int64_t{t} * 4 + 4; });
    CHECK(block.counts().globalStoreBytes == 128);
    CHECK(block.counts().globalStoreSectors == 5);
}

TEST_CASE("a float every 384 bytes is a sector each; one for all is one word in one sector") {
    BlockTally block(64);
    block.globalLoad(4, [](int t) { return std::int64_t{t} * 384; });
    CHECK(block.counts().globalLoadSectors == 64);
    block.globalLoad(4, [](int) { return std::int64_t{0}; });
    CHECK(block.counts().globalLoadSectors == 64 + 2);  // two warps
    CHECK(block.counts().globalLoadBytes == 64 * 4 + 2 * 4);
}

TEST_CASE("16-byte accesses of a warp are 512 bytes in 16 sectors") {
    BlockTally block(32);
    block.globalLoad(16, [](int t) { return std::int64_t{t} * 16; });
    CHECK(block.counts().globalLoadBytes == 512);
    CHECK(block.counts().globalLoadSectors == 16);
}

TEST_CASE("warps without an active thread count nothing, partial ones their own") {
    BlockTally block(128);
    block.globalLoad(4, [](int t) { return t < 33 ? std::int64_t{t} * 4 : kInactive; });
    CHECK(block.counts().globalLoadBytes == 33 * 4);
    CHECK(block.counts().globalLoadSectors == 4 + 1);
    block.sharedLoad([](int t) { return t < 33 ? std::int64_t{t} : kInactive; });
    CHECK(block.counts().sharedLoadWavefronts == 2);
}

TEST_CASE("shared strides conflict by their common factor with 32") {
    for (const auto& [stride, ways] : {std::pair{1, 1},
                                       {2, 2},
                                       {3, 1},
                                       {4, 4},
                                       {12, 4},
                                       {16, 16},
                                       {32, 32},
                                       {33, 1},
                                       {96, 32},
                                       {97, 1},
                                       {48, 16}}) {
        INFO("stride " << stride);
        BlockTally block(32);
        block.sharedStore([s = stride](int t) { return std::int64_t{t} * s; });
        CHECK(block.counts().sharedStoreWavefronts == ways);
    }
}

TEST_CASE("threads that read one word are served together") {
    BlockTally block(32);
    block.sharedLoad([](int) { return std::int64_t{5}; });
    CHECK(block.counts().sharedLoadWavefronts == 1);
    block.sharedLoad([](int t) { return std::int64_t{t / 16} * 32; });  // two words, one bank
    CHECK(block.counts().sharedLoadWavefronts == 1 + 2);
}
