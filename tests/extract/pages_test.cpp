// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collector/capture/page_reader.h"
#include "collector/capture/page_writer.h"
#include "extract/folder/page_packer.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::capture;
namespace fs = std::filesystem;

namespace {

using ByteList = std::vector<unsigned char>;

ZlibFunctions zlibHere() { return {.uncompress = uncompress, .crc32 = crc32}; }

/// Bytes that do not compress.
ByteList noise(std::size_t bytes, std::uint64_t seed) {
    ByteList result(bytes);
    for (unsigned char& b : result) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        b = static_cast<unsigned char>(seed >> 56);
    }
    return result;
}

ByteList joined(const PageReader& reader, const std::vector<std::uint32_t>& ids) {
    ByteList all;
    for (const std::uint32_t id : ids) {
        ByteList chunk(reader.chunks()[id].raw);
        reader.read(id, chunk.data());
        all.insert(all.end(), chunk.begin(), chunk.end());
    }
    return all;
}

/// Two regions: one that the launch changes in one chunk, and one of zeros with an odd size.
struct Sample {
    ByteList before = noise(3 * kChunkBytes + 10, 1), after = before,
             zeros = ByteList(kChunkBytes + 3);

    explicit Sample(const fs::path& folder) {
        after[kChunkBytes + 5] ^= 1;
        PageWriter writer(folder);
        const auto a = writer.addRegion(before.size()), b = writer.addRegion(zeros.size());
        writer.before(a, before);
        writer.before(b, zeros);
        writer.after(a, after);
        writer.after(b, zeros);
        REQUIRE(writer.finish());
    }
};

std::string contentsOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
void overwrite(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("memory comes back as it was captured, and what did not change is kept once") {
    const test::TemporaryFolder folder;
    const Sample sample(folder.path());
    const PageReader reader(folder.path().string(), zlibHere());
    REQUIRE(reader.regions().size() == 2);
    const auto& region = reader.regions()[0];
    CHECK(joined(reader, region.before) == sample.before);
    CHECK(joined(reader, region.after) == sample.after);
    CHECK(joined(reader, reader.regions()[1].after) == sample.zeros);
    CHECK(region.before[0] == region.after[0]);
    CHECK(region.before[1] != region.after[1]);
    CHECK(region.before[3] == region.after[3]);
    // Four chunks before, one after; zeros take no space.
    CHECK(fs::file_size(folder.path() / kPagesFile) == sample.before.size() + kChunkBytes);
}

TEST_CASE("a region that is incomplete is refused") {
    const test::TemporaryFolder folder;
    PageWriter writer(folder.path());
    const auto region = writer.addRegion(2 * kChunkBytes);
    writer.before(region, noise(kChunkBytes, 1));
    CHECK_FALSE(writer.finish());
}

TEST_CASE("packing compresses, keeps equal chunks once, and changes nothing") {
    const test::TemporaryFolder from, to;
    const ByteList twice = noise(kChunkBytes, 3);
    ByteList text(kChunkBytes);
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<unsigned char>(i / 7 % 11);
    PageWriter writer(from.path());
    for (const ByteList* bytes : std::initializer_list<const ByteList*>{&twice, &twice, &text}) {
        const auto region = writer.addRegion(bytes->size());
        writer.before(region, *bytes);
        writer.after(region, *bytes);
    }
    REQUIRE(writer.finish());
    const auto packed = packPages(from.path(), to.path());
    REQUIRE(packed.ok());
    CHECK(packed->memoryBytes == 3 * kChunkBytes);
    CHECK(packed->storedBytes < kChunkBytes * 3 / 2);
    const PageReader reader(to.path().string(), zlibHere());
    CHECK(reader.regions()[0].before == reader.regions()[1].after);
    CHECK(joined(reader, reader.regions()[1].before) == twice);
    CHECK(joined(reader, reader.regions()[2].after) == text);
}

TEST_CASE("an index that ends too early is refused at every length") {
    const test::TemporaryFolder folder;
    const Sample sample(folder.path());
    const std::string whole = contentsOf(folder.path() / kIndexFile);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        overwrite(folder.path() / kIndexFile, whole.substr(0, length));
        CAPTURE(length);
        CHECK_THROWS(PageReader(folder.path().string(), zlibHere()));
    }
    overwrite(folder.path() / kIndexFile, whole + "x");
    CHECK_THROWS(PageReader(folder.path().string(), zlibHere()));
}

TEST_CASE("sizes and numbers that lie are refused, whatever they are") {
    const test::TemporaryFolder folder;
    const Sample sample(folder.path());
    const std::string whole = contentsOf(folder.path() / kIndexFile);
    std::size_t refused = 0, opened = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
        overwrite(folder.path() / kIndexFile, damaged);
        try {
            const PageReader reader(folder.path().string(), zlibHere());
            // A file that can be opened can be read without leaving its bounds, or is reported as
            // damaged.
            for (const auto& region : reader.regions()) (void)joined(reader, region.before);
            ++opened;
        } catch (const std::runtime_error&) {
            ++refused;
        }
    }
    CHECK(refused > 150);
    // The pattern of a fill, and places in lists that are not read here.
    CHECK(opened < 60);
}

TEST_CASE("memory that is cut off or changed is found damaged") {
    const test::TemporaryFolder folder;
    const Sample sample(folder.path());
    const auto pages = folder.path() / kPagesFile;
    std::string whole = contentsOf(pages);
    overwrite(pages, whole.substr(0, whole.size() - 1));
    CHECK_THROWS(PageReader(folder.path().string(), zlibHere()));
    whole[100] = static_cast<char>(whole[100] ^ 1);
    overwrite(pages, whole);
    const PageReader reader(folder.path().string(), zlibHere());
    CHECK_THROWS(joined(reader, reader.regions()[0].before));
    const test::TemporaryFolder other;
    CHECK_FALSE(packPages(folder.path(), other.path()).ok());
    // It would truncate what it reads.
    CHECK(packPages(folder.path(), folder.path()).error().code == ErrorCode::Internal);
}
