// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/forked_workers.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace roofscope::inject {
namespace {

/// The most frames of a worker that are read and that are kept.
constexpr std::size_t kMostRead = 128, kMostKept = 48;
constexpr std::size_t kMostListed = 4096;

/// The text of a small file; empty if there is none.
std::string textOf(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::string text(kMostListed, '\0');
    const ssize_t length = read(file, text.data(), text.size());
    close(file);
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return text;
}

std::optional<ProcessImage> imageOf(const std::string& process) {
    return parseProcessImage(textOf("/proc/" + process + "/stat"));
}

/// The children of all threads, as the system lists them; absent if it does not.
std::optional<std::vector<pid_t>> listedChildren() {
    std::vector<pid_t> children;
    for (const pid_t thread : allThreads()) {
        const std::string path = "/proc/self/task/" + std::to_string(thread) + "/children";
        const std::string text = textOf(path);
        if (text.empty() && thread == getpid() && access(path.c_str(), F_OK) != 0)
            return std::nullopt;
        const char* at = text.data();
        const char* const end = at + text.size();
        for (int id = 0; children.size() < kMostListed;) {
            const auto [next, error] = std::from_chars(at, end, id);
            if (error != std::errc{}) break;
            children.push_back(id);
            at = next == end ? end : next + 1;  // a space
        }
    }
    return children;
}

/// The same by a look at every process, for systems without such lists.
std::vector<pid_t> foundChildren() {
    std::vector<pid_t> children;
    DIR* const folder = opendir("/proc");
    if (!folder) return children;
    std::size_t seen = 0;
    while (const dirent* entry = readdir(folder)) {
        const int id = std::atoi(entry->d_name);
        if (id <= 0) continue;
        if (++seen > kMostListed) break;
        if (const auto image = imageOf(entry->d_name); image && image->parent == getpid())
            children.push_back(id);
    }
    closedir(folder);
    return children;
}

bool hasChildren() {
    siginfo_t unused{};
    return waitid(P_ALL, 0, &unused, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

std::optional<ProcessImage> parseProcessImage(std::string_view stat) {
    // The name is in parentheses and may contain anything.
    const std::size_t name = stat.rfind(") ");
    if (name == stat.npos || name + 4 > stat.size()) return std::nullopt;
    ProcessImage image{.state = stat[name + 2]};
    constexpr unsigned kParent = 4, kCodeBegin = 26, kCodeEnd = 27, kStackBegin = 28;  // proc(5)
    const char* at = stat.data() + name + 3;
    const char* const end = stat.data() + stat.size();
    for (unsigned field = kParent; field <= kStackBegin; ++field) {
        at = std::find_if(at, end, [](char c) { return c != ' '; });
        const char* const after = std::find(at, end, ' ');
        std::uint64_t value = 0;
        // Some of the other fields are negative.
        const bool whole = std::from_chars(at, after, value).ec == std::errc{};
        const bool needed = field == kParent || field >= kCodeBegin;
        if (at == after || (needed && !whole)) return std::nullopt;
        if (field == kParent) image.parent = static_cast<pid_t>(value);
        if (field == kCodeBegin) image.codeBegin = value;
        if (field == kCodeEnd) image.codeEnd = value;
        if (field == kStackBegin) image.stackBegin = value;
        at = after;
    }
    return image;
}

std::size_t commonFrames(std::span<const RawPythonFrame> first,
                         std::span<const RawPythonFrame> second) {
    std::size_t count = 0;
    while (count < std::min(first.size(), second.size()) &&
           first[first.size() - 1 - count].code == second[second.size() - 1 - count].code)
        ++count;
    return count;
}

void ForkedWorkers::find(const PythonLayout& layout, PythonCode& code) {
    using Clock = std::chrono::steady_clock;
    constexpr Clock::duration kPause = std::chrono::milliseconds(100);
    constexpr int kShare = 100;  // at most 1 % of a CPU
    const Clock::time_point begun = Clock::now();
    if (begun < m_nextSearch) return;
    if (hasChildren()) {
        const auto own = imageOf("self");
        const auto listed = listedChildren();
        for (const pid_t child : listed ? *listed : foundChildren()) {
            const auto known =
                std::ranges::find(m_workers, child, [](const auto& w) { return w->process; });
            const auto image = imageOf(std::to_string(child));
            const bool forked = own && image && image->parent == getpid() &&
                                image->sameProgram(*own) && image->state != 'Z';
            if (known != m_workers.end())
                (*known)->gone = (*known)->gone || !forked;  // it called exec()
            else if (forked)
                adopt(layout, child);
        }
    } else {
        for (const auto& worker : m_workers) worker->gone = true;
    }
    dropGone(code);
    const Clock::time_point ended = Clock::now();
    m_nextSearch = ended + std::max(kPause, (ended - begun) * kShare);
}

void ForkedWorkers::adopt(const PythonLayout& layout, pid_t process) {
    if (m_workers.size() >= kMostAtOnce || m_found >= kMostEver) {
        m_tooMany = true;
        return;
    }
    auto worker = std::make_unique<Worker>(process, m_found);
    // Between fork() and exec(), a process may share the memory of its parent. It is no worker: the
    // interpreter does not know its thread.
    if (isPython(layout, *worker)) {
        m_workers.push_back(std::move(worker));
        ++m_found;
        return;
    }
    std::uintptr_t readable = 0;
    const bool allowed = worker->memory.read(layout.runtime, readable) && worker->watch.now();
    const auto image = imageOf(std::to_string(process));
    if (!allowed && image && image->parent == getpid() && image->state != 'Z') m_forbidden = true;
}

void ForkedWorkers::dropGone(PythonCode& code) {
    for (const auto& worker : m_workers)
        if (worker->gone) code.forget(worker->process);
    std::erase_if(m_workers, [](const auto& worker) { return worker->gone; });
}

std::optional<CpuWait> ForkedWorkers::workOf(Worker& worker) {
    const auto now = worker.watch.now();
    if (!now) {
        worker.gone = true;
        return std::nullopt;
    }
    if (now->running) return CpuWait::None;
    const CpuWait wait = waitOf(now->call);
    const bool mayBeDisk =
        wait == CpuWait::Read || wait == CpuWait::Write || wait == CpuWait::Other;
    if (!mayBeDisk) return std::nullopt;
    // State D: it cannot be interrupted, as in a read of a file, but not of a pipe.
    const auto image = imageOf(std::to_string(worker.process));
    return image && image->state == 'D' ? std::optional(wait) : std::nullopt;
}

bool ForkedWorkers::isPython(const PythonLayout& layout, Worker& worker) {
    std::uint64_t id = 0;
    if (worker.python == 0 || !worker.memory.read(worker.python + layout.nativeId, id) ||
        id != static_cast<std::uint64_t>(worker.process))
        worker.python = pythonThread(layout, worker.process, worker.memory);
    return worker.python != 0;
}

std::uint64_t ForkedWorkers::random() {
    m_random ^= m_random << 13U;
    m_random ^= m_random >> 7U;
    m_random ^= m_random << 17U;
    return m_random;
}

std::optional<ForkedWorkers::Seen> ForkedWorkers::look(const PythonLayout& layout,
                                                       PythonCode& code) {
    for (std::size_t i = 0; i < m_workers.size(); ++i) {
        // A random order: each of those that work has the same chance to be the first.
        std::swap(m_workers[i], m_workers[i + random() % (m_workers.size() - i)]);
        Worker& worker = *m_workers[i];
        const auto wait = workOf(worker);
        if (!wait || !isPython(layout, worker)) continue;
        std::array<RawPythonFrame, kMostRead> first, second;
        const std::span before(first.data(),
                               copyPythonFrames(layout, worker.python, first, worker.memory));
        const std::span after(second.data(),
                              copyPythonFrames(layout, worker.python, second, worker.memory));
        // Of a deeper stack, the outer end was not read.
        const bool whole = before.size() < kMostRead && after.size() < kMostRead;
        const std::size_t common = commonFrames(before, after);
        Seen seen{.worker = worker.number, .process = worker.process, .wait = *wait, .frames = {}};
        if (whole || common == kMostRead)
            for (const RawPythonFrame& frame : after.last(common))
                if (frame.shown && seen.frames.size() < kMostKept)
                    if (auto place = code.place(layout, frame, worker.memory))
                        seen.frames.push_back(std::move(*place));
        // If it is still there, no other process has got its id meanwhile.
        worker.gone = !worker.watch.now();
        if (!worker.gone) return seen;
    }
    return std::nullopt;
}

}  // namespace roofscope::inject
