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

plot::Role roleOf(TimelineTone tone) {
    switch (tone) {
        case TimelineTone::LaunchBound:
            return plot::Role::TensorBf16;
        case TimelineTone::Underfilled:
            return plot::Role::TensorFp64;
        case TimelineTone::NearRoof:
            return plot::Role::TensorFp8;
        case TimelineTone::MemoryBound:
            return plot::Role::TensorFp16;
        case TimelineTone::ComputeBound:
            return plot::Role::Fp32;
        case TimelineTone::Balanced:
            return plot::Role::TensorFp4;
        case TimelineTone::LatencyBound:
            return plot::Role::TensorTf32;
        case TimelineTone::WaitsForPeers:
        case TimelineTone::WaitsForPages:
            return roleOf(TimeClass::Communication);
        case TimelineTone::ToDevice:
        case TimelineTone::ToHost:
        case TimelineTone::BetweenDevices:
        case TimelineTone::OnDevice:
            return roleOf(TimeClass::Copies);  // the rows show the direction
        case TimelineTone::LaunchCall:
            return roleOf(CallKind::Launch);
        case TimelineTone::WaitCall:
            return roleOf(CallKind::Wait);
        case TimelineTone::CopyCall:
            return roleOf(CallKind::Transfer);
        case TimelineTone::MemoryCall:
            return roleOf(CallKind::Allocate);
        case TimelineTone::LoadCall:
            return roleOf(CallKind::Load);
        case TimelineTone::Runs:
            return roleOf(TimeClass::IdleHost);
        case TimelineTone::WaitsInOs:
        case TimelineTone::Range:
            return plot::Role::TextMuted;
        case TimelineTone::Unknown:
        case TimelineTone::OtherCall:
            break;
    }
    return plot::Role::Axis;
}

}  // namespace roofscope::gui
