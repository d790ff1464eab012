// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the reader of SQLite files and the importer of Nsight Systems' exports; built and
// run like profile_fuzz.cpp. The corpus is synthetic: tests/importer/nsys_tables.h wrote it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "importer/nsys/nsys_import.h"
#include "profile/codec/codec.h"

using namespace roofscope;

/// For any bytes: no crash, and either an error with text and place, or a valid profile that can be
/// written and read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const traces::TraceLimits limits{.maxRows = 1000, .maxTextBytes = 1 << 20};
    const auto profile = importNsysDatabase(bytes, "fuzz", "1.0", limits);
    if (!profile.ok()) {
        const Error& error = profile.error();
        if (error.code != ErrorCode::BadData || error.what.empty() || error.where.empty()) {
            std::fprintf(stderr, "bad error: %s\n", error.message().c_str());
            std::abort();
        }
        // Only a fault of the importer makes a profile that is not valid.
        if (error.where.find("fuzz: /") == 0) {
            std::fprintf(stderr, "not valid: %s\n", error.message().c_str());
            std::abort();
        }
        return 0;
    }
    const auto again = parseProfile(formatProfile(*profile), "again");
    if (!again.ok() || again->launches.size() != profile->launches.size() ||
        again->timeline.calls.size() != profile->timeline.calls.size()) {
        std::fprintf(stderr, "not the same: %s\n",
                     again.ok() ? "other rows" : again.error().message().c_str());
        std::abort();
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"

int main(int argc, char** argv) {
    const std::string kPieces[] = {std::string(4, '\0'),
                                   std::string("\0\0\0\1", 4),
                                   std::string("\0\0\0\2", 4),
                                   "\xff\xff",
                                   "\x7f\xff\xff\xff",
                                   "\x81\x00",
                                   "\x0d",
                                   "\x05",
                                   "INTEGER PRIMARY KEY",
                                   "(",
                                   ")",
                                   ",",
                                   "start",
                                   "graphNodeId"};
    return fuzz::runDamaged(argc, argv, {}, kPieces, {.mostChanges = 4, .longest = 16});
}
#endif
