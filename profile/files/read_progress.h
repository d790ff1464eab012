// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace roofscope {

/// Tells how far files are read by this thread while the object lives: profiles, traces and CSV,
/// plain or gzip. A reader may begin a file more than once, to see what it is.
class ReadProgress {
public:
    /// Called now and then, on the reading thread, with the share of the file, 0 to 1.
    using Tell = std::function<void(double)>;
    explicit ReadProgress(Tell tell);
    ~ReadProgress();
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;

    /// For readers: they have read `done` of `all` bytes.
    static void report(std::uint64_t done, std::uint64_t all);

private:
    Tell m_tell;
    ReadProgress* m_outer;  ///< the one that this one stands in for
};

}  // namespace roofscope
