// SPDX-License-Identifier: Apache-2.0
// What the fake libcupti does itself: it stores the subscriber and the receiver of activity records
// for the fake program to call. That program also sets its clock. All other functions succeed
// without doing anything (silent_cupti.cpp).
#include <cupti.h>
#include <unistd.h>

#include <cstdint>

extern "C" {
CUpti_CallbackFunc roofscope_fake_subscriber = nullptr;
/// How long a subscription takes. It takes long in a program whose threads keep the driver busy.
unsigned roofscope_fake_busy_ms = 0;

CUptiResult answering_Subscribe_v2(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*,
                                   CUpti_SubscriberParams*) __asm__("cuptiSubscribe_v2");
CUptiResult answering_Subscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                                   void*, CUpti_SubscriberParams*) {
    usleep(roofscope_fake_busy_ms * 1000);
    if (roofscope_fake_subscriber) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    roofscope_fake_subscriber = callback;
    *handle = reinterpret_cast<CUpti_SubscriberHandle>(&roofscope_fake_subscriber);
    return CUPTI_SUCCESS;
}

CUptiResult answering_Unsubscribe(CUpti_SubscriberHandle) __asm__("cuptiUnsubscribe");
CUptiResult answering_Unsubscribe(CUpti_SubscriberHandle) {
    roofscope_fake_subscriber = nullptr;
    return CUPTI_SUCCESS;
}

bool roofscope_fake_timed = false;  ///< kernels are timed

CUptiResult answering_ActivityEnable(CUpti_ActivityKind) __asm__("cuptiActivityEnable");
CUptiResult answering_ActivityEnable(CUpti_ActivityKind kind) {
    if (kind == CUPTI_ACTIVITY_KIND_KERNEL || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        roofscope_fake_timed = true;
    return CUPTI_SUCCESS;
}
CUptiResult answering_ActivityDisable(CUpti_ActivityKind) __asm__("cuptiActivityDisable");
CUptiResult answering_ActivityDisable(CUpti_ActivityKind kind) {
    if (kind == CUPTI_ACTIVITY_KIND_KERNEL || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        roofscope_fake_timed = false;
    return CUPTI_SUCCESS;
}

std::uint64_t roofscope_fake_now = 1;

CUptiResult answering_GetTimestamp(std::uint64_t* now) __asm__("cuptiGetTimestamp");
CUptiResult answering_GetTimestamp(std::uint64_t* now) {
    *now = roofscope_fake_now;
    return CUPTI_SUCCESS;
}

CUpti_BuffersCallbackRequestFunc roofscope_fake_request = nullptr;
CUpti_BuffersCallbackCompleteFunc roofscope_fake_complete = nullptr;

CUptiResult answering_ActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc request,
    CUpti_BuffersCallbackCompleteFunc complete) __asm__("cuptiActivityRegisterCallbacks");
CUptiResult answering_ActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                CUpti_BuffersCallbackCompleteFunc complete) {
    roofscope_fake_request = request;
    roofscope_fake_complete = complete;
    return CUPTI_SUCCESS;
}

/// A buffer holds one record.
CUptiResult answering_ActivityGetNextRecord(
    std::uint8_t* buffer, std::size_t,
    CUpti_Activity** record) __asm__("cuptiActivityGetNextRecord");
CUptiResult answering_ActivityGetNextRecord(std::uint8_t* buffer, std::size_t,
                                            CUpti_Activity** record) {
    if (*record) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(buffer);
    return CUPTI_SUCCESS;
}
}
