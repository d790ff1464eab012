// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the importer of PyTorch's traces; built and run like profile_fuzz.cpp.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "importer/traces/trace_import.h"
#include "profile/codec/codec.h"

using namespace roofscope;

/// For any bytes: no crash, and either an error with text and place, or a valid profile that can be
/// written and read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::stringbuf text(std::string(reinterpret_cast<const char*>(data), size));
    const traces::TraceLimits limits{.maxBytes = 1 << 20, .maxRows = 1000, .maxTextBytes = 1 << 20};
    const auto profile = importTrace(text, "fuzz", "1.0", limits);
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
        again->timeline.calls != profile->timeline.calls) {
        std::fprintf(stderr, "not the same: %s\n",
                     again.ok() ? "other rows" : again.error().message().c_str());
        std::abort();
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"

int main(int argc, char** argv) {
    const std::string kPieces[] = {"\"",
                                   ",",
                                   "[",
                                   "]",
                                   "{",
                                   "}",
                                   ":",
                                   "\\u00",
                                   "\\ud83d",
                                   "\\",
                                   "NaN",
                                   "-Infinity",
                                   "null",
                                   "1e308",
                                   "-1",
                                   "9223372036854775807",
                                   "18446744073709551616",
                                   "4458676983543.183",
                                   "0.0005",
                                   "1e-400",
                                   "\"ts\": 0, ",
                                   "\"dur\": -1, ",
                                   "\"cat\": \"kernel\", ",
                                   "\"cat\": \"python_function\", ",
                                   "\"ph\": \"X\", ",
                                   "\"args\": {\"correlation\": 1}, ",
                                   "\"correlation\": 1, ",
                                   "\"Input Dims\": [[[1]]], ",
                                   "\xff",
                                   "\xEF\xBB\xBF",
                                   std::string(1, '\0'),
                                   std::string(600, '[')};
    return fuzz::runDamaged(argc, argv, {}, kPieces,
                            {.mostChanges = 6, .longest = 40, .oftenInserts = true});
}
#endif
