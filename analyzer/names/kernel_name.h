// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofscope {

/// Characters of a shortened name as a rule: tables have no more room.
inline constexpr std::size_t kShownName = 60;

/// The two steps of shortKernelName(), for who shortens names that differ in what goes first.

/// Without return type, namespaces and parameters; of Numba as its author knows it, parameters
/// included: there they tell one compilation from another, as template arguments do in C++.
[[nodiscard]] std::string plainKernelName(std::string_view demangled);
/// Of such a name at most `maxLength` characters.
[[nodiscard]] std::string cutKernelName(const std::string& plain, std::size_t maxLength);

}  // namespace roofscope
