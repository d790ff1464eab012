// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the reader of gate baselines; built and run like profile_fuzz.cpp.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "gate/gate.h"

using namespace roofscope;

namespace {

void checkError(const Error& error) {
    if (error.code == ErrorCode::BadData && !error.what.empty() &&
        error.where.starts_with("fuzz:") && error.message().size() < 4000)
        return;
    std::fprintf(stderr, "bad error: %s\n", error.message().c_str());
    std::abort();
}

}  // namespace

/// For any bytes: no crash, and either an error with file and line, or a baseline that can be
/// judged, written, and read back to the same text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto baseline = gate::parseBaseline(text, "fuzz");
    if (!baseline.ok()) {
        checkError(baseline.error());
        return 0;
    }
    const std::string written = gate::formatBaseline(*baseline);
    const auto again = gate::parseBaseline(written, "fuzz");
    if (!again.ok() || gate::formatBaseline(*again) != written) {
        std::fprintf(stderr, "a second round trip changes the text:\n%s\n",
                     again.ok() ? "" : again.error().message().c_str());
        std::abort();
    }
    static const Analysis nothing = analyze(std::make_shared<const Profile>());
    if (gate::judge(*baseline, nothing, {}).exitCode() != 2) {
        std::fprintf(stderr, "a profile without kernels passes\n");
        std::abort();
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"
#include "tests/support/synthetic_profile.h"

namespace {

std::string sampleBaseline() {
    test::SyntheticProfile p;
    const auto a = p.kernel("a<float>(float*)");
    for (const double us : {3.0, 3.5, 4.0})
        p.launch(a, {1024, 2}, {256})
            .set("dram__bytes_read.sum", us * 1e9)
            .counterDurationUs(us)
            .cluster({2})
            .dynamicSharedBytes(4096)
            .range("r");
    return gate::baselineText(analyze(std::make_shared<const Profile>(p.build()))).text;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> pieces = fuzz::kJsonPieces;
    pieces.emplace_back("kernel ");
    return fuzz::runDamaged(argc, argv, {sampleBaseline()}, pieces);
}
#endif
