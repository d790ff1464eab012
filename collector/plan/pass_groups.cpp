// SPDX-License-Identifier: Apache-2.0
#include "collector/plan/pass_groups.h"

#include <algorithm>

#include "collector/plan/host_object.h"

namespace roofscope {
namespace {

using Names = std::vector<std::string>;

class Splitter {
public:
    Splitter(const CuptiApi& api, const PlanRequest& request) : m_api(api), m_request(request) {}

    /// Halves until every part fits, then joins neighbours while they fit together.
    void split(const Names& names, std::vector<Names>& groups,
               std::vector<CounterPlan::Dropped>& dropped) {
        if (names.empty()) return;
        if (fits(names)) {
            groups.push_back(names);
            return;
        }
        if (names.size() == 1) {
            dropped.push_back({names.front(), "needs several passes: use --replay kernel"});
            return;
        }
        const auto middle = names.begin() + static_cast<std::ptrdiff_t>(names.size() / 2);
        std::vector<Names> parts;
        split({names.begin(), middle}, parts, dropped);
        split({middle, names.end()}, parts, dropped);
        for (std::size_t i = 0; i + 1 < parts.size();) {
            Names both = parts[i];
            both.insert(both.end(), parts[i + 1].begin(), parts[i + 1].end());
            if (!fits(both)) {
                ++i;
                continue;
            }
            parts[i] = std::move(both);
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        groups.insert(groups.end(), parts.begin(), parts.end());
    }

private:
    bool fits(const Names& names) {
        auto host = HostObject::create(m_api, m_request.chip, m_request.counterAvailability);
        if (!host.ok() || !host->addMetrics(names).ok()) return false;
        const auto image = host->configImage();
        if (!image.ok()) return false;
        const auto passes = passesOf(m_api, *image);
        return passes.ok() && *passes == 1;
    }

    const CuptiApi& m_api;
    const PlanRequest& m_request;
};

}  // namespace

Result<PassGroups> splitIntoPasses(const CuptiApi& api, const PlanRequest& request) {
    const auto plan = planCounters(api, request);
    if (!plan) return plan.error();
    PassGroups result{.groups = {}, .dropped = plan->dropped};
    Names hardware, instrumented;
    for (const std::string& name : plan->counters)
        (name.find("__sass_") == std::string::npos ? hardware : instrumented).push_back(name);
    Splitter splitter(api, request);
    splitter.split(hardware, result.groups, result.dropped);
    splitter.split(instrumented, result.groups, result.dropped);
    return result;
}

}  // namespace roofscope
