// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "analyzer/analysis.h"
#include "profile/codec.h"
#include "tests/support/catch.h"

namespace roofscope::test {

/// A recording of profile/samples/ by its name: "h200_bundled".
inline Profile sample(const std::string& name) {
    auto profile = readProfile(std::string(ROOFSCOPE_SOURCE_DIR) + "/profile/samples/" + name +
                               ".roofscope.json.gz");
    if (!profile.ok()) FAIL(profile.error().message());
    return std::move(*profile);
}

/// Its analysis, made once per test program.
inline const Analysis& recorded(const std::string& name) {
    static std::map<std::string, Analysis> cache;
    auto it = cache.find(name);
    if (it == cache.end())
        it = cache.emplace(name, analyze(std::make_shared<const Profile>(sample(name)))).first;
    return it->second;
}

}  // namespace roofscope::test
