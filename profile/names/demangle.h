// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace roofscope {

/// The C++ name of a symbol; the symbol itself if it has none.
[[nodiscard]] inline std::string demangle(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? std::string(text.get()) : symbol;
}

}  // namespace roofscope
