// SPDX-License-Identifier: Apache-2.0
#include "gate/rules.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "analyzer/diagnosis/rule.h"
#include "gate/keys.h"
#include "gate/located_json.h"
#include "gate/program_time.h"

namespace roofscope::gate {

namespace {

constexpr std::size_t kMostEntries = 1000, kLongestPattern = 1000;

std::string keyList(bool growing) {
    std::string list;
    for (const Key& key : allKeys())
        if (!growing || key.judged != Judged::Limit)
            list += (list.empty() ? "" : ", ") + std::string(key.key);
    if (growing) list += ", " + std::string(kWindowKey);
    return list;
}

/// A name from the file, for an error message: printable characters only, cut.
std::string shown(std::string_view name) {
    std::string text(name.substr(0, 80));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    return "\"" + text + "\"";
}

class RulesReader {
public:
    explicit RulesReader(std::string_view file) : m_file(file) {}

    Result<Rules> run(const JsonValue& root) {
        const auto* members = object(root, "the file");
        if (!members) return m_error;
        bool format = false;
        for (const JsonMember& m : *members) {
            bool good = true;
            if (m.name == "format") {
                const auto* text = m.value.as<std::string>();
                format = text && *text == "roofscope-gate-rules";
                good = format || failed(m.line, "\"format\" must be \"roofscope-gate-rules\"");
            } else if (m.name == "schema") {
                good = schema(m);
            } else if (m.name == "new_kernels") {
                good = newKernels(m);
            } else if (m.name == "allow_missing") {
                good = texts(m, [&](const std::string& text, std::size_t line) {
                    if (!pattern(text, line)) return false;
                    m_out.allowMissing.push_back(text);
                    return true;
                });
            } else if (m.name == "kernels") {
                good = entries(m);
            } else {
                good = demand(m, m_out.all) == Known::Yes ||
                       failed(m.line, "unknown key " + shown(m.name),
                              "known are format, schema, new_kernels, allow_missing, kernels, "
                              "max_growth_ratio, limits, forbidden_findings, new_findings, ignore");
            }
            if (!good) return m_error;
        }
        if (!format) return failed(root.line, "not a rules file: \"format\" is missing"), m_error;
        return std::move(m_out);
    }

private:
    enum class Known { Yes, No, Wrong };

    /// Keeps the first error: it says more than the errors that follow from it.
    bool failed(std::size_t line, std::string what, std::string advice = {}) {
        if (m_error.what.empty())
            m_error = badData(m_file, line, std::move(what), std::move(advice));
        return false;
    }

    const JsonValue::Members* object(const JsonValue& value, const std::string& what) {
        const auto* members = value.as<JsonValue::Members>();
        if (!members) failed(value.line, what + " must hold an object");
        return members;
    }

    bool texts(const JsonMember& member,
               const std::function<bool(const std::string&, std::size_t)>& each) {
        const auto* items = member.value.as<JsonValue::Items>();
        if (!items) return failed(member.line, shown(member.name) + " must be an array of texts");
        for (const JsonValue& item : *items) {
            const auto* text = item.as<std::string>();
            if (!text) return failed(item.line, shown(member.name) + " must hold texts only");
            if (!each(*text, item.line)) return false;
        }
        return true;
    }

    bool pattern(const std::string& text, std::size_t line) {
        return (!text.empty() && text.size() <= kLongestPattern) ||
               failed(line, fmt::format("a name or glob must have 1 to {} bytes", kLongestPattern));
    }

    bool knownRule(const std::string& id, std::size_t line) {
        return findRule(id) != nullptr ||
               failed(line, "there is no rule " + shown(id), "see \"roofscope rules list\"");
    }

    bool schema(const JsonMember& m) {
        const auto* items = m.value.as<JsonValue::Items>();
        const auto version = [](const JsonValue& item) {
            const auto* number = item.as<double>();
            return number && *number >= 0 && *number == std::floor(*number);
        };
        if (!items || items->size() != 2 || !std::all_of(items->begin(), items->end(), version))
            return failed(m.line, "\"schema\" must be [MAJOR, MINOR], whole numbers");
        return *items->front().as<double>() == 1 ||
               failed(m.line, "written for another version of the format");
    }

    bool newKernels(const JsonMember& m) {
        const auto* text = m.value.as<std::string>();
        if (text && *text == "incomparable")
            m_out.newKernels = NewKernels::Incomparable;
        else if (text && *text == "pass")
            m_out.newKernels = NewKernels::Pass;
        else if (text && *text == "fail")
            m_out.newKernels = NewKernels::Fail;
        else
            return failed(m.line, "\"new_kernels\" must be \"incomparable\", \"pass\" or \"fail\"");
        return true;
    }

    bool entries(const JsonMember& member) {
        const auto* items = member.value.as<JsonValue::Items>();
        if (!items) return failed(member.line, "\"kernels\" must be an array of objects");
        if (items->size() > kMostEntries)
            return failed(member.line, fmt::format("more than {} kernels", kMostEntries));
        for (const JsonValue& item : *items) {
            const auto* members = object(item, "each entry of \"kernels\"");
            if (!members) return false;
            RulesEntry entry{.line = item.line};
            for (const JsonMember& m : *members)
                if (!entryMember(m, entry)) return false;
            if (entry.match.empty())
                return failed(item.line, "\"match\" is missing: which kernels are meant?");
            m_out.kernels.push_back(std::move(entry));
        }
        return true;
    }

    bool entryMember(const JsonMember& m, RulesEntry& entry) {
        if (m.name == "match") {
            const auto* text = m.value.as<std::string>();
            if (!text) return failed(m.line, "\"match\" must be a name or glob");
            entry.match = *text;
            return pattern(*text, m.line);
        }
        if (m.name == "required") {
            const bool* required = m.value.as<bool>();
            if (!required) return failed(m.line, "\"required\" must be true or false");
            entry.required = *required;
            return true;
        }
        return demand(m, entry.demands) == Known::Yes ||
               failed(m.line, "unknown key " + shown(m.name),
                      "known are match, required, max_growth_ratio, limits, forbidden_findings, "
                      "new_findings, ignore");
    }

    Known demand(const JsonMember& m, Demands& demands) {
        const auto answer = [](bool good) { return good ? Known::Yes : Known::Wrong; };
        if (m.name == "max_growth_ratio") return answer(numbers(m, true, demands.growth));
        if (m.name == "limits") return answer(numbers(m, false, demands.limits));
        if (m.name == "forbidden_findings")
            return answer(texts(m, [&](const std::string& id, std::size_t line) {
                demands.forbidden[id] = true;
                return knownRule(id, line);
            }));
        if (m.name == "ignore")
            return answer(texts(m, [&](const std::string& key, std::size_t line) {
                demands.ignored[key] = true;
                return findKey(key) || key == kWindowKey || findRule(key) ||
                       failed(line, "there is no quantity and no rule " + shown(key),
                              "quantities are " + keyList(false));
            }));
        if (m.name == "new_findings") {
            const auto* text = m.value.as<std::string>();
            if (!text || (*text != "fail" && *text != "pass"))
                return answer(failed(m.line, "\"new_findings\" must be \"fail\" or \"pass\""));
            demands.newFindings = *text == "fail";
            return Known::Yes;
        }
        return Known::No;
    }

    bool numbers(const JsonMember& member, bool growing, Demands::ByKey<double>& out) {
        const auto* members = object(member.value, shown(member.name));
        if (!members) return false;
        for (const JsonMember& m : *members) {
            const Key* key = findKey(m.name);
            const bool window = growing && m.name == kWindowKey;
            if (!key && !window)
                return failed(m.line, "there is no quantity " + shown(m.name),
                              "known are " + keyList(growing));
            if (growing && key && key->judged == Judged::Limit)
                return failed(m.line, shown(m.name) + " has limits only, no growth",
                              "known are " + keyList(true));
            const auto* number = m.value.as<double>();
            if (!number || !std::isfinite(*number) || *number < 0)
                return failed(m.line, shown(m.name) + " must be a number that is not negative");
            out[m.name] = *number;
        }
        return true;
    }

    std::string_view m_file;
    Rules m_out;
    Error m_error;
};

}  // namespace

Result<Rules> parseRules(std::string_view text, std::string_view name) {
    const Result<JsonValue> root =
        parseLocatedJson(text, name, 1, {.maxBytes = kMaxRulesBytes, .maxDepth = 6});
    if (!root) return root.error();
    return RulesReader(name).run(*root);
}

}  // namespace roofscope::gate
