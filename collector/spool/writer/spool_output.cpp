// SPDX-License-Identifier: Apache-2.0
/// How a spool's lines reach its file: what waits, what was lost, and which thread writes.
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
/// If the disk hangs, the program must not hang with it at its end.
constexpr auto kPatience = std::chrono::seconds(10);

std::size_t linesOf(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

SpoolWriter::SpoolWriter(const std::string& folder) {
    // A process keeps its id after exec: the time makes the name unique.
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    m_name = fmt::format("{}-{:020}", getpid(), now);
    if (folder.empty()) return;
    const std::string path = fmt::format("{}/{}.spool", folder, m_name);
    const int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0) return;
    // A high number: a host that closed its standard streams must not get our file in their place.
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
    explicit Turn(SpoolWriter& spool) : m_spool(spool) {
        // exit() in a signal handler may interrupt its own thread while it writes a line: waiting
        // for that would never end.
        m_ours = m_spool.m_owner != pthread_self() && m_spool.m_mutex.try_lock_for(kPatience);
        if (m_ours) m_spool.m_owner = pthread_self();
    }
    ~Turn() {
        if (!m_ours) return;
        m_spool.m_owner = pthread_t{};
        m_spool.m_mutex.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return m_ours; }

private:
    SpoolWriter& m_spool;
    bool m_ours = false;
};

void SpoolWriter::writeNow(const std::string& lines) {
    const Turn turn(*this);
    if (!turn) {
        m_dropped += linesOf(lines);
        return;
    }
    m_waiting += lines;
    writeWaiting();
}

void SpoolWriter::wait(const std::string& lines) {
    if (const Turn turn(*this); turn)
        m_waiting += lines;
    else
        m_dropped += linesOf(lines);
}

void SpoolWriter::writeVital(const std::string& line) {
    const Turn turn(*this);
    if (!turn) {
        ++m_dropped;
        return;
    }
    m_waiting += line;
    m_vital += line;
    writeWaiting();
}

void SpoolWriter::call(const CallTime& call) {
    if (const Turn turn(*this); turn)
        m_calls.push_back(call);
    else
        ++m_dropped;
}

void SpoolWriter::rangeBegan(const RangeBegin& range) {
    if (const Turn turn(*this); turn)
        m_begun.push_back(range);
    else
        ++m_dropped;
}

void SpoolWriter::rangeLeft(std::uint64_t span, std::uint64_t atNs) {
    if (const Turn turn(*this); turn)
        m_left.push_back({.span = span, .atNs = atNs});
    else
        ++m_dropped;
}

void SpoolWriter::flush() {
    const Turn turn(*this);
    if (turn && anythingWaits()) writeWaiting();
}

void SpoolWriter::flushIfDue() {
    constexpr std::size_t kMuch = 32 * 1024;
    constexpr std::size_t kManyCalls = 1000;
    const Turn turn(*this);
    if (!turn || !anythingWaits()) return;
    if (m_waiting.size() >= kMuch || m_calls.size() >= kManyCalls || m_begun.size() >= kManyCalls ||
        std::chrono::steady_clock::now() - m_lastWrite >= kMostDelay)
        writeWaiting();
}

bool SpoolWriter::anythingWaits() const {
    return !m_waiting.empty() || !m_calls.empty() || !m_begun.empty() || !m_left.empty();
}

void SpoolWriter::gatherCalls() {
    spool::appendTable(m_waiting, m_calls);
    spool::appendTable(m_waiting, m_begun);
    spool::appendTable(m_waiting, m_left);
    m_calls.clear();
    m_begun.clear();
    m_left.clear();
}

void SpoolWriter::writeWaiting() {
    gatherCalls();
    std::string whole = std::exchange(m_waiting, {});
    m_lastWrite = std::chrono::steady_clock::now();
    std::size_t news = 0;  // where new lines begin
    m_lost += m_dropped.exchange(0);
    if (m_lost > 0) {
        // The line before may be cut.
        std::string before = "\n";
        spool::appendLine(before, spool::LostRecord{.lines = m_lost});
        before += m_vital;
        whole.insert(0, before);
        news = before.size();
    }
    // The host may have closed all descriptors and reused the number for its own file.
    const std::size_t done = stillOurs() ? write(whole) : 0;
    if (done >= news) {
        m_lost = 0;
        if (done == whole.size()) m_vital.clear();
    }
    m_lost += linesOf(std::string_view(whole).substr(std::max(done, news)));
}

std::size_t SpoolWriter::write(const std::string& text) const {
    const FileSizeGuard guard;
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(m_file, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;  // disk full or gone
        done += static_cast<std::size_t>(n);
    }
    return done;
}

}  // namespace roofscope::inject
