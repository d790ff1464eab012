// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/ranges/nvtx_stack.h"

#include <algorithm>

#include "collector/inject/threads/per_thread.h"

namespace roofscope::inject {
namespace {

/// Names are the program's data; longer ones are cut so that a spool line stays small.
constexpr std::size_t kMaxName = 512;
/// Limits the depth for a program that never pops.
constexpr std::size_t kMaxDepth = 256;

}  // namespace

void NvtxStack::changed() {
    m_path.reset();
    m_judgement.reset();
}

NvtxStack::Marks NvtxStack::push(std::uintptr_t domain, std::string name) {
    if (name.size() > kMaxName) name.resize(kMaxName);
    changed();
    Marks forgotten;
    if (m_open.size() == kMaxDepth) {
        forgotten = m_open.front().marks;
        m_open.erase(m_open.begin());
        m_names.erase(m_names.begin());
    }
    m_open.reserve(kMaxDepth);  // so that the second push_back() cannot fail
    m_names.push_back(std::move(name));
    m_open.push_back({.domain = domain});
    return forgotten;
}

NvtxStack::Marks NvtxStack::pop(std::uintptr_t domain) {
    const auto found = std::find_if(m_open.rbegin(), m_open.rend(),
                                    [&](const Open& open) { return open.domain == domain; });
    if (found == m_open.rend()) return {};
    changed();
    const auto place = std::next(found).base();
    const Marks marks = place->marks;
    m_names.erase(m_names.begin() + (place - m_open.begin()));
    m_open.erase(place);
    return marks;
}

std::uint32_t NvtxStack::tagged() const {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(m_open, [](const Open& open) { return open.marks.tag != 0; }));
}

void NvtxStack::tag(std::uint64_t tag) {
    if (!m_open.empty()) m_open.back().marks.tag = tag;
}

void NvtxStack::follow(std::uint64_t span) {
    if (!m_open.empty()) m_open.back().marks.span = span;
}

const std::string& NvtxStack::path() const {
    if (!m_path) {
        m_path.emplace();
        for (const auto& name : m_names)
            if (!name.empty()) *m_path += (m_path->empty() ? "" : " > ") + name;
    }
    return *m_path;
}

NvtxStack& NvtxStack::perThread() { return inject::perThread<NvtxStack>(); }

}  // namespace roofscope::inject
