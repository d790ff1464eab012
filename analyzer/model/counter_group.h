// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/language/words.h"

namespace roofscope {

/// What a recording reads together or not at all: the counter groups of the chips' tables, the
/// counters per instruction (`record --source`), the counters over the time of a launch (`record
/// --over-time`), and the timing run, which reads no counters.
enum class CounterGroup {
    Default,
    Atomics,
    Cache,
    Memory,
    Pipes,
    Shared,
    Stalls,
    Tensor,
    Source,
    OverTime,
    Timing
};
inline constexpr std::array kNamedGroups{
    CounterGroup::Default, CounterGroup::Atomics, CounterGroup::Cache,  CounterGroup::Memory,
    CounterGroup::Pipes,   CounterGroup::Shared,  CounterGroup::Stalls, CounterGroup::Tensor};

/// "default", "atomics", …, as `record --groups` takes them; "source", "over-time", "timing run".
[[nodiscard]] const char* toString(CounterGroup group);
/// Whether `record --groups` takes it.
[[nodiscard]] bool isNamedGroup(CounterGroup group);
/// "default, pipes".
[[nodiscard]] std::string join(std::span<const CounterGroup> groups);
/// "record with the counter groups …"; empty for none.
[[nodiscard]] Words adviceToRecord(std::span<const CounterGroup> groups);

}  // namespace roofscope
