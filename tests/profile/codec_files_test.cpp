// SPDX-License-Identifier: Apache-2.0
// Profiles as files: gzip, atomic writes, and all kinds of paths.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "profile/codec/codec.h"
#include "tests/profile/random_profile.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
namespace fs = std::filesystem;

namespace {

/// A temporary folder, removed after the test.
struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "roofscope-codec-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
    }
};

std::string contentOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& path, std::string_view content) {
    std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

TEST_CASE("plain and gzip files, recognised by content") {
    const Folder folder;
    const Profile profile = roofscope::test::randomProfile(11);
    const auto plain = folder.path / "a.roofscope.json";
    const auto zipped = folder.path / "a.roofscope.json.gz";
    REQUIRE(writeProfile(profile, plain).ok());
    REQUIRE(writeProfile(profile, zipped).ok());
    CHECK(contentOf(plain) == formatProfile(profile));
    CHECK(contentOf(zipped).substr(0, 2) == "\x1f\x8b");
    CHECK(folder.entries() == 2);  // no temporary files remain
    const auto renamed = folder.path / "b.roofscope.json";
    fs::copy_file(zipped, renamed);
    for (const auto& path : {plain, zipped, renamed}) {
        const auto back = readProfile(path);
        INFO(path);
        if (!back.ok()) FAIL(back.error().message());
        CHECK(roofscope::test::sameProfile(*back, profile));
    }
}

TEST_CASE("a gzip file that was cut off or damaged") {
    const Folder folder;
    const auto path = folder.path / "a.roofscope.json.gz";
    REQUIRE(writeProfile(roofscope::test::randomProfile(12), path).ok());
    const std::string whole = contentOf(path);
    for (const std::size_t length : {whole.size() / 4, whole.size() / 2, whole.size() - 5}) {
        put(path, whole.substr(0, length));
        const auto back = readProfile(path);
        REQUIRE_FALSE(back.ok());
        INFO(back.error().message());
        CHECK(back.error().what.find("cut off") != std::string::npos);
    }
    std::string damaged = whole;
    damaged[damaged.size() - 6] =
        static_cast<char>(damaged[damaged.size() - 6] ^ 0x55);  // checksum
    put(path, damaged);
    const auto back = readProfile(path);
    REQUIRE_FALSE(back.ok());
    CHECK(back.error().what.find("damaged") != std::string::npos);
}

TEST_CASE("paths that cannot be read") {
    const Folder folder;
    const auto missing = readProfile(folder.path / "none.json");
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().code == ErrorCode::NoInput);
    CHECK(missing.error().where.find("none.json") != std::string::npos);

    const auto directory = readProfile(folder.path);
    REQUIRE_FALSE(directory.ok());
    CHECK(directory.error().code == ErrorCode::NoInput);
    CHECK(directory.error().what.find("directory") != std::string::npos);

    put(folder.path / "empty.json", "");
    const auto empty = readProfile(folder.path / "empty.json");
    REQUIRE_FALSE(empty.ok());
    CHECK(empty.error().code == ErrorCode::BadData);
    CHECK(empty.error().what.find("empty") != std::string::npos);

    if (geteuid() != 0) {  // root may read everything
        put(folder.path / "secret.json", "{}");
        fs::permissions(folder.path / "secret.json", fs::perms::none);
        const auto secret = readProfile(folder.path / "secret.json");
        REQUIRE_FALSE(secret.ok());
        CHECK(secret.error().code == ErrorCode::NoPermission);
    }
    CHECK(readProfile("/dev/zero").error().code == ErrorCode::BadData);
    CHECK(readProfile("/dev/null").error().what.find("empty") != std::string::npos);
#ifdef __linux__
    // Address 0 of a process is not mapped: the file opens but cannot be read.
    const auto broken = readProfile("/proc/self/mem");
    REQUIRE_FALSE(broken.ok());
    CHECK(broken.error().code == ErrorCode::Io);
    CHECK(broken.error().what.find("reading failed") != std::string::npos);
#endif
}

TEST_CASE("an endless file of brackets ends at once") {
    const Folder folder;
    const auto pipe = folder.path / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] {
        const int out = ::open(pipe.c_str(), O_WRONLY);
        const std::string brackets(1 << 16, '[');
        // Up to 10 GB. The reader closes the pipe long before, which ends the loop with EPIPE.
        for (int i = 0; i < 160'000; ++i) {
            if (::write(out, brackets.data(), brackets.size()) < 0) break;
        }
        ::close(out);
    });
    ::signal(SIGPIPE, SIG_IGN);
    const auto start = std::chrono::steady_clock::now();
    const auto profile = readProfile(pipe);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    writer.join();
    REQUIRE_FALSE(profile.ok());
    CHECK(profile.error().what.find("deeper than 64") != std::string::npos);
    CHECK(took.count() < 2);
}

TEST_CASE("a file that unpacks beyond the limit") {
    const Folder folder;
    const auto path = folder.path / "bomb.json.gz";
    Profile profile = roofscope::test::randomProfile(13);
    profile.kernels[0].name.assign(5 << 20, 'x');
    REQUIRE(writeProfile(profile, path).ok());
    CHECK(fs::file_size(path) < 200'000);
    const auto back = readProfile(path, {.maxBytes = 1 << 20});
    REQUIRE_FALSE(back.ok());
    CHECK(back.error().what.find("larger than 1048576") != std::string::npos);
    CHECK(readProfile(path).ok());
}

TEST_CASE("writing replaces a file as a whole or not at all") {
    const Folder folder;
    const auto path = folder.path / "a.roofscope.json";
    const Profile first = roofscope::test::randomProfile(14);
    Profile second = roofscope::test::randomProfile(15);
    REQUIRE(writeProfile(first, path).ok());
    second.counters.resize(second.launches.size() + 1);  // not valid
    CHECK_FALSE(writeProfile(second, path).ok());
    CHECK(contentOf(path) == formatProfile(first));
    CHECK(folder.entries() == 1);

    const auto none = writeProfile(first, folder.path / "no" / "such" / "folder.json");
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().code == ErrorCode::CannotCreate);
    const auto directory = writeProfile(first, folder.path);
    REQUIRE_FALSE(directory.ok());
    CHECK(directory.error().code == ErrorCode::CannotCreate);
    if (fs::exists("/dev/full")) {
        const auto full = writeProfile(first, "/dev/full");
        REQUIRE_FALSE(full.ok());
        CHECK(full.error().code == ErrorCode::Io);
        CHECK(fs::is_character_file("/dev/full"));
    }
}

TEST_CASE("a link keeps pointing to the file that is written") {
    const Folder folder;
    const auto target = folder.path / "real.roofscope.json";
    const auto link = folder.path / "latest.roofscope.json";
    put(target, "old");
    fs::create_symlink(target, link);
    const Profile profile = roofscope::test::randomProfile(16);
    REQUIRE(writeProfile(profile, link).ok());
    CHECK(fs::is_symlink(link));
    CHECK(contentOf(target) == formatProfile(profile));
}

TEST_CASE("a pipe that nobody writes to is an error, not a hang") {
    const test::TemporaryFolder folder;
    const auto pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    ReadLimits limits;
    limits.pipeWaitMs = 50;
    const auto read = readProfile(pipe, limits);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::NoInput);
    CHECK(read.error().where == pipe.string());
}

TEST_CASE("a file of white space ends early, however small it is compressed") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("blank.roofscope.json.gz");
    gzFile out = gzopen(file.c_str(), "wb9");
    REQUIRE(out != nullptr);
    const std::string blanks(1 << 20, ' ');
    for (int i = 0; i < 64; ++i) gzwrite(out, blanks.data(), static_cast<unsigned>(blanks.size()));
    gzclose(out);
    const auto read = readProfile(file);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::BadData);
    CHECK(read.error().what.find("white space") != std::string::npos);
}

TEST_CASE("a compressed file that unpacks to far more than profiles do is refused early") {
    const test::TemporaryFolder folder;
    const auto file = folder.file("bomb.roofscope.json.gz");
    gzFile out = gzopen(file.c_str(), "wb9");
    REQUIRE(out != nullptr);
    // 80 MiB in one string: no white space and no complete value, so no other limit applies.
    const std::string begin = "{\"format\":\"", letters(1 << 20, 'x');
    gzwrite(out, begin.data(), static_cast<unsigned>(begin.size()));
    for (int i = 0; i < 80; ++i)
        gzwrite(out, letters.data(), static_cast<unsigned>(letters.size()));
    gzclose(out);
    const auto read = readProfile(file);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::BadData);
    CHECK(read.error().what.find("200 times its size") != std::string::npos);
}

TEST_CASE("what compresses well but is small is read") {
    const test::TemporaryFolder folder;
    Profile profile = roofscope::test::randomProfile(17);
    profile.kernels[0].name.assign(8 << 20, 'x');
    const auto file = folder.file("long_name.roofscope.json.gz");
    REQUIRE(writeProfile(profile, file).ok());
    CHECK(fs::file_size(file) < (8U << 20) / 200);
    CHECK(readProfile(file).ok());
}

TEST_CASE("a part that repeats millions of times is read in a file that is large as a whole") {
    const test::TemporaryFolder folder;
    Profile profile = roofscope::test::randomProfile(17);
    profile.kernels[0].name.assign(40 << 20, 'x');
    std::mt19937 dice(1);
    std::string& rest = profile.issues.emplace_back().message;
    for (int i = 0; i < (1 << 20); ++i) rest += static_cast<char>('a' + dice() % 26);
    const auto file = folder.file("repeats.roofscope.json.gz");
    REQUIRE(writeProfile(profile, file).ok());
    CHECK(readProfile(file).ok());
}

TEST_CASE("a pipe is read to its end, also when the writer is slow to start") {
    const test::TemporaryFolder folder;
    const Profile profile = roofscope::test::randomProfile(18);
    const auto pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const std::string text = formatProfile(profile);
        const int out = ::open(pipe.c_str(), O_WRONLY);
        const std::size_t half = text.size() / 2;
        CHECK(::write(out, text.data(), half) == static_cast<ssize_t>(half));
        // The reader waits in the middle: by now the descriptor must be blocking again.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        put(pipe, text.substr(half));
        ::close(out);
    });
    const auto back = readProfile(pipe);
    writer.join();
    if (!back.ok()) FAIL(back.error().message());
    CHECK(roofscope::test::sameProfile(*back, profile));
}
