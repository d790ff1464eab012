// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "collector/cupti/driver_api.h"
#include "profile/errors/result.h"

namespace roofscope::inject {

/// Whether the memset that flushes the L2 cache is a range of its own in a session in which every
/// kernel is a range (AutoRange), because the driver may implement a memset as a kernel. Checked on
/// a GPU by tests/gpu/record_gpu_test.cpp, "flushed caches".
inline constexpr bool kFlushMakesRange = false;

/// Removes the program's data from the L2 cache: writes a buffer of twice the cache's size on the
/// launch's stream, just before the launch. The buffer is allocated at the first flush and lives as
/// long as its context. Lines of it, up to the size of the L2 cache, may still be written back
/// while the launch runs.
class CacheFlush {
public:
    /// For the context that is current when before() is called.
    CacheFlush(const DriverApi& driver, std::optional<std::uint64_t> l2Bytes)
        : m_driver(driver), m_l2Bytes(l2Bytes) {}

    /// Queues a flush on `stream`, which must not be capturing. After an error, every later call
    /// returns the same error.
    Result<void> before(CUstream stream);

private:
    Result<void> allocate();

    const DriverApi& m_driver;
    std::optional<std::uint64_t> m_l2Bytes;
    CUdeviceptr m_buffer = 0;
    std::size_t m_words = 0;
    std::optional<Error> m_failure;
};

}  // namespace roofscope::inject
