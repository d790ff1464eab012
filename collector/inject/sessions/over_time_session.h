// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/plan/host_object.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// Counters of the whole GPU over the time of single launches, by CUPTI's PM sampling.
///
/// A sampled launch has the context to itself: the context is synchronised before and after.
/// Samples without a busy SM are left out. Callers serialise calls.
class OverTimeSession {
public:
    OverTimeSession(const CuptiApi& cupti, const DriverApi& driver, SpoolWriter& spool)
        : m_cupti(cupti), m_driver(driver), m_spool(spool) {}
    ~OverTimeSession() { cancel(); }
    OverTimeSession(const OverTimeSession&) = delete;
    OverTimeSession& operator=(const OverTimeSession&) = delete;

    /// Call it just before a wanted launch in the current context. `device`:
    /// CUDA's number; `interval`: ns.
    void begin(std::uint32_t device, std::uint64_t interval);
    /// Call it just after that launch: waits for it and writes what was sampled.
    /// Does nothing without begin().
    void end(std::uint64_t sequence, std::uint32_t kernel, const std::string& symbol);
    /// The launch failed, or the process is ending.
    void cancel();

private:
    /// What is read on one GPU, and how.
    struct Gpu {
        std::vector<std::uint8_t> availability;  ///< which counters it has; `host` refers to it
        HostObject host;
        std::vector<std::string> counters;
        std::vector<std::uint8_t> configuration;
    };
    struct Samples;

    /// The GPU's plan, made at the first launch; null if nothing can be sampled (reported once).
    Gpu* gpuOf(std::uint32_t device);
    [[nodiscard]] Result<Gpu> plan(std::uint32_t device) const;
    [[nodiscard]] Result<void> start(const Gpu& gpu, std::uint32_t device, std::uint64_t interval);
    [[nodiscard]] Result<Samples> stopAndRead();
    [[nodiscard]] Result<Samples> read() const;  ///< from the decoded image
    void disable();
    void tell(const Error& error);

    const CuptiApi& m_cupti;
    const DriverApi& m_driver;
    SpoolWriter& m_spool;
    std::map<std::uint32_t, std::optional<Gpu>> m_gpus;
    Gpu* m_gpu = nullptr;  ///< the GPU whose launch is being sampled
    std::uint64_t m_interval = 0;
    CUpti_PmSampling_Object* m_object = nullptr;
    std::vector<std::uint8_t> m_image;
    bool m_started = false;
};

}  // namespace roofscope::inject
