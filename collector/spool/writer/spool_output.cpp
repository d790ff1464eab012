// SPDX-License-Identifier: Apache-2.0
/// How a spool's lines reach its file: queueing, lost lines, and which thread writes.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "collector/spool/writer/line_writer.h"
#include "collector/spool/writer/spool_writer.h"
#include "profile/files/file_size_guard.h"

namespace roofscope::inject {
namespace {

constexpr int kLeastDescriptor = 200;
/// If the disk hangs, the ending program must not hang with it.
constexpr auto kPatience = std::chrono::seconds(10);

std::size_t linesOf(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

SpoolWriter::SpoolWriter(const std::string& folder) {
    // A process keeps its id after exec, so the time makes the name unique.
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    m_name = fmt::format("{}-{:020}", getpid(), now);
    if (folder.empty()) return;
    const std::string path = fmt::format("{}/{}.spool", folder, m_name);
    const int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0) return;
    // Use a high number: if the host closed its standard streams, our file
    // must not take their place.
    m_file = fcntl(opened, F_DUPFD_CLOEXEC, kLeastDescriptor);
    if (m_file < 0) m_file = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(opened);
    struct stat info {};
    if (m_file >= 0 && fstat(m_file, &info) == 0) {
        m_device = info.st_dev;
        m_inode = info.st_ino;
    }
}

SpoolWriter::~SpoolWriter() {
    flush();
    if (stillOurs()) close(m_file);
}

bool SpoolWriter::stillOurs() const {
    struct stat info {};
    return m_file >= 0 && fstat(m_file, &info) == 0 && info.st_dev == m_device &&
           info.st_ino == m_inode;
}

class SpoolWriter::Turn {
public:
    explicit Turn(Lock& lock) : m_lock(lock) {
        // exit() in a signal handler may interrupt the thread while it writes a line. Waiting for
        // its own lock would then never end.
        m_ours = m_lock.owner != pthread_self() &&
                 (m_lock.mutex.try_lock() || m_lock.mutex.try_lock_for(kPatience));
        if (m_ours) m_lock.owner = pthread_self();
    }
    ~Turn() {
        if (!m_ours) return;
        m_lock.owner = pthread_t{};
        m_lock.mutex.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return m_ours; }

private:
    Lock& m_lock;
    bool m_ours = false;
};

void SpoolWriter::Queue::clear() {
    launches.clear();
    calls.clear();
    begun.clear();
    left.clear();
}

template <class Add>
void SpoolWriter::enqueue(const Add& add) {
    const Turn turn(m_queueing);
    if (!turn) {
        ++m_dropped;
        return;
    }
    add(m_queue);
    m_queued.store(m_queue.size(), std::memory_order_relaxed);
    m_hasQueuedLines = true;
}

template <class Then>
void SpoolWriter::append(const std::string& lines, const Then& then) {
    const Turn turn(m_writing);
    if (!turn) {
        m_dropped += linesOf(lines);
        return;
    }
    gather();
    m_waiting += lines;
    then();
}

void SpoolWriter::writeNow(const std::string& lines) {
    append(lines, [&] { writeWaiting(); });
}

void SpoolWriter::wait(const std::string& lines) {
    append(lines, [&] { m_hasQueuedLines = true; });
}

void SpoolWriter::writeEssential(const std::string& line) {
    append(line, [&] {
        m_essential += line;
        writeWaiting();
    });
}

void SpoolWriter::launch(std::uint64_t sequence, const LaunchFacts& launch) {
    enqueue(
        [&](Queue& queue) { queue.launches.push_back({.sequence = sequence, .facts = launch}); });
}

void SpoolWriter::call(const CallTime& call) {
    enqueue([&](Queue& queue) { queue.calls.push_back(call); });
}

void SpoolWriter::rangeBegan(const RangeBegin& range) {
    enqueue([&](Queue& queue) { queue.begun.push_back(range); });
}

void SpoolWriter::rangeLeft(std::uint64_t span, std::uint64_t atNs) {
    enqueue([&](Queue& queue) { queue.left.push_back({.span = span, .atNs = atNs}); });
}

void SpoolWriter::flush() {
    if (!m_hasQueuedLines) return;
    const Turn turn(m_writing);
    if (turn) writeWaiting();
}

void SpoolWriter::flushIfDue() {
    constexpr std::size_t kMuch = 32 * 1024;
    constexpr std::size_t kManyRows = 1000;
    /// Rows of about one second of launches.
    constexpr std::size_t kFarBehind = 200'000;
    if (!m_hasQueuedLines) return;
    const std::size_t rows = m_queued.load(std::memory_order_relaxed);
    if (m_elsewhere && rows < kFarBehind) return;
    const Turn turn(m_writing);
    if (!turn) return;
    if (m_waiting.size() >= kMuch || rows >= kManyRows ||
        std::chrono::steady_clock::now() - m_lastWrite >= kMostDelay)
        writeWaiting();
}

void SpoolWriter::gather() {
    Queue& queue = m_gathered;
    m_dropped += queue.size();  // left from before: there was no memory to write them
    queue.clear();
    {
        const Turn turn(m_queueing);
        if (!turn || m_queue.size() == 0) return;
        std::swap(queue, m_queue);
        m_queued = 0;
    }
    for (const spool::LaunchRecord& launch : queue.launches) spool::appendLine(m_waiting, launch);
    spool::appendTable(m_waiting, queue.calls);
    spool::appendTable(m_waiting, queue.begun);
    spool::appendTable(m_waiting, queue.left);
    queue.clear();
}

void SpoolWriter::writeWaiting() {
    m_hasQueuedLines = false;  // reset it first, so that lines added from here on set it again
    gather();
    std::string whole = std::exchange(m_waiting, {});
    m_lastWrite = std::chrono::steady_clock::now();
    std::size_t news = 0;  // offset where the new lines begin
    m_lost += m_dropped.exchange(0);
    if (m_lost > 0) {
        // The line before may be cut off, so start a new one.
        std::string before = "\n";
        spool::appendLine(before, spool::LostRecord{.lines = m_lost});
        before += m_essential;
        whole.insert(0, before);
        news = before.size();
    }
    // The program may have closed all descriptors and reused this number for a file of its own.
    const std::size_t done = stillOurs() ? write(whole) : 0;
    if (done >= news) {
        m_lost = 0;
        if (done == whole.size()) m_essential.clear();
    }
    m_lost += linesOf(std::string_view(whole).substr(std::max(done, news)));
}

std::size_t SpoolWriter::write(const std::string& text) const {
    const FileSizeGuard guard;
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(m_file, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;  // the disk is full or gone
        done += static_cast<std::size_t>(n);
    }
    return done;
}

}  // namespace roofscope::inject
