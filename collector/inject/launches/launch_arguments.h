// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "collector/cupti/driver_api.h"
#include "collector/spool/writer/spool_writer.h"
#include "profile/model/argument_lists.h"

namespace roofscope::inject {

/// The parameters of one launch as the caller passes them to the driver: an array of pointers, or
/// one packed buffer in `extra`.
struct LaunchParameters {
    void** kernelParams = nullptr;
    void** extra = nullptr;
};

/// A word of a kernel's parameters that may be a device pointer.
struct PointerWord {
    std::uint64_t value = 0;
    std::uint32_t parameter = 0;
};

/// Whether a word has a value in the range of addresses.
[[nodiscard]] bool mayBeAddress(std::uint64_t value);

/// The most pointers per launch. A launch with more gets no list at all, because an incomplete list
/// would look complete.
inline constexpr std::size_t kMostPointers = 16;
/// The most words per launch that the driver is asked about.
inline constexpr std::size_t kMostWords = 4 * kMostPointers;
/// The most bytes of parameters: the limit of kernels before CUDA 12.1.
inline constexpr std::size_t kMostParameterBytes = 4096;

/// Where one parameter of a kernel is.
struct ParameterPlace {
    std::uint32_t index = 0;
    std::size_t offset = 0, bytes = 0;
};
/// Parameters of a kernel, in their order.
using ParameterLayout = std::vector<ParameterPlace>;

/// All parameters of a kernel, also small ones. nullopt if the layout is unknown (a driver before
/// CUDA 12.4), or if they have more than `most` bytes. `function` is a CUfunction, not a CUkernel.
[[nodiscard]] std::optional<ParameterLayout> allParameters(const DriverApi& driver,
                                                           CUfunction function, std::size_t most);
/// The bytes of one parameter of a launch; nullptr if the caller did not give it. Valid until the
/// launch call returns.
[[nodiscard]] const unsigned char* parameterBytes(const LaunchParameters& parameters,
                                                  const ParameterPlace& place);

/// The parameters of a kernel that are large enough for an address. nullopt if the layout is
/// unknown (a driver before CUDA 12.4) or a limit is exceeded. `function` is a CUfunction, not a
/// CUkernel.
[[nodiscard]] std::optional<ParameterLayout> parameterLayout(const DriverApi& driver,
                                                             CUfunction function);

/// Adds the words of a launch's parameters that can be addresses: 8 bytes, aligned within the
/// parameter, with a value in the range of addresses. Structs are searched as a whole. False if a
/// parameter is missing or there are too many words; some may have been added by then.
///
/// Reads exactly the bytes that the driver reads for the launch: call it only for a launch that the
/// driver accepted.
[[nodiscard]] bool addPointerWords(const ParameterLayout& layout,
                                   const LaunchParameters& parameters,
                                   std::vector<PointerWord>& words);

/// Numbers the buffers of one process. A number stands for a pointer and its contents: it changes
/// when the allocation is replaced, or written by a copy or memset.
class BufferTable {
public:
    /// The allocation that a pointer points into, as the driver knows it.
    struct Allocation {
        std::uint64_t start = 0, bytes = 0;
        std::uint64_t id = 0;  ///< never reused by the driver for another allocation
    };
    struct Entry {
        std::uint32_t number = 0;
        std::optional<Buffer> added;  ///< set if the number is new
    };
    /// Limits the memory for a program that keeps creating buffers.
    static constexpr std::uint32_t kMostBuffers = 200'000;

    /// The number of `pointer`, which lies inside `allocation`; nullopt if the table is full.
    std::optional<Entry> number(std::uint64_t pointer, const Allocation& allocation);
    /// Something other than a kernel wrote to `address`.
    void written(std::uint64_t address);
    /// The same if the address is unknown: every buffer gets a new number.
    void writtenAnywhere();

private:
    struct Known {
        std::uint64_t bytes = 0, id = 0;
        std::uint32_t number = 0;
        std::map<std::uint64_t, std::uint32_t> buffers;  ///< by pointer
    };
    std::map<std::uint64_t, Known> m_allocations;  ///< by start
    std::uint32_t m_nextAllocation = 0, m_nextBuffer = 0;
};

/// The allocation that holds `address`; it has 0 bytes if the driver knows none there. nullopt if
/// the driver does not answer.
[[nodiscard]] std::optional<BufferTable::Allocation> allocationOf(const DriverApi& driver,
                                                                  std::uint64_t address);
using AskForAllocation = std::function<std::optional<BufferTable::Allocation>(std::uint64_t)>;

/// The buffers among the words of a launch, in the order of the words. New ones are written to the
/// spool. nullopt if the list would be incomplete: the driver does not answer, or there are too
/// many.
[[nodiscard]] std::optional<std::vector<BufferArgument>> bufferArguments(
    std::span<const PointerWord> words, const AskForAllocation& ask, BufferTable& table,
    SpoolWriter& spool);

}  // namespace roofscope::inject
