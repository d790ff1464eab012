// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <csignal>

#include "gui/models/recording/recording_doctor.h"
#include "gui/models/recording/recording_output.h"
#include "gui/models/recording/recording_process.h"
#include "gui/models/recording/recording_request.h"
#include "gui/models/recording/shell_words.h"
#include "tests/gui/core_app.h"
#include "tests/gui/fake_roofscope.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;
using Kind = RecordingOutcome::Kind;

namespace {

RecordingRequest requestIn(const QString& folder) {
    RecordingRequest request;
    request.program = QStringLiteral("./my app");
    request.folder = folder;
    return request;
}

QString wrong(const RecordingRequest& request) {
    const auto command = recordingCommand(request, QStringLiteral("roofscope"));
    return command ? QString() : QString::fromStdString(command.error().message());
}

/// A recording with the fake roofscope, until it ends or until `until`.
struct Run {
    FakeRoofscope fake;
    RecordingProcess process;
    QSignalSpy ended{&process, &RecordingProcess::finished};

    explicit Run(const char* behaviour, const char* output = "out.roofscope.json") {
        coreApp();
        std::ofstream(fake.in("profile").toStdString()) << "profile";
        RecordingRequest request = requestIn(fake.folder());
        request.environment =
            QStringLiteral("FAKE=%1\nPROFILE=%2").arg(QLatin1String(behaviour), fake.in("profile"));
        request.output = QLatin1String(output);
        const auto command = recordingCommand(request, fake.path());
        REQUIRE(command);
        process.start(*command);
    }
    RecordingOutcome outcome() {
        REQUIRE(waitFor([&] { return ended.count() > 0; }, 30000));
        return ended[0][0].value<RecordingOutcome>();
    }
    void untilStarted() {
        REQUIRE(waitFor([&] { return fake.has("started"); }));
    }
};

bool alive(pid_t process) {
    // A zombie that nobody waits for counts as dead.
    const std::string status = readText("/proc/" + std::to_string(process) + "/stat");
    return kill(process, 0) == 0 && status.find(") Z") == std::string::npos;
}

}  // namespace

TEST_CASE("words are split as a shell does") {
    const auto split = [](const char* line) { return *splitWords(QString::fromUtf8(line)); };
    CHECK(split("  a  b\tc ") == QStringList{"a", "b", "c"});
    CHECK(split("'a b' \"c d\" e\\ f") == QStringList{"a b", "c d", "e f"});
    CHECK(split("x'y'\"z\"") == QStringList{"xyz"});
    CHECK(split("'' \"\"") == QStringList{"", ""});
    CHECK(split(R"("a\"b\n" 'a\b')") == QStringList{R"(a"b\n)", R"(a\b)"});
    CHECK(split("$HOME * `id` ;") == QStringList{"$HOME", "*", "`id`", ";"});
    CHECK(split("\\") == QStringList{"\\"});
    CHECK(split("").isEmpty());
    // Reports quote invisible characters this way (shellArgument), also line ends of scripts.
    CHECK(split(R"($'a\012b\047\'\\' x$'\303\244'y)") == QStringList{"a\nb''\\", "xäy"});
    CHECK(split(R"("$'a'")") == QStringList{"$'a'"});
    CHECK_FALSE(splitWords(QStringLiteral("$'a")));
    CHECK_FALSE(splitWords(QStringLiteral("$'a\\'")));
    CHECK_FALSE(splitWords(QStringLiteral("a 'b")));
    CHECK_FALSE(splitWords(QStringLiteral("\"a\\\"")));
}

TEST_CASE("the command names what differs from the defaults") {
    const TemporaryFolder folder;
    const QString here = QString::fromStdString(folder.path().string());
    RecordingRequest request = requestIn(here);
    const auto plain = recordingCommand(request, QStringLiteral("/usr/bin/roofscope"));
    REQUIRE(plain);
    CHECK(plain->arguments ==
          QStringList{"record", "--out", here + "/my app.roofscope.json", "--", "./my app"});
    CHECK(plain->folder == here);

    request.arguments = QStringLiteral("--size '4 096'");
    request.groups = QStringList{"default", "stalls"};
    request.kernel = QStringLiteral("-gemm|a b");
    request.sourceTop = 3;
    request.effort = QStringLiteral("deep");
    request.options = QStringLiteral("--nvtx 'a b'");
    request.timingRepeats = 0;
    request.output = QStringLiteral("100%.roofscope.json");
    request.environment = QStringLiteral("A=b c\n\nCUDA_VISIBLE_DEVICES=\n");
    const auto full = recordingCommand(request, QStringLiteral("/usr/bin/roofscope"));
    REQUIRE(full);
    CHECK(full->arguments == QStringList{"record", "--groups", "default,stalls", "--effort", "deep",
                                         "--kernel=-gemm|a b", "--source", "top:3",
                                         "--timing-repeats", "0", "--nvtx", "a b", "--out",
                                         here + "/100%%.roofscope.json", "--", "./my app", "--size",
                                         "4 096"});
    CHECK(full->output == here + "/100%.roofscope.json");
    CHECK(full->text() ==
          QStringLiteral(
              "cd %1 && A='b c' CUDA_VISIBLE_DEVICES='' /usr/bin/roofscope record "
              "--groups default,stalls --effort deep '--kernel=-gemm|a b' --source top:3 "
              "--timing-repeats 0 --nvtx 'a b' --out %1/100%%.roofscope.json -- './my app' --size "
              "'4 096'")
              .arg(here));
}

TEST_CASE("a command for another machine has no paths of this one") {
    RecordingRequest request;
    request.program = QStringLiteral("./app");
    request.folder = QDir::tempPath();
    request.output = QDir::temp().filePath(QStringLiteral("run.roofscope.json"));
    const auto command = recordingCommand(request, QStringLiteral("/opt/here/bin/roofscope"));
    REQUIRE(command.ok());
    CHECK(command->text().contains("/opt/here"));
    const QString elsewhere = command->textForOtherMachine();
    INFO(elsewhere.toStdString());
    CHECK(elsewhere.startsWith("roofscope record"));
    CHECK(elsewhere.contains("run.roofscope.json"));
    CHECK_FALSE(elsewhere.contains(QDir::tempPath()));
    CHECK_FALSE(elsewhere.contains("/opt/here"));
}

TEST_CASE("a profile's program is recorded again with further groups") {
    Profile profile;
    profile.capture.command = {"./app", "--size", "a b"};
    profile.capture.groups = {"default"};
    const RecordingRequest request =
        requestToRepeat(profile, QStringLiteral("/data/app.roofscope.json"),
                        {QStringLiteral("tensor"), QStringLiteral("default")});
    CHECK(request.program == "./app");
    CHECK(splitWords(request.arguments).value() ==
          QStringList{QStringLiteral("--size"), QStringLiteral("a b")});
    CHECK(request.groups == QStringList{QStringLiteral("default"), QStringLiteral("tensor")});
    CHECK(request.output == "/data/app-after.roofscope.json");
    CHECK(request.options.isEmpty());
}

TEST_CASE("a profile's program is recorded again as it was recorded, script and all") {
    const TemporaryFolder folder;
    Profile profile;
    const std::string script = "import torch\nprint('\x01')\n";
    profile.capture.command = {"python3", "-c", script};
    profile.capture.filters = {"--nvtx step one", "--kernel gemm|it's", "--device 1"};
    RecordingRequest request = requestToRepeat(profile, {}, {});
    CHECK(request.kernel == "gemm|it's");
    request.folder = QString::fromStdString(folder.path().string());
    const auto command = recordingCommand(request, QStringLiteral("roofscope"));
    REQUIRE(command);
    const QStringList& words = command->arguments;
    CHECK(words.mid(0, 6) ==
          QStringList{"record", "--kernel=gemm|it's", "--nvtx", "step one", "--device", "1"});
    CHECK(words.mid(words.size() - 3) ==
          QStringList{"python3", "-c", QString::fromStdString(script)});
}

TEST_CASE("what is wrong with a request is named by its field") {
    const TemporaryFolder folder;
    const RecordingRequest good = requestIn(QString::fromStdString(folder.path().string()));
    CHECK(wrong(good).isEmpty());
    RecordingRequest bad = good;
    bad.program = QStringLiteral("  ");
    CHECK(wrong(bad).startsWith("Program"));
    bad = good;
    bad.arguments = QStringLiteral("'open");
    CHECK(wrong(bad).startsWith("Arguments"));
    bad = good;
    bad.environment = QStringLiteral("A=1\nno equals");
    CHECK(wrong(bad).contains("no equals"));
    bad.environment = QStringLiteral("A B=1");
    CHECK(wrong(bad).startsWith("Environment"));
    bad = good;
    bad.groups.clear();
    CHECK(wrong(bad).startsWith("Counter groups"));
    bad = good;
    bad.kernel = QStringLiteral("(");
    CHECK(wrong(bad).startsWith("Kernel filter"));
    bad = good;
    for (const char* taken : {"--out /x", "-o x", "--nvtx a -- ./other", "--out=/x"}) {
        bad.options = QLatin1String(taken);
        CHECK(wrong(bad).startsWith("More options"));
    }
    bad = good;
    bad.folder += QStringLiteral("/absent");
    CHECK(wrong(bad).startsWith("Working folder"));
    bad = good;
    bad.output = QStringLiteral(".");
    CHECK(wrong(bad).startsWith("Profile"));
}

TEST_CASE("a proposed profile is never one that exists") {
    const TemporaryFolder folder;
    RecordingRequest request = requestIn(QString::fromStdString(folder.path().string()));
    CHECK(proposedOutput(request) == request.folder + "/my app.roofscope.json");
    std::ofstream(folder.file("my app.roofscope.json")) << "old";
    CHECK(proposedOutput(request) == request.folder + "/my app-2.roofscope.json");
    // For Python it is the script's name.
    request.program = "/usr/bin/python3";
    request.arguments = "-u 'my step.py' --lr 1";
    CHECK(proposedOutput(request) == request.folder + "/my step.roofscope.json");
}

TEST_CASE("without a working folder the program runs where we are") {
    const Result<RecordingCommand> command = recordingCommand(requestIn({}), {});
    REQUIRE(command.ok());
    CHECK(command->folder == QDir::currentPath());
    CHECK(command->output == QDir::current().filePath("my app.roofscope.json"));
    CHECK_FALSE(command->text().contains("cd "));
}

TEST_CASE("every group of counters has an explanation") {
    REQUIRE(recordingGroups().size() > 4);
    CHECK(recordingGroups().front().name == "default");
    for (const RecordingGroup& group : recordingGroups()) {
        INFO(group.name.toStdString());
        CHECK_FALSE(group.explanation.isEmpty());
        CHECK(group.passes > 0);
    }
}

TEST_CASE("output is clean, whole lines in bounded memory") {
    RecordingOutput output;
    output.add("one\ntw");
    CHECK(output.takeLines() == QStringList{"one"});
    CHECK(output.current() == "tw");
    output.add("o\r\n10 %\r20");
    CHECK(output.takeLines() == QStringList{"two"});
    CHECK(output.current() == "20");
    output.add(" %\r");
    CHECK(output.current() == "20 %");
    output.add("\033[1mroofscope: source\033[0m pass\n\xC3");
    CHECK(output.takeLines() == QStringList{"roofscope: source pass"});
    CHECK(output.lastNote() == "source pass");
    output.add("\xA4\n");  // a letter in two pieces
    CHECK(output.takeLines() == QStringList{"ä"});

    for (int i = 0; i < 100000; ++i) output.add(QByteArray::number(i) + '\n');
    const QStringList many = output.takeLines();
    CHECK(many.size() == RecordingOutput::kMostWaiting + 1);
    CHECK(many.front() == "(98000 lines left out)");
    CHECK(many.back() == "99999");
    output.add(QByteArray(1000000, 'x'));
    for (const QString& line : output.takeLines())
        CHECK(line.size() <= RecordingOutput::kLongestLine);
    output.add("end");
    output.finish();
    CHECK(output.takeLines().last().endsWith("end"));
}

TEST_CASE("a recording that works") {
    Run run("whole");
    const RecordingOutcome outcome = run.outcome();
    CHECK(outcome.kind == Kind::Done);
    CHECK(outcome.written);
    CHECK(outcome.output == run.fake.in("out.roofscope.json"));
    CHECK_FALSE(run.process.busy());
    const QStringList lines = run.process.output().takeLines();
    CHECK(lines.contains("red and plain"));
    CHECK(lines.contains("100 %"));
    CHECK(run.process.output().lastNote() == "timing run 1 of 1");
    CHECK(run.fake.text("args.txt").find("record\n--out\n") == 0);
}

TEST_CASE("exit codes are told as documented") {
    {
        Run run("lost");
        const RecordingOutcome outcome = run.outcome();
        CHECK(outcome.kind == Kind::Partial);
        CHECK(outcome.written);
        CHECK(outcome.message.contains("part of the measurement was lost"));
    }
    {
        Run run("nothing");
        const RecordingOutcome outcome = run.outcome();
        CHECK(outcome.kind == Kind::Nothing);
        CHECK(outcome.message.contains("no CUDA launch was measured"));
    }
    {
        Run run("denied");
        const RecordingOutcome outcome = run.outcome();
        CHECK(outcome.kind == Kind::Failed);
        CHECK(outcome.message.contains("73"));
        CHECK(outcome.message.contains("its folder does not exist"));
    }
    {
        Run run("fails");
        const RecordingOutcome outcome = run.outcome();
        CHECK(outcome.kind == Kind::Failed);
        CHECK(outcome.written);
        CHECK(outcome.message.contains("exit code 3"));
    }
    {
        Run run("fault");
        CHECK(run.outcome().message.contains("Signal 11"));
    }
}

TEST_CASE("a profile that was there before is not this recording's") {
    Run run("nothing", "profile");
    const RecordingOutcome outcome = run.outcome();
    CHECK_FALSE(outcome.written);
}

TEST_CASE("cancelling interrupts, and what was measured is kept") {
    Run run("polite");
    run.untilStarted();
    run.process.cancel();
    CHECK(run.process.state() == RecordingProcess::State::Interrupting);
    const RecordingOutcome outcome = run.outcome();
    CHECK(outcome.kind == Kind::Cancelled);
    CHECK(outcome.written);
    CHECK(outcome.message.contains("The profile contains"));
}

TEST_CASE("a program that ignores the interrupt is killed with all that it started") {
    Run run("stubborn");
    run.untilStarted();
    const auto child = static_cast<pid_t>(std::stol(run.fake.text("child.txt")));
    CHECK(alive(child));
    run.process.cancel();
    CHECK_FALSE(waitFor([&] { return run.ended.count() > 0; }, 300));
    run.process.cancel();
    const RecordingOutcome outcome = run.outcome();
    CHECK(outcome.kind == Kind::Cancelled);
    CHECK_FALSE(outcome.written);
    CHECK(outcome.message.contains("No profile was written"));
    CHECK(waitFor([&] { return !alive(child); }));
}

TEST_CASE("a recording that is left behind does not outlive the window") {
    pid_t child = 0;
    {
        Run run("stubborn");
        run.untilStarted();
        child = static_cast<pid_t>(std::stol(run.fake.text("child.txt")));
    }
    CHECK(waitFor([&] { return !alive(child); }));
}

TEST_CASE("a flood of output neither grows nor blocks") {
    Run run("flood");
    const RecordingOutcome outcome = run.outcome();
    CHECK(outcome.kind == Kind::Done);
    CHECK(run.process.output().takeLines().size() <= RecordingOutput::kMostWaiting + 1);
}

TEST_CASE("a roofscope that cannot be started is told") {
    coreApp();
    const TemporaryFolder folder;
    RecordingProcess process;
    QSignalSpy ended(&process, &RecordingProcess::finished);
    const auto command = recordingCommand(requestIn(QString::fromStdString(folder.path().string())),
                                          QStringLiteral("/absent/roofscope"));
    REQUIRE(command);
    process.start(*command);
    REQUIRE(waitFor([&] { return ended.count() > 0; }));
    CHECK(ended[0][0].value<RecordingOutcome>().kind == Kind::NotStarted);
    CHECK(ended[0][0].value<RecordingOutcome>().message.contains("/absent/roofscope"));
    CHECK_FALSE(process.busy());
}

TEST_CASE("doctor: what prevents a recording, and how to fix it") {
    const auto none = parseDoctor(kNoGpu);
    REQUIRE(none);
    CHECK(none->obstacle().contains("NVIDIA driver: no driver"));
    CHECK(none->checks.size() == 2);
    CHECK(none->checks.front().failed);
    CHECK(none->text().contains("$ docker run --gpus all IMAGE"));
    const auto denied = parseDoctor(kNotPermitted);
    REQUIRE(denied);
    CHECK_FALSE(denied->countersReadable);
    CHECK(denied->obstacle().isEmpty());  // durations are recorded nonetheless
    CHECK(denied->text().contains("$ sudo one\n   $ sudo two"));
    for (const char* bad : {"", "[]", "{}", "{\"counters_readable\": 1, \"checks\": []}", "{\"che"})
        CHECK_FALSE(parseDoctor(bad));
}

TEST_CASE("doctor answers, or is not waited for") {
    coreApp();
    const FakeRoofscope fake;
    fake.doctor(kNoGpu);
    const auto ask = [&](const QString& program, std::chrono::milliseconds patience) {
        RecordingDoctor doctor(nullptr, patience);
        std::optional<std::optional<DoctorReport>> answer;
        QObject::connect(&doctor, &RecordingDoctor::checked, &doctor,
                         [&](const auto& report) { answer = report; });
        doctor.start(program);
        REQUIRE(waitFor([&] { return answer.has_value(); }));
        return *answer;
    };
    REQUIRE(ask(fake.path(), std::chrono::seconds(20)));
    CHECK_FALSE(ask(QStringLiteral("/absent/roofscope"), std::chrono::seconds(20)));
    fake.hang();
    CHECK_FALSE(ask(fake.path(), std::chrono::milliseconds(200)));
}
