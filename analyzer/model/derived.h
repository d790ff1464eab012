// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analyzer/model/shared_text.h"
#include "profile/model/units.h"

namespace roofscope {

/// A derived number together with how it was obtained, or why there is none.
///
/// Three states: a value; not available because counters are missing (`missing` names them); not
/// applicable (0/0: a kernel without shared memory has no conflict ratio; `missing` is empty).
template <class T>
struct Derived {
    std::optional<T> value;
    SharedText how;      ///< formula in terms of counters, for "how was this obtained"
    SharedText missing;  ///< the counters that were absent, comma separated

    [[nodiscard]] bool has() const { return value.has_value(); }
    [[nodiscard]] bool notApplicable() const { return !value && missing.empty(); }
    [[nodiscard]] const T& operator*() const { return *value; }
    [[nodiscard]] const T* operator->() const { return &*value; }

    static Derived of(T v, SharedText how) { return {v, how, {}}; }
    static Derived absent(SharedText missing, SharedText how = {}) {
        return {std::nullopt, how, missing};
    }
    static Derived none(SharedText how = {}) { return {std::nullopt, how, {}}; }
};

/// What replaced a counter or a formula that the profile lacks.
struct Substitute {
    std::string wanted;   ///< "dram__bytes_read.sum", or a quantity in words
    std::string formula;  ///< "32 × dram__sectors_read.sum"
    bool operator==(const Substitute&) const = default;
};

}  // namespace roofscope
