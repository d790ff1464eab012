// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace roofscope::inject {

/// The calling thread's object of a type, made at its first use. Unlike a thread_local one it can
/// be used as long as the thread runs the program's code: exit() destroys thread_local objects of
/// the main thread before exit handlers run, and a thread those of ours before some of the
/// program's; a launch from there would find freed memory.
template <class T>
T& ofThread() {
    // Trivial: nothing destroys it.
    static thread_local T* object = nullptr;
    if (object) return *object;
    // Destructors of keys run after those of thread_local objects, and in exit() not at all. What
    // comes later still gets a new object, which the next round destroys.
    static pthread_key_t key{};
    static const bool hasKey = pthread_key_create(&key, [](void* old) {
                                   object = nullptr;
                                   delete static_cast<T*>(old);
                               }) == 0;
    object = new T;
    if (hasKey) pthread_setspecific(key, object);  // else it is never destroyed
    return *object;
}

}  // namespace roofscope::inject
