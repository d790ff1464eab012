// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/trace_context.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "importer/traces/python_frames.h"

namespace roofscope::traces {
namespace {

constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
constexpr std::size_t kDeepestRange = 32, kMostPaths = 100'000, kMostPathBytes = 64U << 20;

/// An open operator, range or function, including the context of its callers.
struct Open {
    Nanoseconds end = 0;
    CallContext context;
    std::size_t depth = 0;  ///< number of open ranges
    bool engine = false;    ///< autograd's engine: the operator inside is its backward function
};

class Contexts {
public:
    explicit Contexts(TraceRows& rows) : m_rows(rows) {}

    TraceContexts run() {
        const std::size_t threads = m_rows.threads.size();
        m_found.ofCall.resize(m_rows.calls.size());
        m_found.helper.assign(threads, true);
        m_engines.assign(threads, false);
        std::ranges::sort(m_rows.frames, {}, [](const FrameRow& frame) {
            return std::tuple(frame.thread, frame.time.start, -frame.time.end, frame.kind);
        });
        std::vector<std::vector<std::uint32_t>> calls(threads);
        for (std::uint32_t i = 0; i < m_rows.calls.size(); ++i)
            calls[m_rows.calls[i].thread].push_back(i);
        chooseMain();
        std::size_t from = 0;
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            std::size_t to = from;
            while (to < m_rows.frames.size() && m_rows.frames[to].thread == thread) ++to;
            std::ranges::sort(calls[thread], {},
                              [&](std::uint32_t call) { return m_rows.calls[call].time.start; });
            go(thread, from, to, calls[thread]);
            from = to;
        }
        for (const RangeRow& range : m_found.ranges)
            if (!m_engines[range.thread]) m_found.helper[range.thread] = false;
        lookAtMain();
        return std::move(m_found);
    }

private:
    /// The main thread is the one with the most Python functions. autograd's threads have none.
    void chooseMain() {
        std::vector<std::size_t> functions(m_rows.threads.size(), 0);
        for (const FrameRow& frame : m_rows.frames)
            if (frame.kind == FrameRow::Kind::Python) ++functions[frame.thread];
        const auto most = std::ranges::max_element(functions);
        if (most != functions.end() && *most > 0)
            m_main = static_cast<std::uint32_t>(most - functions.begin());
    }

    void go(std::uint32_t thread, std::size_t from, std::size_t to,
            const std::vector<std::uint32_t>& calls) {
        std::vector<Open> open;
        auto call = calls.begin();
        const bool isMain = thread == m_main;
        const auto closeUntil = [&](Nanoseconds at) {
            while (!open.empty() && open.back().end <= at) {
                const Nanoseconds ended = open.back().end;
                open.pop_back();
                if (isMain) noteMain(ended, open.empty() ? 0 : open.back().context.python);
            }
        };
        const auto callsUntil = [&](Nanoseconds at) {
            for (; call != calls.end() && m_rows.calls[*call].time.start < at; ++call) {
                closeUntil(m_rows.calls[*call].time.start);
                if (!open.empty()) m_found.ofCall[*call] = open.back().context;
            }
        };
        for (std::size_t i = from; i < to; ++i) {
            const FrameRow& frame = m_rows.frames[i];
            callsUntil(frame.time.start);
            closeUntil(frame.time.start);
            open.push_back(entered(frame, open.empty() ? Open{} : open.back()));
            if (isMain && frame.kind == FrameRow::Kind::Python)
                noteMain(frame.time.start, open.back().context.python);
        }
        callsUntil(std::numeric_limits<Nanoseconds>::max());
        closeUntil(std::numeric_limits<Nanoseconds>::max());
    }

    Open entered(const FrameRow& frame, const Open& outer) {
        Open inner = outer;
        inner.end = frame.time.end;
        inner.engine = false;
        switch (frame.kind) {
            case FrameRow::Kind::Operator: {
                const std::string& name = m_rows.names[frame.name];
                if (name.starts_with(kEngine)) {
                    m_engines[frame.thread] = true;
                    inner.engine = true;
                    inner.context.op = inner.context.sizes = inner.context.backward = 0;
                } else if (outer.engine) {
                    inner.context.backward = frame.name;
                } else {
                    inner.context.op = frame.name;
                    inner.context.sizes = inner.context.backward == 0 ? frame.sizes : 0;
                }
                return inner;
            }
            case FrameRow::Kind::Range:
                return rangeEntered(frame, std::move(inner));
            case FrameRow::Kind::Python:
                if (isOwn(frame.name)) inner.context.python = frame.name;
                return inner;
        }
        return inner;
    }

    Open rangeEntered(const FrameRow& frame, Open inner) {
        if (inner.depth == kDeepestRange) {
            ++m_found.rangesLeftOut;
            return inner;
        }
        const std::uint32_t plain = m_rows.names.numberOf(rangeName(m_rows.names[frame.name]));
        const auto known = m_paths.find({inner.context.path, plain});
        if (known == m_paths.end() &&
            (m_found.paths.size() >= kMostPaths || m_pathBytes >= kMostPathBytes)) {
            ++m_found.rangesLeftOut;
            return inner;
        }
        std::uint32_t path = 0;
        if (known != m_paths.end()) {
            path = known->second;
        } else {
            path = static_cast<std::uint32_t>(m_found.paths.size());
            m_paths.emplace(std::pair(inner.context.path, plain), path);
            const std::string outer = inner.context.path == kNoPath
                                          ? std::string()
                                          : m_found.paths[inner.context.path] + " > ";
            m_found.paths.push_back(outer + m_rows.names[plain]);
            m_pathBytes += m_found.paths.back().size();
        }
        ++inner.depth;
        inner.context.path = path;
        m_found.ranges.push_back({.path = path, .thread = frame.thread, .time = frame.time});
        return inner;
    }

    bool isOwn(std::uint32_t name) {
        enum : std::uint8_t { Unknown, Foreign, Own };
        if (name >= m_own.size()) m_own.resize(m_rows.names.size(), Unknown);
        if (m_own[name] == Unknown) m_own[name] = ownFrame(m_rows.names[name]) ? Own : Foreign;
        return m_own[name] == Own;
    }

    /// From `at` on, the main thread is in this function.
    void noteMain(Nanoseconds at, std::uint32_t python) {
        if (!m_mainRuns.empty() && m_mainRuns.back().second == python) return;
        if (!m_mainRuns.empty() && m_mainRuns.back().first == at)
            m_mainRuns.back().second = python;
        else
            m_mainRuns.emplace_back(at, python);
    }

    /// Autograd runs backward functions on another thread. They belong to the line in which the
    /// main thread is waiting.
    void lookAtMain() {
        if (m_mainRuns.empty()) return;
        for (std::size_t i = 0; i < m_rows.calls.size(); ++i) {
            CallContext& context = m_found.ofCall[i];
            const CallRow& call = m_rows.calls[i];
            if (context.python != 0 || call.thread == m_main || context.backward == 0) continue;
            const auto after = std::ranges::upper_bound(
                m_mainRuns, call.time.start, {}, &std::pair<Nanoseconds, std::uint32_t>::first);
            if (after == m_mainRuns.begin()) continue;
            context.python = std::prev(after)->second;
            context.indirect = context.python != 0;
        }
    }

    TraceRows& m_rows;
    TraceContexts m_found;
    std::vector<bool> m_engines;  ///< by thread: whether it runs autograd's engine
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> m_paths;
    std::size_t m_pathBytes = 0;
    std::vector<std::uint8_t> m_own;  ///< by text number: whether the function is the program's own
    std::uint32_t m_main = 0xFFFF'FFFF;
    std::vector<std::pair<Nanoseconds, std::uint32_t>> m_mainRuns;
};

}  // namespace

std::string rangeName(std::string_view name) {
    constexpr std::string_view kStep = "ProfilerStep#";
    std::string plain(name.starts_with(kStep) ? name.substr(0, kStep.size() - 1) : name);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const bool spaceBefore = i == 0 || plain[i - 1] == ' ';
        const bool spaceBehind = i + 1 == plain.size() || plain[i + 1] == ' ';
        if (plain[i] == '>' && spaceBefore && spaceBehind) plain[i] = '/';
    }
    return plain;
}

TraceContexts contextsOf(TraceRows& rows) { return Contexts(rows).run(); }

}  // namespace roofscope::traces
