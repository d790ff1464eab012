// SPDX-License-Identifier: Apache-2.0
// The window in another language.
#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <set>

#include "gui/app/main_window.h"
#include "gui/app/translation.h"
#include "gui/models/text/shown_language.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/message_bar.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/ts_file.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/skip.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

bool hasChinese() { return windowLanguages().size() > 1; }

/// Switches the language, and back to English when a test ends in any way.
struct InLanguage {
    explicit InLanguage(Language language) { REQUIRE(useLanguage(language).ok()); }
    ~InLanguage() { static_cast<void>(useLanguage(Language::En)); }
};

struct LanguageFixture : ShownWindow {
    explicit LanguageFixture(bool persistent = false) : ShownWindow(sampleProfile(), persistent) {}
    /// Waits until the window uses the current language.
    void settle() {
        for (int i = 0; i < 3; ++i) {
            QCoreApplication::processEvents();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
    }
    /// The record dialog, opened by its menu entry.
    RecordDialog* recordDialog() {
        trigger(window, Qt::CTRL | Qt::Key_R);
        settle();
        const auto found = window.findChildren<RecordDialog*>();
        REQUIRE(found.size() == 1);
        return found.front();
    }
    QAction* action(const QString& part) {
        for (QAction* action : window.findChildren<QAction*>())
            if (action->text().contains(part)) return action;
        return nullptr;
    }
};

/// All texts of a window's widgets.
std::multiset<std::string> textsOf(const QWidget& window) {
    std::multiset<std::string> texts;
    const auto add = [&texts](const QString& text) {
        if (!text.isEmpty()) texts.insert(text.toStdString());
    };
    for (const QAction* action : window.findChildren<QAction*>()) add(action->text());
    for (const QMenu* menu : window.findChildren<QMenu*>()) add(menu->title());
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->isVisibleTo(&window)) add(label->text());  // a hidden one may hold old text
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
        add(button->text());
    for (const QLineEdit* line : window.findChildren<QLineEdit*>()) add(line->placeholderText());
    for (const QComboBox* box : window.findChildren<QComboBox*>())
        for (int i = 0; i < box->count(); ++i) add(box->itemText(i));
    for (const QTabBar* tabs : window.findChildren<QTabBar*>())
        for (int i = 0; i < tabs->count(); ++i) add(tabs->tabText(i));
    for (const QHeaderView* header : window.findChildren<QHeaderView*>())
        if (const QAbstractItemModel* model = header->model();
            model && header->orientation() == Qt::Horizontal)
            for (int i = 0; i < model->columnCount(); ++i)
                add(model->headerData(i, Qt::Horizontal).toString());
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        // Qt's own parts (a dock's title buttons) have Qt's texts.
        if (widget->objectName().startsWith(QLatin1String("qt_"))) continue;
        add(widget->accessibleName());
        add(widget->toolTip());
    }
    return texts;
}

std::vector<TsText> chineseTexts() {
    QString error;
    auto texts =
        readTs(QStringLiteral(ROOFSCOPE_SOURCE_DIR "/gui/app/share/roofscope_zh_CN.ts"), &error);
    INFO(error.toStdString());
    REQUIRE(error.isEmpty());
    REQUIRE(texts.size() > 200);
    return texts;
}

std::multiset<QString> matches(const QString& text, const char* pattern) {
    std::multiset<QString> found;
    auto all = QRegularExpression(QLatin1String(pattern)).globalMatch(text);
    while (all.hasNext()) found.insert(all.next().captured());
    return found;
}

bool isChinese(const QString& text) {
    return text.contains(QRegularExpression(QStringLiteral("\\p{Han}")));
}

/// The actions of a menu and its submenus that open no menu.
void collect(const QMenu& menu, std::vector<std::pair<const QMenu*, QAction*>>& found) {
    for (QAction* action : menu.actions()) {
        if (action->isSeparator()) continue;
        found.emplace_back(&menu, action);
        if (action->menu()) collect(*action->menu(), found);
    }
}

/// The visible columns in their order. Default widths are left out, as they follow the texts.
std::vector<int> columnsOf(const QWidget& view) {
    std::vector<int> columns;
    const auto* header = view.findChild<QHeaderView*>();
    for (int place = 0; header && place < header->count(); ++place)
        if (const int column = header->logicalIndex(place); !header->isSectionHidden(column))
            columns.push_back(column);
    return columns;
}

}  // namespace

TEST_CASE("translations keep placeholders, file patterns, tags and the mark of a dialog") {
    for (const TsText& text : chineseTexts()) {
        if (!text.finished()) continue;  // shown in English
        INFO(text.context.toStdString()
             << ": " << text.source.toStdString() << " → " << text.translation.toStdString());
        CHECK(matches(text.source, "%(\\d+|L?n)") == matches(text.translation, "%(\\d+|L?n)"));
        CHECK(matches(text.source, "\\*\\.[a-z.]+") == matches(text.translation, "\\*\\.[a-z.]+"));
        CHECK(matches(text.source, "<[^>]*>") == matches(text.translation, "<[^>]*>"));
        CHECK(text.source.contains(QChar(0x2026)) == text.translation.contains(QChar(0x2026)));
        const char* mnemonic = "&(?!\\w+;)\\w";
        CHECK(matches(text.source, mnemonic).size() == matches(text.translation, mnemonic).size());
        CHECK(text.translation.count(QLatin1Char('(')) == text.translation.count(QLatin1Char(')')));
    }
}

TEST_CASE("in Chinese nothing of the window is left in English", "[needs-chinese]") {
    widgetApp();
    if (!hasChinese()) SKIP_CASE("built without Chinese: Qt's lrelease was not found");
    const InLanguage chinese(test::kZh);
    LanguageFixture f;
    f.recordDialog();
    std::set<std::string> english, open;
    for (const TsText& text : chineseTexts())
        if (!text.finished())
            open.insert(text.source.toStdString());
        else if (text.source != text.translation)
            english.insert(text.source.toStdString());
    std::size_t seen = 0;
    // Counter groups have their command-line names in the record dialog only.
    std::set<std::string> groups;
    for (const RecordingGroup& group : recordingGroups()) groups.insert(group.name.toStdString());
    const auto texts = textsOf(f.window);
    for (const std::string& text : texts) {
        INFO(text);
        CHECK(english.count(text) <= (texts.count(text) == 1 ? groups.count(text) : 0));
        if (isChinese(QString::fromStdString(text))) ++seen;
    }
    CHECK(seen > 80);

    // Unchanged: names of levels, precisions, files and languages.
    static const QRegularExpression same(QStringLiteral("^&?(DRAM|L1|L2|FP\\d+|English)$"));
    for (const QAction* top : f.window.menuBar()->actions()) {
        REQUIRE(top->menu());
        CHECK(isChinese(top->text()));
        std::vector<std::pair<const QMenu*, QAction*>> actions;
        collect(*top->menu(), actions);
        CHECK_FALSE(actions.empty());
        for (const auto& [menu, action] : actions) {
            const std::string text = action->text().toStdString();
            INFO("./dev translations finds it, unless it lacks a tr(): " << text);
            if (!action->text().contains(same) && !action->text().contains(".roofscope.json") &&
                !open.contains(text))
                CHECK(isChinese(action->text()));
        }
    }
}

TEST_CASE("no two entries of a menu have the same letter") {
    widgetApp();
    for (const Language language : windowLanguages()) {
        const InLanguage use(language);
        const MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
        std::set<std::pair<const void*, QString>> used;
        const auto check = [&](const void* menu, const QString& text) {
            INFO(toString(language) << ": " << text.toStdString());
            QString bare = text;
            bare.remove(QStringLiteral("&&"));
            const qsizetype at = bare.indexOf(QLatin1Char('&'));
            if (at >= 0) CHECK(used.insert({menu, bare.mid(at + 1, 1).toLower()}).second);
        };
        for (const QAction* top : window.menuBar()->actions()) {
            check(nullptr, top->text());
            std::vector<std::pair<const QMenu*, QAction*>> actions;
            collect(*top->menu(), actions);
            for (const auto& [menu, action] : actions) check(menu, action->text());
        }
    }
}

TEST_CASE("another language is shown at once, and what was open, chosen and arranged stays",
          "[needs-chinese]") {
    widgetApp();
    if (!hasChinese()) SKIP_CASE("built without Chinese: Qt's lrelease was not found");
    const InLanguage english(Language::En);
    LanguageFixture f;
    const Analysis& analysis = *f.window.documents().document()->analysis;
    const std::size_t kernel = kernelNamed(analysis, "repeated");
    const auto other = f.folder.file("other.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), other).ok());
    {
        QSignalSpy finished(&f.window.documents().loader(), &ProfileLoader::finished);
        f.window.documents().open({QString::fromStdString(other.string())});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
    }
    f.window.documents().selectKernel(kernel);
    f.window.views().kernels().setFilterText("launches > 0");
    f.window.views().kernels().setGrouping(KernelGrouping::Stream);
    f.window.views().roofline().zoomAtCentre(2);
    const plot::Viewport viewport = *f.window.views().roofline().options().viewport;
    f.action("Details Pane")->setChecked(false);
    f.action("Kernel L&abels")->setChecked(false);
    f.action("FP64")->setChecked(false);
    f.settle();
    const auto before = textsOf(f.window);
    const auto columns = columnsOf(f.window.views().kernels());
    REQUIRE_FALSE(columns.empty());
    const auto shown = f.window.documents().document()->analysis;
    REQUIRE(f.window.views().hints().markdown().contains("Verdict"));

    f.window.look().setLanguage(test::kZh);
    f.settle();
    CHECK(shownLanguage() == test::kZh);
    REQUIRE(f.window.menuBar()->actions().front()->text() == QStringLiteral("文件(&F)"));
    CHECK(f.window.documents().document()->analysis == shown);
    CHECK(f.window.documents().selectedKernel() == kernel);
    CHECK(f.window.views().kernels().selectedKernel() == kernel);
    CHECK(f.window.views().kernels().filterText() == "launches > 0");
    CHECK(columnsOf(f.window.views().kernels()) == columns);
    const plot::Viewport after = *f.window.views().roofline().options().viewport;
    CHECK(after.xMin == viewport.xMin);
    CHECK(after.yMax == viewport.yMax);
    CHECK_FALSE(f.action(QStringLiteral("详情窗格"))->isChecked());
    CHECK_FALSE(f.window.views().roofline().options().labels);
    CHECK_FALSE(f.window.views().roofline().options().precisions[Precision::Fp64]);
    CHECK(f.window.views().roofline().options().language == test::kZh);
    // Reports are Chinese too: hints, verdicts, groups, exports.
    CHECK(f.window.views().hints().markdown().contains(QStringLiteral("**判定**（")));
    CHECK(f.window.views().hints().markdown().contains(QStringLiteral("--lang zh")));
    const QAbstractItemModel& rows = f.window.views().kernels().filterModel();
    CHECK(rows.index(0, 0).data().toString().startsWith(QStringLiteral("流 ")));
    const auto report = f.folder.file("report.md");
    REQUIRE(f.window.files().exportTo(QString::fromStdString(report.string())).ok());
    CHECK(readText(report).find("判定") != std::string::npos);
    const auto picture = f.folder.file("plot.svg");
    REQUIRE(f.window.files().exportTo(QString::fromStdString(picture.string())).ok());
    CHECK(readText(picture).find("算术强度") != std::string::npos);
    // The filter accepts the verdict's id and the words shown in the table.
    f.window.views().kernels().setFilterText(QStringLiteral("verdict = 访存瓶颈"));
    const auto found = f.window.views().kernels().filterModel().visibleKernels();
    CHECK_FALSE(found.empty());
    f.window.views().kernels().setFilterText("verdict = memory-bound");
    CHECK(f.window.views().kernels().filterModel().visibleKernels() == found);
    f.window.views().kernels().setFilterText("launches > 0");
    // A leftover widget would react as well.
    CHECK(f.window.findChildren<KernelTableView*>().size() == 1);
    CHECK(f.window.findChildren<QMenuBar*>().size() == 1);

    f.window.look().setLanguage(Language::En);
    f.settle();
    CHECK(textsOf(f.window) == before);
    CHECK(f.window.documents().selectedKernel() == kernel);
}

TEST_CASE("widgets of the language before are not listened to any more", "[needs-chinese]") {
    widgetApp();
    if (!hasChinese()) SKIP_CASE("built without Chinese: Qt's lrelease was not found");
    const InLanguage english(Language::En);
    LanguageFixture f;
    f.window.documents().selectKernel(
        kernelNamed(*f.window.documents().document()->analysis, "repeated"));
    const KernelSelection selection = f.window.documents().selection();
    KernelTableView& old = f.window.views().kernels();
    f.window.look().setLanguage(test::kZh);
    QCoreApplication::processEvents();  // the old widgets still wait to be deleted
    REQUIRE(&f.window.views().kernels() != &old);
    old.moveSelection(1);
    old.moveSelection(-2);
    CHECK(f.window.documents().selection() == selection);
    f.settle();
    CHECK(f.window.documents().selection() == selection);
}

TEST_CASE("the Record dialog follows the language, once nothing is being recorded",
          "[needs-chinese]") {
    widgetApp();
    if (!hasChinese()) SKIP_CASE("built without Chinese: Qt's lrelease was not found");
    const InLanguage english(Language::En);
    LanguageFixture f;
    RecordDialog* dialog = f.recordDialog();
    RecordingRequest request = dialog->request();
    request.program = QStringLiteral("./app");
    request.groups << QStringLiteral("stalls");
    dialog->setRequest(request);
    const auto says = [&](const char* words) {
        for (const QLabel* label : f.window.findChild<RecordDialog*>()->findChildren<QLabel*>())
            if (label->text().contains(QString::fromUtf8(words))) return true;
        return false;
    };
    CHECK(says("stall reasons of warps"));
    f.window.look().setLanguage(test::kZh);
    f.settle();
    REQUIRE(f.window.findChildren<RecordDialog*>().size() == 1);
    dialog = f.window.findChild<RecordDialog*>();
    CHECK(dialog->isVisible());
    CHECK(isChinese(dialog->windowTitle()));
    CHECK(says("线程束在等待什么"));
    CHECK(dialog->request().program == request.program);
    CHECK(dialog->request().groups == request.groups);

    // A dialog that is recording keeps its process and its language until it is opened again.
    dialog->recording().start({.executable = QStringLiteral("/bin/sleep"),
                               .arguments = {QStringLiteral("60")},
                               .folder = QDir::tempPath(),
                               .output = QString::fromStdString(f.folder.file("out").string())});
    REQUIRE(dialog->recording().busy());
    f.window.look().setLanguage(Language::En);
    f.settle();
    CHECK(f.recordDialog() == dialog);
    CHECK(isChinese(dialog->windowTitle()));
    dialog->recording().cancel();
    REQUIRE(waitFor([&] { return !dialog->recording().busy(); }));
    CHECK_FALSE(isChinese(f.recordDialog()->windowTitle()));
}

TEST_CASE("the choice of a language is remembered, one of the command line is not",
          "[needs-chinese]") {
    widgetApp();
    if (!hasChinese()) SKIP_CASE("built without Chinese: Qt's lrelease was not found");
    const InLanguage english(Language::En);
    QSettings().remove("language");
    CHECK_FALSE(Session(true).language());
    {
        LanguageFixture f(true);
        f.window.look().setLanguage(test::kZh);
        f.settle();
        f.window.close();
    }
    CHECK(Session(true).language() == test::kZh);
    {
        MainWindow window({.persistent = true, .language = Language::En});
        window.close();
    }
    CHECK(Session(true).language() == test::kZh);
    QSettings().setValue("language", "klingon");
    CHECK_FALSE(Session(true).language());
    QSettings().remove("language");
}

TEST_CASE("without a choice the system decides, and files are English unless asked",
          "[needs-chinese]") {
    widgetApp();
    if (!hasChinese()) SKIP_CASE("built without Chinese: Qt's lrelease was not found");
    const struct Environment {
        QByteArray asked = qgetenv("ROOFSCOPE_LANG");
        ~Environment() { qputenv("ROOFSCOPE_LANG", asked); }
    } restore;
    CHECK(firstLanguage({"de", "zh_CN", "en"}) == test::kZh);
    CHECK(firstLanguage({"de", "en-GB", "zh_CN"}) == Language::En);
    CHECK(firstLanguage({"de"}) == Language::En);
    CHECK(firstLanguage({}) == Language::En);
    qputenv("ROOFSCOPE_LANG", "en");
    CHECK(systemLanguage() == Language::En);
    qputenv("ROOFSCOPE_LANG", "zh");
    CHECK(systemLanguage() == test::kZh);
    CHECK(exportLanguage() == test::kZh);
    qputenv("ROOFSCOPE_LANG", "");
    CHECK(exportLanguage() == Language::En);
}
