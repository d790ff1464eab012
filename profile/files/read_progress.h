// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace roofscope {

/// While it lives, reports how far this thread has read a file: profiles, traces and CSV, plain or
/// gzip. The share may fall again, because a reader may start a file anew to detect its format.
class ReadProgress {
public:
    /// Called now and then, on the reading thread, with the share of the file, 0 to 1.
    using Tell = std::function<void(double)>;
    explicit ReadProgress(Tell tell);
    ~ReadProgress();
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;

    /// Called by readers: they have read `done` of `all` bytes.
    static void report(std::uint64_t done, std::uint64_t all);

private:
    Tell m_tell;
    ReadProgress* m_outer;  ///< the enclosing one, restored at the end
};

}  // namespace roofscope
