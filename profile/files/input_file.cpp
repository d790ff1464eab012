// SPDX-License-Identifier: Apache-2.0
#include "profile/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "profile/errors/input_error.h"

namespace roofscope {

Result<int> openInput(const std::filesystem::path& path, int pipeWaitMs) {
    // Opening a pipe could wait for a writer for ever: open without blocking, then wait with a
    // limit.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return cannotOpenInput(path, errno);
    const auto refuse = [&](std::string what, const char* advice) {
        ::close(descriptor);
        return Error{.code = ErrorCode::NoInput,
                     .what = std::move(what),
                     .where = path.string(),
                     .advice = advice};
    };
    struct stat info {};
    const bool known = ::fstat(descriptor, &info) == 0;
    if (known && S_ISDIR(info.st_mode)) return refuse("is a directory, not a file", "");
    if (known && S_ISFIFO(info.st_mode)) {
        pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
        int ready = 0;
        do ready = ::poll(&wait, 1, pipeWaitMs);
        while (ready < 0 && errno == EINTR);
        if (ready <= 0)
            return refuse(fmt::format("is a pipe, and no data came within {} s", pipeWaitMs / 1000),
                          "start what writes to it first");
    }
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return descriptor;
}

Result<std::string> readInput(const std::filesystem::path& path, std::size_t most, int pipeWaitMs) {
    const Result<int> descriptor = openInput(path, pipeWaitMs);
    if (!descriptor) return descriptor.error();
    std::string text;
    std::string block(std::size_t{1} << 18, '\0');
    int failed = 0;
    while (text.size() <= most && failed == 0) {
        const std::size_t wanted = std::min(block.size(), most + 1 - text.size());
        const ssize_t count = ::read(*descriptor, block.data(), wanted);
        if (count == 0) break;
        if (count > 0)
            text.append(block.data(), static_cast<std::size_t>(count));
        else if (errno != EINTR)
            failed = errno;
    }
    ::close(*descriptor);
    if (failed != 0)
        return Error{.code = ErrorCode::Io,
                     .what = fmt::format("reading failed: {}", std::strerror(failed)),
                     .where = path.string()};
    return text;
}

}  // namespace roofscope
