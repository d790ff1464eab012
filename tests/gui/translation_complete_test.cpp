// SPDX-License-Identifier: Apache-2.0
// Every text of the desktop program can be translated. Skipped (77) without lupdate.
#include <QFile>
#include <iostream>

#include "tests/gui/run_program.h"
#include "tests/gui/ts_file.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope::test;

TEST_CASE("every text of the window can be translated; those without translation are listed") {
    const QString lupdate = QStringLiteral(ROOFSCOPE_LUPDATE);
    if (lupdate.isEmpty()) SKIP_CASE("Qt's lupdate is not installed (qt6-l10n-tools)");
    const TemporaryFolder folder;
    const QString source = QStringLiteral(ROOFSCOPE_SOURCE_DIR);
    const QString ts = QString::fromStdString(folder.file("roofscope_zh_CN.ts").string());
    REQUIRE(QFile::copy(source + QStringLiteral("/gui/app/share/roofscope_zh_CN.ts"), ts));
    QFile::setPermissions(ts, QFile::ReadOwner | QFile::WriteOwner);
    const auto run =
        runProgram(lupdate, {"-locations", "none", "-I", source, source + "/gui", "-ts", ts});
    INFO(run.error.toStdString());
    REQUIRE(run.code == 0);
    // tr() outside a class that lupdate knows: extraction and look-up would use different contexts.
    CHECK_FALSE(run.error.contains("lacks Q_OBJECT"));
    CHECK_FALSE(run.error.contains("unknown namespace/class"));
    CHECK_FALSE(run.error.contains("cannot be called without context"));
    QString error;
    const std::vector<TsText> texts = readTs(ts, &error);
    CHECK(error.toStdString() == "");
    CHECK(texts.size() > 200);
    for (const TsText& text : texts) {
        INFO("a dead text, ./dev translations takes it out: " << text.context.toStdString() << ": "
                                                              << text.source.toStdString());
        CHECK(text.type != QStringLiteral("vanished"));
        CHECK(text.type != QStringLiteral("obsolete"));
        if (!text.finished())
            std::cout << "shown in English, not translated: " << text.context.toStdString() << ": "
                      << text.source.toStdString() << "\n";
    }
}
