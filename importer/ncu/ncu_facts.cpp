// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "importer/ncu/ncu_table.h"
#include "profile/chips/chip.h"

namespace roofscope {

namespace {

/// "9.0" → 9 and 0.
void readCapability(std::string_view text, Device& device) {
    int major = 0, minor = 0;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, major);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return;
    const auto second = std::from_chars(first.ptr + 1, end, minor);
    if (second.ec != std::errc() || second.ptr != end) return;
    if (major < 1 || major > 99 || minor < 0 || minor > 99) return;
    device.computeMajor = major;
    device.computeMinor = minor;
}

/// The name of a chip by its number, which is in the hardware register NV_PMC_BOOT_0. Most names
/// end with the last digit of the number. The list of chips in nouveau (nvkm/engine/device/base.c)
/// has the exceptions.
std::string nameOfChip(std::uint64_t number) {
    struct Architecture {
        std::uint64_t number;
        const char* name;
    };
    constexpr std::array<Architecture, 3> kOthers{
        {{0x15B, "GV11B"}, {0x167, "TU117"}, {0x168, "TU116"}}};
    constexpr std::array<Architecture, 7> kArchitectures{{{0x140, "GV1"},
                                                          {0x160, "TU1"},
                                                          {0x170, "GA1"},
                                                          {0x180, "GH1"},
                                                          {0x190, "AD1"},
                                                          {0x1A0, "GB1"},
                                                          {0x1B0, "GB2"}}};
    for (const Architecture& other : kOthers)
        if (number == other.number) return other.name;
    // Names of Tegra chips end with a letter: 0x17B is GA10B.
    for (const Architecture& architecture : kArchitectures)
        if ((number & ~std::uint64_t{0xF}) == architecture.number)
            return fmt::format("{}0{:X}", architecture.name, number & 0xF);
    return {};
}

/// The chip's name by its number, if there is a table of that chip with the right compute
/// capability. Else empty; chipTable() then uses the compute capability.
std::string chipName(const Device& device, std::optional<std::uint64_t> number) {
    if (!number || device.computeMajor == 0) return {};
    std::string name = nameOfChip(*number);
    if (name.empty()) return {};
    const auto table = chipTable(name);
    const std::string family = fmt::format("sm_{}{}", device.computeMajor, device.computeMinor);
    return table.ok() && table->family == family ? name : std::string();
}

Dim3 extents(const NcuRow& row, std::string_view stem, std::string_view cell) {
    Dim3 dim;
    const auto x = row.count32(std::string(stem) + "x");
    const auto y = row.count32(std::string(stem) + "y");
    const auto z = row.count32(std::string(stem) + "z");
    if (x && y && z) {
        dim = {*x, *y, *z};
    } else {
        // Fall back to the text "(256, 1, 1)" in column `cell`.
        std::array<std::uint32_t, 3> parts{1, 1, 1};
        const std::string_view text = row.text(cell);
        const char* at = text.data();
        const char* const end = at + text.size();
        for (std::uint32_t& part : parts) {
            while (at != end && (*at < '0' || *at > '9')) ++at;
            if (at == end) break;
            at = std::from_chars(at, end, part).ptr;
        }
        dim = {parts[0], parts[1], parts[2]};
    }
    // An extent of 0 means "not given".
    return {std::max(dim.x, 1U), std::max(dim.y, 1U), std::max(dim.z, 1U)};
}

std::optional<std::uint32_t> positive(std::optional<std::uint32_t> value) {
    return value && *value > 0 ? value : std::nullopt;
}

}  // namespace

Device ncuDevice(const NcuRow& row) {
    const auto attribute = [&row](const char* name) {
        return positive(row.count32(std::string("device__attribute_") + name));
    };
    constexpr double kKilo = 1000;  // clock attributes are in kHz
    Device device;
    device.name = row.text("device__attribute_display_name");
    if (device.name.empty()) device.name = row.text("Device Name");
    readCapability(row.text("CC"), device);
    if (device.computeMajor == 0) {
        const auto major = attribute("compute_capability_major");
        const auto minor = row.count32("device__attribute_compute_capability_minor");
        if (major && *major < 100) device.computeMajor = static_cast<int>(*major);
        if (major && minor && *minor < 100) device.computeMinor = static_cast<int>(*minor);
    }
    device.chip = chipName(device, row.count("device__attribute_chip"));
    device.smCount =
        attribute("multiprocessor_count").value_or(row.count32("launch__sm_count").value_or(0));
    device.warpSize = attribute("warp_size").value_or(32);
    device.maxThreadsPerSm = attribute("max_threads_per_multiprocessor");
    device.maxThreadsPerBlock = attribute("max_threads_per_block");
    device.maxBlocksPerSm = attribute("max_blocks_per_multiprocessor");
    device.registersPerSm = attribute("max_registers_per_multiprocessor");
    device.sharedPerSmBytes = attribute("max_shared_memory_per_multiprocessor");
    device.sharedPerBlockOptinBytes = attribute("max_shared_memory_per_block_optin");
    device.sharedReservedPerBlockBytes =
        row.count32("device__attribute_reserved_shared_memory_per_block");
    device.l2Bytes = row.count("device__attribute_l2_cache_size");
    device.memoryBytes = row.count("device__attribute_total_memory");
    if (const auto clock = row.number("device__attribute_clock_rate"); clock && *clock > 0)
        device.smClockMax = Hertz{*clock * kKilo};
    if (const auto clock = row.number("device__attribute_memory_clock_rate"); clock && *clock > 0)
        device.memoryClockMax = Hertz{*clock * kKilo};
    return device;
}

Kernel ncuKernel(const NcuRow& row) {
    Kernel kernel;
    kernel.name = row.text("Kernel Name");
    kernel.symbol = row.text("Kernel Mangled Name");
    if (kernel.symbol.empty()) kernel.symbol = kernel.name;
    kernel.registersPerThread = row.count32("launch__registers_per_thread");
    kernel.staticSharedBytes = row.count32("launch__shared_mem_per_block_static");
    return kernel;
}

Launch ncuLaunch(const NcuRow& row) {
    Launch launch;
    launch.grid = extents(row, "launch__grid_dim_", "Grid Size");
    launch.block = extents(row, "launch__block_dim_", "Block Size");
    if (row.count32("launch__cluster_dim_x").value_or(0) > 0)
        launch.cluster = extents(row, "launch__cluster_dim_", "Cluster Size");
    launch.dynamicSharedBytes = row.count("launch__shared_mem_per_block_dynamic").value_or(0);
    // ncu gives a separate limit for each resource; the smallest one counts.
    std::optional<std::uint32_t> resident;
    bool complete = true;
    for (const char* limit : {"blocks", "registers", "shared_mem", "warps"}) {
        const auto blocks = positive(row.count32(std::string("launch__occupancy_limit_") + limit));
        complete = complete && blocks.has_value();
        if (blocks) resident = std::min(resident.value_or(*blocks), *blocks);
    }
    // Not every version of ncu gives the limit by barriers.
    if (const auto barriers = positive(row.count32("launch__occupancy_limit_barriers")); resident)
        resident = std::min(*resident, barriers.value_or(*resident));
    if (complete) launch.residentBlocksPerSm = resident;
    return launch;
}

}  // namespace roofscope
