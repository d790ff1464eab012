// SPDX-License-Identifier: Apache-2.0
#include "collector/run/native_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <string>

#include "collector/run/child_process.h"

namespace roofscope {
namespace {

/// Addresses of one call of addr2line: its command line must not grow without end.
constexpr std::size_t kMostAddresses = 1000;

bool isHeaderOfOthers(std::string_view file) {
    for (const std::string_view part : {"/usr/include/", "/include/c++/", "/cuda/", "/cuda-",
                                        "/cub/", "/thrust/", "/cccl/", "cuda_runtime"})
        if (file.find(part) != file.npos) return true;
    return false;
}

std::string_view firstLine(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// "/home/a/app.cu:42 (discriminator 3)"; "??:0" and "??:?" where it is not known.
void setPlace(NativeFrame& frame, std::string_view text) {
    if (const auto more = text.find(" (discriminator"); more != text.npos)
        text = text.substr(0, more);
    const auto colon = text.rfind(':');
    if (colon == text.npos || text.starts_with("??")) return;
    const std::string_view digits = text.substr(colon + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), frame.line);
    frame.file = text.substr(0, colon);
}

void addLines(const std::string& module, const std::vector<CallSite*>& sites) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(module, error)) return;
    for (std::size_t from = 0; from < sites.size(); from += kMostAddresses) {
        const std::size_t count = std::min(kMostAddresses, sites.size() - from);
        std::vector<std::string> command{"addr2line", "-a", "-f", "-i", "-C", "-e", module};
        for (std::size_t i = 0; i < count; ++i)
            command.push_back(fmt::format("{:#x}", sites[from + i]->offset));
        const auto text = captureChild(command, true);
        if (!text) return;  // no such tool here, or not for this file
        const auto found = parseAddr2line(*text);
        if (found.size() != count) return;
        for (std::size_t i = 0; i < count; ++i) {
            const auto& frames = found[i];
            if (frames.empty()) continue;
            const auto own = std::ranges::find_if(frames, [](const NativeFrame& frame) {
                return !frame.file.empty() && !isHeaderOfOthers(frame.file);
            });
            const NativeFrame& frame = own != frames.end() ? *own : frames.back();
            CallSite& site = *sites[from + i];
            site.file = frame.file;
            site.line = frame.line;
            site.function = frame.function;
        }
    }
}

}  // namespace

std::vector<std::vector<NativeFrame>> parseAddr2line(std::string_view text) {
    std::vector<std::vector<NativeFrame>> list;
    while (!text.empty()) {
        const std::string_view line = firstLine(text);
        if (line.starts_with("0x")) {
            list.emplace_back();
            continue;
        }
        if (list.empty()) return {};
        NativeFrame frame;
        if (line != "??") frame.function = line;
        setPlace(frame, firstLine(text));
        list.back().push_back(std::move(frame));
    }
    return list;
}

void addNativeLines(std::vector<CallSite>& sites) {
    std::map<std::string, std::vector<CallSite*>> byModule;
    for (CallSite& site : sites)
        if (!site.module.empty()) byModule[site.module].push_back(&site);
    for (const auto& [module, list] : byModule) addLines(module, list);
}

}  // namespace roofscope
