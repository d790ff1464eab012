// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/call_log.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <optional>

#include "collector/inject/threads/per_thread.h"

namespace roofscope::inject {
namespace {

/// The driver call that is open on the calling thread.
struct OpenCall {
    std::optional<std::uint32_t> number;  ///< number of the thread in the spool
    int depth = 0;
    std::uint64_t entered = 0;  ///< 0: the call began before recording did
    bool loadsCode = false;
};
OpenCall& openCall() { return perThread<OpenCall>(); }

/// A call that loads code has a name id of its own in the spool; these ids follow all others.
std::uint32_t nameId(const FollowedCall& call, CallKind kind) {
    return call.id + (kind == call.kind ? 0 : CUPTI_DRIVER_TRACE_CBID_SIZE);
}

}  // namespace

bool CallLog::follows(const FollowedCall& call) const {
    switch (m_detail) {
        case TimelineDetail::Off:
            return false;
        case TimelineDetail::Gpu:  // synchronous copies also wait
            return call.kind == CallKind::Wait || call.kind == CallKind::Transfer;
        case TimelineDetail::Full:
            return true;
    }
    return false;
}

std::uint64_t CallLog::now() const {
    std::uint64_t ns = 0;
    return m_cupti.GetTimestamp(&ns) == CUPTI_SUCCESS ? ns : 0;
}

std::uint32_t CallLog::thread() {
    OpenCall& open = openCall();
    if (!open.number) {
        char name[16] = {};
        pthread_getname_np(pthread_self(), name, sizeof name);
        const auto id = static_cast<pid_t>(syscall(SYS_gettid));
        open.number = addThread(id, name);
        if (m_newThread) m_newThread(*open.number, id);
    }
    return *open.number;
}

std::uint32_t CallLog::addThread(pid_t thread, const std::string& name, bool worker) {
    const std::uint32_t number = m_threads++;
    m_spool.thread(number, thread, name, worker);
    return number;
}

void CallLog::tellName(const FollowedCall& call, CallKind kind) {
    const std::uint32_t id = nameId(call, kind);
    if (m_told[id]) return;
    const std::lock_guard lock(m_namesMutex);
    if (m_told[id]) return;
    m_spool.callName(id, call.name, kind);
    m_told[id] = true;
}

void CallLog::entering() {
    OpenCall& open = openCall();
    if (open.depth++ > 0) return;
    open.entered = m_started ? now() : 0;
    open.loadsCode = false;
}

void CallLog::entered() {
    OpenCall& open = openCall();
    if (open.depth == 1 && open.entered != 0 && !open.loadsCode) open.entered = now();
}

void CallLog::left(const FollowedCall& call, std::uint32_t correlation) {
    OpenCall& open = openCall();
    if (open.depth == 0 || --open.depth > 0) return;
    if (open.entered == 0) return;
    const CallKind kind = open.loadsCode ? CallKind::Load : call.kind;
    tellName(call, kind);
    m_spool.call({.name = nameId(call, kind),
                  .thread = thread(),
                  .startNs = open.entered,
                  .endNs = now(),
                  .correlation = correlation});
}

void CallLog::codeLoaded() {
    if (OpenCall& open = openCall(); open.depth > 0) open.loadsCode = true;
}

std::uint64_t CallLog::rangeBegan(std::uint32_t range) {
    if (!m_started || !followsRanges()) return 0;
    const std::uint64_t span = ++m_spans;
    m_spool.rangeBegan({.span = span, .range = range, .thread = thread(), .atNs = now()});
    return span;
}

void CallLog::rangeEnded(std::uint64_t span) {
    if (span != 0) m_spool.rangeLeft(span, now());
}

void CallLog::profilerSwitched(bool on) {
    if (m_started) m_spool.profilerSwitched(on, now());
}

}  // namespace roofscope::inject
