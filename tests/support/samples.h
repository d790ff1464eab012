// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"

namespace roofscope::test {

/// The profile in a file.
inline Profile profileIn(const std::filesystem::path& file) {
    auto profile = readProfile(file);
    if (!profile.ok()) FAIL(profile.error().message());
    return std::move(*profile);
}
/// The analysis of the profile in a file.
inline Analysis analysisIn(const std::filesystem::path& file) {
    return analyze(std::make_shared<const Profile>(profileIn(file)));
}

/// A recording of profile/samples/ by name: "h200_bundled".
inline Profile sample(const std::string& name) {
    return profileIn(std::string(ROOFSCOPE_SOURCE_DIR) + "/profile/samples/" + name +
                     ".roofscope.json.gz");
}

/// All recordings in the source tree: sorted paths of samples and of recordings in
/// tests/frameworks.
inline std::vector<std::string> allRecordings() {
    std::vector<std::string> paths;
    for (const char* folder : {"/profile/samples", "/tests/frameworks/recorded"})
        for (const auto& entry :
             std::filesystem::directory_iterator(std::string(ROOFSCOPE_SOURCE_DIR) + folder))
            if (entry.path().extension() == ".gz") paths.push_back(entry.path().string());
    std::ranges::sort(paths);
    return paths;
}

/// The analysis of a sample, cached per test program.
inline const Analysis& recorded(const std::string& name) {
    static std::map<std::string, Analysis> cache;
    auto it = cache.find(name);
    if (it == cache.end())
        it = cache.emplace(name, analyze(std::make_shared<const Profile>(sample(name)))).first;
    return it->second;
}

}  // namespace roofscope::test
