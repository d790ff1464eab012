// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>

namespace roofscope::inject {

/// Number of the current recording; above 0 if the process measures its own functions.
inline std::atomic<unsigned> g_recording{0};

/// The calling thread's object of a type, created at its first use. Each recording begins with a
/// new one, so that calls that were open when the last recording ended are forgotten.
///
/// Unlike a thread_local object, it stays usable as long as the thread runs the program's code.
/// exit() destroys thread_local objects of the main thread before exit handlers run, and a thread
/// destroys ours before some of the program's. A launch from there would find freed memory.
template <class T>
T& perThread() {
    // A pointer, because pointers have no destructor.
    static thread_local T* object = nullptr;
    static thread_local unsigned recording = 0;
    const unsigned now = g_recording.load(std::memory_order_relaxed);
    if (object && recording == now) return *object;
    recording = now;
    if (object) return *object = T();
    // Destructors of keys run after those of thread_local objects, and not at all in exit(). A call
    // after that gets a new object, which the next round of destructors deletes.
    static pthread_key_t key{};
    static const bool hasKey = pthread_key_create(&key, [](void* old) {
                                   object = nullptr;
                                   delete static_cast<T*>(old);
                               }) == 0;
    object = new T;
    if (hasKey) pthread_setspecific(key, object);  // otherwise it is never destroyed
    return *object;
}

}  // namespace roofscope::inject
