// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace roofscope::inject {

/// How many CPUs this process may use at a time: those that it may run on, at most its container's
/// share. 0: not known.
[[nodiscard]] std::uint32_t usableCpus();

/// The share in a control group's cpu.max ("150000 100000": 2 CPUs), rounded up; absent if there is
/// no limit.
[[nodiscard]] std::optional<std::uint32_t> cpuLimit(std::string_view text);

}  // namespace roofscope::inject
