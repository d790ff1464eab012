// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "profile/files/output_file.h"

namespace roofscope::cli {

int terminalWidth() {
    winsize size{};
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 100;
}

bool isStdout(const std::string& path) { return path.empty() || path == "-"; }

Error stdoutWriteError(int number) {
    return {.code = ErrorCode::Io,
            .what = number == 0 ? std::string("cannot write")
                                : std::string("cannot write: ") + std::strerror(number),
            .where = "stdout"};
}

Result<void> flushStdout() {
    // An earlier error has set the stream's flag, but its errno may be overwritten.
    errno = 0;
    if ((std::cout << std::flush) && std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
        return {};
    return stdoutWriteError(errno);
}

Result<void> writeOutput(const std::string& path, const std::string& text) {
    return writeOutput(path, [&text](const TextSink& sink) -> Result<void> {
        sink(text);
        return {};
    });
}

Result<void> writeOutput(const std::string& path,
                         const std::function<Result<void>(const TextSink&)>& make) {
    if (isStdout(path)) {
        errno = 0;
        const auto made = make([](std::string_view piece) { std::cout << piece; });
        if (!made) return made.error();
        return std::cout ? flushStdout() : stdoutWriteError(errno);
    }
    struct Refused {
        Error error;
    };
    try {
        return writeFileAtomically(path, [&make](const TextSink& sink) {
            if (auto made = make(sink); !made) throw Refused{made.error()};
        });
    } catch (const Refused& refused) {
        return refused.error;
    }
}

}  // namespace roofscope::cli
