// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/escape/escape.h"
#include "reports/gate/formats.h"
#include "reports/gate/words.h"

/// The verdict as JUnit XML, which most CI systems show: one test case per check of a kernel.
namespace roofscope {

namespace {

namespace words = gate_words;
using gate::Check;
using gate::Status;

std::string testCase(const std::string& kernel, const Check& check) {
    std::string out = fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                                  xmlText(kernel, 300), xmlText(check.id));
    if (check.status == Status::Pass) return out + "/>\n";
    const bool fail = check.status == Status::Fail;
    const char* element = fail ? "failure" : check.allowed ? "skipped" : "error";
    out += fmt::format(">\n      <{} message=\"{}\"", element, xmlText(words::check(check), 600));
    if (!check.allowed) out += fmt::format(" type=\"{}\"", gate::toString(check.status));
    return out + "/>\n    </testcase>\n";
}

}  // namespace

std::string renderGateJunit(const gate::Judgement& j, const GateOptions&) {
    const auto& c = j.count;
    std::string cases;
    std::size_t tests = 0, errors = c.incomparable;
    words::forEachCheck(j, [&](const gate::KernelGate* kernel, const Check& check) {
        cases += testCase(kernel ? words::title(*kernel) : "roofscope gate", check);
        ++tests;
    });
    if (j.status() == Status::Incomparable && errors == 0) {
        // Add an error, since readers of the file do not see the exit code.
        cases += testCase("roofscope gate", {.status = Status::Incomparable,
                                             .id = "checks",
                                             .label = Words::same(words::summary(j))});
        ++tests;
        ++errors;
    }
    const std::string numbers =
        fmt::format("name=\"roofscope gate\" tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests,
                    c.failed, errors);
    // Jenkins' schema allows "skipped" only on a suite.
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n"
        "  <testsuite {} skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
        numbers, numbers, c.allowed, cases);
}

}  // namespace roofscope
