// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFileInfo>
#include <fstream>

#include "profile/codec/codec.h"
#include "reports/report.h"
#include "tests/gui/picture.h"
#include "tests/gui/run_program.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

const QString kGui = QStringLiteral(ROOFSCOPE_GUI);

struct ProgramFixture {
    TemporaryFolder folder;
    QString profile = path("run.roofscope.json");
    ProgramFixture() { REQUIRE(writeProfile(sampleProfile(), profile.toStdString()).ok()); }
    [[nodiscard]] QString path(const char* name) const {
        return QString::fromStdString(folder.file(name).string());
    }
};

/// The report that the program exports with these options and environment variables.
std::string exported(const ProgramFixture& f, const QStringList& options,
                     const QStringList& environment) {
    const auto run = runProgram(kGui, QStringList{f.profile, "--export", f.path("a.md")} + options,
                                QStringList{"ROOFSCOPE_LANG"} + environment);
    INFO(run.error.toStdString());
    REQUIRE(run.code == 0);
    return readText(f.folder.file("a.md"));
}

}  // namespace

TEST_CASE("--export writes pictures and reports without a display") {
    const ProgramFixture f;
    const QStringList noDisplay{"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"};
    const auto run =
        runProgram(kGui,
                   {f.profile, "--export", f.path("a.svg"), "--export", f.path("a.png"), "--export",
                    f.path("a.pdf"), "--export", f.path("a.md"), "--export", f.path("a.csv")},
                   noDisplay);
    INFO(run.error.toStdString());
    REQUIRE(run.code == 0);
    CHECK(readText(f.folder.file("a.svg")).find("<svg") != std::string::npos);
    CHECK(coloursIn(QImage(f.path("a.png")), 0, 0, 1, 1) > 30);
    CHECK(readText(f.folder.file("a.pdf")).rfind("%PDF-", 0) == 0);
    CHECK(readText(f.folder.file("a.md")).find("transpose") != std::string::npos);
    CHECK(readText(f.folder.file("a.csv")).find("transpose") != std::string::npos);
}

TEST_CASE("out of memory while a report is exported ends with 74") {
    const ProgramFixture f;
    // If fontconfig runs out of memory it caches that there are no fonts. So it gets its own cache.
    const QString fonts = f.path("fonts.conf");
    QFile file(fonts);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("<fontconfig><dir>/usr/share/fonts</dir><cachedir>" + f.path("cache").toUtf8() +
               "</cachedir></fontconfig>");
    file.close();
    // Tries all address-space limits from the one in which a small profile can be exported (so Qt
    // has what it needs) to the one in which this profile can.
    const QString big =
        QStringLiteral(ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_bundled.roofscope.json.gz");
    const auto codeOf = [&](const QString& profile, int kilobytes) {
        return runProgram(QStringLiteral("bash"),
                          {"-c", R"(ulimit -v "$1"; exec "$2" "$3" --export "$4")", "bash",
                           QString::number(kilobytes), kGui, profile, f.path("a.json")},
                          {"QT_QPA_PLATFORM=offscreen", "FONTCONFIG_FILE=" + fonts})
            .code;
    };
    int kilobytes = 40'000;
    while (kilobytes < 2'000'000 && codeOf(f.profile, kilobytes) != 0) kilobytes += 1'000;
    int refused = 0;
    for (int code = 74; code != 0 && kilobytes < 2'000'000; kilobytes += 250) {
        code = codeOf(big, kilobytes);
        CAPTURE(kilobytes);
        CHECK((code == 0 || code == 74));
        refused += code == 74;
    }
    CHECK(refused > 0);
}

TEST_CASE("--lang and ROOFSCOPE_LANG decide what exports say, the machine's locale does not") {
    const ProgramFixture f;
    const std::string english = exported(f, {"--lang", "en"}, {"ROOFSCOPE_LANG=zh"});
    CHECK(english.find("判定") == std::string::npos);
    CHECK(exported(f, {}, {"LC_ALL=zh_CN.UTF-8", "LANGUAGE=zh_CN"}) == english);
}

TEST_CASE("--lang zh and ROOFSCOPE_LANG write Chinese exports", "[needs-chinese]") {
    const ProgramFixture f;
    if (runProgram(kGui, {f.profile, "--export", f.path("a.md"), "--lang", "zh"}).code == 69)
        SKIP_CASE("built without Chinese: Qt's lrelease was not found");
    const std::string chinese = exported(f, {"--lang", "zh"}, {});
    CHECK(chinese.find("判定") != std::string::npos);
    CHECK(exported(f, {}, {"ROOFSCOPE_LANG=zh"}) == chinese);
    CHECK(exported(f, {}, {"ROOFSCOPE_LANG=auto", "LC_ALL=zh_CN.UTF-8", "LANGUAGE="}) == chinese);
}

TEST_CASE("failures have documented exit codes and name the file") {
    const ProgramFixture f;
    const QString bad = f.path("bad.roofscope.json");
    std::ofstream(bad.toStdString()) << "{";
    const auto code = [&](const QStringList& arguments, const char* part) {
        const auto run = runProgram(kGui, arguments);
        INFO(run.error.toStdString());
        CHECK(run.error.contains(part));
        return run.code;
    };
    CHECK(code({bad, "--export", f.path("a.svg")}, "bad.roofscope.json") == 65);
    CHECK(code({f.path("absent.json"), "--export", f.path("a.svg")}, "absent.json") == 66);
    CHECK(code({f.profile, "--export", f.path("no/folder/a.svg")}, "a.svg") == 73);
    CHECK(code({f.profile, "--export", f.path("a.xyz")}, "a.xyz") == 64);
    CHECK(code({"--nonsense"}, "nonsense") == 64);
    CHECK(code({f.profile, "--export", ""}, "--export: the name is empty") == 64);
    CHECK(code({""}, "PROFILE: the name is empty") == 64);
    CHECK(code({"--lang", "klingon"}, "klingon") == 64);
    CHECK(code({bad, "--screenshot", f.path("a.png")}, "bad.roofscope.json") == 65);
    const auto run =
        runProgram(kGui, {f.profile}, {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"});
    CHECK(run.code == 69);
    CHECK(run.error.contains("display"));
}

TEST_CASE("a kernel that is in no profile is an error, as it is to roofscope report") {
    const ProgramFixture f;
    const auto refused = [&](const QStringList& arguments) {
        const auto run = runProgram(kGui, QStringList{f.profile, "--kernel", "nosuch"} + arguments);
        INFO(run.error.toStdString());
        CHECK(run.error.contains("nosuch"));
        CHECK(run.error.contains("nearest: "));
        return run.code == 64;
    };
    for (const char* name : {"a.svg", "a.md"}) CHECK(refused({"--export", f.path(name)}));
    CHECK(refused({"--screenshot", f.path("a.png")}));
    // A kernel that only the baseline has is not in the profile.
    Profile other = sampleProfile();
    other.kernels.front().name = "nosuch(int*)";
    REQUIRE(writeProfile(other, f.folder.file("other.roofscope.json")).ok());
    CHECK(refused({"--screenshot", f.path("a.png"), "--baseline", f.path("other.roofscope.json")}));
    CHECK(QDir(QFileInfo(f.profile).path()).entryList(QDir::Files) ==
          QStringList{"other.roofscope.json", "run.roofscope.json"});
    CHECK(runProgram(kGui, {f.profile, f.path("other.roofscope.json"), "--kernel", "nosuch",
                            "--screenshot", f.path("a.png")})
              .code == 0);
}

TEST_CASE("a write that breaks off is 74, and leaves what was there") {
    const ProgramFixture f;
    // Files are limited to 2 KiB: acts like a full disk without root.
    const auto limited = [&](const QStringList& arguments) {
        return runProgram(
            "/bin/sh",
            QStringList{"-c", "ulimit -f 4; exec \"$@\"", "sh", kGui, f.profile} + arguments);
    };
    const QStringList before{"old.md", "old.png", "run.roofscope.json"};
    for (const char* name : {"old.md", "old.png"})
        std::ofstream(f.folder.file(name)) << "what was there";
    for (const auto& [option, name] :
         {std::pair{"--screenshot", "old.png"}, std::pair{"--screenshot", "new.png"},
          std::pair{"--export", "old.png"}, std::pair{"--export", "new.pdf"},
          std::pair{"--export", "new.svg"}, std::pair{"--export", "new.html"},
          std::pair{"--export", "old.md"}}) {
        const auto run = limited({option, f.path(name)});
        INFO(option << " " << name << ": " << run.error.toStdString());
        CHECK(run.code == 74);
        CHECK(run.error.contains("File too large"));
        CHECK(run.error.contains(name));
        CHECK(QDir(QFileInfo(f.profile).path()).entryList(QDir::Files | QDir::Hidden) == before);
    }
    for (const char* name : {"old.md", "old.png"})
        CHECK(readText(f.folder.file(name)) == "what was there");
    CHECK(runProgram(kGui, {f.profile, "--screenshot", f.path("no/folder/a.png")}).code == 73);
}

TEST_CASE("a device is written to, not replaced by a file", "[needs-dev-full]") {
    if (!QFileInfo::exists("/dev/full")) SKIP_CASE("there is no /dev/full");
    const ProgramFixture f;
    const auto link = f.folder.file("full.svg");
    std::filesystem::create_symlink("/dev/full", link);
    const auto run = runProgram(kGui, {f.profile, "--export", f.path("full.svg")});
    INFO(run.error.toStdString());
    CHECK(run.code == 74);
    CHECK(run.error.contains("No space left on device"));
    CHECK(std::filesystem::is_character_file("/dev/full"));
}

TEST_CASE("a profile whose name is not UTF-8 is opened") {
    const ProgramFixture f;
    // QProcess would also replace the byte, so the shell makes the name.
    const auto run = runProgram(
        "/bin/sh", {"-c",
                    "cd \"$3\" && name=$(printf 'r\\351sum\\351.json') && cp \"$2\" \"$name\" && "
                    "exec \"$1\" \"$name\" --export a.md --export b.svg",
                    "sh", kGui, f.profile, QString::fromStdString(f.folder.path().string())});
    INFO(run.error.toStdString());
    CHECK(run.code == 0);
    CHECK(QFileInfo(f.path("a.md")).size() > 100);
    CHECK(QFileInfo(f.path("b.svg")).size() > 100);
}

TEST_CASE("--help and --version need no display") {
    const QStringList noDisplay{"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"};
    const auto help = runProgram(kGui, {"--help"}, noDisplay);
    CHECK(help.code == 0);
    CHECK(help.out.contains("--screenshot"));
    const auto version = runProgram(kGui, {"--version"}, noDisplay);
    CHECK(version.code == 0);
    CHECK(version.out.startsWith("roofscope-gui "));
}

TEST_CASE("--screenshot shows every pane, in both themes and at 200 %") {
    const ProgramFixture f;
    for (const char* theme : {"light", "dark"}) {
        for (const char* scale : {"1", "2"}) {
            const QString file = f.path("window.png");
            const auto run = runProgram(
                kGui, {f.profile, "--screenshot", file, "--size", "1280x800", "--theme", theme},
                {QStringLiteral("QT_SCALE_FACTOR=") + QLatin1String(scale)});
            INFO(theme << " " << scale << ": " << run.error.toStdString());
            REQUIRE(run.code == 0);
            const QImage image(file);
            REQUIRE(image.width() == 1280 * atoi(scale));
            CHECK(coloursIn(image, 0.0, 0.1, 0.25, 0.4) > 20);   // kernels
            CHECK(coloursIn(image, 0.35, 0.1, 0.3, 0.5) > 20);   // roofline
            CHECK(coloursIn(image, 0.72, 0.1, 0.25, 0.5) > 20);  // hints
            CHECK(coloursIn(image, 0.05, 0.72, 0.6, 0.2) > 10);  // details
            const int ground = qGray(image.pixel(3, image.height() / 2));
            CHECK((QLatin1String(theme) == QLatin1String("dark") ? ground < 80 : ground > 180));
        }
    }
}

TEST_CASE("a memory chart of a kernel by name") {
    const ProgramFixture f;
    const auto run = runProgram(kGui, {f.profile, "--export", f.path("a.svg"), "--plot", "memory",
                                       "--kernel", "transpose"});
    INFO(run.error.toStdString());
    REQUIRE(run.code == 0);
    CHECK(readText(f.folder.file("a.svg")).find("L1/TEX") != std::string::npos);
    const auto none = runProgram(
        kGui, {f.profile, "--export", f.path("b.svg"), "--plot", "memory", "--kernel", "nothing!"});
    CHECK(none.code == 64);
    CHECK(none.error.contains("nothing!"));
}

TEST_CASE("the screenshots of the documentation are made by one command") {
    const ProgramFixture f;
    const QString build = QFileInfo(kGui).dir().absoluteFilePath("..");
    const QStringList names{"window-light", "compare-dark", "memory", "empty"};
    const auto run = runProgram(QStringLiteral(ROOFSCOPE_SCREENSHOTS),
                                QStringList{build, f.path("out")} + names);
    INFO(run.error.toStdString());
    REQUIRE(run.code == 0);
    for (const QString& name : names)
        CHECK(QFileInfo(f.path("out") + QLatin1Char('/') + name + ".png").size() > 1000);
    CHECK_FALSE(QFileInfo::exists(f.path("out") + "/source-light.png"));  // not requested
}
