// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <string>
#include <string_view>

namespace roofscope {

/// Compresses a text as one gzip stream, block by block in several threads, as pigz does. Each
/// block starts with the end of the previous block as its dictionary, so the result is hardly
/// larger than with one thread. Callers add() text and finish() once.
class GzipBlocks {
public:
    /// `write` gets the compressed bytes in order, from the calling thread.
    explicit GzipBlocks(std::function<void(std::string_view)> write);

    void add(std::string_view text);
    void finish();

private:
    struct Block {
        std::string packed;
        std::uint32_t crc = 0;
        std::size_t bytes = 0;  ///< before it was compressed
    };
    static Block compress(const std::string& text, const std::string& dictionary, bool last);
    void start(bool last);
    void writeFirst();

    std::function<void(std::string_view)> m_write;
    std::size_t m_threads;
    std::string m_text, m_dictionary;
    std::deque<std::future<Block>> m_blocks;
    std::uint32_t m_crc = 0;
    std::uint64_t m_bytes = 0;
};

}  // namespace roofscope
