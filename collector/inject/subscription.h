// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "collector/cupti/cupti_api.h"
#include "collector/inject/recording/recording.h"
#include "profile/errors/result.h"

namespace roofscope::inject {

/// Our subscription to CUPTI and its callbacks. A process can have only one subscription.
class Subscription {
public:
    /// An error means that another tool is subscribed, or that CUPTI refuses.
    [[nodiscard]] static Result<Subscription> take(const CuptiApi& cupti,
                                                   CUpti_CallbackFunc callback);
    /// The same in a running process, with a time limit. CUPTI subscribes only when no thread is in
    /// a CUDA call; with threads that launch without a pause, that may never happen. If CUPTI
    /// succeeds after the limit, the subscription is given up at once. Until then, further calls
    /// fail.
    [[nodiscard]] static Result<Subscription> takeWithin(std::chrono::milliseconds patience,
                                                         const CuptiApi& cupti,
                                                         CUpti_CallbackFunc callback);
    /// Enables the callbacks that the recording needs now. May be called again.
    void enable(const Recording& recording) const;
    /// Disables all callbacks, without unsubscribing.
    void quiet() const;
    /// Whether an attempt of takeWithin() is still pending in CUPTI, even if its caller gave up.
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
