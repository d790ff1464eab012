// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/calls/copied_contents.h"
#include "collector/inject/calls/followed_calls.h"
#include "collector/inject/launches/stream_captures.h"
#include "collector/inject/python/call_sites.h"
#include "collector/inject/python/operators.h"

namespace roofscope::inject {

/// Records from which lines the program launches kernels and calls CUDA, and which copies to the
/// GPU repeat earlier contents. Thread-safe.
class CallSiteLog {
public:
    /// Whether the program was started to be recorded (IsRecorded) or was already running
    /// (IsRunning). In the latter case its lines are read from its frames, and the contents of
    /// copies are not examined.
    enum class Program { IsRecorded, IsRunning };

    CallSiteLog(const DriverApi& driver, SpoolWriter& spool, const StreamCaptures& captures,
                Program program = Program::IsRecorded)
        : m_captures(captures),
          m_program(program),
          m_sites(spool, program == Program::IsRecorded ? CallSites::Lines::Followed
                                                        : CallSites::Lines::InFrames),
          m_contents(driver) {}

    /// The calling thread launches this kernel (id in the spool).
    void launched(std::uint32_t kernel, const LaunchShape& shape) {
        if (!operators::searches()) m_sites.launched(kernel, shape);
    }
    /// A followed call begins or returns.
    void called(const FollowedCall& call, CUpti_CallbackId id, const CUpti_CallbackData& data);
    /// Writes everything, once.
    void finish() { m_sites.finish(); }

private:
    void noteCopy(const FollowedCall& call, const CUpti_CallbackData& data);

    const StreamCaptures& m_captures;
    Program m_program;
    CallSites m_sites;
    CopiedContents m_contents;
};

}  // namespace roofscope::inject
