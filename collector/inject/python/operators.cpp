// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python/operators.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <mutex>
#include <utility>
#include <vector>

#include "collector/inject/frameworks/frameworks.h"
#include "collector/inject/python/numbered_pairs.h"
#include "collector/inject/threads/per_thread.h"

namespace roofscope::inject::operators {
namespace {

/// Names and sizes are the program's data, so they are cut.
constexpr std::size_t kLongestName = 128, kLongestSizes = 120;
/// Limits the memory for a program that keeps inventing names, or whose sizes change in every step:
/// beyond the first limit, sizes are unknown; beyond the second, names as well.
constexpr std::size_t kMostSized = 10'000, kMostNames = 20'000;
constexpr std::size_t kDeepest = 1024;
constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";

struct Open {
    bool forwarded = false;  ///< NVTX received this range
    bool isEngine = false, isOperator = false;
    bool isFunction = false;  ///< an autograd function, directly inside its engine
    bool isConvolution = false, hasWaited = false;
    std::uint32_t name = 0;
    std::optional<std::uint64_t> sequence;
};

struct Stack {
    std::vector<Open> open;
    std::size_t engines = 0;         ///< how many of `open` are engines
    void (*whenClosed)() = nullptr;  ///< called once, when all ranges of the profiler ended
};

bool anyOpen(const Stack& stack) {
    return std::ranges::any_of(stack.open, [](const Open& range) { return !range.forwarded; });
}

/// Guards the names. Held only briefly, and never while calling anything else.
std::mutex g_mutex;
NumberedPairs& names() {
    static auto& pairs = *new NumberedPairs;
    return pairs;
}

/// Where forward operators ran, by the sequence number that autograd also gives to the backward
/// function. Large enough for several steps of a large model.
struct Forward {
    std::uint64_t sequence = 0;
    python_lines::Place place;  ///< code 0: none
};
constexpr std::size_t kForwards = std::size_t{1} << 16;
std::mutex g_forwardMutex;
std::array<Forward, kForwards>& forwards() {
    static auto& list = *new std::array<Forward, kForwards>;
    return list;
}

std::atomic<bool> g_following{false}, g_ignoring{false}, g_seen{false};
std::atomic<pid_t> g_pid{0};  ///< the process that follows operators
std::atomic<int (*)(const char*)> g_push{nullptr};
std::atomic<int (*)()> g_pop{nullptr};

std::uint32_t numberOf(std::string_view name, std::string sizes) {
    std::string cut(name.substr(0, kLongestName));
    const std::lock_guard lock(g_mutex);
    if (names().size() >= kMostSized) sizes.clear();
    return names().number({std::move(cut), std::move(sizes)}, kMostNames);
}

void push(const char* message) {
    Stack& stack = perThread<Stack>();
    if (stack.open.size() == kDeepest) {
        stack.engines -= stack.open.front().isEngine ? 1 : 0;
        stack.open.erase(stack.open.begin());
    }
    Text text = parse(message ? message : "");
    Open open;
    open.sequence = text.sequence;
    open.isEngine = text.name.starts_with(kEngine);
    open.isOperator = !open.isEngine && (text.sequence || text.name.find("::") != text.name.npos);
    if (open.isOperator) open.name = numberOf(text.name, std::move(text.sizes));
    open.isConvolution = open.isOperator && text.name.find("convolution") != text.name.npos;
    open.isFunction = open.isOperator && !stack.open.empty() && stack.open.back().isEngine &&
                      !text.name.starts_with("aten::");
    // Among operators with the same sequence number, only the last can have created the autograd
    // function, so overwrite.
    if (open.sequence && stack.engines == 0)
        if (const auto place = python_lines::here(); place && !place->indirect) {
            const std::lock_guard lock(g_forwardMutex);
            forwards()[*open.sequence % kForwards] = {*open.sequence, *place};
        }
    stack.open.push_back(open);
    stack.engines += open.isEngine ? 1 : 0;
    g_seen = true;
}

int pushed(const char* message) {
    try {
        if (g_following) {
            // A forked child may find locks held forever, and nothing is recorded there.
            if (getpid() == g_pid && !g_ignoring) push(message);
            return 0;
        }
        std::vector<Open>& open = perThread<Stack>().open;
        if (open.size() < kDeepest) open.push_back({.forwarded = true});
    } catch (...) {
        // Out of memory: the operator stays unknown.
    }
    const auto before = g_push.load();
    return before ? before(message) : 0;
}

int popped() {
    Stack& stack = perThread<Stack>();
    // An observer of PyTorch that failed has not pushed, but still pops. Ignore that if nothing is
    // open.
    if (stack.open.empty() && g_following) return 0;
    if (!stack.open.empty()) {
        const Open last = stack.open.back();
        stack.open.pop_back();
        stack.engines -= last.isEngine ? 1 : 0;
        if (!last.forwarded) {
            if (stack.whenClosed && !anyOpen(stack)) std::exchange(stack.whenClosed, nullptr)();
            return 0;
        }
    }
    const auto before = g_pop.load();
    return before ? before() : 0;
}

/// The innermost operator of the calling thread, nullptr if there is none.
Open* innermost() {
    std::vector<Open>& open = perThread<Stack>().open;
    for (auto range = open.rbegin(); range != open.rend() && !range->isEngine; ++range)
        if (range->isOperator) return &*range;
    return nullptr;
}

std::optional<python_lines::Place> forwardOf(std::uint64_t sequence) {
    const std::lock_guard lock(g_forwardMutex);
    const Forward& found = forwards()[sequence % kForwards];
    if (found.place.code == 0 || found.sequence != sequence) return std::nullopt;
    return found.place;
}

/// "[[3, 8], [], [16]]" → "[3, 8], [16]": only tensors have sizes, other arguments are dropped.
/// Empty for any other text.
std::string sizesIn(std::string_view list) {
    if (list.size() < 2 || list.front() != '[' || list.back() != ']' ||
        list.find_first_not_of("[], -0123456789") != list.npos)
        return {};
    list = list.substr(1, list.size() - 2);
    std::string sizes;
    while (!list.empty()) {
        const auto end = std::min(list.find(']'), list.size() - 1) + 1;
        const std::string_view one = list.substr(0, end);
        if (one.size() > 2) {
            if (sizes.size() + one.size() > kLongestSizes) return sizes + ", …";
            sizes += (sizes.empty() ? "" : ", ") + std::string(one);
        }
        list.remove_prefix(std::min(list.find_first_not_of(", ", end), list.size()));
    }
    return sizes;
}

}  // namespace

Text parse(std::string_view text) {
    constexpr std::string_view kSequence = ", seq = ", kId = ", op_id = ", kSizes = ", sizes = ",
                               kInputs = ", input_op_ids = ";
    Text parsed{.name = text.substr(0, std::min(text.find(kSequence), text.find(kId)))};
    std::string_view rest = text.substr(parsed.name.size());
    if (rest.starts_with(kSequence)) {
        std::uint64_t number = 0;
        const std::string_view digits = rest.substr(kSequence.size());
        if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc())
            parsed.sequence = number;
    }
    if (const auto at = rest.find(kSizes); at != rest.npos) {
        rest.remove_prefix(at + kSizes.size());
        parsed.sizes = sizesIn(rest.substr(0, rest.find(kInputs)));
    }
    return parsed;
}

bool areOfProfiler(nvtx::ExportTables tables) {
    Dl_info info{};
    if (!tables || dladdr(reinterpret_cast<const void*>(tables), &info) == 0 || !info.dli_fname)
        return false;
    return reportsOperators(info.dli_fname);
}

bool interpose(nvtx::ExportTables tables) {
    using nvtx::kRangePop, nvtx::kRangePushA;
    const auto table = nvtx::functionsOf(tables, nvtx::kCore);
    if (table.size() <= kRangePop || !table[kRangePushA] || !table[kRangePop] || g_push || g_pop)
        return false;
    g_push = reinterpret_cast<int (*)(const char*)>(*table[kRangePushA]);
    g_pop = reinterpret_cast<int (*)()>(*table[kRangePop]);
    *table[kRangePushA] = reinterpret_cast<nvtx::Function>(&pushed);
    *table[kRangePop] = reinterpret_cast<nvtx::Function>(&popped);
    return true;
}

void follow(bool on) {
    g_pid = getpid();
    g_following = on;
}
bool seen() { return g_seen; }
bool whenClosed(void (*call)()) {
    Stack& stack = perThread<Stack>();
    const bool open = anyOpen(stack);
    stack.whenClosed = open ? call : nullptr;
    return open;
}
void ignore() { g_ignoring = true; }

Current current() {
    const Stack& stack = perThread<Stack>();
    Current now;
    if (const Open* const op = innermost()) now.op = op->name;
    if (stack.engines == 0) return now;
    const auto function = std::find_if(stack.open.rbegin(), stack.open.rend(),
                                       [](const Open& open) { return open.isFunction; });
    if (function == stack.open.rend()) return now;
    now.backward = function->name;
    // A thread that runs a forward pass within a backward one has its own sequence numbers.
    if (function->sequence && stack.engines == 1) now.forward = forwardOf(*function->sequence);
    return now;
}

void waits() {
    if (Open* const op = innermost()) op->hasWaited = op->isConvolution;
}

bool searches() {
    const Open* const op = innermost();
    return op && op->hasWaited;
}

Name name(std::uint32_t number) {
    const std::lock_guard lock(g_mutex);
    auto pair = names().pair(number);
    return {.name = std::move(pair.first), .sizes = std::move(pair.second)};
}

std::uint32_t withoutSizes(std::uint32_t number) { return numberOf(name(number).name, {}); }

}  // namespace roofscope::inject::operators
