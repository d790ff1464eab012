// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "collector/cupti/cupti_api.h"
#include "collector/inject/recording/recording.h"
#include "profile/errors/result.h"

namespace roofscope::inject {

/// Our subscription to CUPTI, of which a process can have only one, and the
/// callbacks that come with it.
class Subscription {
public:
    /// An error means that somebody else is subscribed, or that CUPTI refuses.
    [[nodiscard]] static Result<Subscription> take(const CuptiApi& cupti,
                                                   CUpti_CallbackFunc callback);
    /// The same, in a process that is running: gives up after `patience`. CUPTI begins only when no
    /// thread is in a CUDA call, which may never be in a program whose threads launch without a
    /// pause. What comes of it later is given up at once; until then further calls fail.
    [[nodiscard]] static Result<Subscription> takeWithin(std::chrono::milliseconds patience,
                                                         const CuptiApi& cupti,
                                                         CUpti_CallbackFunc callback);
    /// Enables the callbacks that the recording needs now. May be called again.
    void enable(const Recording& recording) const;
    /// Disables all callbacks, without unsubscribing.
    void quiet() const;
    /// Whether takeWithin() was given up, and CUPTI has not answered yet.
    [[nodiscard]] static bool beingTaken();
    /// Unsubscribes: no callback begins after this.
    void giveUp() const;

private:
    Subscription(const CuptiApi& cupti, CUpti_SubscriberHandle handle)
        : m_cupti(&cupti), m_handle(handle) {}

    const CuptiApi* m_cupti;
    CUpti_SubscriberHandle m_handle;
};

}  // namespace roofscope::inject
