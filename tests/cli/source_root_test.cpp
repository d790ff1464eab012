// SPDX-License-Identifier: Apache-2.0
// Paths in a profile come from whoever recorded it: they must not decide which files are read.
#include "cli/source_root.h"

#include <sys/stat.h>

#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using roofscope::cli::addSourceTexts;

namespace fs = std::filesystem;

namespace {

/// The text found for a path whose line 2 has an instruction; empty if there is none.
std::vector<std::string> found(const fs::path& root, const std::string& path) {
    test::SyntheticProfile p;
    p.sourcePass(p.launch(p.kernel("k"), {1, 1, 1}, {32, 1, 1})).instruction("EXIT", path, 2);
    Profile profile = p.build();
    REQUIRE(addSourceTexts(profile, root).ok());
    const auto& texts = profile.sources[0].texts;
    return texts.empty() ? std::vector<std::string>{} : texts[0].lines;
}

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("source files are found by the longest end of their path") {
    const test::TemporaryFolder folder;
    const fs::path root = folder.file("root");
    write(root / "a.cu", "other\n");
    write(root / "src/a.cu", "one\r\ntwo\n");
    CHECK(found(root, "/build/src/a.cu") == std::vector<std::string>{"one", "two"});
    CHECK(found(root, "C:\\build\\src\\a.cu") == std::vector<std::string>{"one", "two"});
    CHECK(found(root, "/elsewhere/a.cu") == std::vector<std::string>{"other"});
    CHECK(found(root, "/elsewhere/b.cu").empty());
    // Recorded text is what was measured, so it is kept.
    test::SyntheticProfile p;
    p.sourcePass(p.launch(p.kernel("k"), {1, 1, 1}, {32, 1, 1}))
        .instruction("EXIT", "/build/src/a.cu", 2)
        .text("/build/src/a.cu", 2, {"as recorded"});
    Profile profile = p.build();
    REQUIRE(addSourceTexts(profile, root).ok());
    REQUIRE(profile.sources[0].texts.size() == 1);
    CHECK(profile.sources[0].texts[0].lines.front() == "as recorded");
}

TEST_CASE("nothing outside of the folder is read, and nothing but files of text") {
    const test::TemporaryFolder folder;
    const fs::path root = folder.file("root");
    write(folder.file("secret.cu"), "secret\nsecret\n");
    write(root / "inside/b.cu", "fine\nfine\n");
    write(root / "binary.cu", std::string("a\0b\nc\n", 6));
    fs::create_symlink(folder.file("secret.cu"), root / "link.cu");
    fs::create_directory_symlink(folder.path(), root / "up");
    fs::create_symlink("inside/b.cu", root / "within.cu");
    REQUIRE(mkfifo((root / "pipe.cu").c_str(), 0600) == 0);
    for (const std::string path :
         {"../secret.cu", "/x/../../secret.cu", "/x/link.cu", "/x/up/secret.cu", "/dev/zero",
          "/x/pipe.cu", "/x/binary.cu", "", "/", "..", ".", "inside"}) {
        CAPTURE(path);
        CHECK(found(root, path).empty());
    }
    CHECK(found(root, "/x/within.cu").size() == 2);
    CHECK(found(root, "/x/../inside/b.cu").size() == 2);
    CHECK(found(root, std::string(1'000'000, '/') + "b.cu").empty());
    CHECK(found(root, std::string("inside/b.cu\0", 12)).empty());
    Profile profile;
    CHECK_FALSE(addSourceTexts(profile, root / "gone").ok());
    CHECK_FALSE(addSourceTexts(profile, root / "inside/b.cu").ok());
}
