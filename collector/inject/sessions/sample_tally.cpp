// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/sample_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace roofscope::inject {
namespace {

/// The hardware drops samples when many come at once. Beyond this share, the remaining samples are
/// not representative.
constexpr double kMostDropped = 0.1;

Error unusable(std::string why, std::string advice = {}) {
    return {.code = ErrorCode::BadData, .what = std::move(why), .advice = std::move(advice)};
}

}  // namespace

bool isStallState(std::string_view reason) { return !reason.ends_with("_not_issued"); }

void SampleTally::add(SampleBatch batch) {
    for (auto& record : batch.records) std::ranges::sort(record.samples);
    std::ranges::sort(batch.records);
    for (const SampleBatch& known : m_batches)
        std::erase_if(batch.records, [&](const SampleBatch::Record& record) {
            return std::binary_search(known.records.begin(), known.records.end(), record);
        });
    // Nothing new: the totals are those of a buffer that was read before.
    if (batch.records.empty() && !batch.hardwareFull && !m_batches.empty()) return;
    m_batches.push_back(std::move(batch));
}

std::uint64_t SampleTally::dropped() const {
    std::uint64_t most = 0;
    for (const SampleBatch& batch : m_batches) most = std::max(most, batch.dropped);
    return most;
}

std::uint64_t SampleTally::total() const {
    std::uint64_t most = 0;
    for (const SampleBatch& batch : m_batches) most = std::max(most, batch.total);
    return most;
}

bool SampleTally::sumsUp() const {
    std::uint64_t seen = 0, sum = 0, most = 0;
    for (const SampleBatch& batch : m_batches) {
        const std::uint64_t others = batch.nonUser + batch.dropped;
        const std::uint64_t expected = batch.total > others ? batch.total - others : 0;
        sum += expected;
        most = std::max(most, expected);
        for (const auto& record : batch.records)
            for (const auto& [reason, count] : record.samples) {
                const auto name = m_reasons.find(reason);
                if (name != m_reasons.end() && isStallState(name->second)) seen += count;
            }
    }
    // If there are several buffers, CUPTI does not say whether a total is for one buffer or for
    // all.
    return seen == sum || seen == most;
}

Result<SampleRecord> SampleTally::of(const std::string& symbol) const {
    for (const SampleBatch& batch : m_batches)
        if (batch.hardwareFull)
            return unusable("the GPU's buffer for samples was full", "shorten the kernel's run");
    if (static_cast<double>(dropped()) > kMostDropped * static_cast<double>(total()))
        return unusable(fmt::format("{} of {} samples were dropped", dropped(), total()));
    if (total() == 0) return unusable("the launch was too short for a sample");
    SampleRecord result;
    std::map<std::uint32_t, std::size_t> column;
    for (const auto& [number, name] : m_reasons) {
        column[number] = result.reasons.size();
        result.reasons.push_back(name);
    }
    std::set<std::uint32_t> launches;
    std::map<std::uint32_t, std::vector<std::uint64_t>> rows;
    for (const SampleBatch& batch : m_batches)
        for (const auto& record : batch.records) {
            if (record.function != symbol) continue;
            if (record.offset > std::numeric_limits<std::uint32_t>::max())
                return unusable(
                    fmt::format("a sample is outside the kernel, at {:#x}", record.offset));
            launches.insert(record.correlation);
            auto& row = rows[static_cast<std::uint32_t>(record.offset)];
            row.resize(result.reasons.size());
            for (const auto& [reason, count] : record.samples)
                if (const auto at = column.find(reason); at != column.end())
                    row[at->second] += count;
        }
    if (rows.empty()) return unusable("the samples belong to other kernels");
    if (launches.size() > 1) return unusable("several launches were sampled together");
    if (!sumsUp()) return unusable("the samples do not add up to the total that CUPTI reports");
    for (auto& [offset, samples] : rows)
        result.rows.push_back({.offset = offset, .samples = std::move(samples)});
    return result;
}

std::optional<std::uint64_t> SampleTally::moduleOf(const std::string& symbol) const {
    for (const SampleBatch& batch : m_batches)
        for (const auto& record : batch.records)
            if (record.function == symbol) return record.module;
    return std::nullopt;
}

}  // namespace roofscope::inject
