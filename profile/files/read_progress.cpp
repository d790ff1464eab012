// SPDX-License-Identifier: Apache-2.0
#include "profile/files/read_progress.h"

#include <algorithm>
#include <utility>

namespace roofscope {
namespace {

// Between whoever waits for a profile and the reader of its bytes are the importers of all formats,
// to which this means nothing.
thread_local ReadProgress* followsReading = nullptr;

}  // namespace

ReadProgress::ReadProgress(Tell tell)
    : m_tell(std::move(tell)), m_outer(std::exchange(followsReading, this)) {}

ReadProgress::~ReadProgress() { followsReading = m_outer; }

void ReadProgress::report(std::uint64_t done, std::uint64_t all) {
    if (followsReading && all > 0)
        followsReading->m_tell(std::min(1.0, static_cast<double>(done) / static_cast<double>(all)));
}

}  // namespace roofscope
