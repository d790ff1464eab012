// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/threads/detached_thread.h"

#include <pthread.h>
#include <signal.h>

#include <memory>
#include <utility>

namespace roofscope::inject {
namespace {

struct Start {
    const char* name;
    std::function<void()> main;
};

void* run(void* given) {
    const std::unique_ptr<Start> start(static_cast<Start*>(given));
    pthread_setname_np(pthread_self(), start->name);
    try {
        start->main();
    } catch (...) {
        // Out of memory.
    }
    return nullptr;
}

}  // namespace

bool startDetached(const char* name, std::function<void()> main) {
    auto given = std::make_unique<Start>(Start{.name = name, .main = std::move(main)});
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_t thread{};
    const bool created = pthread_create(&thread, &detached, run, given.get()) == 0;
    pthread_attr_destroy(&detached);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (created) (void)given.release();
    return created;
}

}  // namespace roofscope::inject
