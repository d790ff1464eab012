// SPDX-License-Identifier: Apache-2.0
#include "gui/models/text/number_text.h"

#include <limits>

#include "gui/models/files/profile_document.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;

namespace {

std::string plain(QString text) {
    return text.replace(QChar(QChar::Nbsp), QLatin1Char(' ')).toStdString();
}

}  // namespace

TEST_CASE("numbers read as in the reports") {
    CHECK(plain(text(BytesPerSecond{4.26e12})) == "4.26 TB/s");
    CHECK(plain(text(Seconds{12.34e-6})) == "12.3 µs");
    CHECK(plain(text(Ratio{0.893})) == "89.3 %");
    CHECK(plain(text(std::optional<Ratio>{})) == "–");
    CHECK(plain(text(Derived<Ratio>::of({0.5}, ""))) == "50 %");
    CHECK(plain(text(Derived<Ratio>::absent("x"))) == "–");
    CHECK(plain(text(Dim3{256, 4, 1})) == "256 × 4");
    CHECK(plain(sizeText(49152)) == "49,152 B (48 KiB)");
    CHECK(plain(sizeText(0)) == "0 B");
}

TEST_CASE("counter values are written in full") {
    CHECK(plain(text(67108864.0)) == "67,108,864");
    CHECK(plain(text(0.0)) == "0");
    CHECK(plain(text(87.912)) == "87.912");
    CHECK(plain(text(std::numeric_limits<double>::quiet_NaN())) == "–");
}

TEST_CASE("why a number is missing") {
    CHECK(howText(Derived<Ratio>::absent("a.sum")).contains("a.sum"));
    CHECK(howText(Derived<Ratio>::none()) == "not applicable");
    CHECK(howText(Derived<Ratio>::of({1}, "a / b")) == "a / b");
}

TEST_CASE("a document is called by its file name without endings") {
    ProfileDocument document;
    document.path = "/a/b/run 7.roofscope.json";
    CHECK(document.title() == "run 7");
    document.path = "/a/b/run.roofscope.json.gz";
    CHECK(document.title() == "run");
    document.path = "/a/b/other.txt";
    CHECK(document.title() == "other.txt");
}
