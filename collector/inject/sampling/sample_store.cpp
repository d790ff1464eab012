// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/sample_store.h"

#include <utility>

namespace roofscope::inject {

std::uint32_t SampleStore::frame(const SampledFrame& frame) {
    std::uint32_t module = 0;
    if (!frame.module.empty()) {
        auto known = m_moduleNumbers.find(frame.module);
        if (known == m_moduleNumbers.end())
            known =
                m_moduleNumbers
                    .emplace(frame.module, static_cast<std::uint32_t>(m_moduleNumbers.size() + 1))
                    .first;
        module = known->second;
    }
    return m_frames
        .try_emplace(Frame(module, frame.offset, frame.python),
                     static_cast<std::uint32_t>(m_frames.size()))
        .first->second;
}

std::uint32_t SampleStore::stack(const std::vector<SampledFrame>& frames) {
    Stack stack;
    stack.reserve(frames.size());
    for (const SampledFrame& f : frames) stack.push_back(frame(f));
    return m_stacks.try_emplace(std::move(stack), static_cast<std::uint32_t>(m_stacks.size()))
        .first->second;
}

void SampleStore::shift(std::int64_t ns) {
    const auto shifted = [ns](const spool::CpuSampleRow& sample) {
        return static_cast<std::int64_t>(sample.atNs) + ns;
    };
    std::erase_if(m_samples, [&](const auto& sample) { return shifted(sample) < 0; });
    for (spool::CpuSampleRow& sample : m_samples)
        sample.atNs = static_cast<std::uint64_t>(shifted(sample));
}

bool SampleStore::thinOut() {
    if (m_samples.size() < m_limits.samples && m_stacks.size() < m_limits.stacks &&
        m_frames.size() < m_limits.frames)
        return false;
    // A bit of a hash of the time decides: samples of one moment are kept or dropped together, and
    // something that repeats every few samples keeps its share.
    const unsigned bit = m_thinned++ % 32;
    std::erase_if(m_samples, [bit](const spool::CpuSampleRow& sample) {
        constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
        const std::uint64_t mixed = (sample.atNs ^ (sample.atNs >> 29U)) * kGolden;
        return ((mixed >> (63U - bit)) & 1U) != 0;
    });
    sweep();
    return true;
}

void SampleStore::sweep() {
    std::map<std::uint32_t, std::uint32_t> stackNumbers, frameNumbers;  // old → new
    for (spool::CpuSampleRow& sample : m_samples)
        sample.stack =
            stackNumbers.try_emplace(sample.stack, static_cast<std::uint32_t>(stackNumbers.size()))
                .first->second;
    std::map<Stack, std::uint32_t> stacks;
    for (const auto& [stack, number] : m_stacks) {
        const auto used = stackNumbers.find(number);
        if (used == stackNumbers.end()) continue;
        Stack renumbered;
        for (const std::uint32_t frame : stack)
            renumbered.push_back(
                frameNumbers.try_emplace(frame, static_cast<std::uint32_t>(frameNumbers.size()))
                    .first->second);
        stacks.emplace(std::move(renumbered), used->second);
    }
    std::map<Frame, std::uint32_t> frames;
    for (const auto& [frame, number] : m_frames)
        if (const auto used = frameNumbers.find(number); used != frameNumbers.end())
            frames.emplace(frame, used->second);
    m_stacks = std::move(stacks);
    m_frames = std::move(frames);
}

spool::CpuStacksRecord SampleStore::stacks(std::uint64_t period) const {
    spool::CpuStacksRecord record{.period = period};
    std::vector<const std::string*> modules(m_moduleNumbers.size() + 1);
    for (const auto& [name, number] : m_moduleNumbers) modules[number] = &name;
    // Frames of compiled code are numbered first.
    std::vector<std::uint32_t> numbers(m_frames.size());
    for (const auto& [frame, number] : m_frames) {
        const auto& [module, offset, python] = frame;
        if (module == 0) continue;
        numbers[number] = static_cast<std::uint32_t>(record.native.size());
        record.native.push_back({.module = *modules[module], .offset = offset});
    }
    for (const auto& [frame, number] : m_frames) {
        const auto& [module, offset, python] = frame;
        if (module != 0) continue;
        numbers[number] = static_cast<std::uint32_t>(record.native.size() + record.python.size());
        record.python.push_back(
            {.file = python.file, .line = python.line, .function = python.function});
    }
    record.stacks.resize(m_stacks.size());
    for (const auto& [stack, number] : m_stacks)
        for (const std::uint32_t frame : stack) record.stacks[number].push_back(numbers[frame]);
    return record;
}

}  // namespace roofscope::inject
