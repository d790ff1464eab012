// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/cache_traffic.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "analyzer/counters/chip_sums.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/counters/group_sums.h"

namespace roofscope {

namespace {

using Names = std::initializer_list<std::string_view>;

template <class T>
Derived<T> perLaunch(const GroupSums& sums, std::string_view counter) {
    const auto joint = sums.joint({counter});
    return joint.ok() ? Derived<T>::of(T{joint.mean(0)}, std::string(counter))
                      : Derived<T>::absent(joint.missing);
}

Derived<Bytes> bytesOf(const GroupSums& sums, const ChipSum& sum) {
    if (!sum.ok()) return Derived<Bytes>::absent(sum.missing);
    const auto joint = sums.joint(sum.counters);
    if (!joint.ok()) return Derived<Bytes>::absent(joint.missing, sum.how);
    return Derived<Bytes>::of({sum.apply(joint.sums) / static_cast<double>(joint.launches)},
                              sum.how);
}

/// Σ rate × sectors / Σ sectors. A single rate needs no weight.
Derived<Ratio> hitRate(const GroupSums& sums, std::string_view rate, Names sectors) {
    using R = Derived<Ratio>;
    constexpr double kPercent = 0.01;  // CUPTI's pct counters run from 0 to 100
    const auto rates = sums.joint({rate});
    if (!rates.ok()) return R::absent(rates.missing);
    std::vector<double> product = sums.perLaunch(rate), weight(product.size(), 0.0);
    for (const std::string_view name : sectors) {
        const std::vector<double> column = sums.perLaunch(name);
        for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += column[i];
    }
    for (std::size_t i = 0; i < product.size(); ++i) product[i] *= weight[i];
    if (rates.launches > 1 && sums.joint(sectors).ok() &&
        std::ranges::none_of(product, [](double v) { return std::isfinite(v); }))
        // No launch has both, because counter groups took turns: all launches weigh the same.
        return R::of({kPercent * rates.mean(0)}, fmt::format("{}, mean of launches", rate));
    std::vector<std::string_view> names(sectors);
    names.push_back(rate);
    const GroupSums::Extra extras[] = {{rate, product}, {rate, weight}};
    const auto joint = sums.joint(names, extras);
    const std::string how =
        rates.launches > 1 ? fmt::format("{}, weighted with sectors", rate) : std::string(rate);
    if (joint.ok() && joint.launches == rates.launches) {
        const double all = joint.sums.back();
        if (!(all > 0)) return R::none(how);
        return R::of({kPercent * joint.sums[names.size()] / all}, how);
    }
    if (rates.launches == 1) return R::of({kPercent * rates.mean(0)}, how);
    return R::absent(joint.ok() ? std::string(*sectors.begin()) : joint.missing, how);
}

}  // namespace

CacheTraffic cacheTraffic(const Profile& profile, const LaunchGroup& group, const ChipTable* chip) {
    using namespace counter;
    constexpr std::string_view kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    constexpr std::string_view kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
    const GroupSums sums(profile.counters, group.launches);
    CacheTraffic traffic;
    traffic.l2Read = bytesOf(sums, chipSum(chip, {"l2_bytes_read"}));
    traffic.l2Write = bytesOf(sums, chipSum(chip, {"l2_bytes_write"}));
    traffic.l2ReadSectors = perLaunch<double>(sums, kL2ReadSectors);
    traffic.l2WriteSectors = perLaunch<double>(sums, kL2WriteSectors);
    traffic.bulkRead = perLaunch<Bytes>(sums, counter::kBulkReadBytes);
    traffic.bulkWrite = perLaunch<Bytes>(sums, counter::kBulkWriteBytes);
    traffic.l1HitRate =
        hitRate(sums, "l1tex__t_sector_hit_rate.pct", {kGlobalSectors, kLocalSectors});
    traffic.l1LoadHitRate =
        hitRate(sums, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", {kLoadSectors});
    traffic.l1StoreHitRate =
        hitRate(sums, "l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct", {kStoreSectors});
    traffic.l2HitRate = hitRate(sums, kL2HitRate, {kL2ReadSectors, kL2WriteSectors});
    return traffic;
}

}  // namespace roofscope
