// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "collector/configuration/run_configuration.h"
#include "collector/inject/injector.h"
#include "tests/fake_gpu/fake_context.h"
#include "tests/fake_gpu/fake_graph.h"

namespace roofscope::test {

/// A CUDA program as seen by the injected library: its driver calls arrive as callbacks, with a
/// fake driver and CUPTI. The library is attached once per process.
class FakeProgram {
public:
    struct Launch {
        const char* kernel = "";  ///< its symbol; the address is its handle
        unsigned grid = 1, block = 32;
        CUstream stream = nullptr;
        bool perThreadStream = false;  ///< by the call for which stream 0 is one per thread
        CUresult result = CUDA_SUCCESS;
        CUcontext context = kContext;
        /// What the driver does during the call.
        std::function<void()> meanwhile = {};
    };

    /// The GPU's counters; by default they cannot be read.
    struct Counters {
        bool readable = false;
        std::size_t passes = 2;   ///< of a counted launch
        bool cheapPauses = true;  ///< as under kernel replay
        std::size_t groups = 1;   ///< FakeSession's
    };

    /// Attaches the library, which uses the run configuration in `folder` and writes its spool
    /// there.
    FakeProgram(const std::filesystem::path& folder, Counters counters);

    /// Without the library, for Injector::begin().
    FakeProgram();
    /// What begin() opens if counters can be read.
    static inject::Injector::OpenCounters opener(Counters counters);

    void launch(const Launch& launch);
    /// Sets CUPTI's clock, which does not advance by itself.
    void at(std::uint64_t ns);
    /// Another driver call; returns its correlation id.
    std::uint32_t call(CUpti_CallbackId id, const std::function<void()>& meanwhile = {});
    /// Copies to the GPU (cuMemcpyHtoDAsync).
    void copyToGpu(const void* source, std::size_t bytes, CUresult result = CUDA_SUCCESS);
    /// Allocates page-locked memory of the host.
    void pin(std::size_t bytes);
    /// Reports that code was loaded, as CUPTI does during the call that loads it.
    void loadCode();
    /// The correlation id of the last launch or call.
    [[nodiscard]] std::uint32_t correlation() const { return m_correlation; }
    /// CUPTI delivers one activity record.
    template <class Record>
    void did(const Record& record) {
        handOver(&record, sizeof record);
    }
    /// Instantiates a graph. If counters are not being read at that time, its kernels never get
    /// any.
    void make(const FakeGraph& graph);
    void launch(const FakeGraph& graph);
    /// Switches a node of an instantiated graph on or off.
    void enable(FakeGraph& graph, std::size_t node, bool enabled);
    void pushRange(const std::string& name);
    void popRange();
    void beginCapture();
    void endCapture();
    void profilerStart();
    void profilerStop();
    void destroyContext();
    /// The function that CUPTI calls back; null if there is no subscriber.
    [[nodiscard]] static CUpti_CallbackFunc& subscriber();
    /// Sets how long a subscription takes from now on.
    static void keepBusy(unsigned milliseconds);
    /// Whether CUPTI was asked for the times of kernels.
    [[nodiscard]] static bool timesKernels();
    /// Called when the program ends.
    void end();

private:
    static void handOver(const void* record, std::size_t bytes);

    std::atomic<std::uint32_t> m_correlation{0};
    std::map<const FakeGraph*, bool> m_graphs;  ///< whether their kernels can be counted
};

/// CUPTI delivers the times of the last launch; `stream` is CUPTI's stream id.
void kernelRan(FakeProgram& program, std::uint64_t start, std::uint64_t end,
               std::uint32_t stream = 7);

/// Runs `program` in a child process in which the library was never attached before. False if it
/// did not finish. CUPTI's clock begins at `startsAt`; at 0 it is too early to know when the
/// process began.
[[nodiscard]] bool runFakeProgram(const RunConfiguration& configuration,
                                  const std::filesystem::path& folder,
                                  const std::function<void(FakeProgram&)>& program,
                                  FakeProgram::Counters counters = {}, std::uint64_t startsAt = 0);

}  // namespace roofscope::test
