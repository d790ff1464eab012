// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/program/model/account.h"

namespace roofscope::program {

/// How long a window is in each class, in nanoseconds over all occurrences; and, if asked for,
/// when.
class TimeByClass {
public:
    /// `stretches`: AccountInput::stretches.
    TimeByClass(const std::vector<TimeSpan>& occurrences, std::vector<ClassStretch>* stretches)
        : m_occurrences(occurrences), m_stretches(stretches) {}

    void add(TimeClass cls, const TimeSpan& time);
    [[nodiscard]] Nanoseconds operator[](TimeClass cls) const { return m_time[cls]; }

    /// Sorts and joins the stretches, with the classes that the finished account knows.
    void sortStretches(const Account& account);

    /// Whether an occurrence begins at this moment. Gaps and stretches do not extend across.
    [[nodiscard]] bool boundary(Nanoseconds at) const;

private:
    const std::vector<TimeSpan>& m_occurrences;
    std::vector<ClassStretch>* m_stretches;
    PerTimeClass<Nanoseconds> m_time{};
};

}  // namespace roofscope::program
