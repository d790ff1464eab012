// SPDX-License-Identifier: Apache-2.0
#include "collector/run/spool/spool_names.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "collector/spool/spool_keys.h"
#include "profile/model/severity.h"

namespace roofscope {

using namespace spool;

namespace {

/// The injected library writes no more of them.
constexpr std::size_t kMostCallSites = 10'000;
constexpr std::size_t kMostCopySizes = 64;
constexpr std::size_t kMostFrames = 64;  // more than are written

/// A rate that a device can have.
std::optional<double> optionalRate(const Json& json, const char* key) {
    const auto it = json.find(key);
    if (it == json.end() || it->is_null()) return {};
    if (const auto rate = it->get<double>(); rate >= 0) return rate;
    throw std::invalid_argument("no rate");
}

}  // namespace

bool SpoolNames::apply(std::string_view type, const Json& json) {
    static const std::map<std::string_view, void (SpoolNames::*)(const Json&)> kReaders{
        {"kernel", &SpoolNames::kernel},   {"range", &SpoolNames::range},
        {"site", &SpoolNames::site},       {"counters", &SpoolNames::counters},
        {"peaks", &SpoolNames::peaks},     {"device", &SpoolNames::device},
        {"process", &SpoolNames::process}, {"issue", &SpoolNames::issue},
        {"end", &SpoolNames::end}};
    const auto reader = kReaders.find(type);
    if (reader != kReaders.end()) (this->*reader->second)(json);
    return reader != kReaders.end();
}

void SpoolNames::process(const Json& json) {
    m_ids.self().pid = static_cast<std::int64_t>(count(json, "pid"));
    m_ids.self().cuptiPath = json.value("cupti_path", "");
    m_ids.self().cuptiVersion = optionalWhole<std::uint32_t>(json, "cupti_version").value_or(0);
    m_ids.self().driverVersion = optionalWhole<std::uint32_t>(json, "driver_version").value_or(0);
    m_ids.self().host = json.value("host", "");
    for (const auto& [key, member] : kProcessKeys)
        m_ids.self().*member = optionalWhole<std::uint32_t>(json, key);
    if (m_ids.self().rank && m_ids.self().worldSize &&
        *m_ids.self().rank >= *m_ids.self().worldSize)
        m_ids.self().rank = m_ids.self().worldSize = std::nullopt;
}

void SpoolNames::device(const Json& json) {
    Device d;
    d.name = json.at("name").get<std::string>();
    d.chip = json.value("chip", "");
    d.computeMajor = optionalWhole<std::uint8_t>(json, "major").value_or(0);
    d.computeMinor = optionalWhole<std::uint8_t>(json, "minor").value_or(0);
    d.smCount = optionalWhole<std::uint32_t>(json, "sms").value_or(0);
    d.warpSize = optionalWhole<std::uint32_t>(json, "warp").value_or(32);
    for (const auto& [key, member] : kDeviceKeys)
        d.*member = optionalWhole<std::uint32_t>(json, key);
    for (const auto& [key, member] : kDeviceSizeKeys)
        d.*member = optionalWhole<std::uint64_t>(json, key);
    if (const auto hz = optionalRate(json, "sm_hz")) d.smClockMax = Hertz{*hz};
    if (const auto hz = optionalRate(json, "memory_hz")) d.memoryClockMax = Hertz{*hz};
    d.uuid = json.value("uuid", "");
    // Processes of one run share devices. Peaks come later, so that models are not compared.
    const auto same = std::ranges::find_if(m_ids.profile.devices, [&](const Device& other) {
        return other.name == d.name && other.chip == d.chip && other.smCount == d.smCount &&
               other.memoryBytes == d.memoryBytes && other.uuid == d.uuid &&
               !m_ownDevices.contains(&other - m_ids.profile.devices.data());
    });
    const auto index = static_cast<std::uint32_t>(same - m_ids.profile.devices.begin());
    if (same == m_ids.profile.devices.end()) m_ids.profile.devices.push_back(std::move(d));
    m_ownDevices.insert(index);
    m_ids.devices[whole<std::uint32_t>(json, "id")] = index;
    if (const auto ordinal = optionalWhole<std::uint32_t>(json, "ordinal"))
        m_ids.ordinals.try_emplace(*ordinal, index);
}

void SpoolNames::peaks(const Json& json) {
    Device& d = m_ids.profile.devices.at(m_ids.devices.at(whole<std::uint32_t>(json, "d")));
    for (const auto& [name, value] : json.at("values").items()) d.peaks[name] = value.get<double>();
}

void SpoolNames::counters(const Json& json) {
    m_ids.counters[whole<std::uint32_t>(json, "d")] =
        json.at("names").get<std::vector<std::string>>();
    m_ids.profile.capture.passes = std::max(
        m_ids.profile.capture.passes, optionalWhole<std::uint32_t>(json, "passes").value_or(0));
}

void SpoolNames::kernel(const Json& json) {
    if (m_ids.kernels.contains(whole<std::uint32_t>(json, "id"))) return;  // told again
    Kernel k;
    k.name = json.at("name").get<std::string>();
    k.symbol = json.at("symbol").get<std::string>();
    for (const auto& [key, member] : kKernelKeys)
        k.*member = optionalWhole<std::uint32_t>(json, key);
    m_ids.kernels[whole<std::uint32_t>(json, "id")] =
        static_cast<std::uint32_t>(m_ids.profile.kernels.size());
    m_ids.profile.kernels.push_back(std::move(k));
}

void SpoolNames::site(const Json& json) {
    if (m_ids.profile.callSites.size() >= kMostCallSites) return;
    CallSite site{.call = json.value("call", ""),
                  .file = json.value("file", ""),
                  .line = optionalWhole<std::uint32_t>(json, "line").value_or(0),
                  .function = json.value("function", ""),
                  .indirect = json.value("indirect", false),
                  .op = json.value("op", ""),
                  .sizes = json.value("sizes", ""),
                  .backward = json.value("backward", ""),
                  .count = count(json, "count")};
    if (const auto kernel = optionalWhole<std::uint32_t>(json, "k"))
        site.kernel = m_ids.kernels.at(*kernel);
    if (site.kernel.has_value() != site.call.empty() || site.count == 0)
        throw std::invalid_argument("no call site");
    if (const auto forward = json.find("forward"); forward != json.end())
        site.forward = {.file = forward->value("file", ""),
                        .line = optionalWhole<std::uint32_t>(*forward, "line").value_or(0),
                        .function = forward->value("function", "")};
    for (const Json& frame : json.value("frames", Json::array())) {
        if (site.callers.size() == kMostFrames) break;
        site.callers.push_back(
            {.module = frame.at("module").get<std::string>(), .offset = count(frame, "offset")});
    }
    for (const Json& numbers : json.value("copied", Json::array())) {
        if (site.hostCopies.size() == kMostCopySizes) break;
        if (numbers.size() != 5 || !std::ranges::all_of(numbers, [](const Json& number) {
                return number.is_number_unsigned();
            }))
            throw std::invalid_argument("no copies");
        const auto list = numbers.get<std::vector<std::uint64_t>>();
        const HostCopies copies{.bytes = list[0],
                                .copies = list[1],
                                .read = list[2],
                                .repeated = list[3],
                                .distinct = list[4]};
        if (site.kernel || !isSound(copies)) throw std::invalid_argument("no copies");
        site.hostCopies.push_back(copies);
    }
    if (!site.callers.empty()) {
        site.module = std::move(site.callers.front().module);
        site.offset = site.callers.front().offset;
        site.callers.erase(site.callers.begin());
    }
    m_ids.profile.callSites.push_back(std::move(site));
}

void SpoolNames::range(const Json& json) {
    if (m_ids.ranges.contains(whole<std::uint32_t>(json, "id"))) return;  // told again
    // The name first: a line without one must leave no number of a range that is not there.
    auto name = json.at("name").get<std::string>();
    m_ids.ranges[whole<std::uint32_t>(json, "id")] =
        static_cast<std::uint32_t>(m_ids.profile.ranges.size());
    m_ids.profile.ranges.push_back(std::move(name));
}

void SpoolNames::issue(const Json& json) {
    m_ids.profile.issues.push_back({.severity = severityNamed(json.value("severity", "error")),
                                    .source = json.value("source", ""),
                                    .code = json.value("code", ""),
                                    .message = json.value("message", ""),
                                    .advice = json.value("advice", "")});
}

void SpoolNames::end(const Json& json) {
    m_ids.self().endedCleanly = true;
    m_ids.self().autotuningLaunches = optionalWhole<std::uint64_t>(json, "autotuning");
    m_ids.self().unchosenLaunches = optionalWhole<std::uint64_t>(json, "not_chosen");
    m_ids.self().pinnedBytes = optionalWhole<std::uint64_t>(json, "pinned_bytes");
    if (const auto ns = optionalWhole<std::uint64_t>(json, "traced_launch_ns"))
        m_ids.self().tracedLaunch = Seconds{static_cast<double>(*ns) / 1e9};
}

}  // namespace roofscope
