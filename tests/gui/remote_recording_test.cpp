// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/remote_recording.h"

#include <QDir>
#include <QSignalSpy>
#include <QStandardPaths>

#include "gui/models/recording/recording_process.h"
#include "gui/models/recording/shell_words.h"
#include "tests/gui/core_app.h"
#include "tests/gui/fake_roofscope.h"
#include "tests/gui/fake_ssh.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;
using Kind = RecordingOutcome::Kind;

namespace {

RecordingRequest remoteRequest(const char* behaviour = "whole") {
    RecordingRequest request;
    request.host = QStringLiteral("me@gpu1");
    request.program = QStringLiteral("./my app");
    request.mark = QStringLiteral("1a2b");
    request.environment = QStringLiteral("FAKE=%1").arg(QLatin1String(behaviour));
    return request;
}

/// A recording on the fake remote machine, until it ends or until `until`.
struct Remote {
    FakeRoofscope fake;
    FakeSsh ssh{fake.folder()};
    TemporaryFolder here;
    RecordingProcess process;
    QSignalSpy ended{&process, &RecordingProcess::finished};
    QString output = QString::fromStdString(here.file("got.roofscope.json").string());

    Remote() {
        coreApp();
        std::ofstream(fake.in("profile").toStdString()) << "profile";
    }
    void start(RecordingRequest request) {
        request.environment += QStringLiteral("\nPROFILE=") + fake.in("profile");
        request.output = output;
        const auto command = recordingCommand(request, QString());
        if (!command) FAIL(command.error().message());
        process.start(*command);
    }
    RecordingOutcome outcome() {
        REQUIRE(waitFor([&] { return ended.count() > 0; }, 30000));
        return ended[0][0].value<RecordingOutcome>();
    }
    std::size_t filesHere() const {
        const std::filesystem::directory_iterator files(here.path());
        return std::size_t(std::distance(begin(files), end(files)));
    }
};

}  // namespace

TEST_CASE("a host name is one word and never an option of ssh") {
    for (const char* good : {"gpu1", "me@gpu-1.example.org", "10.0.0.7", "_x"}) {
        INFO(good);
        CHECK(checkHost(QLatin1String(good)));
    }
    for (const char* bad :
         {"", "-oProxyCommand=touch pwned", "-", "a b", "a;b", "$(a)", "a\n", "a/b", "'a'", "@a"}) {
        INFO(bad);
        CHECK_FALSE(checkHost(QLatin1String(bad)));
    }
    CHECK_FALSE(checkHost(QStringLiteral("gpü1")));
    RecordingRequest request = remoteRequest();
    request.host = QStringLiteral("-oProxyCommand=touch pwned");
    CHECK_FALSE(recordingCommand(request, QString()));
}

TEST_CASE("the command for another machine is ssh's, with the profile's way back") {
    const FakeSsh ssh;
    RecordingRequest request = remoteRequest();
    request.folder = QStringLiteral("~/my work");
    request.arguments = QStringLiteral("--size '4 096'");
    request.output = QStringLiteral("/tmp/got.roofscope.json");
    const auto command = recordingCommand(request, QString());
    REQUIRE(command);
    CHECK(command->executable.endsWith("/ssh"));
    const QString line = QStringLiteral(
        "cd -- ~/'my work' && FAKE=whole roofscope record --out "
        "'./my app-1a2b.roofscope.json' -- './my app' --size '4 096'");
    CHECK(command->arguments == QStringList{"-tt", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15",
                                            "--", "me@gpu1", line});
    CHECK(command->remote.fetch ==
          QStringList{"-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "--", "me@gpu1",
                      "cd -- ~/'my work' && cat './my app-1a2b.roofscope.json'"});
    const auto words = splitWords(command->text());  // as a shell splits the copied command
    REQUIRE(words);
    CHECK(words->contains(line + ';'));
    CHECK(words->mid(words->size() - 2) == QStringList{">", "/tmp/got.roofscope.json"});
    CHECK(command->text() == command->textForOtherMachine());
}

TEST_CASE("whatever the arguments are, the program there gets them as they are") {
    Remote f;
    const QStringList hostile{"; touch pwned",
                              "$(touch pwned)",
                              "`touch pwned`",
                              "'; touch pwned; '",
                              QStringLiteral("\x01\\'; touch pwned; \\'"),
                              "a\nb",
                              "",
                              "*",
                              "-rf",
                              "~",
                              "\"${HOME}\"",
                              "\\",
                              "Ä\u202E"};
    RecordingRequest request = remoteRequest();
    QStringList quoted;
    for (const QString& word : hostile) quoted << posixQuoted(word);
    request.arguments = quoted.join(QLatin1Char(' '));
    request.environment += QStringLiteral("\nEVIL='; touch pwned; '$(touch pwned)");
    request.kernel = QStringLiteral("a'; touch pwned; '");
    f.start(request);
    CHECK(f.outcome().kind == Kind::Done);
    CHECK_FALSE(f.ssh.has("pwned"));
    CHECK_FALSE(QFile::exists("pwned"));
    const QString got = QString::fromStdString(f.ssh.text("args.txt"));
    INFO(got.toStdString());
    CHECK(got.endsWith(QStringLiteral("--\n./my app\n") + hostile.join(QLatin1Char('\n')) +
                       QLatin1Char('\n')));
}

TEST_CASE("a recording on another machine is fetched, and stays there, too") {
    Remote f;
    f.start(remoteRequest());
    const RecordingOutcome outcome = f.outcome();
    INFO(outcome.message.toStdString());
    CHECK(outcome.kind == Kind::Done);
    CHECK(outcome.written);
    CHECK(outcome.output == f.output);
    CHECK(readText(f.output.toStdString()) == "profile");
    CHECK(f.filesHere() == 1);
    CHECK(f.ssh.has("my app-1a2b.roofscope.json"));
    CHECK(outcome.message.contains("my app-1a2b.roofscope.json"));
    QStringList shown;
    for (const QString& line : f.process.output().takeLines()) shown << line;
    CHECK(shown.contains("red and plain"));
}

TEST_CASE("what is missing for a recording on another machine is said, and nothing is left") {
    SECTION("the machine does not answer") {
        Remote f;
        FakeSsh::goDown();
        f.start(remoteRequest());
        const RecordingOutcome outcome = f.outcome();
        CHECK(outcome.kind == Kind::NotStarted);
        CHECK(outcome.message.contains("me@gpu1"));
        CHECK(outcome.message.contains("Connection refused"));
        CHECK(f.filesHere() == 0);
    }
    SECTION("it has no roofscope") {
        Remote f;
        const FakeSsh bare;
        f.start(remoteRequest());
        const RecordingOutcome outcome = f.outcome();
        CHECK(outcome.kind == Kind::NotStarted);
        CHECK(outcome.message.contains("not in the PATH"));
        CHECK(f.filesHere() == 0);
    }
    SECTION("nothing was measured") {
        Remote f;
        f.start(remoteRequest("nothing"));
        const RecordingOutcome outcome = f.outcome();
        CHECK(outcome.kind == Kind::Nothing);
        CHECK_FALSE(outcome.written);
        CHECK(outcome.message.contains("could not be fetched from me@gpu1"));
        CHECK(f.filesHere() == 0);
    }
    SECTION("an old profile here is not taken for this recording's") {
        Remote f;
        std::ofstream(f.output.toStdString()) << "old";
        f.start(remoteRequest("nothing"));
        CHECK_FALSE(f.outcome().written);
        CHECK(readText(f.output.toStdString()) == "old");
    }
}

TEST_CASE("a cancelled recording on another machine is interrupted there, and fetched") {
    if (QStandardPaths::findExecutable("python3").isEmpty())
        SKIP_CASE("python3, which plays the terminal of ssh, is not installed");
    Remote f;
    f.ssh.giveTerminals();
    f.start(remoteRequest("polite"));
    REQUIRE(waitFor([&] { return f.ssh.has("started"); }));
    f.process.cancel();
    const RecordingOutcome outcome = f.outcome();
    INFO(outcome.message.toStdString());
    CHECK(outcome.kind == Kind::Cancelled);
    CHECK(outcome.written);
    CHECK(readText(f.output.toStdString()) == "some\n");
}
