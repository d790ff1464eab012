// SPDX-License-Identifier: Apache-2.0
// What a stand-in for libcupti does itself: who subscribes is remembered, for the stand-in for a
// program to call. Every other function succeeds without doing anything (silent_cupti.cpp).
#include <cupti.h>

extern "C" {
CUpti_CallbackFunc roofscope_fake_subscriber = nullptr;

CUptiResult answering_Subscribe_v2(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*,
                                   CUpti_SubscriberParams*) __asm__("cuptiSubscribe_v2");
CUptiResult answering_Subscribe_v2(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*,
                                   CUpti_SubscriberParams*) {
    roofscope_fake_subscriber = callback;
    return CUPTI_SUCCESS;
}
}
