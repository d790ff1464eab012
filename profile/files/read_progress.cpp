// SPDX-License-Identifier: Apache-2.0
#include "profile/files/read_progress.h"

#include <algorithm>
#include <utility>

namespace roofscope {
namespace {

// Thread-local, so that the importers between the caller and the file reader need not pass it on.
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
