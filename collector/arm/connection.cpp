// SPDX-License-Identifier: Apache-2.0
#include "collector/arm/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace roofscope::arm {
namespace {

namespace fs = std::filesystem;

/// Sending fails if the peer does not read for this long.
constexpr auto kSendPatience = std::chrono::seconds(1);
/// How many callers the kernel queues before they are accepted.
constexpr int kWaitingCallers = 8;

Result<sockaddr_un> addressOf(const fs::path& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& path = socket.native();
    if (path.size() >= sizeof address.sun_path)
        return Error{.code = ErrorCode::Usage,
                     .what = "is too long for the name of a socket",
                     .where = path,
                     .advice = "name a folder with a shorter path (ROOFSCOPE_ARM)"};
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

Error failure(const char* what, const fs::path& socket, ErrorCode code = ErrorCode::Unavailable) {
    return {.code = code,
            .what = std::string(what) + ": " + std::strerror(errno),
            .where = socket.string()};
}

int millisecondsUntil(Connection::Clock::time_point until) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - Connection::Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
}

/// Whether the socket becomes ready before `until`.
bool isReady(int fd, short what, Connection::Clock::time_point until) {
    pollfd asked{.fd = fd, .events = what, .revents = 0};
    for (;;) {
        const int ready = poll(&asked, 1, millisecondsUntil(until));
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
    }
}

}  // namespace

void OwnedFd::reset(int fd) {
    if (m_fd >= 0) close(m_fd);
    m_fd = fd;
}

Result<Connection> Connection::to(const fs::path& socket) {
    const auto address = addressOf(socket);
    if (!address) return address.error();
    OwnedFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd.open()) return failure("no socket", socket);
    if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
        return failure("nobody answers", socket,
                       errno == ECONNREFUSED ? ErrorCode::NoInput : ErrorCode::Unavailable);
    return Connection(std::move(fd));
}

bool Connection::send(std::string line) {
    line += '\n';
    const auto until = Clock::now() + kSendPatience;
    std::size_t sent = 0;
    while (sent < line.size()) {
        const ssize_t now = ::send(m_socket.get(), line.data() + sent, line.size() - sent,
                                   MSG_NOSIGNAL | MSG_DONTWAIT);
        if (now > 0)
            sent += static_cast<std::size_t>(now);
        else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!isReady(m_socket.get(), POLLOUT, until) || Clock::now() >= until) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

Connection::Heard Connection::receive(std::string& line, std::size_t most,
                                      Clock::time_point until) {
    for (;;) {
        if (const auto end = m_received.find('\n'); end != std::string::npos) {
            if (end > most) return Heard::TooLong;
            line = m_received.substr(0, end);
            m_received.erase(0, end + 1);
            return Heard::Line;
        }
        if (m_received.size() > most) return Heard::TooLong;
        if (!isReady(m_socket.get(), POLLIN, until)) return Heard::Nothing;
        char piece[4096];
        const ssize_t got = recv(m_socket.get(), piece, sizeof piece, MSG_DONTWAIT);
        if (got > 0)
            m_received.append(piece, static_cast<std::size_t>(got));
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            return Heard::Gone;
        else if (Clock::now() >= until)
            return Heard::Nothing;
    }
}

std::optional<Peer> Connection::peer() const {
    ucred who{};
    socklen_t size = sizeof who;
    if (getsockopt(m_socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::nullopt;
    return Peer{.pid = who.pid, .user = who.uid};
}

Result<OwnedFd> listenIn(const fs::path& socket) {
    // Bound under another name until it listens: a socket that refuses connections looks like that
    // of a dead process.
    const fs::path early = socket.string() + ".new";
    const auto address = addressOf(early);
    if (!address) return address.error();
    OwnedFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd.open()) return failure("no socket", socket);
    // The folder is closed to others; this protects the socket if somebody opens the folder later.
    // (umask() would affect the whole process.)
    fchmod(fd.get(), 0600);
    unlink(early.c_str());
    if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
        listen(fd.get(), kWaitingCallers) != 0 || link(early.c_str(), socket.c_str()) != 0) {
        auto error = failure("cannot listen", socket);
        unlink(early.c_str());
        return error;
    }
    unlink(early.c_str());
    return fd;
}

}  // namespace roofscope::arm
