// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope::test {

/// Builds a profile in code, so that a test shows its numbers:
///
///     SyntheticProfile p;
///     const auto copy = p.kernel("copy(float4*, float4 const*)", 32);
///     p.launch(copy, {1024, 1, 1}, {256, 1, 1}).set("dram__bytes_read.sum", 1e9).durationUs(500);
///     const Profile profile = p.build();
///
/// Capture::origin is "synthetic", so such a profile cannot be mistaken for a measured one. A
/// counter that is not set is missing.
class SyntheticProfile {
public:
    /// The launch added by launch(). Functions return it again, for chaining.
    class LaunchRef {
    public:
        /// Sets a counter by its CUPTI name.
        LaunchRef& set(std::string_view counter, double value);
        /// Sets many counters to one value, for "everything else is 0".
        LaunchRef& setAll(const std::vector<std::string>& counters, double value);
        /// Sets gpu__time_duration.sum (counter run) and the four unit clocks of the device.
        LaunchRef& counterDurationUs(double microseconds);
        /// Sets the unprofiled duration (timing run).
        LaunchRef& durationUs(double microseconds);
        LaunchRef& dynamicSharedBytes(std::uint64_t bytes);
        LaunchRef& residentBlocksPerSm(std::uint32_t blocks);
        LaunchRef& cluster(Dim3 extents);
        LaunchRef& stream(std::uint32_t stream);
        LaunchRef& device(std::uint32_t device);
        /// Sets the innermost NVTX range by name; adds it to the profile if it is new.
        LaunchRef& range(std::string_view name);
        /// The launch itself, for fields without a function here.
        [[nodiscard]] Launch& launch();
        [[nodiscard]] std::size_t row() const { return m_row; }

    private:
        friend class SyntheticProfile;
        LaunchRef(SyntheticProfile& owner, std::size_t row) : m_owner(&owner), m_row(row) {}
        SyntheticProfile* m_owner;
        std::size_t m_row;
    };

    /// The counters per instruction of a launch. Functions return it again, for chaining.
    /// Instructions are in the order of the calls, 16 bytes each.
    class SourceRef {
    public:
        /// `file` may be new; with line 0 or an empty file the instruction is not mapped.
        SourceRef& instruction(std::string_view sass, std::string_view file = {},
                               std::uint32_t line = 0);
        /// Sets a counter of the last instruction, such as "smsp__sass_inst_executed".
        SourceRef& set(std::string_view counter, double value);
        /// Sets smsp__sass_inst_executed, with 32 threads each.
        SourceRef& executed(double warps);
        /// Sets global sectors or shared wavefronts and their ideal.
        SourceRef& sectors(double count, double ideal);
        SourceRef& wavefronts(double count, double ideal);
        /// Adds a piece of a source file.
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

    /// GPU activity in an interval as shares of the device's roofs (DRAM reads and writes are
    /// equal).
    struct Activity {
        double sms = 0, dram = 0, issue = 0, tensor = 0;
        double l2 = 0;  ///< bytes per second of sectors
    };
    /// Counters over the time of a launch, with intervals in the order of the calls.
    class OverTimeRef {
    public:
        /// Adds `count` equal intervals.
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

    /// Adds a kernel and returns its index. `registers` are per thread, `staticSharedBytes` per
    /// block. The symbol is the name.
    std::uint32_t kernel(std::string_view name, std::uint32_t registers = 32,
                         std::uint32_t staticSharedBytes = 0);
    LaunchRef launch(std::uint32_t kernel, Dim3 grid, Dim3 block);
    /// Starts the source pass of a launch.
    SourceRef sourcePass(LaunchRef launch);
    /// Starts the counters over the time of a launch, in intervals of this length.
    OverTimeRef overTime(LaunchRef launch, double microseconds);
    /// Adds another device and returns its index.
    std::uint32_t addDevice(Device device);
    SyntheticProfile& issue(Severity severity, std::string_view code, std::string_view message,
                            std::string_view advice = {});

    /// The profile so far, for fields without a function here.
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
