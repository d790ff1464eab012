// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace roofscope::inject {

/// Protects the calling thread from cancellation while this object lives: pthread_cancel() takes
/// effect only when the program's own code runs again. Otherwise a cancellation would unwind our
/// frames at the next write, and glibc would end the whole program at a `catch (...)`.
class NoCancellation {
public:
    NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m_before); }
    ~NoCancellation() { pthread_setcancelstate(m_before, nullptr); }
    NoCancellation(const NoCancellation&) = delete;
    NoCancellation& operator=(const NoCancellation&) = delete;

private:
    int m_before = PTHREAD_CANCEL_ENABLE;
};

}  // namespace roofscope::inject
