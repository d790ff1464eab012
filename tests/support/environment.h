// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace roofscope::test {

/// Sets environment variables for one test; null unsets.
class Environment {
public:
    Environment() = default;
    ~Environment() {
        for (auto it = m_before.rbegin(); it != m_before.rend(); ++it)
            it->second ? setenv(it->first, it->second->c_str(), 1) : unsetenv(it->first);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    void set(const char* name, const char* value) {
        const char* before = std::getenv(name);
        m_before.emplace_back(name, before ? std::optional<std::string>(before) : std::nullopt);
        value ? setenv(name, value, 1) : unsetenv(name);
    }

private:
    std::vector<std::pair<const char*, std::optional<std::string>>> m_before;
};

}  // namespace roofscope::test
