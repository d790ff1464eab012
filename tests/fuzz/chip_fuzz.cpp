// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the reader of chip tables; built and run like profile_fuzz.cpp.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profile/chips/chip.h"

using namespace roofscope;

namespace {

constexpr std::string_view kFamily = R"({"family": "sm_90", "dram_latency_ns": 1290,
  "groups": {"default": {"max_passes": 2, "counters": ["a.sum", "b.sum", "b.avg"]}},
  "sums": {"x": {"a.sum": 1, "b.sum": 2}, "y": {"a.sum": 32}},
  "peaks": {"p": {"counter": "b.sum.peak_sustained", "weight": 32, "clock": "a.sum"}}})";

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

/// An accepted table requests each counter once, and none that the chip lacks.
void check(const ChipTable& table) {
    const auto demand = [&table](const std::string& counter) {
        if (table.absent.contains(std::string(baseCounter(counter))))
            fail("asks for what is absent: " + counter);
    };
    for (const auto& [name, group] : table.groups) {
        const std::set<std::string> unique(group.counters.begin(), group.counters.end());
        if (unique.size() != group.counters.size()) fail("asks twice in " + name);
    }
    for (const auto& [name, terms] : table.sums)
        for (const auto& term : terms) demand(term.counter);
    for (const auto& [name, peak] : table.peaks) demand(peak.counter);
    if (table.dramLatency && !(table.dramLatency->value > 0)) fail("a latency of nothing");
}

}  // namespace

/// Reads the bytes as a chip that inherits, as its family, and as a separate family: no crash, and
/// either a table or an error that names the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::vector<std::vector<EmbeddedFile>> ways{
        {{"sm_90.json", kFamily}, {"GH100.json", text}},
        {{"sm_90.json", text}},
        {{"common.json", text}, {"sm_90.json", R"({"family": "sm_90", "inherits": "common"})"}}};
    for (const auto& files : ways) {
        const auto table = chipTableFrom(files, "GH100", 9, 0);
        if (table.ok())
            check(*table);
        else if (table.error().what.empty() || table.error().message().size() > 4000 + 2 * size)
            fail("bad error: " + table.error().message());
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"

int main(int argc, char** argv) {
    return fuzz::runDamaged(argc, argv, {std::string(kFamily)}, fuzz::kJsonPieces);
}
#endif
