// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "collector/cupti/cupti_api.h"
#include "collector/inject/recording/recording.h"
#include "profile/errors/result.h"

namespace roofscope::inject {

/// Our place as CUPTI's subscriber, of which there is one in a process, and the callbacks that come
/// with it.
class Subscription {
public:
    /// Error: somebody else is subscribed, or CUPTI refuses.
    [[nodiscard]] static Result<Subscription> take(const CuptiApi& cupti,
                                                   CUpti_CallbackFunc callback);
    /// Gets the callbacks that the recording needs now. May be called again.
    void enable(const Recording& recording) const;
    /// No callback begins from now on.
    void giveUp() const;

private:
    Subscription(const CuptiApi& cupti, CUpti_SubscriberHandle handle)
        : m_cupti(&cupti), m_handle(handle) {}

    const CuptiApi* m_cupti;
    CUpti_SubscriberHandle m_handle;
};

}  // namespace roofscope::inject
