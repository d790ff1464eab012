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
    at.read("count", site.count);
    if (site.kernel.has_value() != site.call.empty()) at.fail("must have a kernel or a call");
    if (site.count == 0) at.fail("must have a count of at least 1");
    return site;
}

}  // namespace roofscope
