// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/model/shared_text.h"

namespace roofscope::gate {

/// A small map from names to values, for ten or twenty entries with the same keys in every kernel.
/// With std::map, 50,000 kernels would take gigabytes.
template <class T>
class ByName {
public:
    struct Entry {
        SharedText key;
        T value;
    };

    /// False if the key is already there.
    bool add(SharedText key, const T& value) {
        const auto at = place(key.str());
        if (at != m_entries.end() && at->key == key) return false;
        m_entries.insert(at, {key, value});
        return true;
    }
    /// Null when there is none.
    [[nodiscard]] const T* find(std::string_view key) const {
        const auto at = place(key);
        return at != m_entries.end() && at->key == key ? &at->value : nullptr;
    }
    [[nodiscard]] T* find(std::string_view key) {
        return const_cast<T*>(std::as_const(*this).find(key));
    }
    [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
    /// In the order of the keys.
    [[nodiscard]] auto begin() const { return m_entries.begin(); }
    [[nodiscard]] auto end() const { return m_entries.end(); }
    [[nodiscard]] std::size_t size() const { return m_entries.size(); }
    [[nodiscard]] bool empty() const { return m_entries.empty(); }
    void clear() { m_entries.clear(); }
    /// Frees the memory that was reserved for further entries.
    void close() { m_entries.shrink_to_fit(); }

private:
    [[nodiscard]] typename std::vector<Entry>::const_iterator place(std::string_view key) const {
        // The usual case: files have the keys in order.
        if (m_entries.empty() || m_entries.back().key.str() < key) return m_entries.end();
        return std::ranges::lower_bound(
            m_entries, key, {},
            [](const Entry& entry) -> std::string_view { return entry.key.str(); });
    }

    std::vector<Entry> m_entries;
};

}  // namespace roofscope::gate
