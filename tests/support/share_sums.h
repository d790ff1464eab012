// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

/// Every moment is in one time class, so shares add up to 1 in every report.
namespace roofscope::test {

/// The error in one object of shares; empty if they add up.
inline std::string shareProblem(const nlohmann::json& shares) {
    if (shares.is_null()) return {};
    double sum = 0;
    for (const auto& [name, share] : shares.items()) {
        if (share.is_null()) continue;
        const double value = share.get<double>();
        if (!(value >= 0 && value <= 1 + 1e-9)) return name + " is " + share.dump();
        sum += value;
    }
    return std::abs(sum - 1) <= 1e-6 ? std::string() : "the sum is " + std::to_string(sum);
}

/// The same for all time shares of a JSON report: the program's, its phases', its loop's and each
/// GPU's.
inline std::string sharesProblem(const nlohmann::json& report) {
    const auto& program = report.at("program");
    if (auto problem = shareProblem(program.at("shares")); !problem.empty()) return problem;
    if (program.contains("devices"))
        for (const auto& device : program["devices"])
            if (auto problem = shareProblem(device.at("shares")); !problem.empty())
                return "a GPU: " + problem;
    if (program.contains("phases"))
        for (const auto& phase : program["phases"])
            if (auto problem = shareProblem(phase.at("shares")); !problem.empty())
                return "a phase: " + problem;
    if (program.contains("loop"))
        if (auto problem = shareProblem(program["loop"].at("shares")); !problem.empty())
            return "the loop: " + problem;
    return {};
}

/// The sum of the percentages in a report's first sentence "Of that: …" from `from` on; absent if
/// there is none.
inline std::optional<double> percentsInText(const std::string& report, std::size_t from = 0) {
    const std::string begin = "Of that: ";
    std::size_t at = report.find(begin, from);
    if (at == report.npos) return std::nullopt;
    double sum = 0;
    bool any = false;
    for (at += begin.size(); at < report.size() && report[at] != '.';) {
        if (std::isdigit(static_cast<unsigned char>(report[at])) == 0) {
            ++at;
            continue;
        }
        char* end = nullptr;
        sum += std::strtod(report.c_str() + at, &end);
        any = true;
        at = static_cast<std::size_t>(end - report.c_str());
    }
    return any ? std::optional(sum) : std::nullopt;
}

/// The error in these sentences of a report: of the program, of a phase. Each number is rounded to
/// three digits, and parts below half a percent may be left out.
inline std::string percentsProblem(const std::string& report) {
    for (std::size_t at = 0; (at = report.find("Of that: ", at)) != report.npos; ++at)
        if (const auto sum = percentsInText(report, at); sum && std::abs(*sum - 100) > 1)
            return std::to_string(*sum) + " %: " + report.substr(at, 200);
    return {};
}

}  // namespace roofscope::test
