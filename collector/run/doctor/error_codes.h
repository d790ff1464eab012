// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Error codes that doctor has advice for, named as in cuda.h and cupti_result.h. They are
/// repeated here because doctor is also built without these headers; gpu_probe.cpp
/// compares them if they exist.
namespace roofscope::doctor {

struct CudaError {
    enum : int { NoDevice = 100, SystemNotReady = 802, SystemDriverMismatch = 803 };
};

struct CuptiError {
    enum : int {
        NotInitialized = 15,
        HardwareBusy = 26,
        VirtualizedDeviceNotSupported = 33,
        InsufficientPrivileges = 35,
        MultipleSubscribersNotSupported = 39,
        VirtualizedDeviceInsufficientPrivileges = 40,
        ConfidentialComputingNotSupported = 41,
        CmpDeviceNotSupported = 42,
        MigDeviceNotSupported = 43,
        SliDeviceNotSupported = 44,
        WslDeviceNotSupported = 45,
        InvalidChipName = 46,
    };
};

}  // namespace roofscope::doctor
