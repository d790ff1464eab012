// SPDX-License-Identifier: Apache-2.0
#include "tests/support/synthetic_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roofscope::test {
namespace {
Nanoseconds ns(double microseconds) { return std::llround(microseconds * 1e3); }
}  // namespace

SyntheticProgram::SyntheticProgram() {
    Profile& p = profile();
    p.processes[0].timeline = TimelineParts{.copies = true,
                                            .waits = true,
                                            .launches = true,
                                            .allocations = true,
                                            .loads = true,
                                            .graphs = true,
                                            .ranges = true};
    p.timeline.threads = {{.process = 0, .id = 1, .name = "main"}};
}

std::uint32_t SyntheticProgram::name(std::string_view call, CallKind kind) {
    auto& names = profile().timeline.callNames;
    for (std::uint32_t i = 0; i < names.size(); ++i)
        if (names[i].name == call && names[i].kind == kind) return i;
    names.push_back({std::string(call), kind});
    return static_cast<std::uint32_t>(names.size() - 1);
}

void SyntheticProgram::addCall(std::string_view call, CallKind kind, Nanoseconds time,
                               std::optional<std::uint32_t> work) {
    profile().timeline.calls.push_back(
        {.name = name(call, kind), .thread = 0, .time = {m_cpu, m_cpu + time}, .work = work});
    m_cpu += time;
}

Nanoseconds SyntheticProgram::onGpu(double time) {
    const Nanoseconds start = std::max(m_gpu, m_cpu + ns(kLatency));
    m_gpu = start + ns(time);
    return start;
}

SyntheticProgram& SyntheticProgram::launch(std::string_view kernel, double time) {
    auto known = m_kernels.find(kernel);
    if (known == m_kernels.end())
        known = m_kernels.emplace(std::string(kernel), m_synthetic.kernel(kernel)).first;
    const auto row = static_cast<std::uint32_t>(profile().launches.size());
    addCall("cudaLaunchKernel", CallKind::Launch, ns(kLaunchCall), row);
    auto launch = m_synthetic.launch(known->second, {1024}, {256}).durationUs(time);
    launch.launch().start = Seconds{static_cast<double>(onGpu(time)) / 1e9};
    if (!m_path.empty()) launch.range(m_path.back());
    return *this;
}

SyntheticProgram& SyntheticProgram::copy(TransferKind kind, MemoryKind host, double bytes,
                                         double time, double staging) {
    Timeline& t = profile().timeline;
    const auto row = static_cast<std::uint32_t>(t.transfers.size());
    const bool toDevice = kind == TransferKind::HostToDevice;
    const bool waits = host == MemoryKind::Pageable;
    const Nanoseconds called = m_cpu;
    m_cpu += ns(kLaunchCall + staging);
    const Nanoseconds start = onGpu(time);
    t.transfers.push_back({.kind = kind,
                           .source = toDevice ? host : MemoryKind::Device,
                           .target = toDevice ? MemoryKind::Device : host,
                           .bytes = static_cast<std::uint64_t>(bytes),
                           .time = {start, m_gpu}});
    const Nanoseconds returned = waits ? m_gpu + ns(kWaitReturn) : m_cpu;
    m_cpu = called;
    addCall("cudaMemcpyAsync", CallKind::Transfer, returned - called, row);
    return *this;
}

SyntheticProgram& SyntheticProgram::copyBeside(TransferKind kind, double bytes, double time) {
    std::swap(m_gpu, m_side);
    copy(kind, MemoryKind::Pinned, bytes, time);
    profile().timeline.transfers.back().stream = 1;
    std::swap(m_gpu, m_side);
    return *this;
}

SyntheticProgram& SyntheticProgram::memset(double bytes, double time) {
    Timeline& t = profile().timeline;
    addCall("cudaMemsetAsync", CallKind::Transfer, ns(kLaunchCall),
            static_cast<std::uint32_t>(t.transfers.size()));
    const Nanoseconds start = onGpu(time);
    t.transfers.push_back({.kind = TransferKind::Memset,
                           .target = MemoryKind::Device,
                           .bytes = static_cast<std::uint64_t>(bytes),
                           .time = {start, m_gpu}});
    return *this;
}

SyntheticProgram& SyntheticProgram::sync(std::string_view call) {
    addCall(call, CallKind::Wait, std::max(m_gpu, m_cpu) + ns(kWaitReturn) - m_cpu);
    return *this;
}

SyntheticProgram& SyntheticProgram::call(std::string_view name, CallKind kind, double time) {
    addCall(name, kind, ns(time));
    return *this;
}

SyntheticProgram& SyntheticProgram::work(double time) {
    m_cpu += ns(time);
    return *this;
}

SyntheticProgram& SyntheticProgram::push(std::string_view range) {
    m_path.push_back(m_path.empty() ? std::string(range)
                                    : m_path.back() + " > " + std::string(range));
    auto& ranges = profile().ranges;
    const auto known = std::ranges::find(ranges, m_path.back());
    m_open.emplace_back(static_cast<std::uint32_t>(known - ranges.begin()), m_cpu);
    if (known == ranges.end()) ranges.push_back(m_path.back());
    return *this;
}

SyntheticProgram& SyntheticProgram::pop() {
    const std::uint32_t range = m_open.back().first;
    const Nanoseconds start = m_open.back().second;  // clang 14 cannot capture a structured binding
    RangeSpan span{.range = range, .thread = 0, .time = {start, m_cpu}};
    const auto add = [&](const TimeSpan& ran) {
        if (ran.start < start) return;
        span.gpu = span.gpu ? TimeSpan{std::min(span.gpu->start, ran.start),
                                       std::max(span.gpu->end, ran.end)}
                            : ran;
    };
    for (const Launch& launch : profile().launches) {
        const auto from = static_cast<Nanoseconds>(std::llround(launch.start->value * 1e9));
        add({from, from + static_cast<Nanoseconds>(std::llround(launch.duration->value * 1e9))});
    }
    for (const Transfer& transfer : profile().timeline.transfers) add(transfer.time);
    profile().timeline.ranges.push_back(span);
    m_open.pop_back();
    m_path.pop_back();
    return *this;
}

Profile SyntheticProgram::build() const {
    Profile p = m_synthetic.build();
    Nanoseconds zero = std::numeric_limits<Nanoseconds>::max();
    for (const Launch& launch : p.launches)
        zero = std::min<Nanoseconds>(zero, std::llround(launch.start->value * 1e9));
    if (p.launches.empty()) zero = 0;
    for (Launch& launch : p.launches)
        launch.start = Seconds{std::round(launch.start->value * 1e9 - double(zero)) / 1e9};
    const auto move = [&](TimeSpan& span) { span = {span.start - zero, span.end - zero}; };
    for (Transfer& t : p.timeline.transfers) move(t.time);
    for (Call& call : p.timeline.calls) move(call.time);
    for (RangeSpan& range : p.timeline.ranges) {
        move(range.time);
        if (range.gpu) move(*range.gpu);
    }
    return p;
}

}  // namespace roofscope::test
