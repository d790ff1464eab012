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

/// A CUDA program as the injected library sees it: calls of the driver that reach it as callbacks,
/// with stand-ins for the driver and for CUPTI. The library is attached for it, once per process.
class FakeProgram {
public:
    struct Launch {
        const char* kernel = "";  ///< its symbol; the address is its handle
        unsigned grid = 1, block = 32;
        CUstream stream = nullptr;
        bool perThreadStream = false;  ///< by the call whose stream 0 is one per thread
        CUresult result = CUDA_SUCCESS;
        CUcontext context = kContext;
        /// What the driver does within the call.
        std::function<void()> meanwhile = {};
    };

    /// What the GPU's counters are like; not to be read, by default.
    struct Counters {
        bool readable = false;
        std::size_t passes = 2;   ///< that a counted launch takes
        bool cheapPauses = true;  ///< as under kernel replay
    };

    /// Attaches the library, which follows `configuration` and writes its spool to `folder`.
    FakeProgram(const RunConfiguration& configuration, const std::filesystem::path& folder,
                Counters counters);

    /// Without the library: for Injector::begin().
    FakeProgram();
    /// What begin() is to open where counters can be read.
    static inject::Injector::OpenCounters opener(Counters counters);

    void launch(const Launch& launch);
    /// Sets the clock of CUPTI. Time does not pass by itself.
    void at(std::uint64_t ns);
    /// Another call of the driver; the result is its correlation.
    std::uint32_t call(CUpti_CallbackId id, const std::function<void()>& meanwhile = {});
    /// Copies to the GPU (cuMemcpyHtoDAsync).
    void copyToGpu(const void* source, std::size_t bytes, CUresult result = CUDA_SUCCESS);
    /// Allocates page-locked memory of the host.
    void pin(std::size_t bytes);
    /// Code was loaded, as CUPTI says within the call that did it.
    void loadCode();
    /// The correlation of the last launch or call.
    [[nodiscard]] std::uint32_t correlation() const { return m_correlation; }
    /// CUPTI hands over one record of what the GPU did.
    template <class Record>
    void did(const Record& record) {
        handOver(&record, sizeof record);
    }
    /// Instantiates a graph. Where counters are not read meanwhile, its kernels never are.
    void make(const FakeGraph& graph);
    void launch(const FakeGraph& graph);
    /// Switches a node of a graph that was made on or off.
    void enable(FakeGraph& graph, std::size_t node, bool enabled);
    void pushRange(const std::string& name);
    void popRange();
    void beginCapture();
    void endCapture();
    void profilerStart();
    void profilerStop();
    void destroyContext();
    /// What happens when the program ends.
    void end();

private:
    static void handOver(const void* record, std::size_t bytes);

    std::atomic<std::uint32_t> m_correlation{0};
    std::map<const FakeGraph*, bool> m_graphs;  ///< whether their kernels can be counted
};

/// CUPTI hands over when the last launch ran, on this stream of its numbering.
void kernelRan(FakeProgram& program, std::uint64_t start, std::uint64_t end,
               std::uint32_t stream = 7);

/// Runs `program` in a process of its own, in which the library was never attached before. False
/// when it did not get to its end.
[[nodiscard]] bool runFakeProgram(const RunConfiguration& configuration,
                                  const std::filesystem::path& folder,
                                  const std::function<void(FakeProgram&)>& program,
                                  FakeProgram::Counters counters = {});

}  // namespace roofscope::test
