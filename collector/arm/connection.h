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

/// A file descriptor that is closed with its owner.
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

/// Who is at the other end of a socket, as the kernel says.
struct Peer {
    pid_t pid = 0;  ///< 0: not visible from here (another container)
    uid_t user = 0;
};

/// One end of a conversation in lines. Nothing is taken on trust: a line has a most length, and
/// waiting for one has an end.
class Connection {
public:
    using Clock = std::chrono::steady_clock;

    explicit Connection(OwnedFd socket) : m_socket(std::move(socket)) {}
    /// Connects to a process that listens. NoInput: nobody does any more. Unavailable: it cannot be
    /// reached.
    [[nodiscard]] static Result<Connection> to(const std::filesystem::path& socket);

    /// Sends text and a line's end. False: the other end is gone, or does not read.
    bool send(std::string line);

    enum class Heard { Line, Nothing, Gone, TooLong };
    /// Waits for a line until then. What came of the next line stays for the next call.
    Heard receive(std::string& line, std::size_t most, Clock::time_point until);

    [[nodiscard]] std::optional<Peer> peer() const;
    [[nodiscard]] int fd() const { return m_socket.get(); }

private:
    OwnedFd m_socket;
    std::string m_received;
};

/// A socket that listens in this file, for this user only.
[[nodiscard]] Result<OwnedFd> listenIn(const std::filesystem::path& socket);

}  // namespace roofscope::arm
