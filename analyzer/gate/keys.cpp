// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gate/keys.h"

#include <algorithm>
#include <array>

namespace roofscope::gate {

namespace {

constexpr double kTime = 0.05;      ///< beyond what clocks and neighbours do to a quiet machine
constexpr double kCounters = 0.01;  ///< the least change that a comparison calls one

constexpr std::array kKeys{
    Key{kDurationKey, "duration", Unit::Seconds, Judged::Duration, kTime},
    Key{"dram_read_bytes", "DRAM bytes read", Unit::Bytes, Judged::Banded, kTime},
    Key{"dram_write_bytes", "DRAM bytes written", Unit::Bytes, Judged::Banded, kTime},
    Key{"global_load_requested_bytes", "bytes requested by global loads", Unit::Bytes,
        Judged::Exact, kCounters},
    Key{"global_load_sectors", "global load sectors", Unit::Count, Judged::Exact, kCounters},
    Key{"global_store_requested_bytes", "bytes requested by global stores", Unit::Bytes,
        Judged::Exact, kCounters},
    Key{"global_store_sectors", "global store sectors", Unit::Count, Judged::Exact, kCounters},
    Key{"shared_wavefronts", "shared-memory wavefronts", Unit::Count, Judged::Exact, kCounters},
    Key{"local_sectors", "local-memory sectors (spills)", Unit::Count, Judged::Exact, kCounters},
    Key{"local_bytes_per_thread", "local memory per thread", Unit::Bytes, Judged::Exact, kCounters},
    Key{"registers_per_thread", "registers per thread", Unit::Count, Judged::Exact, kCounters},
    Key{"fp64_flops", "FP64 operations", Unit::Count, Judged::Exact, kCounters},
    Key{"fp32_flops", "FP32 operations", Unit::Count, Judged::Exact, kCounters},
    Key{"fp16_flops_upper_bound", "FP16 operations, at most", Unit::Count, Judged::Exact,
        kCounters},
    // More instructions are often the price of a faster kernel: judged on request.
    Key{"warp_instructions", "warp instructions", Unit::Count, Judged::Exact, kCounters, false},
    Key{"global_load_sectors_per_request", "sectors per load request", Unit::Count, Judged::Limit},
    Key{"global_store_sectors_per_request", "sectors per store request", Unit::Count,
        Judged::Limit},
    Key{"shared_conflict_degree", "bank conflicts, at least", Unit::Ways, Judged::Limit},
    Key{"shared_conflict_excess_ratio", "excess shared-memory wavefronts", Unit::Share,
        Judged::Limit},
};

}  // namespace

std::span<const Key> allKeys() { return kKeys; }

const Key* findKey(std::string_view key) {
    const auto found =
        std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& k) { return k.key == key; });
    return found == kKeys.end() ? nullptr : &*found;
}

}  // namespace roofscope::gate
