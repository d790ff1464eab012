// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gate/baseline.h"
#include "gate/keys.h"

namespace roofscope::gate {

namespace {

using Json = nlohmann::ordered_json;

/// Pure ASCII, so that no character of a name can change how a diff looks.
std::string text(const Json& value) {
    return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Values that scatter are written with five digits: more would only make noise in diffs.
double rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

Json number(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15)
        return static_cast<std::int64_t>(value);
    return value;
}

Json dim(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

/// Like `text(number(value))`, but faster.
void append(std::string& out, double value) {
    std::array<char, 64> digits;
    if (value == std::floor(value) && std::abs(value) < 1e15)
        out += std::to_string(static_cast<std::int64_t>(value));
    else if (!std::isfinite(value))
        out += "null";
    else
        out.append(digits.data(),
                   nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value));
}

void appendFact(std::string& out, std::string_view key, const Fact& fact) {
    const double scale = key == kTimingKey || key == kCounterRunKey ? 1e9 : 1;
    ((out += "  ") += key) += ' ';
    if (fact.band.repeats == 0) {
        append(out, fact.value);
        out += '\n';
        return;
    }
    const bool exact = fact.band.repeats < 2 || fact.band.agrees;
    const auto write = [&](const char* name, double value) {
        out += name;
        append(out, exact && scale == 1 ? value : rounded(value * scale));
    };
    write("{\"value\":", fact.value);
    if (!exact) {
        write(",\"low\":", fact.band.low);
        write(",\"high\":", fact.band.high);
    }
    ((out += ",\"launches\":") += std::to_string(fact.band.repeats)) += "}\n";
}

/// Limits follow from other quantities, so a quantity that only has a limit is not in the baseline.
bool isWritten(std::string_view key, const Fact& fact) {
    const Key* known = findKey(key);
    return (key == kTimingKey || key == kCounterRunKey ||
            (known && known->judged != Judged::Limit)) &&
           std::isfinite(fact.value);
}

std::string kernelText(const BaselineKernel& kernel) {
    Json head = {{"name", kernel.name}};
    if (!kernel.range.empty()) head["range"] = kernel.range;
    head["device"] = kernel.device;
    head["grid"] = dim(kernel.grid);
    head["block"] = dim(kernel.block);
    if (kernel.cluster) head["cluster"] = dim(*kernel.cluster);
    if (kernel.dynamicSharedBytes > 0) head["dynamic_shared_bytes"] = kernel.dynamicSharedBytes;
    std::string out = "\nkernel " + text(head) + "\n";
    // Whole MHz: further digits would only make noise in diffs.
    const auto clock = [&](const char* key, const std::optional<double>& hertz) {
        if (hertz) out += fmt::format("  {} {}\n", key, text(number(std::round(*hertz / 1e6))));
    };
    for (const auto& [key, fact] : kernel.facts)
        if (isWritten(key, fact)) appendFact(out, key, fact);
    clock("sm_clock_mhz", kernel.smClockHz);
    clock("dram_clock_mhz", kernel.dramClockHz);
    for (const bool minor : {false, true})
        for (const auto& [rule, isMinor] : kernel.findings)
            if (isMinor == minor)
                out += fmt::format("  {} {}\n", minor ? "minor_finding" : "finding", text(rule));
    return out;
}

constexpr const char* kEnd = "\nend\n";

std::string headText(const Baseline& baseline) {
    Json head{{"schema", {1, 2}}, {"tool", baseline.tool}};
    // Left out if it is the default, so that a roofscope that does not know it can still read
    // baselines of ordinary recordings.
    if (baseline.cacheControl != Baseline{}.cacheControl)
        head["cache_control"] = baseline.cacheControl;
    std::string out = "roofscope-baseline " + text(head) + "\n";
    out += "# Made by \"roofscope gate PROFILE --baseline FILE --update\"; see docs/ci.md.\n";
    for (const BaselineDevice& d : baseline.devices)
        out += "device " +
               text(Json{{"name", d.name},
                         {"chip", d.chip},
                         {"compute", {d.computeMajor, d.computeMinor}},
                         {"sms", d.smCount}}) +
               "\n";
    if (baseline.program) {
        const auto& [window, name, time] = *baseline.program;
        Json line{{"window", window}};
        if (!name.empty()) line["name"] = name;
        const auto nanoseconds = [&](const char* key, double seconds) {
            line[key] = number(rounded(seconds * 1e9));
        };
        nanoseconds("value", time.value);
        nanoseconds("low", time.band.low);
        nanoseconds("high", time.band.high);
        line["repeats"] = time.band.repeats;
        out += "program " + text(line) + "\n";
    }
    for (const std::string& rule : baseline.rules) out += "rule " + text(rule) + "\n";
    return out;
}

}  // namespace

std::string formatBaseline(const Baseline& baseline) {
    std::string out = headText(baseline);
    for (const BaselineKernel& kernel : baseline.kernels) out += kernelText(kernel);
    // Without an end line, a file that lost its last lines would pass with what is left.
    return out += kEnd;
}

BaselineText baselineText(const Analysis& analysis) {
    const BaselineMaker maker(analysis);
    BaselineText out{.text = headText(maker.head())};
    const auto repeats = [](const BaselineKernel& kernel, std::string_view key) {
        const Fact* const fact = kernel.facts.find(key);
        return fact ? fact->band.repeats : std::size_t{0};
    };
    for (const std::size_t index : maker.order()) {
        const BaselineKernel kernel = maker.kernel(index);
        out.text += kernelText(kernel);
        ++out.kernels;
        for (const auto& [key, fact] : kernel.facts) out.values += isWritten(key, fact);
        out.fewLaunches +=
            std::max(repeats(kernel, kTimingKey), repeats(kernel, kCounterRunKey)) < kLeastRepeats;
    }
    out.text += kEnd;
    return out;
}

}  // namespace roofscope::gate
