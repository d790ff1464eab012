// SPDX-License-Identifier: Apache-2.0
#include "kernels/selection.h"

#include <fnmatch.h>

#include <algorithm>

#include "profile/errors/edit_distance.h"

namespace roofscope::kernels {
namespace {

bool matches(const std::string& pattern, const Rung& rung) {
    const std::string family(rung.family), name(rung.name), id = rung.id();
    for (const std::string& text : {id, name, family})
        if (fnmatch(pattern.c_str(), text.c_str(), 0) == 0) return true;
    return false;
}

/// The three names closest to `wanted`; names that contain it come first.
std::vector<std::string> nearestNames(const std::string& wanted) {
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const Rung* rung : allRungs()) {
        const std::string name(rung->name), id = rung->id();
        const bool within = !wanted.empty() && id.find(wanted) != std::string::npos;
        ranked.emplace_back(
            within ? 0 : std::min(editDistance(wanted, name), editDistance(wanted, id)), id);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (const auto& [distance, id] : ranked)
        if (names.size() < 3) names.push_back(id);
    return names;
}

}  // namespace

Result<std::vector<const Rung*>> selectRungs(const std::vector<std::string>& names) {
    const std::span<const Rung* const> all = allRungs();
    std::vector<bool> chosen(all.size(), names.empty());
    for (const std::string& pattern : names) {
        bool found = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!matches(pattern, *all[i])) continue;
            chosen[i] = found = true;
        }
        if (found) continue;
        std::string advice = "near names:";
        for (const std::string& name : nearestNames(pattern)) advice += ' ' + name;
        return Error{.code = ErrorCode::Usage,
                     .what = "there is no bundled kernel '" + pattern + "'",
                     .advice = advice + "; 'list' shows all"};
    }
    std::vector<const Rung*> selected;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (chosen[i]) selected.push_back(all[i]);
    return selected;
}

Result<std::vector<Job>> planJobs(std::span<const Rung* const> rungs, const CaseOptions& options) {
    std::vector<Job> jobs;
    for (const Rung* rung : rungs) {
        std::vector<Case> cases = rung->cases();
        if (!options.allShapes) cases.resize(1);
        for (Case c : cases) {
            if (options.shape) {
                Result<Shape> shape = applyShape(c.shape, *options.shape);
                if (!shape) {
                    Error error = shape.error();
                    error.where = rung->id();
                    return error;
                }
                c.shape = *shape;
            }
            if (options.dtype) c.dtype = *options.dtype;
            if (const std::string refusal = rung->refusal(c); !refusal.empty())
                return Error{.code = ErrorCode::Usage,
                             .what = refusal,
                             .where = rung->id() + " on " + c.id(),
                             .advice = "the default is " + rung->cases().front().id()};
            const auto same = [&](const Job& job) { return job.rung == rung && job.c == c; };
            // With --dtype, cases that differ only in type become equal.
            if (std::none_of(jobs.begin(), jobs.end(), same)) jobs.push_back({rung, c});
        }
    }
    return jobs;
}

}  // namespace roofscope::kernels
