// SPDX-License-Identifier: Apache-2.0
#include "collector/run/arm/armed_processes.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "collector/arm/arm_folder.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using arm::Connection;
using arm::News;
using arm::Request;

constexpr auto kAnswerPatience = 2s;

std::optional<uid_t> ownerOf(const fs::path& path) {
    struct stat facts {};
    return lstat(path.c_str(), &facts) == 0 ? std::optional(facts.st_uid) : std::nullopt;
}

bool isSocket(const fs::path& path) {
    std::error_code error;
    return fs::symlink_status(path, error).type() == fs::file_type::socket;
}

/// The answer line of a process to a request.
Result<std::string> asked(const ArmedProcess& process, const Request& request) {
    auto connection = connectTo(process);
    if (!connection) return connection.error();
    std::string line;
    if (connection->send(toLine(request)) &&
        connection->receive(line, arm::kMostAnswer, Connection::Clock::now() + kAnswerPatience) ==
            Connection::Heard::Line)
        return line;
    return Error{.code = ErrorCode::Unavailable,
                 .what = "does not answer",
                 .where = fmt::format("process {}", process.pid),
                 .advice = "is it stopped, or does it write a snap just now?"};
}

std::vector<fs::path> socketsIn(const fs::path& folder) {
    std::vector<fs::path> sockets;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (arm::pidOf(entry->path()) && isSocket(entry->path())) sockets.push_back(entry->path());
    return sockets;
}

/// The process that listens at this socket. nullopt if nobody listens; the socket is then removed.
std::optional<ArmedProcess> listening(const fs::path& socket) {
    ArmedProcess process{.pid = *arm::pidOf(socket), .socket = socket, .state = {}};
    const auto answer = asked(process, {.what = Request::What::State});
    if (answer) process.state = arm::stateFrom(*answer);
    if (answer || answer.error().code != ErrorCode::NoInput) return process;
    unlink(socket.c_str());
    return std::nullopt;
}

}  // namespace

std::vector<ArmedProcess> armedProcesses(const std::string& folder) {
    std::vector<ArmedProcess> all;
    for (const fs::path& one : arm::foldersToSearch(folder)) {
        if (!arm::checkFolder(one)) continue;
        for (const fs::path& socket : socketsIn(one))
            if (auto process = listening(socket)) all.push_back(std::move(*process));
    }
    std::ranges::sort(all, {}, &ArmedProcess::pid);
    return all;
}

Result<ArmedProcess> armedProcess(std::int64_t pid, const std::string& folder) {
    for (const fs::path& one : arm::foldersToSearch(folder)) {
        const fs::path socket = arm::socketOf(one, pid);
        if (!arm::checkFolder(one) || !isSocket(socket)) continue;
        if (auto process = listening(socket)) return std::move(*process);
    }
    return Error{.code = ErrorCode::NoInput,
                 .what = "is not armed, or is another user's",
                 .where = fmt::format("process {}", pid),
                 .advice =
                     "\"roofscope ps\" lists armed processes; a program is armed when it is "
                     "started: roofscope arm -- PROGRAM"};
}

Result<Connection> connectTo(const ArmedProcess& process) {
    auto connection = Connection::to(process.socket);
    if (!connection) return connection.error();
    const auto peer = connection->peer();
    const auto owner = ownerOf(process.socket.parent_path());
    if (!peer || !owner || (peer->user != *owner && peer->user != 0))
        return Error{.code = ErrorCode::NoPermission,
                     .what = "another user listens there",
                     .where = process.socket.string()};
    return connection;
}

Result<void> disarm(const ArmedProcess& process) {
    const auto answer = asked(process, {.what = Request::What::Disarm});
    if (!answer) return answer.error();
    const auto news = arm::newsFrom(*answer);
    if (news && news->phase == News::Phase::Ended) return {};
    return Error{.code = ErrorCode::Unavailable,
                 .what = news ? news->why : "answers something else",
                 .where = fmt::format("process {}", process.pid),
                 .advice = news ? news->advice : ""};
}

}  // namespace roofscope
