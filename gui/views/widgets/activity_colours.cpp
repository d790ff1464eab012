// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/activity_colours.h"

namespace roofscope::gui {

plot::Role roleOf(TimeClass cls) {
    switch (cls) {
        case TimeClass::Kernels:
            return plot::Role::L1;
        case TimeClass::Communication:
            return plot::Role::Shared;
        case TimeClass::Copies:
            return plot::Role::L2;
        case TimeClass::IdleLaunch:
            return plot::Role::Highlight;
        case TimeClass::IdleSync:
            return plot::Role::Fp16;
        case TimeClass::IdleAlloc:
            return plot::Role::Fp64;
        case TimeClass::IdleLoad:
            return plot::Role::TensorInt8;
        case TimeClass::IdleHost:
            return plot::Role::Dram;
        case TimeClass::IdleUnknown:
            break;
    }
    return plot::Role::Axis;
}

plot::Role roleOf(CallKind kind) {
    switch (kind) {
        case CallKind::Launch:
        case CallKind::GraphLaunch:
            return roleOf(TimeClass::IdleLaunch);
        case CallKind::Wait:
            return roleOf(TimeClass::IdleSync);
        case CallKind::Transfer:
            return roleOf(TimeClass::Copies);
        case CallKind::Allocate:
        case CallKind::Free:
            return roleOf(TimeClass::IdleAlloc);
        case CallKind::Load:
        case CallKind::Graph:
            return roleOf(TimeClass::IdleLoad);
        case CallKind::Other:
            break;
    }
    return plot::Role::Axis;
}

}  // namespace roofscope::gui
