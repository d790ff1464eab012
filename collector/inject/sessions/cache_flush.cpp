// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/cache_flush.h"

#include <fmt/format.h>

namespace roofscope::inject {

Result<void> CacheFlush::allocate() {
    constexpr std::size_t kTimesL2 = 2;
    const auto refuse = [](std::string what, std::string advice = {}) {
        return Error{
            .code = ErrorCode::Unavailable, .what = std::move(what), .advice = std::move(advice)};
    };
    if (!m_driver.cuMemAlloc || !m_driver.cuMemsetD32Async)
        return refuse("the driver lacks a function that this needs");
    if (m_l2Bytes.value_or(0) == 0) return refuse("the size of the L2 is not known");
    const std::size_t words = kTimesL2 * *m_l2Bytes / sizeof(std::uint32_t);
    if (const CUresult result = m_driver.cuMemAlloc(&m_buffer, words * sizeof(std::uint32_t));
        result != CUDA_SUCCESS)
        return refuse(
            fmt::format("{} MB of device memory could not be allocated: {}",
                        words * sizeof(std::uint32_t) / 1'000'000, m_driver.describe(result)),
            "leave that much memory free, or record without --cache-control flush");
    m_words = words;
    return {};
}

Result<void> CacheFlush::before(CUstream stream) {
    if (m_failure) return *m_failure;
    if (m_words == 0)
        if (auto ok = allocate(); !ok) {
            m_failure = ok.error();
            return ok;
        }
    const CUresult result = m_driver.cuMemsetD32Async(m_buffer, 0, m_words, stream);
    if (result == CUDA_SUCCESS) return {};
    m_failure = Error{.code = ErrorCode::Unavailable, .what = m_driver.describe(result)};
    return *m_failure;
}

}  // namespace roofscope::inject
