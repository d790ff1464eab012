// SPDX-License-Identifier: Apache-2.0
#include "reports/program/range_document.h"

#include "reports/document/markdown_writer.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/synthetic_program.h"
#include "tests/support/text.h"

using namespace roofscope;

namespace {

std::shared_ptr<const Analysis> twoSteps(std::string_view kernel) {
    test::SyntheticProgram p;
    for (int i = 0; i < 2; ++i)
        p.copy(TransferKind::DeviceToHost, MemoryKind::Pinned, 1e6, 80)
            .launch(kernel, 500)
            .sync()
            .work(400);
    return std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build())));
}

using test::has;

}  // namespace

TEST_CASE("moments have all of their digits") {
    CHECK(momentText(0) == "0.000000000 s");
    CHECK(momentText(2'341'567'890) == "2.341567890 s");
    CHECK(momentText(-1'500'000'001) == "-1.500000001 s");
    CHECK(momentText(-7) == "-0.000000007 s");
}

TEST_CASE("a range's document has its account, kernels and copies, and escapes names") {
    const auto analysis = twoSteps("evil<b>|`x`");
    const RangeAccounts accounts(analysis);
    const std::string text = doc::toMarkdown(
        rangeDocument(*analysis, accounts.of({0, 600'000}), "repeat 1 of 2", Language::En));
    CHECK(has(text, "600 µs of the timeline"));
    CHECK(has(text, "From 0.000000000 s to 0.000600000 s"));
    CHECK(has(text, "repeat 1 of 2"));
    CHECK(has(text, "| kernels | "));
    CHECK(has(text, "500 µs | 100 % | 1 |"));
    CHECK_FALSE(has(text, "|`x`|"));
    CHECK_FALSE(has(text, "<b>\n"));
    const std::string copied = doc::toMarkdown(
        rangeDocument(*analysis, accounts.of({-200'000, 1'500'000}), "", Language::En));
    CHECK(has(copied, "copies to the host: 2 with 2.00 MB, 160 µs"));
}

TEST_CASE(
    "a kernel that runs over the start of a range has begun before, not been launched 0 times") {
    const auto analysis = twoSteps("k");
    const RangeAccounts accounts(analysis);
    const std::string text = doc::toMarkdown(
        rangeDocument(*analysis, accounts.of({100'000, 200'000}), "", Language::En));
    CHECK(has(text, "100 µs | 100 % | began before |"));
}

TEST_CASE("few samples of the CPU are counted, not given as shares") {
    const auto analysis = twoSteps("k");
    RangeAccount account = RangeAccounts(analysis).of({0, 800'000});
    account.hostFunctions = {{.function = "augment", .place = "train.py:12", .share = {2.0 / 3}},
                             {.function = "load", .share = {1.0 / 3}}};
    account.hostSamples = 9;
    const std::string few = doc::toMarkdown(rangeDocument(*analysis, account, "", Language::En));
    CHECK(has(few, "9 samples of the CPU during the GPU's idle time for host work"));
    CHECK(has(few, "train.py:12 6"));
    account.hostSamples = 90;
    const std::string many = doc::toMarkdown(rangeDocument(*analysis, account, "", Language::En));
    CHECK(has(many, "train.py:12 66.7 %"));
    CHECK_FALSE(has(many, "9 samples"));
}

TEST_CASE("a range without anything is told without tables of nothing") {
    const auto analysis = twoSteps("k");
    const RangeAccounts accounts(analysis);
    const std::string text = doc::toMarkdown(
        rangeDocument(*analysis, accounts.of({9'000'000'000, 9'000'001'000}), "", Language::En));
    CHECK_FALSE(has(text, "## "));
}
