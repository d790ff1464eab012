// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/compare/words.h"
#include "reports/escape.h"
#include "reports/gate/formats.h"
#include "reports/terminal_text.h"

/// The verdict for a terminal or a log: the verdict first, then what it rests on.
namespace roofscope {

namespace {

namespace words = gate_words;
using gate::Check;
using gate::Status;

class Writer {
public:
    Writer(const gate::Judgement& j, const GateOptions& options)
        : m_j(j), m_options(options), m_w(wordingOf(options.language)) {}

    std::string run() {
        line(paint(m_j.status(), words::verdict(m_j.status(), m_w)) + m_w.common.colon +
             words::summary(m_j, m_w));
        for (const Remark& note : m_j.notes)
            line(m_w.text.note + compare_words::sentence(note, m_w.language));
        for (const gate::KernelGate& kernel : m_j.kernels) {
            const bool quiet =
                std::all_of(kernel.checks.begin(), kernel.checks.end(), words::quiet);
            if (quiet && kernel.notes.empty()) continue;
            line("");
            // A line that a name begins could be a command ("::add-mask::…") to whoever reads the
            // log.
            line(m_w.gate.kernel + " " + words::title(kernel, m_w));
            for (const Check& c : kernel.checks) check(c);
            for (const Remark& note : kernel.notes)
                line("  " + fitWidth(m_w.gate.note, 12) + "  " +
                     compare_words::sentence(note, m_w.language));
        }
        if (!m_j.checks.empty()) line("");
        for (const Check& c : m_j.checks) check(c);
        if (const std::string advice = words::advice(m_j, m_w); !advice.empty()) {
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
        const GateWords& g = m_w.gate;
        const Label& word = c.allowed                  ? g.allowed
                            : c.improved               ? g.better
                            : c.status == Status::Fail ? g.fail
                                                       : g.incomparable;
        line("  " + paint(c.allowed ? Status::Pass : c.status, fitWidth(word, 12)) + "  " +
             words::check(c, m_w));
    }

    const gate::Judgement& m_j;
    const GateOptions& m_options;
    const Wording& m_w;
    std::string m_out;
};

}  // namespace

std::string renderGateText(const gate::Judgement& j, const GateOptions& options) {
    return Writer(j, options).run();
}

}  // namespace roofscope
