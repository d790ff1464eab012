// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roofscope::inject {

/// A loaded program or library.
struct Module {
    std::string path;
    std::uintptr_t base = 0;          ///< its load address: what its addresses are offset by
    std::uintptr_t from = 0, to = 0;  ///< its code
    std::uintptr_t unwindHeader = 0;  ///< its .eh_frame_hdr; 0: none
    bool interpreter = false;         ///< CPython itself
};

/// The programs and libraries that are loaded. Used by one thread, which must not hold a lock that
/// the loader might wait for.
class Modules {
public:
    /// Reads the list again if libraries were loaded or unloaded. Returns whether they were.
    bool refresh();
    /// Null if the address is not in code.
    [[nodiscard]] const Module* at(std::uintptr_t address) const;

private:
    std::vector<Module> m_modules;  ///< by address
    unsigned long long m_loaded = 0, m_unloaded = 0;
};

}  // namespace roofscope::inject
