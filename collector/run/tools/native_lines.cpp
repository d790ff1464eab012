// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/native_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "collector/run/processes/child_process.h"
#include "collector/run/tools/libc_variants.h"
#include "profile/model/call_site_index.h"
#include "profile/names/foreign_modules.h"

namespace roofscope {
namespace {

/// Addresses per call of addr2line, because a command line has a limited length.
constexpr std::size_t kMostAddresses = 1000;

std::string_view firstLine(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// Parses "/home/a/app.cu:42 (discriminator 3)". An unknown place is "??:0" or "??:?".
void setPlace(NativeFrame& frame, std::string_view text) {
    if (const auto more = text.find(" (discriminator"); more != text.npos)
        text = text.substr(0, more);
    const auto colon = text.rfind(':');
    if (colon == text.npos || text.starts_with("??")) return;
    const std::string_view digits = text.substr(colon + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), frame.line);
    frame.file = text.substr(0, colon);
}

using Found = std::map<CodePlace, std::vector<NativeFrame>>;

/// The functions of a module without debug information.
std::vector<FunctionSpan> spansOf(const std::string& module) {
    for (const char* which : {"-S", "-DS"}) {
        const auto text = captureChild({"nm", which, "--defined-only", module}, true, kMostCaptured,
                                       nullptr, kToolPatience);
        if (!text) return {};
        if (auto spans = parseSymbolSizes(*text); !spans.empty()) return spans;
    }
    return {};
}

/// addr2line names the last symbol before an address, however far away. In a stripped module, that
/// may be an exported function far before the real one, whose symbol is gone. Removes such names,
/// and names variants of libc's functions.
void correctNames(const std::string& module, const std::vector<std::uint64_t>& offsets,
                  Found& found) {
    std::optional<std::vector<FunctionSpan>> spans;
    for (const std::uint64_t offset : offsets) {
        const auto frames = found.find({module, offset});
        if (frames == found.end() || frames->second.size() != 1) continue;
        NativeFrame& frame = frames->second.front();
        if (frame.line == 0 && !frame.function.empty()) {
            if (!spans) spans = spansOf(module);
            if (!spans->empty() && !covers(*spans, offset)) frame.function.clear();
        }
        if (frame.function.empty()) frame.function = libcVariant(module, offset);
    }
}

void addFrames(const std::string& module, const std::vector<std::uint64_t>& offsets, Found& found) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(module, error)) return;
    for (std::size_t from = 0; from < offsets.size(); from += kMostAddresses) {
        const std::size_t count = std::min(kMostAddresses, offsets.size() - from);
        std::vector<std::string> command{"addr2line", "-a", "-f", "-i", "-C", "-e", module};
        for (std::size_t i = 0; i < count; ++i)
            command.push_back(fmt::format("{:#x}", offsets[from + i]));
        const auto text = captureChild(command, true, kMostCaptured, nullptr, kToolPatience);
        if (!text) return;  // addr2line is not installed, or failed for this file
        auto frames = parseAddr2line(*text);
        if (frames.size() != count) return;
        for (std::size_t i = 0; i < count; ++i)
            found[{module, offsets[from + i]}] = std::move(frames[i]);
    }
    correctNames(module, offsets, found);
}

void nameSite(CallSite& site, const Found& found, const std::set<std::string_view>& kernels) {
    std::vector<CodePlace> places{{site.module, site.offset}};
    std::ranges::move(site.callers, std::back_inserter(places));
    site.callers.clear();
    std::vector<NativeFrame> frames;
    std::vector<std::size_t> placeOf;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (const auto known = found.find(places[i]); known != found.end())
            for (const NativeFrame& frame : known->second) {
                frames.push_back(frame);
                placeOf.push_back(i);
            }
    const std::size_t own = ownFrame(frames, kernels);
    if (own == frames.size()) return;
    site.module = places[placeOf[own]].module;
    site.offset = places[placeOf[own]].offset;
    site.file = frames[own].file;
    site.line = frames[own].line;
    site.function = frames[own].function;
}

using Offsets = std::map<std::string, std::set<std::uint64_t>>;  // by module

Found namesOf(const Offsets& offsets) {
    Found found;
    for (const auto& [module, list] : offsets) addFrames(module, {list.begin(), list.end()}, found);
    return found;
}

std::set<std::string_view> namesOf(const std::vector<Kernel>& kernels) {
    std::set<std::string_view> names;
    for (const Kernel& kernel : kernels) names.insert(kernel.name);
    return names;
}

/// The frames to look up: the program's own, and the library functions that these call. Functions
/// deeper in a library may have no symbol, and would get the name of another one.
Offsets worthNames(const CpuSamples& samples) {
    Offsets offsets;
    const auto isOwn = [](const CpuFrame& frame) {
        return !frame.module.empty() && !isInstalledModule(frame.module);
    };
    for (const auto& stack : samples.stacks)
        for (std::size_t i = 0; i < stack.size(); ++i) {
            const CpuFrame& frame = samples.frames[stack[i]];
            if (frame.module.empty()) continue;
            const bool calledByOwn = i + 1 < stack.size() && isOwn(samples.frames[stack[i + 1]]);
            if (isOwn(frame) || calledByOwn) offsets[frame.module].insert(frame.offset);
        }
    return offsets;
}

}  // namespace

void addNativeLines(CpuSamples& samples, const std::vector<Kernel>& kernels) {
    const Found found = namesOf(worthNames(samples));
    const std::set<std::string_view> names = namesOf(kernels);
    for (CpuFrame& frame : samples.frames) {
        if (frame.module.empty()) continue;
        const auto known = found.find({.module = frame.module, .offset = frame.offset});
        if (known == found.end() || known->second.empty()) continue;
        std::size_t own = ownFrame(known->second, names);
        if (own == known->second.size()) own = 0;
        frame.function = known->second[own].function;
        frame.file = known->second[own].file;
        frame.line = known->second[own].line;
    }
}

std::vector<FunctionSpan> parseSymbolSizes(std::string_view text) {
    constexpr std::size_t kDigits = 16;
    std::vector<FunctionSpan> spans;
    while (!text.empty()) {
        // "0000000000028a10 000000000000001e T abort@@GLIBC_2.2.5"
        std::string_view line = firstLine(text);
        std::array<std::uint64_t, 2> numbers{};
        bool known = true;
        for (std::uint64_t& number : numbers) {
            const auto read = std::from_chars(line.data(), line.data() + line.size(), number, 16);
            const auto length = static_cast<std::size_t>(read.ptr - line.data());
            // Fewer digits are no number but the letter of a symbol type: "A".
            known = known && read.ec == std::errc() && length == kDigits && length < line.size();
            line.remove_prefix(std::min(length + 1, line.size()));
        }
        if (known && numbers[1] > 0 && numbers[0] <= UINT64_MAX - numbers[1])
            spans.push_back({numbers[0], numbers[0] + numbers[1]});
    }
    std::ranges::sort(spans, {}, &FunctionSpan::start);
    // An alias may be shorter than another symbol that begins before it.
    for (std::size_t i = 1; i < spans.size(); ++i)
        spans[i].end =
            std::max(spans[i].end, spans[i].start < spans[i - 1].end ? spans[i - 1].end : 0);
    return spans;
}

bool covers(const std::vector<FunctionSpan>& spans, std::uint64_t address) {
    const auto after = std::ranges::upper_bound(spans, address, {}, &FunctionSpan::start);
    return after != spans.begin() && address < std::prev(after)->end;
}

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

std::size_t ownFrame(const std::vector<NativeFrame>& frames,
                     const std::set<std::string_view>& kernels) {
    const auto isOwn = [&](const NativeFrame& frame) {
        return !frame.function.empty() && !isCudaRuntime(frame.function) &&
               !kernels.contains(frame.function);
    };
    const auto line = std::ranges::find_if(frames, [&](const NativeFrame& frame) {
        return isOwn(frame) && frame.line > 0 && !isInstalledHeader(frame.file);
    });
    const auto own = line != frames.end() ? line : std::ranges::find_if(frames, isOwn);
    return static_cast<std::size_t>(own - frames.begin());
}

void addNativeLines(std::vector<CallSite>& sites, const std::vector<Kernel>& kernels) {
    Offsets offsets;
    for (const CallSite& site : sites) {
        if (site.module.empty()) continue;
        offsets[site.module].insert(site.offset);
        for (const CodePlace& place : site.callers) offsets[place.module].insert(place.offset);
    }
    if (offsets.empty()) return;
    const Found found = namesOf(offsets);
    const std::set<std::string_view> names = namesOf(kernels);
    std::vector<CallSite> named;
    CallSiteIndex index(named);
    for (CallSite& site : sites) {
        if (!site.module.empty()) nameSite(site, found, names);
        index.add(std::move(site));
    }
    sites = std::move(named);
}

}  // namespace roofscope
