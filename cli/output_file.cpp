// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace roofscope::cli {

namespace {

namespace fs = std::filesystem;

/// Writes everything and closes; 0, or what failed.
int writeAndClose(int file, const std::string& text) {
    std::size_t written = 0;
    int error = 0;
    while (written < text.size() && error == 0) {
        const ssize_t count = write(file, text.data() + written, text.size() - written);
        if (count < 0 && errno != EINTR) error = errno;
        if (count > 0) written += static_cast<std::size_t>(count);
    }
    if (close(file) != 0 && error == 0) error = errno;
    return error;
}

/// Writes beside the target and renames, so that a reader never sees half a report and a failure
/// leaves the old one.
Result<void> writeAtomically(const fs::path& path, const std::string& text) {
    const auto failed = [&](ErrorCode code, int error) {
        return Error{.code = code,
                     .what = std::string("cannot write: ") + std::strerror(error),
                     .where = path.string(),
                     .advice = ""};
    };
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return failed(ErrorCode::CannotCreate, EISDIR);
    if (fs::exists(path, ignored) && !fs::is_regular_file(fs::status(path, ignored))) {
        // A pipe or /dev/stdout cannot be replaced by renaming.
        const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (file < 0) return failed(ErrorCode::CannotCreate, errno);
        if (const int error = writeAndClose(file, text); error != 0)
            return failed(ErrorCode::Io, error);
        return {};
    }
    // The target of a link is written, not the link replaced.
    const fs::path real =
        fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
    std::string temporary = real.string() + ".XXXXXX";
    const int file = mkstemp(temporary.data());
    if (file < 0) return failed(ErrorCode::CannotCreate, errno);
    // mkstemp gives 0600; a report gets what any new file would.
    const mode_t mask = umask(0);
    umask(mask);
    int error = fchmod(file, 0666 & ~mask) == 0 ? 0 : errno;
    if (const int failure = writeAndClose(file, text); error == 0) error = failure;
    if (error == 0 && std::rename(temporary.c_str(), real.c_str()) != 0) error = errno;
    if (error != 0) {
        unlink(temporary.c_str());
        const bool brokeOff = error == ENOSPC || error == EIO || error == EDQUOT || error == EFBIG;
        return failed(brokeOff ? ErrorCode::Io : ErrorCode::CannotCreate, error);
    }
    return {};
}

}  // namespace

int terminalWidth() {
    winsize size{};
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 100;
}

bool isStdout(const std::string& path) { return path.empty() || path == "-"; }

Error stdoutLost(int number) {
    return {.code = ErrorCode::Io,
            .what = number == 0 ? std::string("cannot write")
                                : std::string("cannot write: ") + std::strerror(number),
            .where = "stdout",
            .advice = {}};
}

Result<void> flushStdout() {
    // What was lost before left its mark, but perhaps not its reason.
    errno = 0;
    if ((std::cout << std::flush) && std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
        return {};
    return stdoutLost(errno);
}

Result<void> writeOutput(const std::string& path, const std::string& text) {
    if (!isStdout(path)) return writeAtomically(path, text);
    errno = 0;
    if (std::cout << text) return flushStdout();
    return stdoutLost(errno);
}

}  // namespace roofscope::cli
