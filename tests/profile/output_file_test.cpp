// SPDX-License-Identifier: Apache-2.0
#include "profile/files/output_file.h"

#include <sys/stat.h>

#include <stdexcept>

#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
namespace fs = std::filesystem;

namespace {

int entries(const fs::path& folder) {
    return static_cast<int>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

unsigned rights(const fs::path& file) {
    struct stat is {};
    REQUIRE(stat(file.c_str(), &is) == 0);
    return is.st_mode & 07777U;
}

}  // namespace

TEST_CASE("a file is replaced whole, keeps its rights, and nothing else is left") {
    const test::TemporaryFolder folder;
    const fs::path file = folder.file("f");
    const mode_t mask = umask(022);
    REQUIRE(writeFileAtomically(file, "one").ok());
    CHECK(rights(file) == 0644);
    fs::permissions(file, fs::perms(0600));
    REQUIRE(writeFileAtomically(file, "two").ok());
    umask(mask);
    CHECK(rights(file) == 0600);
    CHECK(test::readText(file) == "two");
    CHECK(entries(folder.path()) == 1);
    REQUIRE(
        writeFileAtomically(folder.file("g.gz"), std::string(100'000, 'x'), Packing::Gzip).ok());
    CHECK(fs::file_size(folder.file("g.gz")) < 1000);
    // The longest possible name, and one character more.
    CHECK(writeFileAtomically(folder.file(std::string(255, 'n')), "x").ok());
    CHECK_FALSE(writeFileAtomically(folder.file(std::string(256, 'n')), "x").ok());
    CHECK(entries(folder.path()) == 3);
    CHECK(writeFileAtomically(folder.file("no/folder"), "x").error().code ==
          ErrorCode::CannotCreate);
    CHECK(writeFileAtomically(folder.path(), "x").error().code == ErrorCode::CannotCreate);
}

TEST_CASE("where a file without a name cannot get one, one with a name is written") {
    // /proc has no O_TMPFILE and allows no files either: the fallback is tried and fails cleanly.
    CHECK(writeFileAtomically("/proc/roofscope", "x").error().code == ErrorCode::CannotCreate);
}

TEST_CASE("links are followed to their end, whether or not something is there") {
    const test::TemporaryFolder folder;
    fs::create_directory(folder.file("real"));
    fs::create_symlink("real/file", folder.file("link"));
    fs::create_symlink(folder.file("link"), folder.file("second"));
    fs::create_symlink("loop", folder.file("loop"));
    CHECK(linkTarget(folder.file("second")) == folder.file("real/file"));
    CHECK(linkTarget(folder.file("none")) == folder.file("none"));
    REQUIRE(writeFileAtomically(folder.file("second"), "x").ok());
    CHECK(fs::is_symlink(folder.file("second")));
    CHECK(test::readText(folder.file("real/file")) == "x");
    CHECK_FALSE(writeFileAtomically(folder.file("loop"), "x").ok());
    CHECK(fs::is_symlink(folder.file("loop")));
}

TEST_CASE("an empty TMPDIR is none, and one that is a file is named") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("file")) << "x";
    test::Environment environment;
    environment.set("TMPDIR", "");
    CHECK(temporaryParent().value() == "/tmp");
    environment.set("TMPDIR", folder.file("file").c_str());
    REQUIRE_FALSE(temporaryParent().ok());
    CHECK(temporaryParent().error().where.starts_with("TMPDIR: "));
    environment.set("TMPDIR", folder.path().c_str());
    CHECK(temporaryParent().value() == folder.path());
}

TEST_CASE("a file is written while its text is made, or not at all") {
    const test::TemporaryFolder folder;
    const fs::path file = folder.file("f");
    const auto pieces = [](const TextSink& sink) {
        for (int i = 0; i < 1000; ++i) sink("piece\n");
    };
    for (const Packing packing : {Packing::None, Packing::Gzip, Packing::Stored}) {
        const auto isWritten = [&] {
            const auto size = fs::file_size(file);
            return packing == Packing::Gzip     ? size < 1000
                   : packing == Packing::Stored ? size > 6000 && size < 6100
                                                : size == 6000;
        };
        REQUIRE(writeFileAtomically(file, TextSource(pieces), packing).ok());
        CHECK(isWritten());
        const TextSource breaks = [](const TextSink& sink) {
            sink("half");
            throw std::runtime_error("no memory");
        };
        CHECK_THROWS(writeFileAtomically(file, breaks, packing));
        CHECK(entries(folder.path()) == 1);
        CHECK(isWritten());  // the old file
    }
    CHECK(writeFileAtomically("/dev/full", TextSource(pieces)).error().code == ErrorCode::Io);
}
