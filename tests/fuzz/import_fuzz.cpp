// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the importer of ncu exports; built and run like profile_fuzz.cpp.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "importer/import.h"
#include "profile/codec/codec.h"

using namespace roofscope;

/// For any bytes: no crash, and either an error with text and place, or a valid profile.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    ImportOptions options;
    options.limits = {.maxBytes = 1 << 20,
                      .maxColumns = 1000,
                      .maxLaunches = 1000,
                      .maxValues = 100'000,
                      .maxCellBytes = 10'000};
    const auto profile = importNcuCsv(text, "fuzz", options);
    if (!profile.ok()) {
        const Error& error = profile.error();
        if (error.code != ErrorCode::BadData || error.what.empty() || error.where.empty()) {
            std::fprintf(stderr, "bad error: %s\n", error.message().c_str());
            std::abort();
        }
        return 0;
    }
    if (const auto valid = validateProfile(*profile, "imported"); !valid.ok()) {
        std::fprintf(stderr, "not valid: %s\n", valid.error().message().c_str());
        std::abort();
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include <string>

#include "tests/fuzz/damage.h"

int main(int argc, char** argv) {
    const std::string kPieces[] = {"\"",
                                   "\"\"",
                                   ",",
                                   "\n",
                                   "\r\n",
                                   "\r",
                                   "\"ID\",",
                                   "nan",
                                   "1e999",
                                   "-1",
                                   "0,27",
                                   "1.234",
                                   "1,2,3",
                                   "Kbyte",
                                   "Kfoo",
                                   "us/us",
                                   "4294967296",
                                   "99999999999999999999",
                                   "\xff",
                                   "\xC2\xA0",
                                   std::string(1, '\0'),
                                   "(0, 0, 0)",
                                   "(4294967296, 1",
                                   "9.",
                                   "\xEF\xBB\xBF",
                                   "==PROF== \"\n",
                                   "\"\",\"\"",
                                   "(1; 2)",
                                   "1e",
                                   "Push/Pop_Range",
                                   ":::",
                                   "launch__block_dim_x",
                                   ";",
                                   "\t",
                                   "\"Metric Name\"",
                                   "\"Metric Unit\"",
                                   "\"Metric Value\"",
                                   "\"Section Name\"",
                                   "\"Kernel Name\"",
                                   "gpu__time_duration.sum",
                                   "\xFF\xFE",
                                   "\xA0",
                                   "Unnamed: 0,ID,",
                                   "\"\"<d>:a:b:none:none:none:none:none:none\"\" "};
    return fuzz::runDamaged(argc, argv, {}, kPieces,
                            {.mostChanges = 6, .longest = 40, .oftenInserts = true});
}
#endif
