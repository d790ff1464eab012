// SPDX-License-Identifier: Apache-2.0
#include "profile/chips/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "profile/model/profile.h"

namespace roofscope {

namespace chips {
std::span<const EmbeddedFile> files();  // profile/chips/*.json, by cmake/RoofscopeEmbed.cmake
}

namespace {

using Json = nlohmann::ordered_json;

/// Says which file of profile/chips/ is wrong and why. Never leaves this file: guarded() turns it
/// into an Error.
struct BadTable {
    std::string file, what;
};

Json parseFile(const EmbeddedFile& file) {
    Json json = Json::parse(file.content, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) throw BadTable{std::string(file.name), "is not a JSON object"};
    static const std::set<std::string> kKnown{"chip",
                                              "family",
                                              "inherits",
                                              "verified",
                                              "groups",
                                              "sums",
                                              "peaks",
                                              "dram_counters",
                                              "notes",
                                              "rename",
                                              "absent",
                                              "dram_latency_ns",
                                              "fp16_in_tensor_pipe",
                                              "samples_over_time",
                                              "l2_returns_per_arrival",
                                              "float_atomic_cycles",
                                              "block_starts_per_us",
                                              "per_sm_clock",
                                              "tensor_per_busy_cycle",
                                              "features"};
    for (const auto& [key, value] : json.items()) {
        if (!kKnown.contains(key)) {
            throw BadTable{std::string(file.name), fmt::format("has an unknown key \"{}\"", key)};
        }
    }
    if (json.contains("chip") == json.contains("family")) {
        throw BadTable{std::string(file.name), "needs either \"chip\" or \"family\""};
    }
    return json;
}

/// All tables as written, before inheritance, by chip or family name.
struct TableFiles {
    std::map<std::string, Json, std::less<>> byName;

    explicit TableFiles(std::span<const EmbeddedFile> files) {
        for (const auto& file : files) {
            Json json = parseFile(file);
            auto name = json.at(json.contains("chip") ? "chip" : "family").get<std::string>();
            if (std::string_view expected = file.name; expected != name + ".json") {
                throw BadTable{std::string(file.name), fmt::format("describes \"{}\"", name)};
            }
            byName.emplace(std::move(name), std::move(json));
        }
    }
};

/// Replaces the base name of a counter and keeps its roll-up.
std::string renamed(const std::string& counter, const std::map<std::string, std::string>& names) {
    const std::string base{baseCounter(counter)};
    const auto found = names.find(base);
    return found == names.end() ? counter : found->second + counter.substr(base.size());
}

/// Applies the child's "rename" and "absent" to the table inherited from its parent.
void adapt(ChipTable& table, const std::map<std::string, std::string>& names) {
    const auto isAbsent = [&](const std::string& counter) {
        return table.absent.contains(std::string(baseCounter(counter)));
    };
    for (auto& [name, group] : table.groups) {
        for (auto& counter : group.counters) counter = renamed(counter, names);
        std::erase_if(group.counters, isAbsent);
    }
    std::erase_if(table.groups, [](const auto& item) { return item.second.counters.empty(); });
    for (auto& [name, terms] : table.sums) {
        for (auto& term : terms) term.counter = renamed(term.counter, names);
    }
    // A sum without one of its terms would silently be too small: drop the whole sum.
    std::erase_if(table.sums, [&](const auto& item) {
        return std::ranges::any_of(item.second,
                                   [&](const CounterTerm& term) { return isAbsent(term.counter); });
    });
    for (auto& [name, peak] : table.peaks) {
        peak.counter = renamed(peak.counter, names);
        peak.clock = renamed(peak.clock, names);
    }
    std::erase_if(table.peaks, [&](const auto& item) {
        return isAbsent(item.second.counter) || isAbsent(item.second.clock);
    });
}

void readGroups(ChipTable& table, const Json& groups, const std::string& file) {
    for (const auto& [name, json] : groups.items()) {
        auto& group = table.groups[name];
        for (const auto& [key, value] : json.items()) {
            if (key == "max_passes") {
                group.maxPasses = value.get<int>();
            } else if (key == "counters") {
                group.counters = value.get<std::vector<std::string>>();
            } else if (key == "add") {
                for (const auto& counter : value) group.counters.push_back(counter);
            } else {
                throw BadTable{file,
                               fmt::format("has an unknown key \"{}\" in group \"{}\"", key, name)};
            }
        }
        const std::set<std::string> unique(group.counters.begin(), group.counters.end());
        if (unique.size() != group.counters.size()) {
            throw BadTable{file, fmt::format("lists a counter twice in group \"{}\"", name)};
        }
    }
}

ChipTable::Peak readPeak(const std::string& name, const Json& json, const std::string& file) {
    ChipTable::Peak peak;
    peak.clock = json.at("clock").get<std::string>();
    if (!json.contains("per_sm")) {
        peak.counter = json.at("counter").get<std::string>();
        peak.weight = json.at("weight").get<double>();
        return peak;
    }
    peak.perSm = json.at("per_sm").get<double>();
    if (!(peak.perSm > 0) || json.contains("counter"))
        throw BadTable{
            file,
            fmt::format(
                "has a \"per_sm\" in peak \"{}\" that is not above 0 or is combined with a counter",
                name)};
    return peak;
}

/// The value of a key, or an empty object if the key is missing.
const Json& partOf(const Json& json, const std::string& key) {
    static const Json kNone = Json::object();
    const auto found = json.find(key);
    return found == json.end() ? kNone : *found;
}

/// The number under a key, which must be above 0; nullopt if the key is missing.
std::optional<double> positive(const Json& json, const std::string& key, const std::string& file) {
    const auto found = json.find(key);
    if (found == json.end()) return {};
    const double number = found->get<double>();
    if (!(number > 0)) throw BadTable{file, fmt::format("has a \"{}\" that is not above 0", key)};
    return number;
}

ChipFeature readFeature(const std::string& name, const std::string& file) {
    static constexpr std::pair<std::string_view, ChipFeature> kNames[]{
        {"async_copies", ChipFeature::AsyncCopies},
        {"bf16_tensor_cores", ChipFeature::Bf16TensorCores},
        {"fp8_tensor_cores", ChipFeature::Fp8TensorCores},
        {"fp4_tensor_cores", ChipFeature::Fp4TensorCores},
        {"bulk_copies", ChipFeature::BulkCopies},
        {"clusters", ChipFeature::Clusters},
        {"wgmma", ChipFeature::Wgmma},
        {"tensor_memory", ChipFeature::TensorMemory}};
    for (const auto& [known, feature] : kNames)
        if (name == known) return feature;
    throw BadTable{file, fmt::format("has an unknown feature \"{}\"", name)};
}

ChipTable resolve(const TableFiles& files, const std::string& name,
                  std::vector<std::string>& chain) {
    const std::string file = name + ".json";
    const bool cycle = std::ranges::find(chain, name) != chain.end();
    chain.push_back(name);
    if (cycle)
        throw BadTable{file, fmt::format("inherits in a circle: {}", fmt::join(chain, " → "))};
    const Json& json = files.byName.find(name)->second;

    ChipTable table;
    if (json.contains("inherits")) {
        const auto parent = json.at("inherits").get<std::string>();
        if (!files.byName.contains(parent)) {
            throw BadTable{file, fmt::format("inherits from \"{}\", which does not exist", parent)};
        }
        table = resolve(files, parent, chain);
    }
    if (json.contains("chip")) {
        table.chip = name;
    } else {
        table.family = name;
    }
    for (const auto& [counter, why] : partOf(json, "absent").items()) table.absent[counter] = why;
    adapt(table, json.value("rename", std::map<std::string, std::string>{}));

    readGroups(table, partOf(json, "groups"), file);
    for (const auto& [sum, terms] : partOf(json, "sums").items()) {
        auto& target = table.sums[sum];
        target.clear();
        for (const auto& [counter, weight] : terms.items())
            target.push_back({.counter = counter, .weight = weight.get<double>()});
    }
    for (const auto& [peak, value] : partOf(json, "peaks").items())
        table.peaks[peak] = readPeak(peak, value, file);
    for (const auto& note : partOf(json, "notes")) table.notes.push_back(note.get<std::string>());
    table.hasDramCounters = json.value("dram_counters", table.hasDramCounters);
    if (const auto ns = positive(json, "dram_latency_ns", file)) {
        table.dramLatency = Seconds{*ns * 1e-9};
        if (!(table.dramLatency->value > 0))  // tiny numbers round to 0
            throw BadTable{file, "has a \"dram_latency_ns\" that is not above 0"};
    }
    if (const auto returns = positive(json, "l2_returns_per_arrival", file))
        table.l2ReturnsPerArrival = returns;
    if (const auto cycles = positive(json, "float_atomic_cycles", file))
        table.floatAtomicCycles = cycles;
    if (const auto starts = positive(json, "block_starts_per_us", file))
        table.blockStartsPerSecond = *starts * 1e6;
    table.samplesOverTime = json.value("samples_over_time", table.samplesOverTime);
    table.fp16InTensorPipe = json.value("fp16_in_tensor_pipe", table.fp16InTensorPipe);
    const auto rates = [&](const char* key, std::map<std::string, double>& into) {
        if (json.contains("family")) into.clear();
        for (const auto& rate : partOf(json, key).items())
            into[rate.key()] = *positive(json.at(key), rate.key(), file);
    };
    rates("per_sm_clock", table.perSmClock);
    rates("tensor_per_busy_cycle", table.tensorPerBusyCycle);
    for (const auto& [feature, value] : partOf(json, "features").items())
        table.features[readFeature(feature, file)] = value.get<bool>();
    table.verified = json.value("verified", table.verified);
    return table;
}

/// "sm_90" for 9.0. Without an exact match: within the major version, the family with the largest
/// smaller minor version, else the smallest larger one. Counters change with the major version far
/// more than with the minor one.
std::string familyFor(const TableFiles& files, int major, int minor) {
    std::string best;
    int bestMinor = -1;
    for (const auto& [name, json] : files.byName) {
        if (!name.starts_with("sm_")) continue;
        const int number = std::stoi(name.substr(3));
        if (number / 10 != major) continue;
        const int candidate = number % 10;
        const bool better = best.empty() ||
                            (candidate <= minor && (bestMinor > minor || candidate > bestMinor)) ||
                            (bestMinor > minor && candidate < bestMinor);
        if (better) {
            best = name;
            bestMinor = candidate;
        }
    }
    return best;
}

ChipTable lookUp(const TableFiles& files, std::string_view chip, int major, int minor) {
    std::vector<std::string> chain;
    if (const auto found = files.byName.find(chip);
        found != files.byName.end() && found->second.contains("chip")) {
        return resolve(files, found->first, chain);
    }
    const std::string family = major > 0 ? familyFor(files, major, minor) : std::string();
    if (family.empty()) return {};
    ChipTable table = resolve(files, family, chain);
    table.chip = chip;
    table.verified = false;
    // Counters of a related family are worth a try, but its features say nothing about this chip.
    if (family != fmt::format("sm_{}{}", major, minor)) table.features.clear();
    table.ofFamily = true;
    return table;
}

bool sameIgnoringCase(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Without a compute capability the user named the chip, so the name may be misspelt.
Error unknownChip(std::string_view chip, int computeMajor, int computeMinor) {
    Error error{.code = ErrorCode::Unavailable,
                .what = fmt::format("no counter table for chip \"{}\"", chip)};
    if (computeMajor > 0) {
        error.what += fmt::format(" (compute capability {}.{})", computeMajor, computeMinor);
        error.advice =
            "compute capability 7.5 or later is supported; a newer chip needs a newer roofscope";
        return error;
    }
    const std::vector<std::string> known = knownChips();
    for (const std::string& name : known)
        if (sameIgnoringCase(name, chip)) error.advice = fmt::format("did you mean {}?", name);
    if (error.advice.empty())
        error.advice =
            fmt::format("known: {}; a newer chip needs a newer roofscope", fmt::join(known, ", "));
    return error;
}

/// The table of a chip from the files that `files` returns; exceptions become errors.
template <class Files>
Result<ChipTable> guarded(std::string_view chip, int computeMajor, int computeMinor,
                          const Files& files) {
    try {
        ChipTable table = lookUp(files(), chip, computeMajor, computeMinor);
        if (table.family.empty()) {
            return unknownChip(chip, computeMajor, computeMinor);
        }
        return table;
    } catch (const BadTable& bad) {
        return Error{.code = ErrorCode::Internal, .what = bad.what, .where = bad.file};
    } catch (const std::exception& error) {  // for example a value of the wrong type
        return Error{.code = ErrorCode::Internal,
                     .what = fmt::format("a chip table is malformed: {}", error.what()),
                     .where = "profile/chips"};
    }
}

/// Returns `ask(table)` for a chip's table from the built-in files, or for the error if there is
/// none. Tables are cached: they never change, every comparison of two kernels needs one, and
/// building it takes longer than the rest of that comparison. Names come from profiles, so the
/// number and length of cached names are limited.
template <class Ask>
auto withBuiltIn(std::string_view chip, int computeMajor, int computeMinor, const Ask& ask) {
    constexpr auto builtIn = []() -> const TableFiles& {
        static const TableFiles files(chips::files());  // dozens of files, parsed once
        return files;
    };
    constexpr std::size_t kMostKept = 64, kLongestName = 64;
    using Key = std::tuple<std::string, int, int>;
    static std::mutex mutex;
    // Never destroyed: a thread that still runs at exit may use it.
    static auto& kept = *new std::map<Key, const Result<ChipTable>>;
    if (chip.size() > kLongestName) return ask(guarded(chip, computeMajor, computeMinor, builtIn));
    Key key(chip, computeMajor, computeMinor);
    const std::lock_guard lock(mutex);
    if (const auto found = kept.find(key); found != kept.end()) return ask(found->second);
    Result<ChipTable> table = guarded(chip, computeMajor, computeMinor, builtIn);
    auto answer = ask(table);
    if (kept.size() < kMostKept) kept.emplace(std::move(key), std::move(table));
    return answer;
}

}  // namespace

std::string_view baseCounter(std::string_view counter) {
    return counter.substr(0, counter.find('.'));
}

std::vector<std::string> knownChips() {
    std::vector<std::string> names;
    for (const auto& file : chips::files()) {
        const auto stem = file.name.substr(0, file.name.find('.'));
        if (stem != "common" && !stem.starts_with("sm_")) names.emplace_back(stem);
    }
    std::ranges::sort(names);
    return names;
}

Result<ChipTable> chipTable(std::string_view chip, int computeMajor, int computeMinor) {
    return withBuiltIn(chip, computeMajor, computeMinor,
                       [](const Result<ChipTable>& table) { return table; });
}

Result<ChipTable> chipTable(const Device& device) {
    return chipTable(device.chip, device.computeMajor, device.computeMinor);
}

std::optional<bool> chipHas(const Device& device, ChipFeature feature) {
    return withBuiltIn(device.chip, device.computeMajor, device.computeMinor,
                       [&](const Result<ChipTable>& table) -> std::optional<bool> {
                           if (!table) return {};
                           const auto found = table->features.find(feature);
                           if (found == table->features.end()) return {};
                           return found->second;
                       });
}

Result<ChipTable> chipTableFrom(std::span<const EmbeddedFile> files, std::string_view chip,
                                int computeMajor, int computeMinor) {
    return guarded(chip, computeMajor, computeMinor, [&] { return TableFiles(files); });
}

std::vector<std::string> counterGroupsWith(const ChipTable& chip, std::string_view counters) {
    std::set<std::string> found;
    while (!counters.empty()) {
        const auto comma = std::min(counters.find(','), counters.size());
        std::string_view name = counters.substr(0, comma);
        counters.remove_prefix(std::min(comma + 1, counters.size()));
        while (name.starts_with(' ')) name.remove_prefix(1);
        const auto holds = [&](const auto& entry) {
            const std::vector<std::string>& list = entry.second.counters;
            return std::ranges::find(list, name) != list.end();
        };
        // The default group comes first, because everyone records it.
        const auto standard = chip.groups.find("default");
        if (standard != chip.groups.end() && holds(*standard)) {
            found.insert(standard->first);
            continue;
        }
        const auto group = std::ranges::find_if(chip.groups, holds);
        if (group != chip.groups.end()) found.insert(group->first);
    }
    return {found.begin(), found.end()};
}

}  // namespace roofscope
