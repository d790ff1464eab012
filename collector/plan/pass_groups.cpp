// SPDX-License-Identifier: Apache-2.0
#include "collector/plan/pass_groups.h"

#include <algorithm>

#include "collector/plan/host_object.h"
#include "profile/names/instrumented.h"

namespace roofscope {
namespace {

using Names = std::vector<std::string>;

class Splitter {
public:
    Splitter(const CuptiApi& api, const PlanRequest& request) : m_api(api), m_request(request) {}

    /// Halves the list until every part fits one pass. Then joins parts that fit
    /// together, the largest first: so counters of one unit share a pass wherever the
    /// table of counters lists them.
    void split(const Names& names, std::vector<Names>& groups, Names& severalPasses) {
        std::vector<Names> parts;
        halve(names, parts, severalPasses);
        std::ranges::stable_sort(parts, std::ranges::greater{}, &Names::size);
        for (Names& part : parts) {
            const auto host = std::ranges::find_if(
                groups, [&](const Names& group) { return fits(joined(group, part)); });
            if (host == groups.end())
                groups.push_back(std::move(part));
            else
                *host = joined(*host, part);
        }
    }

private:
    static Names joined(Names a, const Names& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    }

    void halve(const Names& names, std::vector<Names>& parts, Names& severalPasses) {
        if (names.empty()) return;
        if (fits(names)) {
            parts.push_back(names);
            return;
        }
        if (names.size() == 1) {
            severalPasses.push_back(names.front());
            return;
        }
        const auto middle = names.begin() + static_cast<std::ptrdiff_t>(names.size() / 2);
        halve({names.begin(), middle}, parts, severalPasses);
        halve({middle, names.end()}, parts, severalPasses);
    }

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
    PassGroups result;
    Names hardware, instrumented;
    for (const std::string& name : plan->counters)
        (isInstrumented(name) ? instrumented : hardware).push_back(name);
    Splitter splitter(api, request);
    splitter.split(hardware, result.groups, result.severalPasses);
    splitter.split(instrumented, result.groups, result.severalPasses);
    return result;
}

}  // namespace roofscope
