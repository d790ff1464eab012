// SPDX-License-Identifier: Apache-2.0
// Programs with two GPUs: one process that uses both, and two ranks that train together.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "analyzer/model/analysis.h"
#include "analyzer/program/program.h"
#include "collector/run/recording/record.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

constexpr int kNotHere = 77;

RecordOptions timingOf(std::vector<std::string> command) {
    RecordOptions options;
    options.command = std::move(command);
    options.library = ROOFSCOPE_BINARY_DIR "/lib/libroofscope_inject.so";
    options.timingOnly = true;
    return options;
}

Program programOf(Profile profile) {
    return analyzeProgram(analyze(std::make_shared<const Profile>(std::move(profile))));
}

/// Two ranks of tests/gpu/torch_ddp.py; absent without two GPUs or PyTorch.
std::optional<Program> ranks(const char* how) {
    const char* python = std::getenv("ROOFSCOPE_PYTHON");
    auto recording = record(
        timingOf({python ? python : "python3", "-m", "torch.distributed.run", "--standalone",
                  "--nproc-per-node", "2", ROOFSCOPE_SOURCE_DIR "/tests/gpu/torch_ddp.py", how}));
    REQUIRE(recording.ok());
    if (recording->programExit != 0 || recording->profile.launches.empty()) return std::nullopt;
    return programOf(std::move(recording->profile));
}

}  // namespace

TEST_CASE("a process with two GPUs: each has the account of what it did itself",
          "[needs-two-gpus]") {
    const test::TemporaryFolder folder;
    const std::string output = folder.file("output").string();
    auto recording = record(
        timingOf({"sh", "-c", std::string(ROOFSCOPE_ACCOUNT_PROGRAM) + " 6 two-gpus > " + output}));
    REQUIRE(recording.ok());
    if (recording->programExit == kNotHere) SKIP_CASE("there is only one GPU here");
    REQUIRE(recording->programExit == 0);
    std::map<std::string, double> seconds;  // per step
    std::ifstream stream(output);
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string truth, what;
        double count = 0, bytes = 0, ms = 0;
        words >> truth >> what >> count >> bytes >> ms;
        seconds[what] = ms / 1e3 / count;
    }
    const Program program = programOf(std::move(recording->profile));
    REQUIRE(program.lanes.size() == 2);
    for (const Lane& lane : program.lanes) {
        INFO("device " << lane.device << ", window " << lane.window.seconds.value * 1e3 << " ms");
        const double allowed = 0.02 * seconds["step"];
        CHECK(std::abs(lane.window.seconds.value - seconds["step"]) <= allowed);
        const double spin = seconds[lane.device == 0 ? "spin-0" : "spin-1"];
        CHECK(std::abs(lane.account.time[TimeClass::Kernels].value - spin) <= allowed);
        CHECK(std::abs(lane.account.time[TimeClass::Copies].value - seconds["between"]) <= allowed);
        REQUIRE(lane.account.copies.size() == 1);
        CHECK(lane.account.copies[0].kind == TransferKind::BetweenDevices);
        CHECK(lane.account.copies[0].bytes.value == double(std::size_t{1} << 30));
    }
}

TEST_CASE("two ranks with the same work: communication is in the account, and none has more work",
          "[needs-two-gpus]") {
    const auto program = ranks("even");
    if (!program) SKIP_CASE("there are no two GPUs here, or this python3 has no PyTorch");
    REQUIRE(program->lanes.size() == 2);
    CHECK(program->window.name == "step");
    CHECK(program->account.time[TimeClass::Communication] + program->account.hiddenCommunication >
          Seconds{0});
    // One rank may get its work later in each step, because its CPU is busy elsewhere.
    for (const Action& action : program->actions)
        if (action.rule == "uneven-ranks")
            CHECK(std::ranges::find(action.args, "kernel", &Arg::name) == action.args.end());
}

TEST_CASE("two ranks of which one has twice the batch: the other waits, and the report says why",
          "[needs-two-gpus]") {
    const auto program = ranks("uneven");
    if (!program) SKIP_CASE("there are no two GPUs here, or this python3 has no PyTorch");
    REQUIRE(program->lanes.size() == 2);
    CHECK(program->window.name == "step");
    const auto action = std::ranges::find(program->actions, "uneven-ranks", &Action::rule);
    REQUIRE(action != program->actions.end());
    const auto value = [&](const char* name) {
        const auto found = std::ranges::find(action->args, name, &Arg::name);
        REQUIRE(found != action->args.end());
        return found->value;
    };
    CHECK(value("waiting") == 0);
    CHECK(value("slow") == 1);
    CHECK(value("slowTime") > 1.5 * value("waitingTime"));
    CHECK(value("waits") > 0.2 * program->window.seconds.value);
}
