// SPDX-License-Identifier: Apache-2.0
// Questions left open by a recording, and the record dialog filled in for them.
#include "gui/models/recording/open_questions.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/views/kernels/answer_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/recording/record_dialog.h"
#include "profile/codec/codec.h"
#include "profile/names/name_pattern.h"
#include "reports/profile/ask_command.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

const std::filesystem::path kRecorded = ROOFSCOPE_SOURCE_DIR "/tests/frameworks/recorded";
const std::filesystem::path kSamples = ROOFSCOPE_SOURCE_DIR "/profile/samples";

struct Recording {
    std::filesystem::path path;
    std::shared_ptr<const Analysis> analysis;
    Program program;
};

Recording recording(const std::filesystem::path& path) {
    auto analysis = std::make_shared<const Analysis>(test::analysisIn(path));
    Program program = analyzeProgram(*analysis);
    return {path, analysis, std::move(program)};
}

QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

struct OpenedQuestions {
    QApplication& app = widgetApp();
    MainWindow window{{.persistent = false, .theme = ThemeChoice::Light}};

    explicit OpenedQuestions(const std::filesystem::path& path) {
        QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
        window.documents().open({text(path)});
        REQUIRE(waitFor([&] { return finished.count() > 0; }, 60000));
        REQUIRE(window.documents().document());
        window.resize(1280, 900);
        window.show();
        REQUIRE(QTest::qWaitForWindowExposed(&window));
    }
    /// Presses the button and returns the dialog's request.
    RecordingRequest record(const QWidget& in, const QString& name) {
        for (QPushButton* each : in.findChildren<QPushButton*>()) {
            if (each->text() != name || !each->isVisibleTo(&in)) continue;
            each->click();
            auto* dialog = window.findChild<RecordDialog*>();
            REQUIRE(dialog);
            CHECK(dialog->isVisible());
            const RecordingRequest request = dialog->request();
            dialog->close();
            return request;
        }
        FAIL("no button " << name.toStdString());
        return {};
    }
};

}  // namespace

TEST_CASE("what is open of a program is recorded with --effort deep, as it was recorded before") {
    std::size_t open = 0;
    for (const auto& folder : {kRecorded, kSamples}) {
        for (const auto& file : std::filesystem::directory_iterator(folder)) {
            if (!file.path().string().ends_with(".roofscope.json.gz")) continue;
            const Recording known = recording(file.path());
            INFO(file.path().filename().string());
            const auto found = openQuestions(*known.analysis, known.program, text(file.path()));
            if (!found) continue;
            ++open;
            const Capture& capture = known.analysis->profile->capture;
            REQUIRE_FALSE(found->questions.isEmpty());
            CHECK(found->recording.effort == "deep");
            CHECK(found->recording.purpose.contains(found->questions.front()));
            REQUIRE_FALSE(capture.command.empty());
            CHECK(found->recording.program.toStdString() == capture.command.front());
            CHECK(found->recording.kernel.isEmpty());
            const auto command = recordingCommand(found->recording, QStringLiteral("roofscope"));
            if (!command) FAIL(command.error().message());
            CHECK(command->arguments.contains("deep"));
            // The same program with the same arguments.
            const auto words = command->arguments.mid(command->arguments.indexOf("--") + 1);
            REQUIRE(words.size() == qsizetype(capture.command.size()));
            for (qsizetype i = 0; i < words.size(); ++i)
                CHECK(words[i].toStdString() == capture.command[std::size_t(i)]);
        }
    }
    CHECK(open >= 3);
}

TEST_CASE("a kernel that is undecided asks for the groups that its rules lacked, and no other") {
    const Recording known = recording(kSamples / "h200_torch_triton.roofscope.json.gz");
    std::size_t open = 0;
    for (std::size_t i = 0; i < known.analysis->kernels.size(); ++i) {
        const KernelAnalysis& kernel = known.analysis->kernels[i];
        const auto found = openQuestions(*known.analysis, i, text(known.path));
        if (!found) continue;
        ++open;
        INFO(kernel.fullName);
        const auto lacking = lackingGroups(*known.analysis->profile, kernel);
        REQUIRE_FALSE(lacking.empty());
        for (const std::string& group : lacking)
            CHECK(found->recording.groups.contains(QString::fromStdString(group)));
        const auto pattern = NamePattern::compile(found->recording.kernel.toStdString());
        REQUIRE(pattern);
        CHECK_FALSE(found->recording.kernel.isEmpty());
        CHECK(pattern->matches(kernel.fullName));
        CHECK(recordingCommand(found->recording, QString()));
    }
    CHECK(open > 0);
}

TEST_CASE("one click fills in the Record dialog: from a kernel, and after an edit") {
    OpenedQuestions f(kSamples / "h200_torch_triton.roofscope.json.gz");
    const Analysis& analysis = *f.window.documents().document()->analysis;
    std::optional<std::size_t> kernel;
    for (std::size_t i = 0; i < analysis.kernels.size() && !kernel; ++i)
        if (openQuestions(analysis, i, {})) kernel = i;
    REQUIRE(kernel);
    f.window.documents().selectKernel(*kernel);
    const RecordingRequest request = f.record(f.window.views().hints(), "Record what is missing…");
    const auto wanted = openQuestions(analysis, *kernel, f.window.documents().document()->path);
    CHECK(request.program == wanted->recording.program);
    CHECK(request.arguments == wanted->recording.arguments);
    CHECK(request.kernel == wanted->recording.kernel);
    CHECK(request.groups.size() == wanted->recording.groups.size());
    CHECK(request.effort == "deep");
    CHECK(request.purpose.contains(wanted->questions.front()));
    CHECK(request.output.contains("-after"));
}

TEST_CASE("the overview records what the program left open, and the program after an edit") {
    std::optional<std::filesystem::path> path;
    for (const auto& file : std::filesystem::directory_iterator(kRecorded)) {
        if (path || !file.path().string().ends_with(".roofscope.json.gz")) continue;
        const Recording known = recording(file.path());
        const auto overview = overviewOf(*known.analysis, known.program, text(file.path()));
        if (overview && overview->open && !overview->actions.empty()) path = file.path();
    }
    REQUIRE(path);
    INFO(path->string());
    OpenedQuestions f(*path);
    const Overview& overview = *f.window.views().overview().overview();
    const RecordingRequest open =
        f.record(f.window.views().overview(), "Record for These Questions…");
    CHECK(open.effort == "deep");
    CHECK(open.purpose == overview.open->recording.purpose);
    const RecordingRequest next = f.record(f.window.views().overview(), "Record…");
    CHECK(next.purpose.isEmpty());
    CHECK(next.program == open.program);
    // The same as in the next command of the reports.
    for (const QString& group : next.groups)
        if (next.groups.size() > 1) CHECK(overview.next.contains(group));
}
