// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_menu.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QMenuBar>
#include <QPainter>
#include <QRegularExpression>
#include <QTabBar>
#include <QToolButton>

#include "gui/app/assistant_text.h"
#include "gui/app/main_window.h"
#include "gui/app/workspace.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/draw_list_painter.h"
#include "gui/views/widgets/pane.h"
#include "reports/plot/roof_lines.h"

namespace roofscope::gui {
namespace {

constexpr double kZoomStep = 1.25;

}  // namespace

MainMenu::MainMenu(MainWindow& window, Workspace& views)
    : QObject(&window), m_window(window), m_views(views) {
    buildFile();
    buildEdit();
    buildView();
    buildHelp();
    followState();
}

/// Connects the signals that keep the actions up to date.
void MainMenu::followState() {
    const Documents& documents = m_window.documents();
    connect(&documents, &Documents::shownChanged, this, &MainMenu::showDocument);
    connect(&documents, &Documents::selectionChanged, this, &MainMenu::showDocument);
    connect(&documents, &Documents::comparisonChanged, this, &MainMenu::showDocument);
    connect(&documents, &Documents::conventionChanged, this, &MainMenu::showDocument);
    connect(&m_window.history(), &History::changed, this, &MainMenu::showHistory);
    connect(&m_window.session(), &Session::recentChanged, this, &MainMenu::showRecent);
    connect(&m_window.look(), &Look::themeChanged, this, &MainMenu::showTheme);
    connect(&m_views, &Workspace::detailsPlaceChanged, this, &MainMenu::showDetailsPlace);
    showDocument();
    showHistory();
    showRecent(m_window.session().recent());
    showTheme();
    showDetailsPlace();
}

void MainMenu::buildFile() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&File"));
    menu->addAction(tr("&Open…"), QKeySequence::Open, &m_window.files(), &FileActions::askAndOpen);
    m_recent = menu->addMenu(tr("Open &Recent"));
    menu->addAction(tr("Recor&d…"), Qt::CTRL | Qt::Key_R, &m_window,
                    [this] { m_window.recordings().showDialog(); });
    const auto add = [this](QMenu* to, const QString& text, const QKeySequence& keys, auto call) {
        QAction* action = to->addAction(text, keys, &m_window, call);
        m_documentActions.push_back(action);
        return action;
    };
    const auto addExport = [&](QMenu* to, const QString& text, const QKeySequence& keys,
                               const char* suffix) {
        add(to, text, keys,
            [this, suffix] { m_window.files().askAndExport(QString::fromLatin1(suffix)); });
    };
    add(menu, tr("Re&load"), Qt::Key_F5, [this] { m_window.documents().reload(); });
    m_baseline = add(menu, tr("Use as &Baseline"), Qt::CTRL | Qt::Key_B,
                     [this] { m_window.documents().toggleBaseline(); });
    m_baseline->setCheckable(true);
    const auto step = [this](int by) {
        QTabBar& tabs = m_views.tabs();
        if (tabs.count() > 0)
            tabs.setCurrentIndex((tabs.currentIndex() + by + tabs.count()) % tabs.count());
    };
    add(menu, tr("&Next Profile"), Qt::CTRL | Qt::Key_PageDown, [step] { step(1); });
    add(menu, tr("Prev&ious Profile"), Qt::CTRL | Qt::Key_PageUp, [step] { step(-1); });
    add(menu, tr("&Close Profile"), QKeySequence::Close,
        [this] { m_window.documents().close(m_window.documents().current()); });
    menu->addSeparator();
    QMenu* plot = menu->addMenu(tr("Export &Plot"));
    addExport(plot, tr("As &SVG…"), Qt::CTRL | Qt::Key_E, "svg");
    addExport(plot, tr("As &PNG…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E, "png");
    addExport(plot, tr("As P&DF…"), Qt::CTRL | Qt::ALT | Qt::Key_E, "pdf");
    m_kernelActions.push_back(
        plot->addAction(tr("&Memory Chart…"), Qt::CTRL | Qt::SHIFT | Qt::Key_M, &m_window,
                        [this] { m_window.files().askAndExport(Picture::MemoryChart); }));
    m_overTime =
        plot->addAction(tr("Activity over &Time…"), Qt::CTRL | Qt::SHIFT | Qt::Key_T, &m_window,
                        [this] { m_window.files().askAndExport(Picture::OverTime); });
    addExport(menu, tr("Export &Table as CSV…"), Qt::CTRL | Qt::Key_T, "csv");
    addExport(menu, tr("Export Report as &Markdown…"), Qt::CTRL | Qt::Key_M, "md");
    addExport(menu, tr("Export Report as &HTML…"), Qt::CTRL | Qt::ALT | Qt::Key_M, "html");
    menu->addSeparator();
    menu->addAction(tr("&Quit"), Qt::CTRL | Qt::Key_Q, &m_window, &QWidget::close);
}

void MainMenu::buildEdit() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&Edit"));
    const auto kernel = [&](const QString& text, const QKeySequence& keys, auto call) {
        m_kernelActions.push_back(menu->addAction(text, keys, &m_window, call));
        return m_kernelActions.back();
    };
    const auto document = [&](const QString& text, const QKeySequence& keys, auto call) {
        m_documentActions.push_back(menu->addAction(text, keys, &m_window, call));
        return m_documentActions.back();
    };
    document(tr("&Copy for Assistant"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
             [this] { copyForAssistant(); })
        ->setToolTip(tr("Copies what is shown: the overview, what is selected in the timeline, or "
                        "the hints of the selected kernel"));
    QAction* copyHints = new QAction(tr("Copy Hints for Assistant"), menu);
    connect(copyHints, &QAction::triggered, this, [this] { m_views.hints().copyForAssistant(); });
    m_kernelActions.push_back(copyHints);
    kernel(tr("Copy Hints as &JSON"), Qt::CTRL | Qt::SHIFT | Qt::Key_J,
           [this] { m_views.hints().copyJson(); });
    kernel(tr("&Save Hints…"), QKeySequence::Save, [this] { m_views.hints().save(); });
    menu->addSeparator();
    document(tr("&Find"), QKeySequence::Find, [this] { m_views.beginSearch(); })
        ->setToolTip(tr("Searches in the timeline, the counters or the plot if they have the "
                        "focus; else filters the kernels"));
    document(tr("Search in P&lot"), Qt::CTRL | Qt::ALT | Qt::Key_F, [this] {
        m_views.showOverview(false);
        m_views.rooflinePage().beginSearch();
    });
    document(tr("Search C&ounters"), Qt::CTRL | Qt::SHIFT | Qt::Key_F,
             [this] { m_views.details().focusCounterSearch(); });
    menu->addSeparator();
    m_back = menu->addAction(tr("&Back"), Qt::ALT | Qt::Key_Left, &m_window,
                             [this] { m_window.history().go(-1); });
    m_forward = menu->addAction(tr("For&ward"), Qt::ALT | Qt::Key_Right, &m_window,
                                [this] { m_window.history().go(1); });
    document(tr("&Next Kernel"), Qt::CTRL | Qt::Key_Down,
             [this] { m_views.kernels().moveSelection(1); });
    document(tr("&Previous Kernel"), Qt::CTRL | Qt::Key_Up,
             [this] { m_views.kernels().moveSelection(-1); });
    kernel(tr("Select Not&hing"), Qt::CTRL | Qt::SHIFT | Qt::Key_A,
           [this] { m_window.documents().selectKernel(std::nullopt); });
    QAction* source =
        kernel(tr("Show So&urce"), Qt::CTRL | Qt::Key_U, [this] { m_views.showSource({}, 0); });
    kernel(tr("Next Hot L&ine"), Qt::Key_F4, [this] { m_views.details().moveHot(1); });
    kernel(tr("Pre&vious Hot Line"), Qt::SHIFT | Qt::Key_F4,
           [this] { m_views.details().moveHot(-1); });
    menu->addSeparator();
    m_two = menu->addAction(tr("Compare the &Two"), Qt::CTRL | Qt::SHIFT | Qt::Key_B,
                            &m_window.documents(), &Documents::compareSelected);
    m_two->setToolTip(tr("Compare the two selected kernels: the current one with the other"));
    m_views.kernels().setRowActions({copyHints, source, m_two});
}

void MainMenu::copyForAssistant() {
    const std::optional<AssistantText> copied = assistantTextBesideHints(m_views);
    if (!copied) return m_views.hints().copyForAssistant();
    QApplication::clipboard()->setText(copied->text);
    m_window.say(copied->said);
}

void MainMenu::buildView() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&View"));
    m_documentActions.push_back(
        menu->addAction(tr("O&verview, or Kernels"), Qt::Key_F3, &m_window,
                        [this] { m_views.showOverview(!m_views.overviewShown()); }));
    menu->addSeparator();
    buildTheme(menu);
    buildLanguage(menu);
    buildScale(menu);
    buildLevels(menu);
    buildPrecisions(menu);
    m_convention = menu->addAction(
        tr("L2 and L1 as &Nsight Compute Counts"), Qt::CTRL | Qt::Key_9, &m_window,
        [this](bool on) {
            m_window.documents().setConvention(on ? Convention::Ncu : Convention::Roofscope);
        });
    m_convention->setCheckable(true);
    m_convention->setToolTip(
        QString::fromStdString(conventionNote(Convention::Ncu).in(shownLanguage())));
    QMenu* columns = menu->addMenu(tr("&Columns"));
    for (QAction* action : m_views.kernels().columnActions()) columns->addAction(action);
    RooflineView* plot = &m_views.roofline();
    m_labels = menu->addAction(tr("Kernel L&abels"), Qt::CTRL | Qt::Key_5);
    m_labels->setCheckable(true);
    m_labels->setChecked(true);
    connect(m_labels, &QAction::toggled, plot, &RooflineView::setLabelsShown);
    menu->addSeparator();
    menu->addAction(tr("Zoom &In"), QKeySequence::ZoomIn, plot,
                    [plot] { plot->zoomAtCentre(kZoomStep); });
    menu->addAction(tr("Zoom &Out"), QKeySequence::ZoomOut, plot,
                    [plot] { plot->zoomAtCentre(1 / kZoomStep); });
    QAction* fit = menu->addAction(tr("Show &Everything"), Qt::CTRL | Qt::Key_0, plot,
                                   [plot] { plot->resetViewport(); });
    auto* button = new QToolButton;
    button->setDefaultAction(fit);
    button->setText(tr("Fit"));
    button->setToolTip(tr("Show everything (Ctrl+0 or double-click)"));
    button->setAccessibleName(tr("Show everything"));
    m_views.rooflinePane().addControl(button);
    menu->addSeparator();
    buildPanes(menu);
}

void MainMenu::buildTheme(QMenu* view) {
    QMenu* menu = view->addMenu(tr("&Theme"));
    m_themes = new QActionGroup(menu);
    const std::pair<QString, ThemeChoice> themes[] = {{tr("&System"), ThemeChoice::System},
                                                      {tr("&Light"), ThemeChoice::Light},
                                                      {tr("&Dark"), ThemeChoice::Dark}};
    int key = Qt::Key_F6;
    for (const auto& [name, choice] : themes) {
        QAction* action =
            menu->addAction(name, QKeySequence(key++), &m_window,
                            [this, choice = choice] { m_window.look().setTheme(choice); });
        action->setCheckable(true);
        action->setData(int(choice));
        m_themes->addAction(action);
    }
}

void MainMenu::buildLanguage(QMenu* view) {
    const std::vector<Language> languages = windowLanguages();
    if (languages.size() < 2) return;
    // Name the menu in all languages: the user may not be able to read the current one.
    QStringList names{QStringLiteral("Lan&guage")};
    for (const Language language : languages)
        if (language == shownLanguage() && language != Language::En)
            names.prepend(QString::fromStdString(factsOf(language).language));
        else if (language != Language::En)
            names.append(QString::fromStdString(factsOf(language).language));
    QMenu* menu = view->addMenu(names.join(QStringLiteral(" · ")));
    auto* group = new QActionGroup(menu);
    const auto add = [&](const QString& name, LanguageChoice choice) {
        QAction* action = menu->addAction(name, &m_window,
                                          [this, choice] { m_window.look().setLanguage(choice); });
        action->setCheckable(true);
        action->setChecked(choice == m_window.look().language());
        group->addAction(action);
    };
    add(tr("&System"), std::nullopt);
    for (const Language language : languages) add(gui::nameOf(language), language);
}

void MainMenu::buildScale(QMenu* view) {
    QMenu* menu = view->addMenu(tr("Si&ze of Everything"));
    menu->addAction(tr("&Larger"), Qt::CTRL | Qt::ALT | Qt::Key_Plus, &m_window,
                    [this] { m_window.look().changeScale(1); });
    menu->addAction(tr("&Smaller"), Qt::CTRL | Qt::ALT | Qt::Key_Minus, &m_window,
                    [this] { m_window.look().changeScale(-1); });
    menu->addAction(tr("&Normal"), Qt::CTRL | Qt::ALT | Qt::Key_0, &m_window,
                    [this] { m_window.look().setScale(1); });
}

void MainMenu::buildLevels(QMenu* view) {
    QMenu* menu = view->addMenu(tr("&Levels"));
    RooflineView* plot = &m_views.roofline();
    for (const Level level : kLevels) {
        const QString name =
            level == Level::Shared ? tr("Shared") : QString::fromUtf8(toString(level));
        auto* action = new QAction(name, menu);
        action->setShortcut(QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_1 + int(level))));
        action->setCheckable(true);
        action->setChecked(plot->options().levels[level]);
        action->setToolTip(tr("Show dots and roof of %1 (%2)")
                               .arg(name, action->shortcut().toString(QKeySequence::NativeText)));
        connect(action, &QAction::toggled, plot,
                [plot, level](bool on) { plot->setLevelShown(level, on); });
        menu->addAction(action);
        m_levels.push_back(action);
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        m_views.rooflinePane().addControl(button);
    }
}

void MainMenu::buildPrecisions(QMenu* view) {
    QMenu* menu = view->addMenu(tr("&Precisions"));
    RooflineView* plot = &m_views.roofline();
    const auto add = [&](const QString& name, bool shown, auto show) {
        QAction* action = menu->addAction(name);
        action->setCheckable(true);
        action->setChecked(shown);
        connect(action, &QAction::toggled, plot, show);
        m_precisions.push_back(action);
        return action;
    };
    for (const Precision precision : kPrecisions)
        add(QString::fromUtf8(toString(precision)), plot->options().precisions[precision],
            [plot, precision](bool on) { plot->setPrecisionShown(precision, on); })
            ->setShortcut(QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_6 + int(precision))));
    add(tr("Tensor Cores"), plot->options().tensorCores,
        [plot](bool on) { plot->setTensorCoresShown(on); });
    auto* button = new QToolButton;
    button->setText(tr("FP"));
    button->setToolTip(tr("Choose the precisions whose dots and roofs are shown"));
    button->setAccessibleName(tr("Precisions"));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(menu);
    m_views.rooflinePane().addControl(button);
}

void MainMenu::buildPanes(QMenu* view) {
    const std::pair<QString, Workspace::Part> parts[] = {{tr("&Kernels Pane"), Workspace::Kernels},
                                                         {tr("&Hints Pane"), Workspace::Hints},
                                                         {tr("&Details Pane"), Workspace::Details}};
    int key = Qt::Key_F9;
    for (const auto& [name, part] : parts) {
        QAction* action = view->addAction(name, QKeySequence(key++));
        action->setCheckable(true);
        action->setChecked(true);
        action->setData(int(part));
        connect(action, &QAction::toggled, &m_views,
                [this, part = part](bool on) { m_views.setPartShown(part, on); });
        m_parts.push_back(action);
    }
    view->addAction(tr("Maximise Pane"), Qt::Key_F12, &m_window,
                    [this] { m_views.maximiseFocused(); });
    m_documentActions.push_back(view->addAction(tr("Ne&xt Pane"), Qt::CTRL | Qt::Key_F6, &m_views,
                                                [this] { m_views.focusNextPart(1); }));
    m_documentActions.push_back(view->addAction(tr("Previo&us Pane"),
                                                Qt::CTRL | Qt::SHIFT | Qt::Key_F6, &m_views,
                                                [this] { m_views.focusNextPart(-1); }));
    connect(&m_views, &Workspace::partWanted, this, [this](int part) {
        for (QAction* action : m_parts)
            if (action->data().toInt() == part) action->setChecked(true);
    });
    buildDetails(view);
    QMenu* places = view->addMenu(tr("Details At"));
    m_places = new QActionGroup(places);
    const std::pair<QString, Workspace::DetailsPlace> all[] = {
        {tr("The &Bottom"), Workspace::DetailsPlace::Below},
        {tr("The &Side"), Workspace::DetailsPlace::Beside},
        {tr("A &Window"), Workspace::DetailsPlace::Floating}};
    for (const auto& [name, place] : all) {
        QAction* action = places->addAction(
            name, &m_views, [this, place = place] { m_views.setDetailsPlace(place); });
        action->setCheckable(true);
        action->setData(int(place));
        m_places->addAction(action);
    }
}

/// Adds a shortcut for each tab of the details.
void MainMenu::buildDetails(QMenu* view) {
    QMenu* menu = view->addMenu(tr("Sho&w in the Details"));
    const DetailsView& details = m_views.details();
    for (int page = 0; page < details.count(); ++page)
        m_documentActions.push_back(menu->addAction(
            details.tabText(page), QKeySequence(Qt::ALT | Qt::Key(Qt::Key_1 + page)), &m_views,
            [this, page] { m_views.showDetails(page); }));
}

void MainMenu::buildHelp() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&Help"));
    menu->addAction(tr("&Mouse, Keys and Filters"), QKeySequence::HelpContents, &m_window,
                    [this] { showHelp(m_window, shortcuts()); });
    menu->addAction(tr("&About roofscope"), &m_window, [this] { showAbout(m_window); });
}

void MainMenu::showDocument() {
    const Documents& documents = m_window.documents();
    const ProfileDocument* shown = documents.document();
    const auto kernel = documents.selectedKernel();
    for (QAction* action : m_documentActions) action->setEnabled(shown != nullptr);
    for (QAction* action : m_kernelActions) action->setEnabled(kernel.has_value());
    m_two->setEnabled(documents.selection().all.size() == 2 && kernel);
    m_overTime->setEnabled(kernel && shown->analysis->kernels[*kernel].overTime);
    m_baseline->setChecked(documents.baselineIsShown());
    m_convention->setChecked(documents.convention() == Convention::Ncu);
}

void MainMenu::showHistory() {
    m_back->setEnabled(m_window.history().canGo(-1));
    m_forward->setEnabled(m_window.history().canGo(1));
}

void MainMenu::showRecent(const QStringList& paths) {
    m_recent->clear();
    for (const QString& path : paths) {
        QAction* action =
            m_recent->addAction(labelText(shownText(QDir::toNativeSeparators(path))), &m_window,
                                [this, path] { m_window.documents().open({path}); });
        if (!fileExists(path)) {
            action->setEnabled(false);
            action->setText(tr("%1 (deleted)").arg(action->text()));
        }
    }
    if (!paths.isEmpty()) {
        m_recent->addSeparator();
        m_recent->addAction(tr("&Clear List"), &m_window.session(), &Session::forgetRecent);
    }
    m_recent->setEnabled(!paths.isEmpty());
}

void MainMenu::showTheme() {
    const ThemeChoice choice = m_window.look().theme();
    for (QAction* action : m_themes->actions())
        if (action->data().toInt() == int(choice)) action->setChecked(true);
    updateLevelIcons(resolveTheme(choice));
}

void MainMenu::showDetailsPlace() {
    for (QAction* action : m_places->actions())
        if (action->data().toInt() == int(m_views.detailsPlace())) action->setChecked(true);
}

void MainMenu::updateLevelIcons(plot::Theme theme) {
    // The same colour and marker as in the plot.
    for (std::size_t i = 0; i < m_levels.size(); ++i) {
        const plot::MarkerShapeItem marker{.centre = {7, 7},
                                           .radius = 4.3,
                                           .shape = plot::shapeOf(kLevels[i]),
                                           .role = plot::roleOf(kLevels[i])};
        QIcon icon;
        for (const double ratio : {1.0, 2.0, 3.0}) {
            QPixmap pixmap(QSizeF(14 * ratio, 14 * ratio).toSize());
            pixmap.setDevicePixelRatio(ratio);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(roleColour(marker.role, theme));
            painter.drawPath(markerPath(marker));
            painter.end();
            icon.addPixmap(pixmap);
        }
        m_levels[i]->setIcon(icon);
        m_levels[i]->setIconVisibleInMenu(false);
    }
}

QVariantMap MainMenu::state() const {
    QVariantMap state{{QStringLiteral("labels"), m_labels->isChecked()}};
    const auto add = [&state](const QString& key, const std::vector<QAction*>& actions) {
        for (std::size_t i = 0; i < actions.size(); ++i)
            state.insert(key.arg(i), actions[i]->isChecked());
    };
    add(QStringLiteral("levels/%1"), m_levels);
    add(QStringLiteral("precisions/%1"), m_precisions);
    add(QStringLiteral("panes/%1"), m_parts);
    return state;
}

void MainMenu::setState(const QVariantMap& state) {
    const auto check = [&state](const QString& key, QAction* action) {
        if (const QVariant on = state.value(key); on.isValid()) action->setChecked(on.toBool());
    };
    const auto set = [&](const QString& key, const std::vector<QAction*>& actions) {
        for (std::size_t i = 0; i < actions.size(); ++i) check(key.arg(i), actions[i]);
    };
    check(QStringLiteral("labels"), m_labels);
    set(QStringLiteral("levels/%1"), m_levels);
    set(QStringLiteral("precisions/%1"), m_precisions);
    set(QStringLiteral("panes/%1"), m_parts);
}

std::vector<MenuShortcuts> MainMenu::shortcuts() const {
    // Remove mnemonics. In Chinese texts they follow the word, in parentheses: "(&F)".
    const auto plain = [](QString text) {
        static const QRegularExpression behind(QStringLiteral("\\(&\\w\\)"));
        return text.remove(behind).remove(QLatin1Char('&'));
    };
    std::vector<MenuShortcuts> all;
    const auto collect = [&](const auto& self, const QMenu& menu, const QString& path,
                             MenuShortcuts& into) -> void {
        for (const QAction* action : menu.actions()) {
            const QString name = path + plain(action->text());
            if (action->menu() && action->menu() != m_recent)
                self(self, *action->menu(), name + QStringLiteral(" ▸ "), into);
            else if (!action->shortcut().isEmpty())
                into.keys.emplace_back(action->shortcut().toString(QKeySequence::NativeText), name);
        }
    };
    for (const QAction* action : m_window.menuBar()->actions()) {
        MenuShortcuts menu{.menu = plain(action->text())};
        if (action->menu()) collect(collect, *action->menu(), {}, menu);
        if (!menu.keys.empty()) all.push_back(std::move(menu));
    }
    return all;
}

}  // namespace roofscope::gui
