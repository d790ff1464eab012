// SPDX-License-Identifier: Apache-2.0
// Replays one captured launch and judges candidates that could replace its kernel. Part of the
// folder of a captured launch.
//
//   replay verify                   is the original's result the program's? (./check)
//   replay check CUBIN [options]    the verdict on a candidate (./check candidate.cu)
//   replay run [--runs N] [CUBIN]   runs it without judging, for a profiler
//
// Built as a library, it lets candidate_runner.py judge a Python function.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "extract/driver/judge.h"
#include "extract/driver/verify.h"

namespace {

using namespace roofscope::replay;

/// Exit codes besides those of Verdict.
enum { kUsage = 64, kBadFolder = 65, kNoGpu = 69 };
/// After so many seconds of silence a kernel counts as hung. Loading 10 GB takes less.
constexpr int kJudgePatience = 30;
/// The same for Python, which loads libraries, compiles and tunes.
constexpr int kPythonPatience = 180;

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

/// The name and a digest of a file (FNV-1a), as JSON.
std::string fileFacts(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::uint64_t digest = 0xcbf29ce484222325;
    for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
        digest = (digest ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
    char hex[20];
    std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(digest));
    return "\"candidate\": " + quoted(path.substr(path.rfind('/') + 1)) + ", \"digest\": \"" + hex +
           "\"";
}

/// Appends a verdict to the folder's history, which `roofscope loop FOLDER` shows. A folder that
/// cannot be written to gets no history.
void noteVerdict(const Judgement& judgement, const ReplayOptions& options) {
    std::ofstream file(options.folder + "/verdicts.jsonl", std::ios::app);
    file << "{\"time\": " << std::time(nullptr) << ", "
         << fileFacts(options.source.empty() ? options.candidate : options.source) << ", "
         << verdictJson(judgement, options).substr(1) + "\n"
         << std::flush;
}

void printVerdict(const Judgement& judgement, const ReplayOptions& options) {
    noteVerdict(judgement, options);
    const std::string text =
        (options.json ? verdictJson(judgement, options) : verdictLine(judgement)) + "\n";
    writeAll(options.verdictFile, text.data(), text.size());
}

/// The command that runs a Python candidate; empty for other candidates.
std::vector<std::string> interpreterOf(const ReplayOptions& options) {
    if (!options.isPython()) return {};
    const char* const python = std::getenv("PYTHON");
    return {python && *python ? python : "python3", options.folder + "/candidate_runner.py"};
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

int judge(std::vector<std::string> words, const ReplayOptions& options) {
    OriginalFacts facts;
    if (!facts.read(options.folder)) facts = Verification(options.folder).run();
    bool told = false, loaded = !options.isPython();
    const auto take = [&](const Message& message) {
        told = told || message.kind == kPartTested;
        const std::string text(message.bytes.begin(), message.bytes.end());
        loaded = loaded || (message.kind == kFact && text == "loaded 1");
    };
    const auto work = [&] {
        return Worker::run(words, take, options.isPython() ? kPythonPatience : kJudgePatience,
                           interpreterOf(options));
    };
    WorkerEnd end = work();
    // Some libraries cannot be loaded once the launch's memory is mapped.
    if (!loaded && !told && end.code < 0 && !end.silent) {
        words.push_back("--early");
        end = work();
    }
    if (end.code >= 0 && told) return end.code;
    if (end.code > 0) return end.code;
    // The kernel hangs or crashed the worker.
    Judgement judgement;
    judgement.verdict = loaded ? Verdict::Wrong : Verdict::NotCompared;
    const std::string how = " (" + end.words() + ")";
    judgement.reason = end.silent ? "the candidate did not end"
                       : loaded   ? "the candidate ended the process that ran it" + how
                                  : "Python ended while it imported the candidate" + how;
    printVerdict(judgement, options);
    return static_cast<int>(judgement.verdict);
}

/// The session of this process and the running Python candidate, which may ask for variables.
std::optional<Session> current;
const ReplayedKernel* launched = nullptr;

int judgeInWorker(const ReplayOptions& options, const Launcher& launcher) {
    Judgement judgement;
    try {
        Session& session = current.emplace(options);
        OriginalFacts facts;
        if (!session.memory().readFlags(options.folder) || !facts.read(options.folder))
            throw std::runtime_error("the original was not replayed yet: run ./check first");
        Judge judge(session, options, facts, launcher);
        judgement = judge.judge();
    } catch (const NotComparable& error) {
        judgement.reason = error.what();
    }
    printVerdict(judgement, options);
    send({kPartTested, 0, 0, {}});
    return static_cast<int>(judgement.verdict);
}

int runOnly(const ReplayOptions& options, const Launcher& launcher) {
    Session& session = current.emplace(options);
    if (session.memory().readFlags(options.folder)) session.memory().poison();
    const ReplayedKernel kernel =
        options.candidate.empty() ? session.original() : candidateOf(session, options, launcher);
    for (unsigned i = 0; i < options.runs; ++i) session.run(kernel);
    return 0;
}

int work(const ReplayOptions& options, const Launcher& launcher = {}) {
    if (options.isPython() && !launcher)
        throw std::runtime_error("candidate_runner.py runs candidates in Python");
    if (options.command == "check") return judgeInWorker(options, launcher);
    if (options.command == "run") return runOnly(options, launcher);
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
    if (options.command == "run") {
        // Kernels are slow under a sanitizer.
        constexpr int kRunPatience = 600;
        const WorkerEnd end = Worker::run(words, {}, kRunPatience, interpreterOf(options));
        return end.code < 0 ? static_cast<int>(Verdict::Wrong) : end.code;
    }
    say("verify, check CUBIN or run is expected");
    return kUsage;
}

/// Runs `act` and returns its exit code; reports what it throws.
template <class Act>
int reported(const Act& act) {
    try {
        return act();
    } catch (const AddressTaken& taken) {
        send({kTakenAddress, 0, taken.address, {}});
        return kAddressTaken;
    } catch (const std::exception& error) {
        say(error.what());
        return static_cast<int>(Verdict::NotCompared);
    }
}

}  // namespace

/// For candidate_runner.py: does the work of a worker. `launch` launches the candidate on a stream.
/// If it fails, it writes the reason to `why` and returns a value other than 0.
extern "C" int roofscope_replay_work(int count, const char* const* words,
                                     int (*launch)(void* stream, char* why, int bytes)) {
    return reported([&] {
        const ReplayOptions options = ReplayOptions::parse({words, words + count});
        return work(options, [launch](const ReplayedKernel& candidate, Handle stream) {
            launched = &candidate;
            char why[1024] = {};
            if (launch(stream, why, sizeof why) != 0) throw CandidateRaised(why);
        });
    });
}

/// The address of a captured variable for the candidate that is running; 0 if there is none with
/// this name.
extern "C" unsigned long long roofscope_replay_variable(const char* name) {
    if (!current || !launched) return 0;
    for (const auto& region : current->launch().regions)
        if (region.variable == name) return launched->variable(region).value_or(0);
    return 0;
}

int main(int argc, char** argv) {
    // Load the kernel's code onto the GPU now, so that loading is not timed.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    return reported([&] { return run({argv + 1, argv + argc}); });
}
