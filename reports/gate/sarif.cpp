// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "reports/gate/formats.h"
#include "reports/gate/words.h"
#include "reports/json/json_parts.h"

/// The verdict as SARIF 2.1.0, for code scanning. A result points to its kernel's line in the
/// baseline, the only file of the repository that a gate knows.
namespace roofscope {

namespace {

namespace words = gate_words;
using gate::Check;
using gate::Status;
using json_parts::Json;

/// Percent-encodes a path (RFC 3986), keeping slashes.
std::string uriOf(std::string_view path) {
    while (path.starts_with("./")) path.remove_prefix(2);
    std::string out;
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        out += plain ? std::string(1, c)
                     : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return out;
}

/// A stable id per kernel and check, by which a service recognises a result in the next run.
std::string fingerprint(const std::string& kernel, const std::string& id) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : kernel + '\n' + id)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return fmt::format("{:016x}", hash);
}

}  // namespace

std::string renderGateSarif(const gate::Judgement& j, const GateOptions& options) {
    Json rules = Json::array(), results = Json::array();
    std::map<std::string, std::size_t> known;
    const auto add = [&](const gate::KernelGate* kernel, const Check& check) {
        if (check.status == Status::Pass) return;
        const auto [rule, isNew] = known.emplace("gate/" + check.id, rules.size());
        if (isNew)
            rules.push_back({{"id", rule->first},
                             {"shortDescription",
                              {{"text", json_parts::clean(check.label.in(Language::En))}}}});
        const std::string name = kernel ? words::title(*kernel) : "roofscope gate";
        Json location = {
            {"logicalLocations", {{{"fullyQualifiedName", name}, {"kind", "function"}}}}};
        // An absolute path is on this machine, not in the repository.
        if (!options.baselinePath.empty() && !options.baselinePath.starts_with('/')) {
            const std::size_t line = kernel && kernel->baselineLine > 0 ? kernel->baselineLine : 1;
            location["physicalLocation"] = {
                {"artifactLocation", {{"uri", uriOf(options.baselinePath)}}},
                {"region", {{"startLine", line}}}};
        }
        results.push_back(
            {{"ruleId", rule->first},
             {"ruleIndex", rule->second},
             {"level", check.status == Status::Fail ? "error"
                       : check.allowed              ? "note"
                                                    : "warning"},
             {"message", {{"text", name + ": " + words::check(check)}}},
             {"locations", Json::array({location})},
             {"partialFingerprints", {{"roofscopeGate/v1", fingerprint(name, check.id)}}}});
    };
    words::forEachCheck(j, add);
    if (j.status() == Status::Incomparable && j.count.incomparable == 0)
        add(nullptr, {.status = Status::Incomparable,
                      .id = "checks",
                      .label = Words::same(words::summary(j))});
    const Json driver = {{"name", "roofscope"}, {"version", options.toolVersion}, {"rules", rules}};
    const Json run = {
        {"tool", {{"driver", driver}}},
        {"invocations", Json::array({{{"executionSuccessful", true}, {"exitCode", j.exitCode()}}})},
        {"results", results},
        {"properties", {{"summary", words::summary(j)}}}};
    return json_parts::dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                             {"version", "2.1.0"},
                             {"runs", Json::array({run})}});
}

}  // namespace roofscope
