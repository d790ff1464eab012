// SPDX-License-Identifier: Apache-2.0
/// Copies that could be faster, elsewhere, or avoided.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analyzer/language/joined_sentences.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/program/actions/floor.h"
#include "analyzer/program/actions/graph_inputs.h"
#include "analyzer/program/actions/host_work_kind.h"
#include "analyzer/program/actions/repeated_copies.h"

namespace roofscope::program {
namespace {

/// Copies to the GPU and back; per window.
struct BothWays {
    Bytes there, back;
    Seconds exposed;

    [[nodiscard]] bool asMany(double alike) const {
        return std::abs((there - back).value) <= alike * there.value;
    }
};
BothWays bothWays(const Account& account) {
    BothWays both;
    for (const CopyTime& copy : account.copies) {
        if (copy.kind != TransferKind::HostToDevice && copy.kind != TransferKind::DeviceToHost)
            continue;
        (copy.kind == TransferKind::HostToDevice ? both.there : both.back) += copy.bytes;
        both.exposed += copy.exposed;
    }
    return both;
}

bool isOfPageableMemory(const Action& action) {
    return action.rule == action_rule::kPageableCopy ||
           action.rule == action_rule::kPageableCopyBack ||
           action.rule == action_rule::kPageableBothWays;
}

/// Whether as many bytes come back from the GPU as go there: perhaps the same data, which could
/// stay.
bool returnsAsManyBytes(const Account& account) {
    constexpr double kLeastBytes = 1 << 20, kAlike = 0.01;
    const BothWays both = bothWays(account);
    return both.there.value >= kLeastBytes && both.asMany(kAlike);
}

}  // namespace

ActionFinder::CopySum ActionFinder::copiesOf(std::initializer_list<TransferKind> kinds,
                                             bool pageable) const {
    CopySum sum;
    for (const CopyTime& copy : m_account.copies) {
        if (std::ranges::find(kinds, copy.kind) == kinds.end() || copy.pageable != pageable)
            continue;
        sum.count += static_cast<double>(copy.count);
        sum.bytes += copy.bytes.value;
        sum.exposed += copy.exposed.value;
        sum.time += copy.time.value;
    }
    sum.count /= static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
    if (std::ranges::find(kinds, TransferKind::HostToDevice) != kinds.end() &&
        pageable == m_repeatedArePageable)
        sum.leaveOut(m_repeated);
    // Copies can overlap with kernels only while kernels run.
    const double kernels =
        m_account.time[TimeClass::Kernels].value + m_account.time[TimeClass::Communication].value;
    sum.bound = std::max(0.0, sum.exposed - std::max(0.0, linkTime(m_account).value - kernels));
    return sum;
}

void ActionFinder::CopySum::leaveOut(const CopySum& others) {
    count = std::max(0.0, count - others.count);
    bytes = std::max(0.0, bytes - others.bytes);
    exposed = std::max(0.0, exposed - others.exposed);
    time = std::max(0.0, time - others.time);
}

std::vector<Arg> ActionFinder::CopySum::args() const {
    return {number("count", count, Unit::Count), number("bytes", bytes, Unit::Bytes),
            number("exposed", exposed, Unit::Seconds),
            number("rate", bytes / std::max(time, exposed), Unit::BytesPerSecond)};
}

void ActionFinder::tellTurns(Action& action) const {
    if (!(m_turning.value > 0)) return;
    action.edit = joinedSentences(
        action.edit, Words("The same {turning} are sent in turn: if they are so in production, "
                           "too, and not test data, keep them on the GPU instead."));
    action.args.push_back(number("turning", m_turning.value, Unit::Bytes));
}

void ActionFinder::copies() {
    pageableToGpu();
    pageableToHost();
    pageableBothWays();
    smallCopies();
    if (busyLink()) return;
    CopySum sum = copiesOf({TransferKind::HostToDevice, TransferKind::DeviceToHost}, false);
    if (!sum.isLarge()) return;
    constexpr double kNearlyAll = 0.8;
    const bool back =
        copiesOf({TransferKind::DeviceToHost}, false).exposed >= sum.exposed * kNearlyAll;
    const double bound = std::min(
        sum.bound,
        (m_account.time[TimeClass::Kernels] + m_account.time[TimeClass::Communication]).value);
    // Copies that are rarer than the step are reported for all occurrences together.
    const bool rare = sum.count < 1;
    if (rare)
        for (double* value : {&sum.count, &sum.bytes, &sum.exposed})
            *value *= static_cast<double>(m_program.window.counted);
    Action action{
        .rule = action_rule::kCopyNotOverlapped,
        .timeClass = TimeClass::Copies,
        .bound = {bound},
        .sites = sitesOf(CallKind::Transfer, TimeClass::Copies, {bound}),
        .title = Words("Copies not overlapped with kernels"),
        .sentence = rare ? Words("{count} {count?copy:copies} of pinned memory, in all repeats "
                                 "together, {count?moves:move} {bytes} and {count?takes:take} "
                                 "{exposed} in which no kernel runs.")
                         : Words("{count} {count?copy:copies} of pinned memory "
                                 "{count?moves:move} {bytes} and "
                                 "{count?takes:take} {exposed} in which no kernel runs."),
        .edit = back ? Words("Copy back less; or copy back on a second stream while the next "
                             "kernels run, if they do not need what the CPU makes of it.")
                     : Words("Copy the next batch on a second stream while the kernels of this "
                             "one run."),
        .args = sum.args()};
    if (!back) tellTurns(action);
    add(std::move(action));
}

bool ActionFinder::copiesOnce() const {
    return m_program.window.isWhole() || m_program.window.kind == WindowKind::Run;
}

void ActionFinder::pageableToGpu() {
    const CopySum sum = copiesOf({TransferKind::HostToDevice}, true);
    if (!sum.isLarge()) return;
    const Words onceEdit(
        "Send less, or let the GPU make the data. Page-locked memory (cudaMallocHost) copies "
        "faster, but allocating it takes time as well: it pays for memory that is copied more "
        "than once.");
    Action action{
        .rule = action_rule::kPageableCopy,
        .timeClass = TimeClass::Copies,
        .bound = {sum.bound},
        .estimate = copiesOnce(),
        .sites = sitesOfCopies(TransferKind::HostToDevice, {sum.bound}),
        .title = Words("Copies from pageable memory"),
        .sentence = Words("{count} {count?copy:copies} from pageable memory {count?moves:move} "
                          "{bytes} at {rate} and {count?takes:take} {exposed} in which no kernel "
                          "runs."),
        .edit =
            m_frameworks.torch
                ? Words(
                      "Pin the memory (DataLoader(pin_memory=True), tensor.pin_memory()) and copy "
                      "with non_blocking=True. Keep on the GPU what does not have to leave it.")
            : returnsAsManyBytes(m_account)
                ? Words("As many bytes come back as are sent: if it is the same data, keep it on "
                        "the GPU. Otherwise use pinned memory (cudaMallocHost) and "
                        "cudaMemcpyAsync on a stream of its own.")
            : copiesOnce() ? onceEdit
                           : Words("Allocate the host memory with cudaMallocHost and copy with "
                                   "cudaMemcpyAsync on a stream of its own."),
        .args = sum.args()};
    tellTurns(action);
    add(std::move(action));
}

void ActionFinder::smallCopies() {
    // A program that copies its inputs once needs only some dozens of copies.
    constexpr double kMany = 100, kManyOnce = 10'000;
    // Up to here, a copy takes as long as one of a few bytes.
    constexpr double kFewBytes = 4096;
    CopySum sum;
    for (const bool pageable : {true, false}) {
        const CopySum one = copiesOf({TransferKind::HostToDevice}, pageable);
        if (one.isLarge()) continue;
        sum.count += one.count;
        sum.bytes += one.bytes;
        sum.exposed += one.exposed;
    }
    const bool known = std::ranges::any_of(
        m_actions, [](const Action& action) { return action.rule == action_rule::kRepeatedCopy; });
    if (known || sum.count < (copiesOnce() ? kManyOnce : kMany) ||
        sum.bytes > kFewBytes * sum.count)
        return;
    add({.rule = "small-copies",
         .timeClass = TimeClass::Copies,
         .bound = {sum.exposed},
         .sites = sitesOfCopies(TransferKind::HostToDevice, {sum.exposed}),
         .title = Words("Many small copies to the GPU"),
         .sentence = Words("{count} copies of {each} on average take {exposed} in which no kernel "
                           "runs: a copy of a few bytes takes as long as one of thousands."),
         .edit = m_frameworks.torch
                     ? Words("Gather the values in one tensor on the CPU and copy it once, or make "
                             "them on the GPU (torch.tensor(…) and .to() in a loop copy each).")
                 : m_frameworks.xla || m_frameworks.cupy
                     ? Words("Stack the values in one array on the CPU and copy it once, or make "
                             "them on the GPU.")
                     : Words("Gather the values in one array on the CPU and copy it once; pass "
                             "single numbers as arguments of the kernel."),
         .args = {number("count", sum.count, Unit::Count),
                  number("each", sum.bytes / sum.count, Unit::Bytes),
                  number("exposed", sum.exposed, Unit::Seconds)}});
}

void ActionFinder::pageableToHost() {
    // Measured: 1.4 to 1.7 GB/s into memory that the CPU touches for the first time, 10 to 25 GB/s
    // into memory that is used again.
    constexpr double kFirstTouch = 4e9;
    constexpr double kLarge = 1 << 20;
    const CopySum sum = copiesOf({TransferKind::DeviceToHost}, true);
    if (!sum.isLarge()) return;
    const bool firstTouch = sum.bytes >= kLarge * sum.count &&
                            sum.bytes < kFirstTouch * std::max(sum.time, sum.exposed);
    add({.rule = action_rule::kPageableCopyBack,
         .timeClass = TimeClass::Copies,
         .bound = {sum.bound},
         .estimate = copiesOnce(),
         .sites = sitesOfCopies(TransferKind::DeviceToHost, {sum.bound}),
         .title = Words("Copies back to pageable memory"),
         .sentence = firstTouch
                         ? Words("{count} {count?copy:copies} {count?moves:move} {bytes} and "
                                 "{count?takes:take} {exposed} in which no kernel runs: {rate}, "
                                 "the rate of memory that the CPU touches for the first time.")
                         : Words("{count} {count?copy:copies} to pageable host memory "
                                 "{count?moves:move} {bytes} at {rate} and {count?takes:take} "
                                 "{exposed} in which no kernel runs."),
         .edit = m_frameworks.torch
                     ? Words("Send back less, or copy into one pinned buffer that is made once "
                             "(buffer.copy_(x, non_blocking=True)).")
                     : Words("Copy back less, or into one pinned buffer (cudaMallocHost) that is "
                             "used again, on a stream of its own."),
         .args = sum.args()});
}

void ActionFinder::pageableBothWays() {
    // In PyTorch, each direction has its own edit, at its own lines.
    if (copiesOnce() || m_frameworks.torch ||
        std::ranges::count_if(m_actions, isOfPageableMemory) < 2)
        return;
    const CopySum sum = copiesOf({TransferKind::HostToDevice, TransferKind::DeviceToHost}, true);
    std::erase_if(m_actions, isOfPageableMemory);
    Action action{
        .rule = action_rule::kPageableBothWays,
        .timeClass = TimeClass::Copies,
        .bound = {sum.bound},
        .sites = sitesOf(CallKind::Transfer, TimeClass::Copies, {sum.bound}),
        .title = Words("Copies through pageable memory, both ways"),
        .sentence = Words("{count} {count?copy:copies} from and to pageable memory "
                          "{count?moves:move} {bytes} at {rate} and {count?takes:take} {exposed} "
                          "in which no kernel runs."),
        .edit = returnsAsManyBytes(m_account)
                    ? Words("As many bytes come back as are sent: if it is the same data, keep it "
                            "on the GPU. Otherwise allocate the host's buffers once with "
                            "cudaMallocHost, and copy one item with cudaMemcpyAsync on streams of "
                            "their own while kernels work on another.")
                    : Words("Allocate the host's buffers once with cudaMallocHost, and copy one "
                            "item with cudaMemcpyAsync on streams of their own while kernels work "
                            "on another."),
        .args = sum.args()};
    tellTurns(action);
    add(std::move(action));
}

bool ActionFinder::busyLink() {
    bool found = false;
    constexpr double kNearlyAll = 0.9, kMost = 0.5;  // of the window
    // Running copies beside kernels saves at most the time of the kernels.
    constexpr double kLittle = 0.25;  // of the copies
    const Seconds kernels =
        m_account.time[TimeClass::Kernels] + m_account.time[TimeClass::Communication];
    constexpr Bytes kLeastEach{1 << 20};
    constexpr double kLeastRate = 10e9;  // a slower copy does not use a link of its own
    constexpr double kAbolished = 0.8;   // repeatedCopies() has the better edit
    for (const TransferKind kind : {TransferKind::HostToDevice, TransferKind::DeviceToHost}) {
        double count = 0;
        Bytes bytes;
        Seconds time, exposed;
        for (const CopyTime& copy : m_account.copies) {
            if (copy.kind != kind || copy.pageable) continue;
            count += static_cast<double>(copy.count);
            bytes += copy.bytes;
            time += copy.time;
            exposed += copy.exposed;
        }
        const auto occurrences =
            static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
        const bool always = time >= m_program.window.seconds * kNearlyAll;
        const bool most =
            exposed >= m_program.window.seconds * kMost && kernels < exposed * kLittle;
        if ((!always && !most) || count == 0 ||
            bytes.value * occurrences < kLeastEach.value * count ||
            bytes.value < kLeastRate * time.value ||
            (kind == TransferKind::HostToDevice && !m_repeatedArePageable &&
             m_repeated.bytes >= kAbolished * bytes.value))
            continue;
        const bool there = kind == TransferKind::HostToDevice;
        Action action{
            .rule = action_rule::kBusyLink,
            .timeClass = TimeClass::Copies,
            .bound = exposed,
            .sites = sitesOfCopies(kind, exposed),
            .title = always ? (there ? Words("The link to the GPU is busy all the time")
                                     : Words("The link from the GPU is busy all the time"))
                            : (there ? Words("Copies to the GPU take most of the time")
                                     : Words("Copies from the GPU take most of the time")),
            .sentence = Words("Copies of pinned memory move {bytes} in {time} at {rate}; in "
                              "{exposed} of that no kernel runs."),
            .edit = Words("Only fewer bytes help, not another stream: smaller data types, data "
                          "that stays on the GPU, or work that is done where the data is."),
            .args = {number("bytes", bytes.value, Unit::Bytes),
                     number("time", time.value, Unit::Seconds),
                     number("rate", bytes.value / time.value, Unit::BytesPerSecond),
                     number("exposed", exposed.value, Unit::Seconds)}};
        if (there) tellTurns(action);
        add(std::move(action));
        found = true;
    }
    return found;
}

void ActionFinder::graphInputs() {
    const KernelsPerWindow found = program::graphInputs(m_analysis, m_program);
    if (found.kernels.empty()) return;
    add({.rule = "graph-input-copy",
         .kernels = found.kernels,
         .bound = found.time,
         .sites = launchSites(found.kernels),
         .title = Words("Inputs are copied for a CUDA graph"),
         .sentence = Words("{launches} {launches?launch copies:launches copy} inputs of a compiled "
                           "function into the buffers that its CUDA graph reads."),
         // mark_static_address() is not the first advice, because PyTorch 2.11 ignores it if
         // Inductor's cache already has the graph (measured; docs/program.md).
         .edit = Words("Keep these inputs in buffers of the compiled module (register_buffer), "
                       "which its graph reads in place, and write new data directly into them."),
         .args = {number("launches", found.launches, Unit::Count)}});
}

void ActionFinder::repeatedCopies() {
    const RepeatedCopies found = program::repeatedCopies(*m_analysis.profile, m_program);
    const Bytes there = bothWays(m_account).there;
    constexpr double kMuch = 0.5;
    if (found.turningSent >= there * kMuch) m_turning = {found.turning};
    if (!(found.copies > 0)) return;
    Seconds exposed;
    for (const CopyTime& copy : m_account.copies)
        if (copy.kind == TransferKind::HostToDevice) exposed += copy.exposed;
    const Seconds bound = std::min(found.time, exposed);
    const Words once = m_frameworks.torch
                           ? Words(
                                 "Keep the {kept} on the GPU: move them there once, before the "
                                 "loop (x = x.to(\"cuda\")).")
                           : Words(
                                 "Keep the {kept} on the GPU: copy them once, before the loop, "
                                 "into memory that nothing overwrites.");
    std::map<std::string, double> sites = found.places;
    for (auto& [place, part] : sites) part *= bound.value;
    if (!add(
            {.rule = action_rule::kRepeatedCopy,
             .timeClass = TimeClass::Copies,
             .bound = bound,
             .estimate = found.sampled,
             .sites = mostFirst(sites),
             .title = Words("The same data is copied again and again"),
             .sentence =
                 found.same && found.sampled
                     ? Words(
                           "Of the copies to the GPU, {count} were compared: {repeated} carry the "
                           "same {kept}.")
                 : found.sampled
                     ? Words(
                           "Of the copies to the GPU, {count} were compared: {repeated} carry data "
                           "that was copied before, {kept} of distinct contents.")
                 : found.same
                     ? Words("{repeated} of {count} copies to the GPU carry the same {kept}.")
                     : Words("{repeated} of {count} copies to the GPU carry data that was "
                             "copied before: {kept} of distinct contents."),
             .edit =
                 found.versions
                     ? Words("{new} of the {count} copies carried something new: copy only when "
                             "the data changed. If contents come again in turn, keep "
                             "all {kept} on the GPU.")
                     : once,
             .args = {number("repeated", found.repeated, Unit::Count),
                      number("count", found.copies, Unit::Count),
                      number("kept", found.kept, Unit::Bytes),
                      number("new", found.copies - found.repeated, Unit::Count)}}))
        return;
    // The other edits are for copies that remain.
    m_repeated = {.count = found.perWindow,
                  .bytes = found.bytes.value,
                  .exposed = bound.value,
                  .time = found.time.value};
    const auto bytesOf = [this](bool pageable) {
        Bytes bytes;
        for (const CopyTime& copy : m_account.copies)
            if (copy.kind == TransferKind::HostToDevice && copy.pageable == pageable)
                bytes += copy.bytes;
        return bytes;
    };
    m_repeatedArePageable = bytesOf(true) >= bytesOf(false);
}

std::optional<Bytes> ActionFinder::memoryOfGpu() const {
    const auto& devices = m_analysis.profile->devices;
    if (m_program.lanes.empty() || m_program.lanes.front().device >= devices.size())
        return std::nullopt;
    const auto& bytes = devices[m_program.lanes.front().device].memoryBytes;
    return bytes ? std::optional(Bytes{static_cast<double>(*bytes)}) : std::nullopt;
}

void ActionFinder::returningBuffers() {
    // Where the CPU mostly does something else (it decodes, filters, saves), inputs and results may
    // have the same size by chance.
    constexpr double kMostOfHost = 0.5, kRoom = 0.9;
    if (m_program.window.isWhole() || !m_account.causesKnown || !returnsAsManyBytes(m_account))
        return;
    const Profile& profile = *m_analysis.profile;
    const MemorySamples samples = memorySamplesIn(profile, m_account.samples[TimeClass::IdleHost]);
    const Seconds host = m_account.time[TimeClass::IdleHost] * samples.share();
    if (samples.share() < kMostOfHost || host < m_program.window.seconds * kWorthDoing) return;
    const auto occurrences =
        static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
    std::vector<HostFunction> functions =
        hostFunctions(profile, samples.memory, host * occurrences);
    const BothWays both = bothWays(m_account);
    const std::optional<Bytes> memory = memoryOfGpu();
    // Copies that carry the same bytes each time do not send what came back.
    if (functions.empty() || (memory && both.back > *memory * kRoom) ||
        std::ranges::find(m_actions, action_rule::kRepeatedCopy, &Action::rule) != m_actions.end())
        return;
    // Reports have room for 260 letters.
    const Words first =
        memory ? Words(
                     "If what is sent is what came back, keep it in GPU memory that is allocated "
                     "once, if it fits: {out} per repeat; the GPU has {memory}.")
               : Words(
                     "If what is sent is what came back, keep it in GPU memory that is allocated "
                     "once, if it fits: {out} per repeat.");
    const Words second =
        m_frameworks.torch
            ? Words(
                  "Otherwise allocate pinned tensors once (pin_memory=True) and copy with "
                  "non_blocking=True on a second stream.")
            : Words(
                  "Otherwise allocate one pool of pinned memory once (cudaMallocHost) and copy "
                  "with cudaMemcpyAsync on a second stream.");
    const Seconds bound = both.exposed + host;
    Action action{
        .rule = action_rule::kDataComesBack,
        .timeClass = TimeClass::Copies,
        .alwaysExplained = true,
        .bound = bound,
        .sites = sitesOfCopies(TransferKind::DeviceToHost, bound),
        .hostFunctions = std::move(functions),
        .sampledTime = host,
        .title = Words("As many bytes come back from the GPU as are sent, in each repeat"),
        .sentence =
            Words("{out} come back from the GPU and {in} are sent: {copies} of copies in "
                  "which no kernel runs, and {host} in which the CPU only allocates, fills, "
                  "copies and frees memory."),
        .edit = joinedSentences(first, second),
        .args = {number("in", both.there.value, Unit::Bytes),
                 number("out", both.back.value, Unit::Bytes),
                 number("copies", both.exposed.value, Unit::Seconds),
                 number("host", host.value, Unit::Seconds)}};
    if (memory) action.args.push_back(number("memory", memory->value, Unit::Bytes));
    if (!add(std::move(action))) return;
    m_buffersReturn = true;
    std::erase_if(m_actions, [](const Action& other) {
        return isOfPageableMemory(other) || other.rule == action_rule::kCopyNotOverlapped ||
               other.rule == action_rule::kBusyLink;
    });
}

void ActionFinder::dataComesBack() {
    constexpr double kSame = 0.1, kLeastHost = 0.2, kMoreThanEach = 1.2, kMostOfHost = 0.5;
    if (m_buffersReturn || m_program.window.isWhole() || !m_account.causesKnown) return;
    const BothWays both = bothWays(m_account);
    if (both.there < kLeastCopy || !both.asMany(kSame)) return;
    // Other data of the same size (frames, batches) also comes and goes, so the CPU must work on
    // what came back.
    const Seconds ofHost = m_account.time[TimeClass::IdleHost];
    const Seconds host = std::min(m_account.hostAfterCopy, ofHost);
    const auto isPart = [&](const Action& action) {
        return isOfPageableMemory(action) || action.rule == action_rule::kCopyNotOverlapped ||
               (action.rule == action_rule::kHostBound && host >= ofHost * kMostOfHost);
    };
    const Seconds bound = both.exposed + host;
    // Copies that carry the same bytes each time do not send what came back.
    if (host < bound * kLeastHost ||
        std::ranges::find(m_actions, action_rule::kRepeatedCopy, &Action::rule) != m_actions.end())
        return;
    Seconds largest;
    for (const Action& action : m_actions)
        if (isPart(action)) largest = std::max(largest, action.bound);
    if (bound < largest * kMoreThanEach) return;
    if (!add({.rule = action_rule::kDataComesBack,
              .timeClass = TimeClass::Copies,
              .alwaysExplained = true,
              .bound = bound,
              .sites = sitesOfCopies(TransferKind::DeviceToHost, bound),
              .title = Words("Data goes to the GPU and comes back in each repeat"),
              .sentence = Words("{in} go to the GPU and {out} come back: {copies} of copies in "
                                "which no kernel runs, and {host} of work on the CPU after a copy "
                                "back."),
              .edit = Words("If what comes back is what is sent next (a state that is advanced, a "
                            "matrix), keep it on the GPU, do there what the CPU does with it, and "
                            "copy back only what is printed or stored."),
              .args = {number("in", both.there.value, Unit::Bytes),
                       number("out", both.back.value, Unit::Bytes),
                       number("copies", both.exposed.value, Unit::Seconds),
                       number("host", host.value, Unit::Seconds)}}))
        return;
    std::erase_if(m_actions, isPart);
}

}  // namespace roofscope::program
