// SPDX-License-Identifier: Apache-2.0
#include "profile/files/gzip_blocks.h"

#include <zlib.h>

#include <array>
#include <random>
#include <string>

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

std::string packed(const std::string& text, std::size_t piece) {
    std::string result;
    GzipBlocks blocks([&](std::string_view bytes) { result.append(bytes); });
    for (std::size_t at = 0; at < text.size(); at += piece)
        blocks.add(std::string_view(text).substr(at, piece));
    blocks.finish();
    return result;
}

/// Unpacks one gzip stream; fails if anything follows it.
std::string unpacked(const std::string& bytes) {
    z_stream stream{};
    constexpr int kGzip = 16 + MAX_WBITS;
    REQUIRE(inflateInit2(&stream, kGzip) == Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string text;
    std::array<char, 65536> buffer{};
    int result = Z_OK;
    while (result == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = buffer.size();
        result = inflate(&stream, Z_NO_FLUSH);
        text.append(buffer.data(), buffer.size() - stream.avail_out);
    }
    CHECK(result == Z_STREAM_END);  // checks length and CRC, too
    CHECK(stream.avail_in == 0);
    inflateEnd(&stream);
    return text;
}

}  // namespace

TEST_CASE("blocks that were compressed at the same time are one gzip stream") {
    std::mt19937 random(7);
    std::string text;
    while (text.size() < 5'300'000) text += std::to_string(random() % 100'000) + ",";
    const std::string whole = packed(text, text.size());
    CHECK(unpacked(whole) == text);
    CHECK(packed(text, 4099) == whole);  // whatever the size of the pieces
    CHECK(unpacked(packed("", 1)).empty());
    CHECK(unpacked(packed("x", 1)) == "x");
    const std::string block = text.substr(0, std::size_t{1} << 20);
    CHECK(unpacked(packed(block, 100'000)) == block);
}

TEST_CASE("a block knows what the one before it ended with") {
    std::mt19937 random(7);
    std::string noise;
    for (int i = 0; i < 30'000; ++i) noise.push_back(static_cast<char>(random()));
    std::string text((std::size_t{1} << 20) - noise.size(), 'a');
    text += noise;  // the end of the first block
    text += noise;
    CHECK(packed(text, text.size()).size() < 1.2 * static_cast<double>(noise.size()));
}
