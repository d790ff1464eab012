// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/sessions/kept_code.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// Warp stall samples of chosen launches, per instruction, by CUPTI's PC sampling.
///
/// PC sampling excludes CUPTI's other counters in the process. It is on from the first wanted
/// launch of a context to the last. Launches between start and stop are serialised; all others run
/// at full speed. Callers serialise calls.
class SamplingSession {
public:
    /// `folder` is the spool's folder.
    SamplingSession(const CuptiApi& cupti, const DriverApi& driver, SpoolWriter& spool,
                    std::string folder, const StallsMode& mode);
    ~SamplingSession();
    SamplingSession(const SamplingSession&) = delete;
    SamplingSession& operator=(const SamplingSession&) = delete;

    /// A module was loaded (StallsMode::code).
    void moduleLoaded(const void* cubin, std::size_t bytes) { m_code.moduleLoaded(cubin, bytes); }
    /// Call it just before a wanted launch in the current context.
    void begin(CUcontext context);
    /// Call it just after that launch: waits for it and writes its samples.
    /// Does nothing without begin().
    void end(CUcontext context, std::uint64_t sequence, std::uint32_t kernel,
             const std::string& symbol);
    /// The launch failed.
    void cancel(CUcontext context);
    /// Switches sampling off in a context, which must still be alive.
    void close(CUcontext context);
    /// Forgets a context that was destroyed.
    void forget(CUcontext context);
    void closeAll();

private:
    struct Buffer;
    struct Sampled;  ///< the state of one context

    bool open(CUcontext context, Sampled& sampled);
    /// Reads the names of stall reasons. Returns CUPTI's numbers of them; none after a failure.
    std::vector<std::uint32_t> readReasons(CUcontext context, Sampled& sampled);
    bool configure(CUcontext context, Sampled& sampled, std::vector<std::uint32_t> reasons);
    bool stop(CUcontext context, Sampled& sampled);
    void handOver(CUcontext context, Sampled& sampled, std::uint64_t sequence, std::uint32_t kernel,
                  const std::string& symbol);
    /// Writes where the code of a sampled kernel is, and its lines.
    void writeCode(std::uint64_t module, const std::string& symbol, const SampleRecord& samples);
    void disable(CUcontext context, Sampled& sampled);
    void issue(Severity severity, const char* code, std::string message, std::string advice = {});
    /// Reports a failed call of CUPTI. Always false.
    bool fail(const char* function, CUptiResult result);

    const CuptiApi& m_cupti;
    const DriverApi& m_driver;
    SpoolWriter& m_spool;
    std::uint32_t m_period;
    std::size_t m_left = 0;  ///< launches that are still expected
    bool m_keepsCode;
    KeptCode m_code;
    std::map<CUcontext, std::unique_ptr<Sampled>> m_contexts;
};

}  // namespace roofscope::inject
