// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace roofscope::cli {

/// Keeps a value until the process ends, and does not take it apart then: to free the millions of
/// pieces of a large analysis takes a tenth of the time of making it, and the system takes them all
/// at once.
template <class T>
[[nodiscard]] const T& kept(T value) {
    static auto& all = *new std::vector<std::shared_ptr<const T>>;
    return *all.emplace_back(std::make_shared<const T>(std::move(value)));
}

}  // namespace roofscope::cli
