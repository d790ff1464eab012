// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope::test {

/// Builds a profile in code, so that a test shows the numbers it is about:
///
///     SyntheticProfile p;
///     const auto copy = p.kernel("copy(float4*, float4 const*)", 32);
///     p.launch(copy, {1024, 1, 1}, {256, 1, 1}).set("dram__bytes_read.sum", 1e9).durationUs(500);
///     const Profile profile = p.build();
///
/// Capture::origin is "synthetic": such a profile is never mistaken for a measured one. A counter
/// that is not set is missing.
class SyntheticProfile {
public:
    /// The launch that launch() added; every function returns it again.
    class LaunchRef {
    public:
        /// A counter by its CUPTI name.
        LaunchRef& set(std::string_view counter, double value);
        /// Many counters to one value, for "everything else is 0".
        LaunchRef& setAll(const std::vector<std::string>& counters, double value);
        /// gpu__time_duration.sum (counter run) and the four unit clocks of the device.
        LaunchRef& counterDurationUs(double microseconds);
        /// Unprofiled duration (timing run).
        LaunchRef& durationUs(double microseconds);
        LaunchRef& dynamicSharedBytes(std::uint64_t bytes);
        LaunchRef& residentBlocksPerSm(std::uint32_t blocks);
        LaunchRef& cluster(Dim3 extents);
        LaunchRef& stream(std::uint32_t stream);
        LaunchRef& device(std::uint32_t device);
        /// Innermost NVTX range by name; added to the profile when it is new.
        LaunchRef& range(std::string_view name);
        /// The launch itself, for fields without a function of their own.
        [[nodiscard]] Launch& launch();
        [[nodiscard]] std::size_t row() const { return m_row; }

    private:
        friend class SyntheticProfile;
        LaunchRef(SyntheticProfile& owner, std::size_t row) : m_owner(&owner), m_row(row) {}
        SyntheticProfile* m_owner;
        std::size_t m_row;
    };

    /// The counters per instruction of a launch; every function returns it again. Instructions come
    /// in the order of the calls, 16 bytes each.
    class SourceRef {
    public:
        /// `file` may be new; line 0 or an empty file: not mapped.
        SourceRef& instruction(std::string_view sass, std::string_view file = {},
                               std::uint32_t line = 0);
        /// A counter of the last instruction: "smsp__sass_inst_executed".
        SourceRef& set(std::string_view counter, double value);
        /// smsp__sass_inst_executed, and 32 threads for each.
        SourceRef& executed(double warps);
        /// Global sectors or shared wavefronts with their ideal.
        SourceRef& sectors(double count, double ideal);
        SourceRef& wavefronts(double count, double ideal);
        /// A piece of a source file.
        SourceRef& text(std::string_view file, std::uint32_t firstLine,
                        std::vector<std::string> lines);
        [[nodiscard]] SourcePass& pass();

    private:
        friend class SyntheticProfile;
        SourceRef(SyntheticProfile& owner, std::size_t index) : m_owner(&owner), m_index(index) {}
        std::uint32_t file(std::string_view path);
        SyntheticProfile* m_owner;
        std::size_t m_index;
    };

    /// What the GPU does in an interval: shares of the device's roofs (the DRAM's two ways even).
    struct Activity {
        double sms = 0, dram = 0, issue = 0, tensor = 0;
        double l2 = 0;  ///< bytes per second of sectors
    };
    /// The counters over the time of a launch; intervals come in the order of the calls.
    class OverTimeRef {
    public:
        /// `count` intervals alike.
        OverTimeRef& intervals(std::size_t count, const Activity& activity);
        [[nodiscard]] OverTime& trace();

    private:
        friend class SyntheticProfile;
        OverTimeRef(SyntheticProfile& owner, std::size_t index, double microseconds)
            : m_owner(&owner), m_index(index), m_microseconds(microseconds) {}
        SyntheticProfile* m_owner;
        std::size_t m_index;
        double m_microseconds;
    };

    /// One process and one device like an H200 (h200()).
    SyntheticProfile();
    /// The same with another device.
    explicit SyntheticProfile(Device device);

    /// Adds a kernel; `registers` and `staticSharedBytes` are per thread and per block. Returns its
    /// index. The symbol is the name.
    std::uint32_t kernel(std::string_view name, std::uint32_t registers = 32,
                         std::uint32_t staticSharedBytes = 0);
    LaunchRef launch(std::uint32_t kernel, Dim3 grid, Dim3 block);
    /// Begins the source pass of a launch.
    SourceRef sourcePass(LaunchRef launch);
    /// Begins the counters over the time of a launch, in intervals of that length.
    OverTimeRef overTime(LaunchRef launch, double microseconds);
    /// Adds a further device and returns its index.
    std::uint32_t addDevice(Device device);
    SyntheticProfile& issue(Severity severity, std::string_view code, std::string_view message,
                            std::string_view advice = {});

    /// The profile so far, for fields without a function of their own.
    [[nodiscard]] Profile& profile() { return m_profile; }
    [[nodiscard]] Profile build() const { return m_profile; }

    /// 132 SMs, CC 9.0, 4.81 TB/s DRAM, per-cycle peaks as an H200 reports them.
    [[nodiscard]] static Device h200();
    /// Clocks of counterDurationUs(): SM, L1 and L2 1.755/1.755/1.62 GHz, DRAM 3.2 GHz.
    static constexpr double kSmClockHz = 1.755e9;
    static constexpr double kL2ClockHz = 1.62e9;
    static constexpr double kDramClockHz = 3.2e9;

private:
    Profile m_profile;
};

}  // namespace roofscope::test
