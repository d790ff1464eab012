// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the reader of gate rules; built and run like profile_fuzz.cpp.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "gate/gate.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;

namespace {

/// Two kernels, so that patterns have something to match.
Analysis kernels() {
    test::SyntheticProfile p;
    for (const char* name : {"gemm<float>(float*)", "copy(float4*)"})
        p.launch(p.kernel(name), {1024}, {256}).set("dram__bytes_read.sum", 1e9).durationUs(100);
    return analyze(std::make_shared<const Profile>(p.build()));
}

}  // namespace

/// For any bytes: no crash, and either an error with file and line, or rules that can judge a
/// profile.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto rules = gate::parseRules(text, "fuzz");
    if (!rules.ok()) {
        const Error& error = rules.error();
        if (error.code != ErrorCode::BadData || error.what.empty() ||
            !error.where.starts_with("fuzz:") || error.message().size() > 4000) {
            std::fprintf(stderr, "bad error: %s\n", error.message().c_str());
            std::abort();
        }
        return 0;
    }
    static const Analysis analysis = kernels();
    static const gate::Baseline baseline =
        gate::parseBaseline(gate::baselineText(analysis).text, "fuzz").value();
    const int code = gate::judge(baseline, analysis, *rules).exitCode();
    if (code < 0 || code > 2) {
        std::fprintf(stderr, "exit code %d\n", code);
        std::abort();
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"

int main(int argc, char** argv) { return fuzz::runDamaged(argc, argv, {}, fuzz::kJsonPieces); }
#endif
