// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/escape/escape.h"
#include "reports/gate/formats.h"
#include "reports/gate/words.h"

/// The verdict as GitHub workflow commands, which its runner turns into annotations.
namespace roofscope {

namespace {

namespace words = gate_words;
using gate::Check;
using gate::Status;

std::string escaped(std::string_view text, bool property) {
    std::string out;
    for (const char c : cleanText(text, 1000)) {
        const bool special =
            c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
        out += special
                   ? fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)))
                   : std::string(1, c);
    }
    return out;
}

std::string command(const char* kind, const std::string& file, std::size_t line,
                    const std::string& title, const std::string& message) {
    std::string out = fmt::format("::{} ", kind);
    // An absolute path is on this machine, not in the repository.
    if (!file.empty() && !file.starts_with('/') && line > 0)
        out += fmt::format("file={},line={},", escaped(file, true), line);
    return out + fmt::format("title={}::{}\n", escaped(title, true), escaped(message, false));
}

}  // namespace

std::string renderGateGithub(const gate::Judgement& j, const GateOptions& options) {
    std::string out;
    words::forEachCheck(j, [&](const gate::KernelGate* kernel, const Check& check) {
        if (words::quiet(check)) return;
        const char* kind = check.status == Status::Fail                             ? "error"
                           : check.status == Status::Incomparable && !check.allowed ? "warning"
                                                                                    : "notice";
        out += command(kind, options.baselinePath, kernel ? kernel->baselineLine : 1,
                       kernel ? words::title(*kernel) : "roofscope gate", words::check(check));
    });
    const char* kind = j.status() == Status::Pass ? "notice" : "error";
    std::string text = fmt::format("{}: {}", words::verdict(j.status()), words::summary(j));
    if (const std::string advice = words::advice(j); !advice.empty()) text += ". " + advice;
    return out + command(kind, {}, 0, "roofscope gate", text);
}

}  // namespace roofscope
