// SPDX-License-Identifier: Apache-2.0
#include "profile/codec/codec_call_sites.h"

#include <optional>
#include <string_view>
#include <vector>

#include "profile/codec/codec_record.h"

namespace roofscope {

namespace {

/// All fields except the forward line, the host copies and the count.
void siteFields(auto record, auto& site) {
    record("kernel", site.kernel);
    record.when(!site.kernel, "call", site.call);
    record.ifAny("file", site.file);
    record.ifAny("line", site.line);
    record.ifAny("function", site.function);
    record.ifAny("module", site.module);
    record.when(!site.module.empty(), "offset", site.offset);
    record.ifAny("indirect", site.indirect);
    record.ifAny("operator", site.op);
    record.ifAny("sizes", site.sizes);
    record.ifAny("backward", site.backward);
}

void lineFields(auto record, auto& line) {
    record("file", line.file);
    record.ifAny("line", line.line);
    record.ifAny("function", line.function);
}

void writeExtents(json::Writer& w, std::string_view key, const Dim3& extents) {
    w.key(key);
    w.open('[');
    for (const std::uint32_t extent : {extents.x, extents.y, extents.z})
        w.value(static_cast<double>(extent));
    w.close(']');
}

/// Nullopt if there is no such key.
std::optional<Dim3> readExtents(const json::Cursor& at, std::string_view key) {
    const auto array = at.find(key);
    if (!array) return std::nullopt;
    std::vector<std::uint32_t> extents;
    array->forEach(
        [&](const json::Cursor& item) { extents.push_back(item.integer<std::uint32_t>()); });
    if (extents.size() != 3) array->fail("must be [x, y, z]");
    return Dim3{.x = extents[0], .y = extents[1], .z = extents[2]};
}

void copiesFields(auto record, auto& copies) {
    record("bytes", copies.bytes);
    record("copies", copies.copies);
    record("read", copies.read);
    record("repeated", copies.repeated);
    record("distinct", copies.distinct);
    record.ifAny("in_turn", copies.inTurn);
}

}  // namespace

void writeCallSite(json::Writer& w, const CallSite& site) {
    siteFields(RecordWriter(w), site);
    if (site.shape) {
        writeExtents(w, "grid", site.shape->grid);
        writeExtents(w, "block", site.shape->block);
    }
    if (!site.forward.file.empty()) {
        w.key("forward");
        w.open('{');
        lineFields(RecordWriter(w), site.forward);
        w.close('}');
    }
    if (!site.hostCopies.empty())
        writeList(
            w, "host_copies", site.hostCopies,
            [](json::Writer& writer, const HostCopies& copies) {
                copiesFields(RecordWriter(writer), copies);
            },
            false);
    w.field("count", site.count);
}

CallSite readCallSite(const json::Cursor& at) {
    CallSite site;
    siteFields(RecordReader(at), site);
    const auto grid = readExtents(at, "grid"), block = readExtents(at, "block");
    if (grid.has_value() != block.has_value()) at.fail("must have a grid and a block, or neither");
    if (grid && !site.kernel) at.fail("must not have a grid without a kernel");
    if (grid) site.shape = {.grid = *grid, .block = *block};
    if (const auto forward = at.find("forward")) lineFields(RecordReader(*forward), site.forward);
    site.hostCopies = readList<HostCopies>(at, "host_copies", [](const json::Cursor& item) {
        HostCopies copies;
        copiesFields(RecordReader(item), copies);
        if (!isConsistent(copies)) item.fail("has inconsistent numbers");
        return copies;
    });
    at.read("count", site.count);
    if (site.kernel.has_value() != site.call.empty()) at.fail("must have a kernel or a call");
    if (site.kernel && !site.hostCopies.empty()) at.fail("must not have host copies for a kernel");
    if (site.count == 0) at.fail("must have a count of at least 1");
    return site;
}

}  // namespace roofscope
