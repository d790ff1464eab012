// SPDX-License-Identifier: Apache-2.0
// Replays one captured launch, and judges kernels that are to take its place. Part of the folder of
// such a launch.
//
//   replay verify                   is the original's result the program's? (./check)
//   replay check CUBIN [options]    the verdict on a candidate (./check candidate.cu)
//   replay run [--runs N] [CUBIN]   only runs it, for a profiler
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "extract/driver/judge.h"
#include "extract/driver/verify.h"

namespace {

using namespace roofscope::replay;

/// Exit codes besides those of Verdict.
enum { kUsage = 64, kBadFolder = 65, kNoGpu = 69 };
/// Seconds without a word after which a kernel is taken to hang; loading 10 GB takes less.
constexpr int kJudgePatience = 30;

void say(const std::string& text) { std::cerr << "replay: " << text << '\n'; }

std::string originalWords(const OriginalFacts& facts, const LaunchDescription& launch) {
    std::string text = facts.exact() ? "replays byte-exactly"
                       : facts.varies
                           ? "replays within " + formatted("%.2g", facts.varying.relative) +
                                 " of the program (" + nameOf(facts.varyingType) +
                                 "), as its result varies from run to run"
                           : std::to_string(facts.differingBytes) +
                                 " bytes differ from the program's, in the same way in each replay";
    text += "; writes " + std::to_string(facts.writtenBytes) + " bytes, of which " +
            std::to_string(facts.poisonedBytes) + " are poisoned before each run; " +
            timeWords(facts.warmSeconds) + " warm, " + timeWords(facts.coldSeconds) + " cold";
    if (launch.programNs) text += ", " + timeWords(*launch.programNs * 1e-9) + " in the program";
    return text;
}

int verify(const ReplayOptions& options) {
    const OriginalFacts facts = Verification(options.folder).run();
    const LaunchDescription launch = LaunchDescription::read(options.folder);
    std::cout << originalWords(facts, launch) << '\n';
    if (facts.poisonedBytes < facts.writtenBytes)
        std::cout << "note: " << facts.writtenBytes - facts.poisonedBytes
                  << " written bytes are also read, or could not be told apart; they start as in "
                     "the program\n";
    return facts.exact() || facts.varies ? 0 : static_cast<int>(Verdict::Wrong);
}

int judge(const std::vector<std::string>& words, const ReplayOptions& options) {
    OriginalFacts facts;
    if (!facts.read(options.folder)) facts = Verification(options.folder).run();
    bool told = false;
    const WorkerEnd end = Worker::run(
        words, [&](const Message& message) { told = told || message.kind == kPartTested; },
        kJudgePatience);
    if (end.code >= 0 && told) return end.code;
    if (end.code > 0) return end.code;
    // The worker was silent: the kernel hangs, or it brought the process down.
    Judgement judgement;
    judgement.verdict = Verdict::Wrong;
    judgement.reason = "the candidate did not end";
    std::cout << (options.json ? verdictJson(judgement, options) : verdictLine(judgement)) << '\n';
    return static_cast<int>(Verdict::Wrong);
}

int judgeInWorker(const ReplayOptions& options) {
    Judgement judgement;
    try {
        Session session(options);
        OriginalFacts facts;
        if (!session.memory().readFlags(options.folder) || !facts.read(options.folder))
            throw std::runtime_error("the original was not replayed yet: run ./check first");
        Judge judge(session, options, facts);
        judgement = judge.judge();
    } catch (const NotComparable& error) {
        judgement.reason = error.what();
    }
    std::cout << (options.json ? verdictJson(judgement, options) : verdictLine(judgement))
              << std::endl;
    send({kPartTested, 0, 0, {}});
    return static_cast<int>(judgement.verdict);
}

int runOnly(const ReplayOptions& options) {
    Session session(options);
    if (session.memory().readFlags(options.folder)) session.memory().poison();
    const ReplayedKernel kernel =
        options.candidate.empty()
            ? session.original()
            : ReplayedKernel::candidate(session.driver(), session.launch(), options.candidate,
                                        options.kernel, options.shapeFor(session.launch()));
    for (unsigned i = 0; i < options.runs; ++i) session.run(kernel);
    return 0;
}

int work(const ReplayOptions& options) {
    if (options.command == "check") return judgeInWorker(options);
    if (options.command == "run") return runOnly(options);
    Session session(options);
    const bool known = session.memory().readFlags(options.folder);
    if (options.command == "replays") {
        ReplayTest(session).run();
    } else if (options.command == "parts") {
        PartTest(session, options.seconds).run(options.first);
    } else if (options.command == "confirm" && known) {
        OriginalFacts facts;
        facts.read(options.folder);
        confirmOriginal(session, {facts.varyingType, {}, facts.varying});
    }
    return 0;
}

int run(std::vector<std::string> words) {
    const bool worker = !words.empty() && words.front() == "--worker";
    if (worker) words.erase(words.begin());
    ReplayOptions options;
    try {
        options = ReplayOptions::parse(words);
    } catch (const std::invalid_argument& error) {
        say(error.what());
        return kUsage;
    }
    if (worker) return work(options);
    if (options.command == "verify") return verify(options);
    if (options.command == "check" && !options.candidate.empty()) return judge(words, options);
    if (options.command == "run") return Worker::run(words, {}, kJudgePatience).code;
    say("verify, check CUBIN or run is expected");
    return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
    // The kernel's code must be on the GPU before it is timed.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    try {
        return run({argv + 1, argv + argc});
    } catch (const AddressTaken& taken) {
        send({kTakenAddress, 0, taken.address, {}});
        return kAddressTaken;
    } catch (const std::exception& error) {
        say(error.what());
        return static_cast<int>(Verdict::NotCompared);
    }
}
