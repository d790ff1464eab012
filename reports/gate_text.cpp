// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/compare_words.h"
#include "reports/escape.h"
#include "reports/gate_formats.h"
#include "reports/terminal_text.h"

/// The verdict for a terminal or a log: the verdict first, then what it rests on.
namespace roofscope {

namespace {

namespace words = gate_words;
using gate::Check;
using gate::Status;

class Writer {
public:
    Writer(const gate::Judgement& j, const GateOptions& options) : m_j(j), m_options(options) {}

    std::string run() {
        line(paint(m_j.status(), words::verdict(m_j.status())) + ": " + words::summary(m_j));
        for (const Remark& note : m_j.notes) line("note: " + compare_words::sentence(note));
        for (const gate::KernelGate& kernel : m_j.kernels) {
            const bool quiet =
                std::all_of(kernel.checks.begin(), kernel.checks.end(), words::quiet);
            if (quiet && kernel.notes.empty()) continue;
            line("");
            // A line that a name begins could be a command ("::add-mask::…") to whoever reads the
            // log.
            line("kernel " + words::title(kernel));
            for (const Check& c : kernel.checks) check(c);
            for (const Remark& note : kernel.notes)
                line("  note          " + compare_words::sentence(note));
        }
        if (!m_j.checks.empty()) line("");
        for (const Check& c : m_j.checks) check(c);
        if (const std::string advice = words::advice(m_j); !advice.empty()) {
            line("");
            line(advice);
        }
        return std::move(m_out);
    }

private:
    void line(const std::string& text) { m_out += text + "\n"; }

    std::string paint(Status status, const std::string& text) const {
        const char* code = status == Status::Fail ? "31" : status == Status::Pass ? "32" : "33";
        return painted(code, text, m_options.colour);
    }

    void check(const Check& c) {
        if (words::quiet(c)) return;
        const std::string word = c.allowed    ? "allowed"
                                 : c.improved ? "better"
                                              : gate::toString(c.status);
        line("  " + paint(c.allowed ? Status::Pass : c.status, fitWidth(word, 12)) + "  " +
             words::check(c));
    }

    const gate::Judgement& m_j;
    const GateOptions& m_options;
    std::string m_out;
};

}  // namespace

std::string renderGateText(const gate::Judgement& j, const GateOptions& options) {
    return Writer(j, options).run();
}

}  // namespace roofscope
