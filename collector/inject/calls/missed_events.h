// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace roofscope::inject {

/// Events that came while the injector's state was locked for too long. They are stored here
/// without waiting; the next thread that locks the state handles them. Thread-safe.
class MissedEvents {
public:
    /// A context was destroyed.
    void context(CUcontext handle) {
        {
            const std::lock_guard lock(m_mutex);
            m_contexts.push_back(handle);
        }
        m_any = true;
    }
    /// Modules were unloaded.
    void unload() {
        m_unloads = true;
        m_any = true;
    }
    /// A launch was missed.
    void launch() {
        ++m_launches;
        m_gap = true;
        m_any = true;
    }

    /// Whether take() would return anything.
    [[nodiscard]] bool any() const { return m_any; }
    struct News {
        std::vector<CUcontext> contexts;
        bool unloads = false, launches = false;
    };
    [[nodiscard]] News take() {
        m_any = false;
        News news{.unloads = m_unloads.exchange(false), .launches = m_gap.exchange(false)};
        const std::lock_guard lock(m_mutex);
        news.contexts.swap(m_contexts);
        return news;
    }
    /// How many launches were missed in all.
    [[nodiscard]] std::uint64_t launches() const { return m_launches; }

private:
    std::mutex m_mutex;  ///< held only briefly, and never while calling anything else
    std::vector<CUcontext> m_contexts;
    std::atomic<bool> m_unloads{false}, m_gap{false}, m_any{false};
    std::atomic<std::uint64_t> m_launches{0};
};

}  // namespace roofscope::inject
