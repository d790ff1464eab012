// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace roofscope::inject {

/// While it lives, the calling thread is not cancelled: pthread_cancel() waits until the program's
/// own code runs again. Otherwise a cancellation would unwind our frames at the next write, and
/// glibc would end the whole program at a `catch (...)`.
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
