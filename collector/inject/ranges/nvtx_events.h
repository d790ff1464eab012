// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "collector/cupti/cupti_api.h"

struct nvtxEventAttributes_v2;

namespace roofscope::inject {

/// The beginning or end of an NVTX range.
struct NvtxEvent {
    std::uintptr_t domain = 0;
    std::optional<std::string> pushed;  ///< the name of a range that begins; nullopt: a range ends
};

/// Turns CUPTI's callbacks into events, and stores the strings that were registered as names.
/// Thread-safe.
class NvtxEvents {
public:
    /// Returns nothing for a call that neither begins nor ends a range.
    [[nodiscard]] std::optional<NvtxEvent> read(CUpti_CallbackId id, const CUpti_NvtxData& data);

private:
    std::string message(const nvtxEventAttributes_v2* attributes);

    std::mutex m_mutex;  ///< held only briefly, and never while calling anything else
    std::unordered_map<const void*, std::string> m_strings;  ///< by handle
};

}  // namespace roofscope::inject
