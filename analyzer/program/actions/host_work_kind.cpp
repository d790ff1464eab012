// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/host_work_kind.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/language/joined_sentences.h"
#include "analyzer/language/sentence.h"
#include "profile/names/foreign_modules.h"
#include "profile/text/base_name.h"

namespace roofscope::program {
namespace {

bool hasPart(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool isAmong(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

/// "__GI___random_r" is random_r().
std::string_view withoutMarks(std::string_view name) {
    for (const std::string_view start : {"__GI_", "__", "_"})
        if (name.starts_with(start)) name.remove_prefix(start.size());
    return name;
}

/// Generators of the C library.
constexpr std::string_view kRandomOfC[] = {
    "rand",      "rand_r",    "random",    "random_r",  "drand48",   "erand48",         "lrand48",
    "mrand48",   "nrand48",   "jrand48",   "drand48_r", "erand48_r", "drand48_iterate", "lrand48_r",
    "mrand48_r", "nrand48_r", "jrand48_r", "arc4random"};
/// Parts of names: of the C++ library, of PyTorch's generator on the CPU, and of generators that
/// programs bring along.
constexpr std::string_view kRandomParts[] = {"mersenne_twister_engine",
                                             "linear_congruential_engine",
                                             "subtract_with_carry_engine",
                                             "discard_block_engine",
                                             "shuffle_order_engine",
                                             "independent_bits_engine",
                                             "generate_canonical",
                                             "_M_gen_rand",
                                             "uniform_int_distribution",
                                             "uniform_real_distribution",
                                             "normal_distribution",
                                             "bernoulli_distribution",
                                             "binomial_distribution",
                                             "geometric_distribution",
                                             "poisson_distribution",
                                             "exponential_distribution",
                                             "gamma_distribution",
                                             "discrete_distribution",
                                             "CPUGeneratorImpl",
                                             "normal_fill",
                                             "mt19937",
                                             "xorshift",
                                             "xoshiro",
                                             "xoroshiro",
                                             "splitmix64",
                                             "pcg32",
                                             "pcg64",
                                             "genrand_"};
/// Functions of Python's module random that loops call.
constexpr std::string_view kRandomOfPython[] = {
    "Random.random",        "Random.randint", "Random.randrange", "Random.choice",
    "Random.choices",       "Random.sample",  "Random.shuffle",   "Random.gauss",
    "Random.normalvariate", "Random.uniform"};

/// Functions that only provide or move memory, without the marks of withoutMarks(). malloc() and
/// free() have some of their work in functions of their own.
constexpr std::string_view kOfMemory[] = {
    "malloc",     "calloc",       "realloc",     "free",        "memalign",
    "int_malloc", "int_free",     "int_realloc", "libc_malloc", "libc_calloc",
    "libc_free",  "libc_realloc", "libc_munmap", "libc_mmap",   "posix_memalign",
    "mmap",       "mmap64",       "munmap",      "madvise",     "mremap",
    "brk",        "sbrk",         "sysmalloc",   "systrim",     "malloc_consolidate",
    "bzero",      "aligned_alloc"};
/// Their names go on: "memset_avx512_unaligned_erms", "operator new(unsigned long)".
constexpr std::string_view kStartsOfMemory[] = {
    "memset",          "memcpy",         "memmove",         "operator new",
    "operator delete", "clear_page",     "asm_exc_page_fa", "do_user_addr_fault",
    "handle_mm_fault", "clear_huge_page"};

bool isOfMemory(const CpuFrame& frame) {
    const std::string_view name = withoutMarks(frame.function);
    return isAmong(name, kOfMemory) ||
           std::ranges::any_of(kStartsOfMemory,
                               [name](std::string_view start) { return name.starts_with(start); });
}

/// Whether the code of a frame stands between the program and memory: the libraries of C and C++,
/// allocators, and arrays of NumPy and PyTorch.
bool providesMemory(const CpuFrame& frame) {
    if (frame.module.empty()) return false;
    const std::string_view library = baseName(frame.module);
    constexpr std::string_view kLibraries[] = {
        "libc.so",     "libc-2", "libstdc++",    "libc++",  "libjemalloc", "libtcmalloc",
        "libmimalloc", "libc10", "libtorch_cpu", "[kernel", "vmlinux"};
    return isInstalledHeader(frame.file) || hasPart(frame.module, "-packages/numpy/") ||
           std::ranges::any_of(kLibraries,
                               [&](std::string_view start) { return library.starts_with(start); });
}

/// Whether a stack is work on memory alone.
bool worksOnMemory(const CpuSamples& samples, const std::vector<std::uint32_t>& stack) {
    bool found = false;
    for (const std::uint32_t at : stack) {  // innermost first
        const CpuFrame& frame = samples.frames[at];
        if (!providesMemory(frame))  // the one who called it
            return found && (frame.module.empty() ? !isInstalledPython(frame.file)
                                                  : !isInstalledModule(frame.module));
        found = found || isOfMemory(frame);
    }
    return found;
}

/// The words of a name in lower case: "floydWarshallCPUReference" has floyd, warshall, cpu,
/// reference.
std::vector<std::string> wordsOfName(std::string_view name) {
    const auto isUpper = [&](std::size_t at) {
        return at < name.size() && std::isupper(static_cast<unsigned char>(name[at])) != 0;
    };
    std::vector<std::string> words(1);
    for (std::size_t at = 0; at < name.size(); ++at) {
        const auto letter = static_cast<unsigned char>(name[at]);
        const bool starts =
            isUpper(at) && at > 0 &&
            (!isUpper(at - 1) || (at + 1 < name.size() && !isUpper(at + 1) &&
                                  std::isalpha(static_cast<unsigned char>(name[at + 1])) != 0));
        if (starts || std::isalpha(letter) == 0) words.emplace_back();
        if (std::isalpha(letter) != 0) words.back() += static_cast<char>(std::tolower(letter));
    }
    std::erase_if(words, [](const std::string& word) { return word.empty(); });
    return words;
}

}  // namespace

bool makesRandomNumbers(const CpuFrame& frame) {
    if (frame.module.empty())
        return frame.file.ends_with("/random.py") && hasPart(frame.file, "/lib/python") &&
               !hasPart(frame.file, "-packages/") && isAmong(frame.function, kRandomOfPython);
    if (hasPart(frame.module, "numpy/random/")) return true;
    return isAmong(withoutMarks(frame.function), kRandomOfC) ||
           std::ranges::any_of(
               kRandomParts, [&](std::string_view part) { return hasPart(frame.function, part); });
}

bool namesACheck(std::string_view name) {
    constexpr std::string_view kChecks[] = {
        "reference", "gold",         "golden",   "verify",     "verifies",  "verifier",
        "check",     "checks",       "checker",  "validate",   "validates", "validation",
        "validator", "verification", "verified", "correctness"};
    // "ViterbiCPU" and "cpu_viterbi" are the counterpart of a kernel, "cpuWorker" is not.
    constexpr std::string_view kLast[] = {"cpu", "ref"};
    constexpr std::string_view kFirst[] = {"cpu", "test", "tests"};
    constexpr std::string_view kNotAfterFirst[] = {
        "and",   "bit",      "bits",  "data",    "info",   "loop",    "pool",   "queue",
        "set",   "split",    "task",  "tasks",   "thread", "threads", "time",   "timer",
        "times", "affinity", "usage", "seconds", "work",   "worker",  "workers"};
    // "fread_check" reads, "check_collisions" and "checkBounds" are part of the work.
    constexpr std::string_view kOthers[] = {"read",  "fread",  "load",      "parse",      "file",
                                            "alloc", "malloc", "collision", "collisions", "bounds",
                                            "count", "counts", "point",     "pointer",    "cuda",
                                            "error", "errors"};
    const std::vector<std::string> words = wordsOfName(name.substr(0, name.find('<')));
    const auto has = [&words](std::span<const std::string_view> wanted) {
        return std::ranges::any_of(words,
                                   [&](const std::string& word) { return isAmong(word, wanted); });
    };
    const bool last = !words.empty() && isAmong(words.back(), kLast);
    const bool first = words.size() > 1 && isAmong(words.front(), kFirst) && !has(kNotAfterFirst);
    return (has(kChecks) || last || first) && !has(kOthers);
}

double shareInNumpy(const Profile& profile, const SampleTally& tally) {
    double inside = 0;
    for (const auto& [stack, count] : tally) {
        const CpuSamples& of = *profile.processes[stack.process].cpuSamples;
        if (std::ranges::any_of(of.stacks[stack.stack], [&](std::uint32_t frame) {
                const std::string& module = of.frames[frame].module;
                return hasPart(module, "-packages/numpy/") || hasPart(module, "-packages/scipy/");
            }))
            inside += count;
    }
    const double all = samplesIn(tally);
    return all > 0 ? inside / all : 0;
}

double shareOnCpuTensors(const Profile& profile, const SampleTally& tally) {
    // PyTorch's library for the CPU dispatches operators of the GPU, too. Only those of the CPU
    // divide their work among threads, and only they stay in it for long.
    constexpr double kLeastThreaded = 0.2;
    constexpr std::size_t kDeep = 6;
    double threaded = 0, inside = 0;
    for (const auto& [stack, count] : tally) {
        const CpuSamples& of = *profile.processes[stack.process].cpuSamples;
        std::vector<std::string_view> modules;  // innermost first
        for (const std::uint32_t frame : of.stacks[stack.stack])
            modules.push_back(baseName(of.frames[frame].module));
        const auto isTorch = [](std::string_view name) { return name.starts_with("libtorch_cpu"); };
        const auto isThreads = [](std::string_view name) {
            return name.starts_with("libgomp") || name.starts_with("libomp") ||
                   name.starts_with("libiomp");
        };
        const auto isCuda = [](std::string_view name) { return hasPart(name, "cuda"); };
        if (std::ranges::none_of(modules, isTorch) || std::ranges::any_of(modules, isCuda))
            continue;
        const bool threads = std::ranges::any_of(modules, isThreads);
        if (threads) threaded += count;
        if (threads || (modules.size() >= kDeep &&
                        std::ranges::all_of(std::span(modules).first(kDeep), isTorch)))
            inside += count;
    }
    const double all = samplesIn(tally);
    return all > 0 && threaded >= kLeastThreaded * all ? inside / all : 0;
}

double MemorySamples::share() const {
    const double inside = samplesIn(memory), all = inside + samplesIn(other);
    return all > 0 ? inside / all : 0;
}

MemorySamples memorySamplesIn(const Profile& profile, const SampleTally& tally) {
    MemorySamples found;
    for (const auto& [key, count] : tally) {
        const CpuSamples& of = *profile.processes[key.process].cpuSamples;
        (worksOnMemory(of, of.stacks[key.stack]) ? found.memory : found.other)[key] += count;
    }
    return found;
}

HostWorkKinds hostWorkKinds(const Profile& profile, const SampleTally& tally) {
    HostWorkKinds kinds;
    for (const auto& [stack, count] : tally) {
        const CpuSamples& of = *profile.processes[stack.process].cpuSamples;
        const auto& frames = of.stacks[stack.stack];
        if (std::ranges::any_of(frames, [&](std::uint32_t frame) {
                return makesRandomNumbers(of.frames[frame]);
            })) {
            kinds.random += count;
            continue;
        }
        const StackFunction own = functionOf(of, stack.stack);
        if (!own.file.ends_with(".py") && namesACheck(own.function)) kinds.checks += count;
    }
    const double all = samplesIn(tally);
    if (!(all > 0)) return {};
    return {.random = kinds.random / all, .checks = kinds.checks / all};
}

HostWorkAdvice adviceFor(const HostWorkKinds& kinds, bool repeats) {
    constexpr double kLeast = 0.2, kMost = 0.5;
    const auto percent = [](double share) { return 100 * share; };
    Words random, checks;
    if (kinds.random >= kMost)
        random = repeats ? Words(
                               "Most of this makes random numbers: make them on the GPU "
                               "(cuRAND), on several threads, or once for all repeats.")
                         : Words(
                               "Most of this makes random numbers: make them on the GPU "
                               "(cuRAND), or on several threads.");
    else if (kinds.random >= kLeast)
        random = repeats ? wordsOf(
                               "{:.0f} % of this makes random numbers: make them on the GPU "
                               "(cuRAND), on several threads, or once for all repeats.",
                               percent(kinds.random))
                         : wordsOf(
                               "{:.0f} % of this makes random numbers: make them on the GPU "
                               "(cuRAND), or on several threads.",
                               percent(kinds.random));
    if (kinds.checks >= kMost)
        checks = repeats ? Words(
                               "Most of this looks like a check of the results, by the "
                               "function's name: if it is one, check once, outside the loop.")
                         : Words(
                               "Most of this looks like a check of the results, by the "
                               "function's name: if it is one, leave it out when you measure, or "
                               "check on fewer data.");
    else if (kinds.checks >= kLeast)
        checks = repeats ? wordsOf(
                               "{:.0f} % of this looks like a check of the results, by the "
                               "function's name: if it is one, check once, outside the loop.",
                               percent(kinds.checks))
                         : wordsOf(
                               "{:.0f} % of this looks like a check of the results, by the "
                               "function's name: if it is one, leave it out when you measure, "
                               "or check on fewer data.",
                               percent(kinds.checks));
    HostWorkAdvice advice{
        .enough =
            (random.empty() ? 0 : kinds.random) + (checks.empty() ? 0 : kinds.checks) >= kMost};
    const bool checksFirst = kinds.checks > kinds.random;
    advice.words = joinedSentences(checksFirst ? checks : random, checksFirst ? random : checks);
    return advice;
}

}  // namespace roofscope::program
