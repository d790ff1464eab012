// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/ending/half_done.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "collector/configuration/run_configuration.h"

namespace roofscope::inject {
namespace {

namespace fs = std::filesystem;

/// Bytes that a process writes besides its output: the driver names threads and wakes them. A small
/// program writes 125 bytes that way.
constexpr std::uint64_t kBesides = 512;

/// The name of the process that starts the program for roofscope (Guard).
constexpr std::string_view kGuard = "roofscope-guard";

/// Whether roofscope itself started this process. Any other parent (a script, a pool of workers)
/// may be waiting for a result of this process.
bool wasStartedByUs() {
    std::ifstream file("/proc/" + std::to_string(getppid()) + "/comm");
    std::string name;
    return std::getline(file, name) && name == kGuard;
}

bool isWithin(const std::string& path, const fs::path& folder) {
    return path.starts_with(folder.string() + "/");
}

/// Where a descriptor leads; empty if unknown.
std::string targetOf(int descriptor) {
    std::error_code error;
    return fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error).string();
}

bool isForWriting(int descriptor) {
    const int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 || (flags & O_ACCMODE) != O_RDONLY;
}

/// Whether a socket leads to another process: it is a network socket, or a Unix socket with a name.
/// Socket pairs without a name only wake threads, and one named socket belongs to the driver.
bool leadsElsewhere(int socket) {
    constexpr std::string_view kOfDriver("\0cuda-uvmfd-", 12);
    for (const auto name : {getsockname, getpeername}) {
        sockaddr_un address{};
        socklen_t length = sizeof address;
        if (name(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) continue;
        if (address.sun_family != AF_UNIX) return true;
        const std::string_view path(address.sun_path, sizeof address.sun_path);
        if (length > sizeof address.sun_family && !path.starts_with(kOfDriver)) return true;
    }
    return false;
}

using Files = std::set<std::pair<dev_t, ino_t>>;

/// The files that the parent of this process also has open. This process inherited them (such as
/// the log of a test runner). Inheriting a file does not mean writing to it, and written() would
/// show that.
Files filesOfParent() {
    Files files;
    std::error_code error;
    fs::directory_iterator it("/proc/" + std::to_string(getppid()) + "/fd", error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
        struct stat facts {};
        if (stat(it->path().c_str(), &facts) == 0) files.emplace(facts.st_dev, facts.st_ino);
    }
    return files;
}

/// What could stay half done because of a descriptor.
std::optional<std::string> behind(int descriptor, const Files& ofParent, const fs::path& own) {
    struct stat facts {};
    if (fstat(descriptor, &facts) != 0) return {};  // closed in the meantime
    const bool isOutput = descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
    if (S_ISSOCK(facts.st_mode) && leadsElsewhere(descriptor))
        return "it is connected to another process";
    // Other pipes may connect threads. A child that reads from one is found by hasChildren().
    if (S_ISFIFO(facts.st_mode) && isOutput) return "its output goes into a pipe";
    const bool isFile = S_ISREG(facts.st_mode) || S_ISBLK(facts.st_mode);
    if (!isFile || facts.st_nlink == 0 || !isForWriting(descriptor)) return {};
    if (!isOutput && ofParent.contains({facts.st_dev, facts.st_ino})) return {};
    const std::string file = targetOf(descriptor);
    if (isWithin(file, own)) return {};
    return fmt::format("it holds {} open for writing", file);
}

std::optional<std::string> behindDescriptors(const fs::path& own) {
    const Files ofParent = filesOfParent();
    std::error_code error;
    fs::directory_iterator it("/proc/self/fd", error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
        const std::string name = it->path().filename();
        int descriptor = -1;
        std::from_chars(name.data(), name.data() + name.size(), descriptor);
        if (auto why = behind(descriptor, ofParent, own)) return why;
    }
    if (error) return "its open files cannot be seen";
    return {};
}

/// nullopt if the system does not say.
std::optional<bool> hasChildren() {
    std::error_code error;
    fs::directory_iterator it("/proc/self/task", error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
        std::ifstream children(it->path() / "children");
        if (!children && fs::exists(it->path())) return std::nullopt;
        if (int child = 0; children >> child) return true;
    }
    return error ? std::nullopt : std::optional(false);
}

/// Whether a file is mapped so that writing to memory changes it.
bool mapsFileForWriting(const fs::path& own) {
    std::ifstream maps("/proc/self/maps");
    if (!maps) return true;  // unknown
    for (std::string line; std::getline(maps, line);) {
        const auto path = line.find('/');
        if (line.find(" rw-s ") == line.npos || path == line.npos) continue;
        const std::string file = line.substr(path);
        const bool isDevice = file.starts_with("/dev/") && !file.starts_with("/dev/shm/");
        if (!isDevice && !file.ends_with(" (deleted)") && !isWithin(file, own)) return true;
    }
    return false;
}

/// Bytes that this process has written by system calls.
std::optional<std::uint64_t> written() {
    std::ifstream io("/proc/self/io");
    std::string name;
    for (std::uint64_t value = 0; io >> name >> value;)
        if (name == "wchar:") return value;
    return std::nullopt;
}

/// Bytes in the files of our folder that this process wrote.
std::uint64_t bytesIn(const fs::path& own) {
    std::uint64_t bytes = 0;
    std::error_code error;
    fs::directory_iterator it(own, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
        std::error_code unreadable;
        const std::uint64_t size = it->file_size(unreadable);
        if (!unreadable && it->path().filename() != kRunConfigurationFile) bytes += size;
    }
    return bytes;
}

}  // namespace

std::optional<std::string> whatStaysHalfDone(const fs::path& own) {
    if (!wasStartedByUs()) return "another process started it";
    const auto children = hasChildren();
    if (!children) return "the system does not tell its child processes";
    if (*children) return "it has child processes";
    if (auto why = behindDescriptors(own)) return why;
    if (mapsFileForWriting(own)) return "it changes a file through its memory";
    const auto all = written();
    if (!all) return "what it has written is unknown";
    if (const std::uint64_t known = bytesIn(own) + kBesides; *all > known)
        return fmt::format("it has written files ({} bytes more than its output)", *all - known);
    return {};
}

}  // namespace roofscope::inject
