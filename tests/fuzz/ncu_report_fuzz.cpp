// SPDX-License-Identifier: Apache-2.0
// Fuzz target for reports of Nsight Compute; built and run like profile_fuzz.cpp.
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
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    ImportOptions options;
    options.limits = {.maxBytes = 1 << 20,
                      .maxColumns = 1000,
                      .maxLaunches = 1000,
                      .maxValues = 100'000,
                      .maxCellBytes = 10'000,
                      .maxFields = 100'000};
    const auto profile = importNcuReport(bytes, "fuzz", options);
    if (!profile.ok()) {
        const Error& error = profile.error();
        const bool known = error.code == ErrorCode::BadData || error.code == ErrorCode::Unavailable;
        if (!known || error.what.empty() || error.where.empty()) {
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
    const std::string kPieces[] = {std::string(1, '\0'),
                                   std::string(4, '\0'),
                                   std::string("NVR\0", 4),
                                   "\xFF\xFF\xFF\xFF",
                                   "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",
                                   "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
                                   "\x0A",
                                   "\x0A\x7F",
                                   "\x0B",
                                   std::string("\x0A\x00", 2),
                                   "\x08\x01",
                                   "\x10\x7F",
                                   "\x28\x7F",
                                   std::string("\x6A\x00", 2),
                                   "\x6A\x04\x08\x01\x12\x00",
                                   std::string("\x19\x00\x00\x00\x00\x00\x00\xF8\x7F", 9),
                                   std::string("\x15\x00\x00\x80\x7F", 5),
                                   "\xAA\x01\x7F"};
    return fuzz::runDamaged(argc, argv, {}, kPieces, {.mostChanges = 6, .longest = 40});
}
#endif
