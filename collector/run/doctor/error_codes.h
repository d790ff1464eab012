// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Error codes that doctor has advice for, by the names of cuda.h and cupti_result.h. Here because
/// doctor is built without these headers, too; gpu_probe.cpp compares them where they are.
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
