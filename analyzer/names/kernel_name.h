// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofscope {

/// Usual limit of a shortened name, in characters: tables have no more room.
inline constexpr std::size_t kShownName = 60;

/// The two steps of shortKernelName(), for callers that also need the uncut name.

/// Without return type, namespaces and parameters. For Numba: the name as its author knows it, with
/// parameters, because they distinguish compilations as template arguments do in C++.
[[nodiscard]] std::string plainKernelName(std::string_view demangled);
/// Cuts such a name to at most `maxLength` characters.
[[nodiscard]] std::string cutKernelName(const std::string& plain, std::size_t maxLength);

}  // namespace roofscope
