// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include <fmt/format.h>

#include "gate/baseline.h"
#include "gate/keys.h"
#include "gate/located_json.h"

namespace roofscope::gate {

namespace {

constexpr std::size_t kMostKernels = 200'000, kMostDevices = 16'384, kMostRules = 1000,
                      kMostFacts = 100;
constexpr JsonLimits kLineLimits{.maxBytes = 1 << 16, .maxDepth = 3, .maxValues = 40};
constexpr double kMostExact = 9007199254740992.0;  // 2^53
/// Baselines of schema 1.0 have no end line, so a cut one cannot be recognised.
constexpr std::uint64_t kMinorWithEnd = 1;

/// Words of the format: keys and rule ids.
bool isWord(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

/// Reads the lines in order; a kernel's values follow its "kernel" line, indented.
class BaselineReader {
public:
    /// With `onlyCheck`, only the last kernel is kept.
    explicit BaselineReader(std::string_view file, bool onlyCheck = false)
        : m_file(file), m_onlyCheck(onlyCheck) {}

    Result<Baseline> run(std::string_view text) {
        if (text.size() > kMaxBaselineBytes)
            return badData(m_file, 1, fmt::format("larger than {} bytes", kMaxBaselineBytes));
        while (!text.empty()) {
            ++m_line;
            const std::size_t end = std::min(text.find('\n'), text.size());
            std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (!readLine(line)) return m_error;
        }
        if (!m_begun) return failed("the file is empty", kAdvice), m_error;
        if (m_minor >= kMinorWithEnd && !m_ended)
            return failed("the file is truncated: its last line is not \"end\"",
                          "restore it from version control, or create it again with --update"),
                   m_error;
        if (!checkDevices()) return m_error;
        return std::move(m_out);
    }

private:
    static constexpr const char* kAdvice =
        "make one with \"roofscope gate PROFILE --baseline FILE --update\"";

    bool failed(std::string what, std::string advice = {}) {
        m_error = badData(m_file, m_line, std::move(what), std::move(advice));
        return false;
    }

    /// Kernels may come before their device, so this is checked at the end.
    bool checkDevices() {
        for (const BaselineKernel& kernel : m_out.kernels)
            if (kernel.device >= m_out.devices.size()) {
                m_line = kernel.line;
                return failed("the kernel's device is not listed in the file");
            }
        return true;
    }

    bool readLine(std::string_view line) {
        const bool indented = line.starts_with(' ');
        while (line.starts_with(' ')) line.remove_prefix(1);
        if (line.empty() || (m_begun && line.starts_with('#'))) return true;
        const std::size_t space = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, space);
        if (!m_begun && word != "roofscope-baseline") return failed("not a baseline", kAdvice);
        if (line.starts_with("<<<<<<<") || line.starts_with("=======") ||
            line.starts_with(">>>>>>>"))
            return failed("a merge conflict", "resolve it by making the baseline again: --update");
        if (!isWord(word)) return failed("a line must begin with a word and its value");
        if (m_ended) return failed("there is text after the \"end\" of the baseline");
        if (line == "end") return m_ended = true;
        if (indented && m_out.kernels.empty())
            return failed("an indented line belongs to a kernel, but there is none above it");
        const auto value = parseLocatedJson(line.substr(space), m_file, m_line, kLineLimits);
        if (!value) return m_error = value.error(), false;
        if (indented) return readFact(std::string(word), *value);
        return readHead(word, *value);
    }

    bool readHead(std::string_view word, const JsonValue& value) {
        if (word == "roofscope-baseline") {
            if (m_begun) return failed("a second header: this file holds two baselines");
            m_begun = true;
            return members(value, {"schema", "tool", "cache_control"}) && readSchema(value) &&
                   text(value, "tool", m_out.tool, false) &&
                   text(value, "cache_control", m_out.cacheControl, false);
        }
        if (word == "device") return readDevice(value);
        if (word == "rule") {
            const auto* id = value.as<std::string>();
            if (!id || !isWord(*id)) return failed("a rule must be the text of its id");
            if (m_out.rules.size() >= kMostRules) return failed("too many rules");
            m_out.rules.push_back(*id);
            return true;
        }
        if (word == "kernel") return readKernel(value);
        if (word == "program") return readProgram(value);
        return failed(fmt::format("unknown word \"{}\"", word));
    }

    bool readSchema(const JsonValue& value) {
        std::uint64_t version[2] = {0, 0};
        if (!integers(value, "schema", version, 1'000'000)) return false;
        m_minor = version[1];
        return version[0] == 1 ||
               failed("made by another version of the format", "make it again with --update");
    }

    bool readDevice(const JsonValue& value) {
        BaselineDevice device;
        if (!members(value, {"name", "chip", "compute", "sms"}) ||
            !text(value, "name", device.name, true) || !text(value, "chip", device.chip, true))
            return false;
        std::uint64_t numbers[2] = {0, 0}, sms = 0;
        if (!integers(value, "compute", numbers, 1000) || !integer(value, "sms", sms, 1'000'000))
            return false;
        if (m_out.devices.size() >= kMostDevices) return failed("too many devices");
        device.computeMajor = static_cast<int>(numbers[0]);
        device.computeMinor = static_cast<int>(numbers[1]);
        device.smCount = static_cast<std::uint32_t>(sms);
        m_out.devices.push_back(std::move(device));
        return true;
    }

    bool readProgram(const JsonValue& value) {
        if (m_out.program) return failed("\"program\" appears twice");
        BaselineProgram& program = m_out.program.emplace();
        Fact& time = program.time;
        std::uint64_t repeats = 0;
        if (!members(value, {"window", "name", "value", "low", "high", "repeats"}) ||
            !text(value, "window", program.window, true) ||
            !text(value, "name", program.name, false) || !quantity(value, "value", time.value) ||
            !quantity(value, "low", time.band.low) || !quantity(value, "high", time.band.high) ||
            !integer(value, "repeats", repeats, kMostExact))
            return false;
        if (!(time.value > 0)) return failed("\"value\" must be more than 0");
        if (time.band.low > time.band.high) return failed("\"low\" is above \"high\"");
        for (double* seconds : {&time.value, &time.band.low, &time.band.high}) *seconds *= 1e-9;
        time.band.repeats = repeats;
        return true;
    }

    bool readKernel(const JsonValue& value) {
        BaselineKernel kernel;
        std::uint64_t device = 0;
        if (!members(value, {"name", "range", "device", "grid", "block", "cluster",
                             "dynamic_shared_bytes"}) ||
            !text(value, "name", kernel.name, true) || !text(value, "range", kernel.range, false) ||
            !integer(value, "device", device, kMostDevices) ||
            !extents(value, "grid", kernel.grid) || !extents(value, "block", kernel.block))
            return false;
        kernel.device = static_cast<std::uint32_t>(device);
        if (member(value, "cluster")) {
            kernel.cluster.emplace();
            if (!extents(value, "cluster", *kernel.cluster)) return false;
        }
        if (member(value, "dynamic_shared_bytes") &&
            !integer(value, "dynamic_shared_bytes", kernel.dynamicSharedBytes, kMostExact))
            return false;
        return addKernel(std::move(kernel));
    }

    bool addKernel(BaselineKernel kernel) {
        if (m_kernels++ >= kMostKernels)
            return failed(fmt::format("more than {} kernels", kMostKernels));
        kernel.line = m_line;
        if (m_onlyCheck) {
            if (!checkDevices()) return false;
            m_out.kernels.clear();
        }
        m_out.kernels.push_back(std::move(kernel));
        return true;
    }

    /// Completes a fact; its key, and whether it has a range, decide how.
    static Fact finished(std::string_view word, Fact fact, bool range) {
        fact.band.agrees = !range && fact.band.repeats > 1;
        if (word == kTimingKey || word == kCounterRunKey)
            for (double* seconds : {&fact.value, &fact.band.low, &fact.band.high}) *seconds *= 1e-9;
        return fact;
    }

    bool readFact(std::string word, const JsonValue& value) {
        BaselineKernel& kernel = m_out.kernels.back();
        if (word == "finding" || word == "minor_finding") {
            const auto* id = value.as<std::string>();
            if (!id || !isWord(*id)) return failed("a finding must be the text of its rule's id");
            if (kernel.findings.size() >= kMostRules) return failed("too many findings");
            if (!kernel.findings.add(*id, word == "minor_finding"))
                return failed(fmt::format("the finding \"{}\" appears twice", *id));
            return true;
        }
        if (word == "sm_clock_mhz" || word == "dram_clock_mhz") {
            const auto* mhz = value.as<double>();
            auto& clock = word == "sm_clock_mhz" ? kernel.smClockHz : kernel.dramClockHz;
            if (!mhz || !(*mhz >= 1) || *mhz > 1e6)
                return failed("a clock must be a number of MHz");
            if (clock) return failed(fmt::format("\"{}\" appears twice", word));
            clock = *mhz * 1e6;
            return true;
        }
        if (kernel.facts.size() >= kMostFacts) return failed("too many values");
        Fact fact;
        if (const auto* plain = value.as<double>()) {
            if (!std::isfinite(*plain) || *plain < 0)
                return failed("a value must be a number that is not negative");
            fact = {*plain, {*plain, *plain, 0, true}};
            return kernel.facts.add(word, fact) ||
                   failed(fmt::format("\"{}\" appears twice", word));
        }
        if (!members(value, {"value", "low", "high", "launches"}) ||
            !quantity(value, "value", fact.value))
            return false;
        fact.band.low = fact.band.high = fact.value;
        std::uint64_t launches = 0;
        if (!integer(value, "launches", launches, kMostExact)) return false;
        if (launches == 0) return failed("\"launches\" must be at least 1");
        fact.band.repeats = launches;
        const bool low = member(value, "low"), high = member(value, "high");
        if (low != high) return failed("\"low\" and \"high\" go together");
        if (low &&
            (!quantity(value, "low", fact.band.low) || !quantity(value, "high", fact.band.high)))
            return false;
        if (fact.band.low > fact.band.high) return failed("\"low\" is above \"high\"");
        if (!kernel.facts.add(word, finished(word, fact, low)))
            return failed(fmt::format("\"{}\" appears twice", word));
        return true;
    }

    /// Checks that the value is an object with no other keys than these.
    bool members(const JsonValue& value, std::initializer_list<std::string_view> known) {
        const auto* object = value.as<JsonValue::Members>();
        if (!object) return failed("the value must be an object");
        for (const JsonMember& m : *object)
            if (std::find(known.begin(), known.end(), m.name) == known.end())
                return failed(isWord(m.name) ? fmt::format("unknown key \"{}\"", m.name)
                                             : "an unknown key");
        return true;
    }

    static const JsonValue* member(const JsonValue& value, std::string_view name) {
        for (const JsonMember& m : *value.as<JsonValue::Members>())
            if (m.name == name) return &m.value;
        return nullptr;
    }

    bool text(const JsonValue& value, const char* key, std::string& out, bool required) {
        constexpr std::size_t kLongest = 16'384;
        const JsonValue* found = member(value, key);
        if (!found) return !required || failed(fmt::format("\"{}\" is missing", key));
        const auto* string = found->as<std::string>();
        if (!string || string->size() > kLongest)
            return failed(fmt::format("\"{}\" must be a text of at most {} bytes", key, kLongest));
        out = *string;
        return true;
    }

    bool quantity(const JsonValue& value, const char* key, double& out) {
        const JsonValue* found = member(value, key);
        const auto* number = found ? found->as<double>() : nullptr;
        if (!number || !std::isfinite(*number) || *number < 0)
            return failed(fmt::format("\"{}\" must be a number that is not negative", key));
        out = *number;
        return true;
    }

    bool toInteger(const JsonValue& value, const char* key, std::uint64_t& out, double most) {
        const auto* number = value.as<double>();
        if (!number || !(*number >= 0) || *number > most || *number != std::floor(*number))
            return failed(fmt::format("\"{}\" must be a whole number up to {:.0f}", key, most));
        out = static_cast<std::uint64_t>(*number);
        return true;
    }

    bool integer(const JsonValue& value, const char* key, std::uint64_t& out, double most) {
        const JsonValue* found = member(value, key);
        if (!found) return failed(fmt::format("\"{}\" is missing", key));
        return toInteger(*found, key, out, most);
    }

    template <std::size_t N>
    bool integers(const JsonValue& value, const char* key, std::uint64_t (&out)[N], double most) {
        const JsonValue* found = member(value, key);
        const auto* items = found ? found->as<JsonValue::Items>() : nullptr;
        if (!items || items->size() != N)
            return failed(fmt::format("\"{}\" must be an array of {} numbers", key, N));
        for (std::size_t i = 0; i < N; ++i)
            if (!toInteger((*items)[i], key, out[i], most)) return false;
        return true;
    }

    bool extents(const JsonValue& value, const char* key, Dim3& out) {
        std::uint64_t xyz[3] = {1, 1, 1};
        if (!integers(value, key, xyz, std::numeric_limits<std::uint32_t>::max())) return false;
        out = {static_cast<std::uint32_t>(xyz[0]), static_cast<std::uint32_t>(xyz[1]),
               static_cast<std::uint32_t>(xyz[2])};
        return true;
    }

    std::string_view m_file;
    bool m_onlyCheck = false;
    std::size_t m_line = 0, m_kernels = 0;
    std::uint64_t m_minor = 0;
    bool m_begun = false, m_ended = false;
    Baseline m_out;
    Error m_error;
};

}  // namespace

Result<void> checkBaseline(std::string_view text, std::string_view name) {
    if (const auto read = BaselineReader(name, true).run(text); !read) return read.error();
    return {};
}

Result<Baseline> parseBaseline(std::string_view text, std::string_view name) {
    Result<Baseline> read = BaselineReader(name).run(text);
    // An empty file has no line; report the error in its first.
    if (!read && text.empty())
        return badData(name, 1, "the file is empty",
                       "make one with \"roofscope gate PROFILE --baseline FILE --update\"");
    return read;
}

}  // namespace roofscope::gate
