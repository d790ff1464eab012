// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/counter_values.h"

#include <algorithm>
#include <cmath>

namespace roofscope::gui {
namespace {

double medianOf(std::vector<double>& values) {
    const std::size_t middle = values.size() / 2;
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(middle), values.end());
    if (values.size() % 2 == 1) return values[middle];
    const double below = *std::max_element(values.begin(), values.begin() + std::ptrdiff_t(middle));
    return (below + values[middle]) / 2;
}

}  // namespace

CounterValues counterValues(const Profile& profile, const LaunchGroup& group,
                            const std::string& counter) {
    const auto& names = profile.counters.names();
    if (std::ranges::find(names, counter) == names.end()) return {};
    std::vector<double> values = profile.counters.column(counter).at(group.launches);
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    CounterValues all{.median = {}, .min = {}, .max = {}, .measured = values.size()};
    if (values.empty()) return all;
    const auto [min, max] = std::ranges::minmax_element(values);
    all.min = *min;
    all.max = *max;
    all.median = medianOf(values);
    return all;
}

}  // namespace roofscope::gui
