// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python/call_sites.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <array>
#include <string_view>
#include <utility>

#include "collector/inject/python/frame_lines.h"
#include "profile/names/foreign_modules.h"

namespace roofscope::inject {
namespace {

constexpr std::size_t kMostSites = 10'000;
constexpr int kMostFrames = 48;
/// Frames kept of a stack. Up to five of them are CUDA's if its runtime is linked into the program.
constexpr std::size_t kMostKept = 12;
/// Stacks of a kernel are unwound for this many launches, then only at powers of two: unwinding
/// takes 10 µs.
constexpr std::uint64_t kLookedAt = 64;
/// How many different sizes of an operator are recorded per kernel and line.
constexpr std::uint32_t kMostSizes = 4;
/// How many shapes of launches are recorded per kernel, line and operator.
constexpr std::uint32_t kMostShapes = 16;
/// How many launches of each shape are unwound even if the kernel was launched often.
constexpr std::uint64_t kLookedAtPerShape = 4;
/// How many sizes of copies are recorded per line.
constexpr std::size_t kMostCopySizes = 16;

}  // namespace

std::vector<CodePlace> CallSites::nativeFrames() {
    std::vector<CodePlace> kept;
    std::array<void*, kMostFrames> frames{};
    const int count = backtrace(frames.data(), kMostFrames);
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(&isForeignModule), &own);
    for (int i = 0; i < count && kept.size() < kMostKept; ++i) {
        Dl_info info{};
        link_map* map = nullptr;
        if (dladdr1(frames[i], &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
            !map || !info.dli_fname || info.dli_fbase == own.dli_fbase)
            continue;
        if (isForeignModule(info.dli_fname)) continue;
        // The CUDA runtime is often linked into the program; skip its functions there as well.
        const std::string_view symbol = info.dli_sname ? info.dli_sname : "";
        if (symbol.starts_with("cuda") || symbol.starts_with("__cuda") ||
            symbol.starts_with("__device_stub"))
            continue;
        // A return address follows its call, so step back into the call.
        const auto address = reinterpret_cast<std::uintptr_t>(frames[i]) - 1;
        kept.push_back({.module = info.dli_fname, .offset = address - map->l_addr});
    }
    return kept;
}

bool CallSites::isToBeUnwound(const Key& key) {
    const std::lock_guard lock(m_mutex);
    const std::uint64_t before = m_unwound[{.kernel = key.kernel, .call = key.call}]++;
    const bool looked = before < kLookedAt || (before & (before - 1)) == 0;
    if (!key.shape) return looked;
    if (m_unwound.size() >= kMostSites) return looked;
    Key shaped{.kernel = key.kernel, .shape = key.shape};
    return m_unwound[std::move(shaped)]++ < kLookedAtPerShape || looked;
}

void CallSites::launched(std::uint32_t kernel, const LaunchShape& shape) {
    noted({.kernel = kernel, .shape = shape, .framework = operators::current()});
}

void CallSites::called(const char* name) { noted({.call = name}); }

void CallSites::noted(Key key) {
    const bool looks = m_lines == Lines::InFrames;
    if (looks && !isToBeUnwound(key)) return;
    key.python = looks ? python_lines::hereByFrames() : python_lines::here();
    if (!key.python && key.framework.op == 0) {
        if (!looks && !isToBeUnwound(key)) return;
        key.native = nativeFrames();
        if (key.native.empty()) return;
    }
    count(std::move(key));
}

void CallSites::count(Key key) {
    const std::lock_guard lock(m_mutex);
    auto known = m_counts.find(key);
    if (known == m_counts.end() && key.framework.op != 0) {
        // If sizes change from step to step, as in a decode loop, one site
        // without sizes is recorded.
        Key unsized = key;
        unsized.framework.op = operators::withoutSizes(key.framework.op);
        Key inAnyShape = unsized;
        inAnyShape.shape.reset();
        if (m_sizes[std::move(inAnyShape)]++ >= kMostSizes) {
            key = std::move(unsized);
            known = m_counts.find(key);
        }
    }
    if (known == m_counts.end() && key.shape) {
        Key any = key;
        any.shape.reset();
        if (any.framework.op != 0) any.framework.op = operators::withoutSizes(any.framework.op);
        if (m_shapes[any]++ >= kMostShapes) {
            key = std::move(any);
            known = m_counts.find(key);
        }
    }
    if (known != m_counts.end())
        ++known->second;
    else if (m_counts.size() < kMostSites)
        m_counts.emplace(std::move(key), 1);
}

void CallSites::copied(const char* name, const CopiedContents::Copy& copy) {
    // Every copy is unwound: there are few compared with launches, and a copy takes longer than
    // unwinding.
    Key key{.call = name, .python = python_lines::here()};
    if (!key.python) {
        key.native = nativeFrames();
        if (key.native.empty()) return;
    }
    const std::lock_guard lock(m_mutex);
    if (m_copies.size() >= kMostSites && !m_copies.contains(key)) return;
    CopiesBySize& sizes = m_copies[std::move(key)];
    if (sizes.size() >= kMostCopySizes && !sizes.contains(copy.bytes)) return;
    Copies& copies = sizes[copy.bytes];
    ++copies.count;
    if (!copy.read) return;
    ++copies.read;
    copies.repeated += copy.known;
    copies.inTurn += copy.known && !copies.contents.empty() && copy.hash != copies.last;
    copies.contents.insert(copy.hash);
    copies.last = copy.hash;
}

void CallSites::write(const Key& key, std::uint64_t count, const CopiesBySize& copies) {
    SiteRecord record{.kernel = key.kernel, .shape = key.shape, .call = key.call, .count = count};
    operators::Name op = operators::name(key.framework.op);
    record.op = std::move(op.name);
    record.sizes = std::move(op.sizes);
    record.backward = operators::name(key.framework.backward).name;
    if (key.framework.forward) {
        const auto [file, function] = python_lines::codeOf(key.framework.forward->code);
        record.forward = {.file = file, .line = key.framework.forward->line, .function = function};
    }
    if (key.python) {
        const auto [file, function] = python_lines::codeOf(key.python->code);
        record.file = file;
        record.function = function;
        record.line = key.python->line;
        record.indirect = key.python->indirect;
    } else {
        record.frames = key.native;
    }
    for (const auto& [bytes, of] : copies)
        record.hostCopies.push_back({.bytes = bytes,
                                     .copies = of.count,
                                     .read = of.read,
                                     .repeated = of.repeated,
                                     .distinct = of.contents.size(),
                                     .inTurn = of.inTurn});
    m_spool.callSite(record);
}

void CallSites::finish() {
    const std::lock_guard lock(m_mutex);
    for (const auto& [key, count] : m_counts) {
        const auto copies = m_copies.extract(key);
        write(key, count, copies.empty() ? CopiesBySize() : copies.mapped());
    }
    // Every copy was unwound, but not every call. So these copies have no entry in m_counts.
    for (const auto& [key, copies] : m_copies) {
        std::uint64_t count = 0;
        for (const auto& [bytes, of] : copies) count += of.count;
        write(key, count, copies);
    }
    m_counts.clear();
    m_copies.clear();
}

}  // namespace roofscope::inject
