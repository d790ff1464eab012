// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/wire_writer.h"

/// Builds the bytes of Nsight Compute reports (.ncu-rep) for tests from their contents.
namespace roofscope::test {

struct MadeLaunch {
    std::string name = "k(float *)", function = "k", mangled = "_Z1kPf";
    std::array<std::uint64_t, 3> grid{1024, 1, 1}, block{256, 2, 1};
    std::uint64_t context = 1, stream = 7, thread = 42;
    std::vector<std::pair<std::string, WireWriter>> metrics;  ///< name and value
    /// Domains of the launching thread with their open push/pop ranges, outermost first.
    std::vector<std::vector<std::string>> domains;
    WireWriter more;  ///< further fields of the result
};

struct MadeReport {
    std::uint64_t version = 7;
    std::uint64_t pid = 42;
    std::string program = "/home/somebody/app";
    std::vector<WireWriter> sessions;  ///< details, each in a block of its own
    std::vector<MadeLaunch> launches;  ///< each in a block of its own
    std::vector<std::string> sources;  ///< in a block of their own
    std::vector<std::string> ranges;   ///< results of ranges, in the blocks of all launches
};

inline WireWriter made(double value) { return std::move(WireWriter().real(3, value)); }
inline WireWriter made(float value) { return std::move(WireWriter().real32(2, value)); }
inline WireWriter made(std::uint32_t value) { return std::move(WireWriter().varint(4, value)); }
inline WireWriter made(std::uint64_t value) { return std::move(WireWriter().varint(5, value)); }
inline WireWriter made(std::string_view value) { return std::move(WireWriter().bytes(1, value)); }
inline WireWriter made(const char* value) { return made(std::string_view(value)); }

/// A message with its length in four bytes before it.
inline std::string madeSized(std::string_view message) {
    return WireWriter::littleEndian(message.size(), 4) + std::string(message);
}

inline std::string madeBeginning(std::uint64_t version = 7) {
    return std::string("NVR\0", 4) + madeSized(WireWriter().varint(1, version).text());
}

inline WireWriter madeExtents(const std::array<std::uint64_t, 3>& extents) {
    WireWriter out;
    for (std::uint32_t i = 0; i < extents.size(); ++i) out.varint(i + 1, extents[i]);
    return out;
}

inline WireWriter madeNvtx(const MadeLaunch& launch) {
    WireWriter thread, other;
    for (std::size_t i = 0; i < launch.domains.size(); ++i) {
        WireWriter domain;
        domain.varint(1, i);
        for (const std::string& range : launch.domains[i])
            domain.message(3, WireWriter().bytes(1, range).varint(3, 500));
        thread.message(2, domain);
    }
    // Fields may be in any order.
    thread.varint(1, launch.thread);
    other.varint(1, launch.thread + 1)
        .message(2, WireWriter().varint(1, 0).message(3, WireWriter().bytes(1, "elsewhere")));
    WireWriter state;
    state.message(1, WireWriter().varint(1, 0).bytes(2, "<default domain>"));
    return state.message(2, other).message(2, thread).varint(4, 0);
}

/// The bytes of the file.
inline std::string madeBytes(const MadeReport& report) {
    const auto process =
        WireWriter().varint(1, report.pid).bytes(2, "127.0.0.1").bytes(3, report.program);
    const auto block = [&process](WireWriter header, const std::string& payload) {
        header.varint(5, payload.size()).message(6, process);
        return madeSized(header.text()) + payload;
    };
    std::string file = madeBeginning(report.version);
    for (const WireWriter& session : report.sessions)
        file += block(WireWriter().varint(1, 0).message(3, session), {});
    std::string payload;
    for (const std::string& source : report.sources) payload += madeSized(source);
    if (!report.sources.empty())
        file += block(WireWriter().varint(1, report.sources.size()), payload);
    std::vector<std::string> names;
    for (const MadeLaunch& launch : report.launches) {
        WireWriter result, table;
        result.varint(1, launch.thread)
            .bytes(5, launch.mangled)
            .bytes(6, launch.function)
            .bytes(7, launch.name)
            .message(10, madeExtents(launch.grid))
            .message(11, madeExtents(launch.block));
        for (const auto& [name, value] : launch.metrics) {
            std::size_t id = 0;
            while (id < names.size() && names[id] != name) ++id;
            if (id == names.size()) {
                names.push_back(name);
                table.bytes(1, name);
            }
            result.message(13, WireWriter().varint(1, id).message(2, value));
        }
        result.message(21, madeNvtx(launch)).varint(22, launch.context).varint(23, launch.stream);
        payload = madeSized(result.raw(launch.more.text()).text());
        for (const std::string& range : report.ranges) payload += madeSized(range);
        file += block(WireWriter().varint(2, 1).message(4, table).varint(7, report.ranges.size()),
                      payload);
    }
    return file;
}

}  // namespace roofscope::test
