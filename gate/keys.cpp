// SPDX-License-Identifier: Apache-2.0
#include "gate/keys.h"

#include <algorithm>
#include <vector>

namespace roofscope::gate {

namespace {

constexpr double kTime = 0.05;      ///< beyond what clocks and neighbours do to a quiet machine
constexpr double kCounters = 0.01;  ///< the least change that a comparison calls one

const std::vector<Key>& keys() {
    static const std::vector<Key> kKeys{
        Key{kDurationKey, {"duration", "耗时"}, Unit::Seconds, Judged::Duration, kTime},
        Key{"dram_read_bytes",
            {"DRAM bytes read", "DRAM 读取字节"},
            Unit::Bytes,
            Judged::Banded,
            kTime},
        Key{"dram_write_bytes",
            {"DRAM bytes written", "DRAM 写入字节"},
            Unit::Bytes,
            Judged::Banded,
            kTime},
        Key{"global_load_requested_bytes",
            {"bytes requested by global loads", "全局加载请求的字节"},
            Unit::Bytes,
            Judged::Exact,
            kCounters},
        Key{"global_load_sectors",
            {"global load sectors", "全局加载扇区"},
            Unit::Count,
            Judged::Exact,
            kCounters},
        Key{"global_store_requested_bytes",
            {"bytes requested by global stores", "全局存储请求的字节"},
            Unit::Bytes,
            Judged::Exact,
            kCounters},
        Key{"global_store_sectors",
            {"global store sectors", "全局存储扇区"},
            Unit::Count,
            Judged::Exact,
            kCounters},
        Key{"shared_wavefronts",
            {"shared-memory wavefronts", "共享内存波前"},
            Unit::Count,
            Judged::Exact,
            kCounters},
        Key{"local_sectors",
            {"local-memory sectors (spills)", "本地内存扇区（溢出）"},
            Unit::Count,
            Judged::Exact,
            kCounters},
        Key{"local_bytes_per_thread",
            {"local memory per thread", "每线程本地内存"},
            Unit::Bytes,
            Judged::Exact,
            kCounters},
        Key{"registers_per_thread",
            {"registers per thread", "每线程寄存器"},
            Unit::Count,
            Judged::Exact,
            kCounters},
        Key{"fp64_flops", {"FP64 operations", "FP64 运算"}, Unit::Count, Judged::Exact, kCounters},
        Key{"fp32_flops", {"FP32 operations", "FP32 运算"}, Unit::Count, Judged::Exact, kCounters},
        Key{"fp16_flops_upper_bound",
            {"FP16 operations, at most", "FP16 运算，至多"},
            Unit::Count,
            Judged::Exact,
            kCounters},
        // More instructions are often the price of a faster kernel: judged on request.
        Key{"warp_instructions",
            {"warp instructions", "线程束指令"},
            Unit::Count,
            Judged::Exact,
            kCounters,
            false},
        Key{"global_load_sectors_per_request",
            {"sectors per load request", "每个加载请求的扇区"},
            Unit::Count,
            Judged::Limit},
        Key{"global_store_sectors_per_request",
            {"sectors per store request", "每个存储请求的扇区"},
            Unit::Count,
            Judged::Limit},
        Key{"shared_conflict_degree",
            {"bank conflicts, at least", "存储体冲突，至少"},
            Unit::Ways,
            Judged::Limit},
        Key{"shared_conflict_excess_ratio",
            {"excess shared-memory wavefronts", "多余的共享内存波前"},
            Unit::Share,
            Judged::Limit},
    };
    return kKeys;
}

}  // namespace

std::span<const Key> allKeys() { return keys(); }

const Key* findKey(std::string_view key) {
    const auto found =
        std::find_if(keys().begin(), keys().end(), [&](const Key& k) { return k.key == key; });
    return found == keys().end() ? nullptr : &*found;
}

}  // namespace roofscope::gate
