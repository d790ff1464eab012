// SPDX-License-Identifier: Apache-2.0
#include "cli/kernel_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace roofscope::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string innermost(const std::string& range) {
    const auto at = range.rfind(" > ");
    return at == std::string::npos ? range : range.substr(at + 3);
}

double relativeDifference(double measured, double expected) {
    if (measured == expected) return 0;
    return expected == 0 ? std::numeric_limits<double>::infinity()
                         : std::abs(measured - expected) / std::abs(expected);
}

std::string number(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                                : fmt::format("{:.6g}", value);
}

/// Ten times the compute capability: 90 for [9, 0]; 0 for null.
int computeCapability(const Json& json) {
    return json.is_null() ? 0 : 10 * json.at(0).get<int>() + json.at(1).get<int>();
}

/// Whether every device of the profile has a lower compute capability.
bool allOlder(const Profile& profile, int computeCapability) {
    return !profile.devices.empty() &&
           std::all_of(profile.devices.begin(), profile.devices.end(), [&](const Device& device) {
               return 10 * device.computeMajor + device.computeMinor < computeCapability;
           });
}

}  // namespace

Result<std::vector<ExpectedCounter>> parseExpectations(std::string_view text) {
    std::vector<ExpectedCounter> result;
    try {
        for (const auto& rung : Json::parse(text)) {
            const int needed = computeCapability(rung.value("min_compute_capability", Json()));
            for (const auto& counter : rung.at("counters"))
                result.push_back({.range = rung.at("range"),
                                  .counter = counter.at("counter"),
                                  .value = counter.at("value"),
                                  .tolerance = counter.value("tolerance", 0.0),
                                  .formula = counter.value("formula", ""),
                                  .minComputeCapability = needed});
        }
    } catch (const std::exception& error) {
        return Error{.code = ErrorCode::Internal,
                     .what = std::string("the known answers could not be read: ") + error.what(),
                     .where = "roofscope-kernels expect"};
    }
    return result;
}

CheckTable compareWithExpectations(const std::vector<ExpectedCounter>& expected,
                                   const Profile& profile) {
    std::map<std::string, std::vector<std::size_t>> launches;
    for (std::size_t i = 0; i < profile.launches.size(); ++i)
        if (const auto range = profile.launches[i].range)
            launches[innermost(profile.ranges.at(*range))].push_back(i);

    CheckTable table;
    for (const auto& one : expected) {
        CheckRow row{.expected = one};
        const auto it = launches.find(one.range);
        if (it == launches.end()) {
            if (allOlder(profile, one.minComputeCapability))
                table.skipped[one.range] =
                    fmt::format("needs compute capability {}.{}", one.minComputeCapability / 10,
                                one.minComputeCapability % 10);
            else
                ++table.missing;
            continue;
        }
        for (const std::size_t launch : it->second) {
            const auto value = profile.counters.value(one.counter, launch);
            if (!value) continue;
            ++row.launches;
            if (!row.measured || relativeDifference(*value, one.value) >
                                     relativeDifference(*row.measured, one.value))
                row.measured = value;
        }
        // If the counter was not collected for a launch of the range, the check fails.
        row.passed = row.measured && row.launches == it->second.size() &&
                     relativeDifference(*row.measured, one.value) <= one.tolerance;
        ++table.compared;
        if (!row.passed) ++table.failed;
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<DeclaredBytes> declaredBytes(const std::vector<ExpectedCounter>& expected) {
    std::map<std::string, std::pair<std::optional<double>, std::optional<double>>> traffic;
    for (const auto& one : expected) {
        if (one.counter == "dram__bytes_read.sum") traffic[one.range].first = one.value;
        if (one.counter == "dram__bytes_write.sum") traffic[one.range].second = one.value;
    }
    std::vector<DeclaredBytes> declarations;
    for (const auto& [range, bytes] : traffic)
        if (bytes.first && bytes.second && *bytes.first + *bytes.second >= 1)
            declarations.push_back(
                {.range = range,
                 .bytes = static_cast<std::uint64_t>(*bytes.first + *bytes.second)});
    return declarations;
}

std::string toText(const CheckTable& table, bool colour) {
    std::string text;
    std::string range;
    for (const auto& row : table.rows) {
        if (row.expected.range != range) text += (range = row.expected.range) + "\n";
        const char* verdict = row.passed ? "ok" : "DIFFERS";
        const char* paint = !colour ? "" : row.passed ? "\033[32m" : "\033[31m";
        text += fmt::format("  {}{:<8}{}{:<66} {:>16} expected {:>16}", paint, verdict,
                            colour ? "\033[0m" : "", row.expected.counter,
                            row.measured ? number(*row.measured) : "not measured",
                            number(row.expected.value));
        if (row.expected.tolerance > 0)
            text += fmt::format(" within {:.3g} %", row.expected.tolerance * 100);
        if (row.measured && *row.measured != row.expected.value && row.expected.value != 0)
            text += fmt::format(" ({:+.3g} %)",
                                (*row.measured - row.expected.value) / row.expected.value * 100);
        text += "\n";
    }
    for (const auto& [skipped, why] : table.skipped)
        text += fmt::format("{}\n  skipped: {}\n", skipped, why);
    text += fmt::format("{} counters compared, {} as expected, {} differ", table.compared,
                        table.compared - table.failed, table.failed);
    if (table.missing)
        text += fmt::format("; {} belong to kernels that were not run", table.missing);
    return text + "\n";
}

std::string toJsonText(const CheckTable& table) {
    Json json;
    json["compared"] = table.compared;
    json["failed"] = table.failed;
    json["not_run"] = table.missing;
    Json& skipped = json["skipped"] = Json::array();
    for (const auto& [range, why] : table.skipped)
        skipped.push_back({{"range", range}, {"reason", why}});
    Json& rows = json["rows"] = Json::array();
    for (const auto& row : table.rows)
        rows.push_back({{"range", row.expected.range},
                        {"counter", row.expected.counter},
                        {"measured", row.measured ? Json(*row.measured) : Json(nullptr)},
                        {"expected", row.expected.value},
                        {"tolerance", row.expected.tolerance},
                        {"launches", row.launches},
                        {"formula", row.expected.formula},
                        {"verdict", row.passed ? "ok" : "differs"}});
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace roofscope::cli
