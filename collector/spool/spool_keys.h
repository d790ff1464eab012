// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "profile/model/profile.h"

/// Numbers that spool writer and reader share: the key in a line and the member.
namespace roofscope::spool {

template <class Owner, class Number>
struct NumberKey {
    const char* key;
    std::optional<Number> Owner::*member;
};

inline constexpr NumberKey<Device, std::uint32_t> kDeviceKeys[] = {
    {"threads_per_sm", &Device::maxThreadsPerSm},
    {"threads_per_block", &Device::maxThreadsPerBlock},
    {"blocks_per_sm", &Device::maxBlocksPerSm},
    {"registers_per_sm", &Device::registersPerSm},
    {"shared_per_sm", &Device::sharedPerSmBytes},
    {"shared_optin", &Device::sharedPerBlockOptinBytes},
    {"shared_reserved", &Device::sharedReservedPerBlockBytes},
};
inline constexpr NumberKey<Device, std::uint64_t> kDeviceSizeKeys[] = {
    {"l2", &Device::l2Bytes},
    {"memory", &Device::memoryBytes},
};
inline constexpr NumberKey<Kernel, std::uint32_t> kKernelKeys[] = {
    {"registers", &Kernel::registersPerThread},
    {"shared", &Kernel::staticSharedBytes},
    {"local", &Kernel::localBytesPerThread},
    {"threads", &Kernel::maxThreadsPerBlock},
    {"ptx", &Kernel::ptxVersion},
    {"binary", &Kernel::binaryVersion},
};
inline constexpr NumberKey<Process, std::uint32_t> kProcessKeys[] = {
    {"rank", &Process::rank},
    {"local_rank", &Process::localRank},
    {"world_size", &Process::worldSize},
};

}  // namespace roofscope::spool
