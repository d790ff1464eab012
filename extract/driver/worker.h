// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

/// GPU work runs in child processes: a faulting kernel destroys its whole CUDA context, and a
/// process in which the launch's addresses are taken has to be restarted.
namespace roofscope::replay {

/// A message from a worker.
struct Message {
    std::uint32_t kind = 0;
    std::uint32_t region = 0;
    std::uint64_t value = 0;
    std::vector<unsigned char> bytes;
};

/// The file descriptor that a worker sends messages to.
inline constexpr int kMessageFile = 3;
/// Exit code of a worker that found an address in use.
inline constexpr int kAddressTaken = 120;
/// The kind of message that reports this address, as its value.
inline constexpr std::uint32_t kTakenAddress = 100;
inline constexpr int kMostStarts = 40;

inline void writeAll(int file, const void* from, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(from);
    while (bytes > 0) {
        const ssize_t n = write(file, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(1);  // the parent process is gone
        at += n;
        bytes -= static_cast<std::size_t>(n);
    }
}

inline void send(const Message& message) {
    const std::uint64_t bytes = message.bytes.size();
    writeAll(kMessageFile, &message.kind, sizeof message.kind);
    writeAll(kMessageFile, &message.region, sizeof message.region);
    writeAll(kMessageFile, &message.value, sizeof message.value);
    writeAll(kMessageFile, &bytes, sizeof bytes);
    writeAll(kMessageFile, message.bytes.data(), message.bytes.size());
}

/// How a worker ended.
struct WorkerEnd {
    int code = -1;  ///< -1: ended by a signal, or killed because it was silent for too long
    bool silent = false;
    int signal = 0;  ///< the signal that ended it
    [[nodiscard]] bool ok() const { return code == 0; }
    /// "signal 11, Segmentation fault", "exit code 0"
    [[nodiscard]] std::string words() const {
        return signal == 0 ? "exit code " + std::to_string(code)
                           : "signal " + std::to_string(signal) + ", " + strsignal(signal);
    }
};

/// Runs this program, or another one (`program` is the beginning of its command line), as a worker.
/// Restarts it as long as it finds an address in use. A worker that is silent for `patience`
/// seconds is killed.
class Worker {
public:
    using Take = std::function<void(const Message&)>;

    static WorkerEnd run(std::vector<std::string> arguments, const Take& take, int patience,
                         std::vector<std::string> program = {}) {
        const std::string file = program.empty() ? "/proc/self/exe" : program.front();
        if (program.empty()) program = {"replay"};
        program.push_back("--worker");
        arguments.insert(arguments.begin(), program.begin(), program.end());
        std::uint64_t address = 0;
        const Take takeOrNote = [&](const Message& message) {
            if (message.kind == kTakenAddress)
                address = message.value;
            else if (take)
                take(message);
        };
        for (int start = 0; start < kMostStarts; ++start) {
            const WorkerEnd end = once(file, arguments, takeOrNote, patience);
            if (end.code != kAddressTaken) return end;
        }
        char text[32];
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
        throw std::runtime_error(
            std::string("the address ") + text + " of the launch's memory could not be had in " +
            std::to_string(kMostStarts) + " processes; try again, or on another machine");
    }

private:
    static WorkerEnd once(const std::string& file, std::vector<std::string>& arguments,
                          const Take& take, int patience) {
        int pipe[2];
        if (::pipe(pipe) != 0) throw std::runtime_error("no pipe could be made");
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        // If both descriptors are equal, dup2 leaves this one closed at exec in some libraries.
        posix_spawn_file_actions_addclose(&actions, pipe[0]);
        if (pipe[1] != kMessageFile) {
            posix_spawn_file_actions_adddup2(&actions, pipe[1], kMessageFile);
            posix_spawn_file_actions_addclose(&actions, pipe[1]);
        }
        std::vector<char*> words;
        for (std::string& argument : arguments) words.push_back(argument.data());
        words.push_back(nullptr);
        pid_t child = 0;
        const int failed =
            posix_spawnp(&child, file.c_str(), &actions, nullptr, words.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(pipe[1]);
        if (failed != 0) {
            close(pipe[0]);
            throw std::runtime_error(file + " could not be started");
        }
        Message message;
        bool silent = false;
        while (receive(pipe[0], message, patience, silent)) take(message);
        close(pipe[0]);
        // After its last message a worker only has to exit. A silent worker may never do so: kill
        // it.
        int status = 0;
        for (int waited = 0; waitpid(child, &status, WNOHANG) == 0; ++waited) {
            if (silent || waited >= patience * 100) {
                kill(child, SIGKILL);
                waitpid(child, &status, 0);
                return {.code = -1, .silent = true};
            }
            usleep(10'000);
        }
        if (WIFEXITED(status)) return {.code = WEXITSTATUS(status)};
        return {.code = -1, .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    }

    /// False at the end, or if nothing came for `patience` seconds (then sets `silent`).
    static bool receive(int file, Message& message, int patience, bool& silent) {
        std::uint64_t bytes = 0;
        if (!readAll(file, &message.kind, sizeof message.kind, patience, silent) ||
            !readAll(file, &message.region, sizeof message.region, patience, silent) ||
            !readAll(file, &message.value, sizeof message.value, patience, silent) ||
            !readAll(file, &bytes, sizeof bytes, patience, silent) || bytes > (1U << 24))
            return false;
        message.bytes.resize(bytes);
        return readAll(file, message.bytes.data(), bytes, patience, silent);
    }

    static bool readAll(int file, void* to, std::size_t bytes, int patience, bool& silent) {
        auto* at = static_cast<unsigned char*>(to);
        while (bytes > 0) {
            pollfd ready{file, POLLIN, 0};
            const int n = poll(&ready, 1, patience * 1000);
            if (n < 0 && errno == EINTR) continue;
            silent = n == 0;
            if (n <= 0) return false;
            const ssize_t got = read(file, at, bytes);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return false;
            at += got;
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }
};

}  // namespace roofscope::replay
