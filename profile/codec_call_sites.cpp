// SPDX-License-Identifier: Apache-2.0
#include "profile/codec_call_sites.h"

namespace roofscope {

void writeCallSite(json::Writer& w, const CallSite& site) {
    w.field("kernel", site.kernel);
    if (!site.kernel) w.field("call", site.call);
    if (!site.file.empty()) w.field("file", site.file);
    if (site.line > 0) w.field("line", site.line);
    if (!site.function.empty()) w.field("function", site.function);
    if (!site.module.empty()) {
        w.field("module", site.module);
        w.field("offset", site.offset);
    }
    if (site.indirect) w.field("indirect", true);
    if (!site.op.empty()) w.field("operator", site.op);
    if (!site.sizes.empty()) w.field("sizes", site.sizes);
    if (!site.backward.empty()) w.field("backward", site.backward);
    if (!site.forward.file.empty()) {
        w.key("forward");
        w.open('{');
        w.field("file", site.forward.file);
        if (site.forward.line > 0) w.field("line", site.forward.line);
        if (!site.forward.function.empty()) w.field("function", site.forward.function);
        w.close('}');
    }
    if (!site.hostCopies.empty()) {
        w.key("host_copies");
        w.open('[');
        for (const HostCopies& copies : site.hostCopies) {
            w.open('{');
            w.field("bytes", copies.bytes);
            w.field("copies", copies.copies);
            w.field("read", copies.read);
            w.field("repeated", copies.repeated);
            w.field("distinct", copies.distinct);
            w.close('}');
        }
        w.close(']');
    }
    w.field("count", site.count);
}

CallSite readCallSite(const json::Cursor& at) {
    CallSite site;
    at.read("kernel", site.kernel);
    at.read("call", site.call);
    at.read("file", site.file);
    at.read("line", site.line);
    at.read("function", site.function);
    at.read("module", site.module);
    at.read("offset", site.offset);
    at.read("indirect", site.indirect);
    at.read("operator", site.op);
    at.read("sizes", site.sizes);
    at.read("backward", site.backward);
    if (const auto forward = at.find("forward")) {
        forward->read("file", site.forward.file);
        forward->read("line", site.forward.line);
        forward->read("function", site.forward.function);
    }
    if (const auto list = at.find("host_copies"))
        list->forEach([&](const json::Cursor& item) {
            HostCopies copies;
            item.read("bytes", copies.bytes);
            item.read("copies", copies.copies);
            item.read("read", copies.read);
            item.read("repeated", copies.repeated);
            item.read("distinct", copies.distinct);
            if (!isSound(copies)) item.fail("has numbers that do not fit each other");
            site.hostCopies.push_back(copies);
        });
    at.read("count", site.count);
    if (site.kernel.has_value() != site.call.empty()) at.fail("must have a kernel or a call");
    if (site.kernel && !site.hostCopies.empty()) at.fail("must have no copies of a kernel");
    if (site.count == 0) at.fail("must have a count of at least 1");
    return site;
}

}  // namespace roofscope
