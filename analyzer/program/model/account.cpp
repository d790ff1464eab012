// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/model/account.h"

namespace roofscope {

Seconds Account::total() const {
    Seconds sum;
    for (const TimeClass cls : kTimeClasses) sum += time[cls];
    return sum;
}

Ratio Account::share(TimeClass cls) const {
    const Seconds all = total();
    return {all.value > 0 ? time[cls] / all : 0.0};
}

bool Account::mayBeOneLoad(TimeClass cls) const {
    return callsMayLoad && oneCall[cls].value > 0 && oneCall[cls] * 2 >= time[cls];
}

bool Account::knows(TimeClass cls) const {
    switch (cls) {
        case TimeClass::Kernels:
        case TimeClass::Communication:
        case TimeClass::IdleUnknown:
            return true;
        case TimeClass::Copies:
            return copiesKnown;
        case TimeClass::IdleAlloc:
            return causesKnown && allocationsKnown;
        case TimeClass::IdleLoad:
            return causesKnown && loadsKnown;
        case TimeClass::IdleLaunch:
        case TimeClass::IdleSync:
        case TimeClass::IdleHost:
            break;
    }
    return causesKnown;
}

const char* toString(TimeClass cls) {
    // Names in the order of the enumerators; the assertion fails if one is missing.
    constexpr PerTimeClass<const char*> kNames{{"kernels", "communication", "copies", "idle_launch",
                                                "idle_sync", "idle_alloc", "idle_load", "idle_host",
                                                "idle_unknown"}};
    static_assert(kNames.items.back());
    return kNames[cls];
}

}  // namespace roofscope
