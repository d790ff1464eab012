// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/stored_ceilings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "profile/codec/codec.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

/// Names and UUIDs come from the profiled process and are not trusted, so a file name consists of
/// letters, digits, "-" and "_" only.
std::string asFileName(std::string text) {
    constexpr std::size_t kLongest = 80;
    text.resize(std::min(text.size(), kLongest));
    for (char& c : text) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
        if (!plain) c = '_';
    }
    return text;
}

fs::path fromVariable(const char* name) {
    const char* value = std::getenv(name);
    return value ? fs::path(value) : fs::path();
}

/// Keeps other writers from a file while it is read, changed and written. Locks its folder, because
/// the file itself is replaced. Without a lock it goes on: on file systems that have none, and if
/// somebody holds it for much longer than writing takes.
class FileLock {
public:
    explicit FileLock(const fs::path& file) {
        const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
        m_folder = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        constexpr int kTries = 600;
        for (int i = 0; m_folder >= 0 && i < kTries; ++i) {
            if (flock(m_folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
    ~FileLock() {
        if (m_folder >= 0) close(m_folder);
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int m_folder = -1;
};

const Device* deviceOf(const Profile& stored, const std::string& uuid) {
    for (const Device& device : stored.devices)
        if (device.uuid == uuid) return &device;
    return nullptr;
}

}  // namespace

fs::path ceilingsFolder() {
    if (const auto own = fromVariable("ROOFSCOPE_CEILINGS_DIR"); !own.empty()) return own;
    const auto inside = fs::path("roofscope") / "ceilings";
    // The XDG specification requires relative paths to be ignored.
    if (const auto data = fromVariable("XDG_DATA_HOME"); data.is_absolute()) return data / inside;
    if (const auto home = fromVariable("HOME"); !home.empty())
        return home / ".local" / "share" / inside;
    return {};
}

Result<fs::path> ceilingsFile(const Device& device) {
    const fs::path folder = ceilingsFolder();
    if (folder.empty())
        return Error{.code = ErrorCode::Unavailable,
                     .what = "there is no folder for measured roofs: HOME is not set",
                     .advice = "set ROOFSCOPE_CEILINGS_DIR"};
    if (device.uuid.empty())
        return Error{.code = ErrorCode::Unavailable,
                     .what = "the driver does not report this GPU's UUID",
                     .where = device.name};
    return folder / (asFileName(device.name) + "-" + asFileName(device.uuid) + ".roofscope.json");
}

Result<void> storeCeilings(Profile measured, const fs::path& file) {
    std::error_code error;
    if (measured.devices.empty())
        return Error{
            .code = ErrorCode::BadData, .what = "no GPU was measured", .where = file.string()};
    if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
    if (error)
        return Error{.code = ErrorCode::CannotCreate,
                     .what = "cannot be created: " + error.message(),
                     .where = file.parent_path().string(),
                     .advice = "choose another file with --out"};
    const FileLock lock(file);
    Device& device = measured.devices.front();
    if (fs::exists(file, error)) {
        auto before = readProfile(file);
        if (!before) return before.error();
        const Device* same = deviceOf(*before, device.uuid);
        for (std::size_t i = 0; same && i < same->ceilings.size(); ++i) {
            const auto isNew = [&](const Ceiling& c) { return c.name == same->ceilings[i].name; };
            if (std::ranges::none_of(device.ceilings, isNew))
                device.ceilings.push_back(same->ceilings[i]);
        }
    }
    return writeProfile(measured, file);
}

void attachCeilings(Profile& recorded) {
    for (Device& device : recorded.devices) {
        const auto file = ceilingsFile(device);
        std::error_code error;
        if (!file || !fs::exists(*file, error)) continue;
        auto stored = readProfile(*file);
        const Device* same = stored ? deviceOf(*stored, device.uuid) : nullptr;
        if (same)
            device.ceilings = same->ceilings;
        else
            recorded.issues.push_back(
                {.severity = Severity::Info,
                 .source = "record",
                 .code = "ceilings-unreadable",
                 .message = "the measured roofs of this GPU were not used: " +
                            (stored ? "the file is for another GPU" : stored.error().message()),
                 .advice = "measure them again with \"roofscope ceilings\""});
    }
}

}  // namespace roofscope
