// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roofscope::test {

/// Writes traces as PyTorch's profiler does. They are synthetic: nobody measured these times.
/// Times are microseconds as text, so that tests say exactly what is written.
class TraceText {
public:
    static constexpr const char* kBase = "1700000000000000000";

    TraceText& event(std::string text) {
        m_events.push_back(std::move(text));
        return *this;
    }
    TraceText& onGpu(const std::string& category, const std::string& name, const std::string& start,
                     const std::string& duration, const std::string& arguments) {
        return event(R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name +
                     R"(", "pid": 0, "tid": 7, "ts": )" + start + R"(, "dur": )" + duration +
                     R"(, "args": {"device": 0, "context": 1, "stream": 7, )" + arguments + "}}");
    }
    TraceText& kernel(const std::string& name, const std::string& start,
                      const std::string& duration, int correlation) {
        return onGpu("kernel", name, start, duration,
                     R"("correlation": )" + std::to_string(correlation) +
                         R"(, "registers per thread": 40, "shared memory": 1024,)"
                         R"( "grid": [64, 2, 1], "block": [128, 1, 1])");
    }
    TraceText& copy(const std::string& name, const std::string& start, const std::string& duration,
                    int bytes, int correlation) {
        return onGpu("gpu_memcpy", name, start, duration,
                     R"("bytes": )" + std::to_string(bytes) + R"(, "correlation": )" +
                         std::to_string(correlation));
    }
    TraceText& onCpu(const std::string& category, const std::string& name, const std::string& start,
                     const std::string& duration, const std::string& arguments = "",
                     int thread = 100) {
        return event(R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name +
                     R"(", "pid": 100, "tid": )" + std::to_string(thread) + R"(, "ts": )" + start +
                     R"(, "dur": )" + duration + R"(, "args": {)" + arguments + "}}");
    }
    TraceText& call(const std::string& name, const std::string& start, const std::string& duration,
                    int correlation, int thread = 100) {
        return onCpu("cuda_runtime", name, start, duration,
                     R"("cbid": 211, "correlation": )" + std::to_string(correlation), thread);
    }
    /// Further members beside the events, each followed by a comma.
    TraceText& member(const std::string& text) {
        m_members += text;
        return *this;
    }

    [[nodiscard]] std::string text() const {
        std::string all = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0,)"
                          R"( "name": "Test GPU", "totalGlobalMem": 42297524224,)"
                          R"( "computeMajor": 8, "computeMinor": 0, "maxThreadsPerBlock": 1024,)"
                          R"( "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536,)"
                          R"( "warpSize": 32, "sharedMemPerMultiprocessor": 167936,)"
                          R"( "numSms": 108}], "baseTimeNanoseconds": )";
        all += kBase;
        all += ", " + m_members + "\"traceEvents\": [";
        for (std::size_t i = 0; i < m_events.size(); ++i)
            all += (i > 0 ? ",\n" : "\n") + m_events[i];
        return all + "]}";
    }

private:
    std::string m_members;
    std::vector<std::string> m_events;
};

}  // namespace roofscope::test
