// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the reader of spools, which the profiled program can write itself; built and run
// like profile_fuzz.cpp.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "collector/spool/reader/spool_reader.h"
#include "profile/codec/codec.h"

using namespace roofscope;

namespace {

[[noreturn]] void fail(const char* what, const std::string& why) {
    std::fprintf(stderr, "%s: %s\n", what, why.c_str());
    std::abort();
}

}  // namespace

/// For any bytes, alone or as the spools of two processes: no crash, and a valid profile that can
/// be written and read back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t half = text.find("\n\n");
    std::vector<SpoolText> spools{{.text = text.substr(0, half), .name = "1.spool"}};
    if (half != std::string_view::npos)
        spools.push_back({.text = text.substr(half), .name = "2.spool"});
    const Profile profile = parseSpools(spools);
    if (const auto valid = validateProfile(profile, "spool"); !valid.ok())
        fail("not valid", valid.error().message());
    const auto again = parseProfile(formatProfile(profile), "written");
    if (!again.ok()) fail("not readable again", again.error().message());
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"

int main(int argc, char** argv) { return fuzz::runDamaged(argc, argv, {}, fuzz::kJsonPieces); }
#endif
