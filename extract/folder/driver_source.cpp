// SPDX-License-Identifier: Apache-2.0
#include "extract/folder/driver_source.h"

#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "profile/files/embedded_file.h"

namespace roofscope {
namespace driver_files {
std::span<const EmbeddedFile> files();  // generated from extract/driver/ during the build
}
namespace {

std::string_view embedded(std::string_view name) {
    for (const EmbeddedFile& file : driver_files::files())
        if (file.name == name) return file.content;
    throw std::logic_error("the build has not embedded " + std::string(name));
}

/// Appends a file to `text` with its includes expanded, each file once.
void join(std::string_view name, std::set<std::string, std::less<>>& joined, std::string& text) {
    if (!joined.emplace(name).second) return;
    std::istringstream lines{std::string(embedded(name))};
    constexpr std::string_view kInclude = "#include \"";
    for (std::string line; std::getline(lines, line);) {
        const bool licence = line.starts_with("// SPDX-") && joined.size() > 1;
        if (licence || line == "#pragma once") continue;
        if (line.starts_with(kInclude))
            join(std::string_view(line).substr(kInclude.size(),
                                               line.find('"', kInclude.size()) - kInclude.size()),
                 joined, text);
        else
            text += line + '\n';
    }
}

}  // namespace

std::string driverSource() {
    std::set<std::string, std::less<>> joined;
    std::string text;
    join("extract/driver/replay.cpp", joined, text);
    return text;
}

std::string checkScript() { return std::string(embedded("extract/folder/check.sh")); }

std::string pythonRunner() { return std::string(embedded("extract/folder/candidate_runner.py")); }

}  // namespace roofscope
