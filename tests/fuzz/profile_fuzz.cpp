// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the profile reader. With the preset "fuzz" (run.sh) a libFuzzer program, else
// (ROOFSCOPE_FUZZ_MAIN) a plain program that runs over damaged samples (damage.h).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "profile/codec/codec.h"

using namespace roofscope;

/// For any bytes: no crash, and either an error with text, or a profile that can be written and
/// read back to the same text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ReadLimits limits{.maxBytes = 1 << 20, .maxNodes = 100'000, .maxCells = 1'000'000};
    const auto profile = parseProfile(text, "fuzz", limits);
    if (!profile.ok()) {
        if (profile.error().message().empty() || profile.error().code == ErrorCode::Internal) {
            std::fprintf(stderr, "bad error: %s\n", profile.error().message().c_str());
            std::abort();
        }
        return 0;
    }
    const auto written = formatProfile(*profile);
    const auto again = parseProfile(written, "written");
    if (!again.ok()) {
        std::fprintf(stderr, "not readable again: %s\n", again.error().message().c_str());
        std::abort();
    }
    if (formatProfile(*again) != written) {
        std::fprintf(stderr, "a second round trip changes the text\n");
        std::abort();
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include <string>

#include "tests/fuzz/damage.h"
#include "tests/support/synthetic_profile.h"

namespace {

std::string sample() {
    roofscope::test::SyntheticProfile p;
    const auto a = p.kernel("a<float>(float*)");
    const auto b = p.kernel("b");
    auto first = p.launch(a, {1024, 2}, {256});
    first.set("x.sum", 1e9).set("y.pct", 0.125).durationUs(3).range("r");
    p.sourcePass(first)
        .instruction("LDG.E R4, [R2.64]", "a.cu", 3)
        .executed(8)
        .sectors(32, 4)
        .instruction("EXIT")
        .text("a.cu", 2, {"", "y[i] = x[i];"});
    p.launch(b, {7}, {32}).set("x.sum", 5).cluster({2}).dynamicSharedBytes(4096);
    p.issue(Severity::DataLoss, "code", "message");
    return formatProfile(p.build());
}

}  // namespace

int main(int argc, char** argv) {
    return fuzz::runDamaged(argc, argv, {sample()}, fuzz::kJsonPieces);
}
#endif
