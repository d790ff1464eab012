// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "profile/errors/result.h"

namespace roofscope::arm {

/// Owns a file descriptor and closes it.
class OwnedFd {
public:
    OwnedFd() = default;
    explicit OwnedFd(int fd) : m_fd(fd) {}
    OwnedFd(OwnedFd&& other) noexcept : m_fd(other.release()) {}
    OwnedFd& operator=(OwnedFd&& other) noexcept {
        reset(other.release());
        return *this;
    }
    OwnedFd(const OwnedFd&) = delete;
    OwnedFd& operator=(const OwnedFd&) = delete;
    ~OwnedFd() { reset(); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool open() const { return m_fd >= 0; }
    int release() {
        const int fd = m_fd;
        m_fd = -1;
        return fd;
    }
    void reset(int fd = -1);

private:
    int m_fd = -1;
};

/// The process at the other end of a socket, according to the kernel.
struct Peer {
    pid_t pid = 0;  ///< 0: not visible from here (another container)
    uid_t user = 0;
};

/// One end of a conversation in lines of text. The peer is not trusted: the length of a line and
/// the time to wait for one are limited.
class Connection {
public:
    using Clock = std::chrono::steady_clock;

    explicit Connection(OwnedFd socket) : m_socket(std::move(socket)) {}
    /// Connects to a listening process. Errors: NoInput if nobody listens any more, Unavailable if
    /// it cannot be reached.
    [[nodiscard]] static Result<Connection> to(const std::filesystem::path& socket);

    /// Sends the text and a newline. False: the other end is gone or does not read.
    bool send(std::string line);

    enum class Heard { Line, Nothing, Gone, TooLong };
    /// Waits for a line until `until`. A part of the next line that has already come is kept for
    /// the next call.
    Heard receive(std::string& line, std::size_t most, Clock::time_point until);

    [[nodiscard]] std::optional<Peer> peer() const;
    [[nodiscard]] int fd() const { return m_socket.get(); }

private:
    OwnedFd m_socket;
    std::string m_received;
};

/// A socket that listens at this path, for this user only.
[[nodiscard]] Result<OwnedFd> listenIn(const std::filesystem::path& socket);

}  // namespace roofscope::arm
