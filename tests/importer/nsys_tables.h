// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/importer/sqlite_text.h"

namespace roofscope::test {

/// Databases as `nsys export --type sqlite` writes them, with the columns that are read. They are
/// synthetic: nobody measured these times. Times are nanoseconds.
class NsysTables {
public:
    using Cells = SqliteText::Cells;

    /// Serialised ids: the process above the thread.
    static std::int64_t id(std::int64_t pid, std::int64_t tid = 0) {
        return (std::int64_t{3} << 48) | (pid << 24) | tid;
    }

    std::int64_t text(const std::string& value) {
        const auto [known, isNew] = m_texts.try_emplace(value, m_texts.size() + 1);
        return static_cast<std::int64_t>(known->second);
    }
    NsysTables& call(const std::string& name, std::int64_t start, std::int64_t end, int correlation,
                     std::int64_t pid = 100, std::int64_t tid = 100) {
        m_calls.push_back({start, end, id(pid, tid), correlation, text(name)});
        return *this;
    }
    NsysTables& kernel(const std::string& name, std::int64_t start, std::int64_t end,
                       int correlation, SqliteText::Cell node = nullptr, std::int64_t pid = 100,
                       int device = 0) {
        m_kernels.push_back({start,      end,
                             device,     1,
                             7,          correlation,
                             id(pid),    text(name + "(int)"),
                             text(name), text("_Z" + name),
                             40,         64,
                             2,          1,
                             128,        1,
                             1,          256,
                             1024,       node});
        return *this;
    }
    /// `kind` as CUDA_MEMCPY_OPER, memories as CUDA_MEM_KIND.
    NsysTables& copy(int kind, int source, int target, std::int64_t start, std::int64_t end,
                     int bytes, int correlation, std::int64_t pid = 100) {
        m_copies.push_back(
            {start, end, 0, 1, 7, correlation, id(pid), bytes, kind, source, target, nullptr});
        return *this;
    }
    NsysTables& memset(std::int64_t start, std::int64_t end, int bytes, int correlation) {
        m_memsets.push_back({start, end, 0, 1, 7, correlation, id(100), bytes});
        return *this;
    }
    /// A graph that was recorded as a whole.
    NsysTables& graph(std::int64_t start, std::int64_t end, int correlation) {
        m_graphs.push_back({start, end, 0, 1, 7, correlation, id(100), 1});
        return *this;
    }
    /// An NVTX range whose text is in its own row; `type` 59 is push and pop.
    NsysTables& range(const std::string& name, std::int64_t start, SqliteText::Cell end,
                      int type = 59, std::int64_t pid = 100) {
        m_ranges.push_back({start, end, type, name, id(pid, pid), nullptr, 0});
        return *this;
    }
    NsysTables& overhead(const std::string& name, std::int64_t start, std::int64_t end,
                         std::int64_t tid = 100) {
        m_overhead.push_back({start, end, id(100, tid), text(name), 0});
        return *this;
    }

    [[nodiscard]] std::string bytes() const {
        SqliteText all;
        const auto some = [&](const char* sql, const std::vector<Cells>& rows) {
            if (!rows.empty()) all.table(sql, rows);
        };
        std::vector<Cells> texts;
        std::map<std::size_t, std::string> byNumber;
        for (const auto& [value, number] : m_texts) byNumber[number] = value;
        for (const auto& [number, value] : byNumber) texts.push_back({nullptr, value});
        all.table("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
                  texts);
        all.table("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT)",
                  {{std::int64_t{1'700'000'000'000'000'000}, "x"}});
        all.table("CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, name TEXT, value TEXT)",
                  {{0, "Hostname", "box"}, {0, "CudaDriverVersion", "12040"}});
        all.table(
            "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER, smCount "
            "INTEGER, uuid TEXT, chipName TEXT, maxWarpsPerSm INTEGER, threadsPerWarp INTEGER, "
            "maxRegistersPerSm INTEGER, computeMajor INTEGER, computeMinor INTEGER)",
            {{0, "Test GPU", std::int64_t{85'000'000'000}, 108, "0aac", "GA100", 64, 32, 65536, 8,
              0},
             {1, "Test GPU", std::int64_t{85'000'000'000}, 108, "1aac", "GA100", 64, 32, 65536, 8,
              0}});
        all.table("CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER)",
                  m_threadNames);
        some(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT "
            "NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL)",
            m_calls);
        some(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER, "
            "deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, "
            "globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER, "
            "registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX "
            "INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, "
            "dynamicSharedMemory INTEGER, graphNodeId INTEGER)",
            m_kernels);
        some(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId "
            "INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid "
            "INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER, "
            "dstDeviceId INTEGER)",
            m_copies);
        some(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId "
            "INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid "
            "INTEGER, bytes INTEGER)",
            m_memsets);
        some(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId "
            "INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid "
            "INTEGER, graphId INTEGER)",
            m_graphs);
        some(
            "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, "
            "text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER)",
            m_ranges);
        some(
            "CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, "
            "nameId INTEGER, returnValue INTEGER)",
            m_overhead);
        return all.bytes();
    }

    NsysTables& threadName(std::int64_t tid, const std::string& name) {
        m_threadNames.push_back({text(name), 0, id(100, tid)});
        return *this;
    }

private:
    std::map<std::string, std::size_t> m_texts;
    std::vector<Cells> m_calls, m_kernels, m_copies, m_memsets, m_graphs, m_ranges, m_overhead,
        m_threadNames;
};

}  // namespace roofscope::test
