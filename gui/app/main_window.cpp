// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "gui/app/export.h"
#include "gui/models/number_text.h"
#include "gui/models/plain_tip.h"
#include "gui/models/shown_language.h"
#include "gui/models/shown_text.h"
#include "gui/views/data_tree_view.h"
#include "gui/views/details_view.h"
#include "gui/views/draw_list_painter.h"
#include "gui/views/empty_view.h"
#include "gui/views/hints_view.h"
#include "gui/views/kernel_table_view.h"
#include "gui/views/message_bar.h"
#include "gui/views/pane.h"
#include "gui/views/record_dialog.h"
#include "gui/views/roofline_page.h"
#include "gui/views/roofline_view.h"

/// The icon lies in a static library, whose resources nobody would otherwise ask for. Qt wants this
/// outside of namespaces.
static void initResources() { Q_INIT_RESOURCE(resources); }

namespace roofscope::gui {
namespace {

constexpr int kMaxRecent = 10;

/// What of a view's state the settings keep for the next window: the layout, not what was looked
/// at.
bool isKept(const QString& key) {
    return key == QLatin1String("columns") || key == QLatin1String("rows") ||
           key == QLatin1String("kernelTree") || key == QLatin1String("hintTokens") ||
           key.startsWith(QLatin1String("levels/"));
}

QStringList localFiles(const QMimeData* data) {
    QStringList paths;
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile()) paths << url.toLocalFile();
    }
    return paths;
}

}  // namespace

MainWindow::MainWindow(const Setup& setup)
    : m_setup(setup), m_languageChoice(setup.language), m_builtIn(shownLanguage()) {
    initResources();
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    setWindowIcon(QIcon(QStringLiteral(":/roofscope.svg")));
    buildContent();
    buildMenus();
    connectLoader();
    resize(1280, 800);
    restore();
    showDocument(false);
}

MainWindow::~MainWindow() = default;

void MainWindow::buildContent() {
    m_kernels = new KernelTableView;
    m_roofline = new RooflineView;
    m_hints = new HintsView;
    m_details = new DetailsView;
    m_details->showTab(m_setup.details);
    m_kernelPane = new Pane(tr("Kernels"), m_kernels);
    m_plotSearch = new RooflinePage(m_roofline);
    m_rooflinePane = new Pane(tr("Roofline"), m_plotSearch);
    m_hintsPane = new Pane(tr("Hints"), m_hints);
    auto* details = new QFrame;
    details->setObjectName(QStringLiteral("pane"));
    auto* detailsLayout = new QVBoxLayout(details);
    detailsLayout->setContentsMargins(1, 1, 1, 1);
    detailsLayout->addWidget(m_details);

    m_devices = new QComboBox;
    m_devices->setAccessibleName(tr("Device"));
    m_rooflinePane->addControl(m_devices);

    m_columns = new QSplitter(Qt::Horizontal);
    m_columns->addWidget(m_kernelPane);
    m_columns->addWidget(m_rooflinePane);
    m_columns->addWidget(m_hintsPane);
    m_columns->setStretchFactor(1, 1);
    m_columns->setSizes({510, 440, 302});
    m_rows = new QSplitter(Qt::Vertical);
    m_rows->addWidget(m_columns);
    m_rows->addWidget(details);
    m_rows->setStretchFactor(0, 1);
    m_rows->setSizes({500, 220});
    for (QSplitter* splitter : {m_columns, m_rows}) {
        splitter->setHandleWidth(7);
        splitter->setChildrenCollapsible(false);
    }
    auto* content = new QWidget;
    auto* contentLayout = new QVBoxLayout(content);
    contentLayout->setContentsMargins(7, 7, 7, 7);
    contentLayout->addWidget(m_rows);

    m_empty = new EmptyView;
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_empty);
    m_stack->addWidget(content);

    m_tabs = new QTabBar;
    m_tabs->setTabsClosable(true);
    m_tabs->setExpanding(false);
    m_tabs->setElideMode(Qt::ElideMiddle);
    m_tabs->setAccessibleName(tr("Open profiles"));
    m_message = new MessageBar;
    m_progress = new ProgressLine;

    auto* central = new QWidget;
    auto* layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_message);
    layout->addWidget(m_progress);
    m_tabRow = new QWidget;
    auto* tabLayout = new QHBoxLayout(m_tabRow);
    tabLayout->setContentsMargins(0, 0, 7, 0);
    tabLayout->addWidget(m_tabs, 1);
    m_baselines = new QComboBox;
    m_baselines->setAccessibleName(tr("Baseline"));
    m_baselines->setToolTip(tr("The profile that others are compared with (Ctrl+B)"));
    auto* baselineLabel = new QLabel(tr("Compare with"));
    baselineLabel->setBuddy(m_baselines);
    tabLayout->addWidget(baselineLabel);
    tabLayout->addWidget(m_baselines);
    layout->addWidget(m_tabRow);
    layout->addWidget(m_stack, 1);
    setCentralWidget(central);

    m_summary = new QLabel;
    m_summary->setTextFormat(Qt::PlainText);
    statusBar()->addPermanentWidget(m_summary, 1);

    connect(m_kernels, &KernelTableView::selectionChanged, this, &MainWindow::select);
    connect(m_roofline, &RooflineView::kernelClicked, this, &MainWindow::selectKernel);
    connect(m_plotSearch, &RooflinePage::kernelChosen, this, &MainWindow::selectKernel);
    connect(m_details, &DetailsView::kernelClicked, this, &MainWindow::selectKernel);
    connect(m_roofline, &RooflineView::kernelsBoxed, this,
            [this](const std::vector<std::size_t>& kernels, bool add) {
                KernelSelection chosen{.current = kernels.front(), .all = kernels};
                if (add) {
                    const KernelSelection& before = selection();
                    chosen.all.insert(chosen.all.end(), before.all.begin(), before.all.end());
                    std::sort(chosen.all.begin(), chosen.all.end());
                    chosen.all.erase(std::unique(chosen.all.begin(), chosen.all.end()),
                                     chosen.all.end());
                    if (kernels.size() > 1 && before.current) chosen.current = before.current;
                }
                select(chosen);
            });
    connect(m_baselines, &QComboBox::activated, this,
            [this](int index) { setBaseline(m_baselines->itemData(index).toString()); });
    connect(m_kernels, &KernelTableView::filterChanged, this, [this] {
        const KernelFilterModel& filter = m_kernels->filterModel();
        m_roofline->setVisibleKernels(filter.filtering() ? std::optional(filter.visibleKernels())
                                                         : std::nullopt);
        m_kernels->select(selection());
    });
    connect(m_devices, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0) m_roofline->setDevice(m_devices->itemData(index).toUInt());
    });
    connect(m_progress, &ProgressLine::cancelClicked, &m_loader, &ProfileLoader::cancel);
    connect(m_hints, &HintsView::done, this,
            [this](const QString& text) { statusBar()->showMessage(text, 6000); });
    connect(m_hints, &HintsView::failed, this,
            [this](const Error& error) { showError(QString::fromStdString(error.message())); });
    connect(m_empty, &EmptyView::openClicked, this, &MainWindow::showOpenDialog);
    connect(m_empty, &EmptyView::recentClicked, this,
            [this](const QString& path) { open({path}); });
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        m_current = index;
        showDocument(false);
    });
    connect(m_tabs, &QTabBar::tabCloseRequested, this, &MainWindow::closeDocument);
}

void MainWindow::buildMenus() {
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildHelpMenu();
}

void MainWindow::buildFileMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    menu->addAction(tr("&Open…"), QKeySequence::Open, this, &MainWindow::showOpenDialog);
    m_recentMenu = menu->addMenu(tr("Open &Recent"));
    menu->addAction(tr("Recor&d…"), Qt::CTRL | Qt::Key_R, this, &MainWindow::showRecordDialog);
    const auto add = [this](QMenu* to, const QString& text, const QKeySequence& keys, auto call) {
        QAction* action = to->addAction(text, keys, this, call);
        m_documentActions.push_back(action);
        return action;
    };
    add(menu, tr("Re&load"), Qt::Key_F5, [this] { reload(); });
    m_baselineAction = add(menu, tr("Use as &Baseline"), Qt::CTRL | Qt::Key_B, [this] {
        if (const ProfileDocument* shown = document())
            setBaseline(shown->path == m_baseline ? QString() : shown->path);
    });
    m_baselineAction->setCheckable(true);
    add(menu, tr("&Close Profile"), QKeySequence::Close, [this] { closeDocument(m_current); });
    menu->addSeparator();
    QMenu* plot = menu->addMenu(tr("Export &Plot"));
    add(plot, tr("As &SVG…"), Qt::CTRL | Qt::Key_E, [this] {
        exportDialog(tr("Export plot"), QStringLiteral("svg"), tr("SVG picture (*.svg)"));
    });
    add(plot, tr("As &PNG…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E, [this] {
        exportDialog(tr("Export plot"), QStringLiteral("png"), tr("PNG picture (*.png)"));
    });
    add(plot, tr("As P&DF…"), Qt::CTRL | Qt::ALT | Qt::Key_E, [this] {
        exportDialog(tr("Export plot"), QStringLiteral("pdf"), tr("PDF document (*.pdf)"));
    });
    m_kernelActions.push_back(plot->addAction(tr("&Memory Chart…"),
                                              Qt::CTRL | Qt::SHIFT | Qt::Key_M, this,
                                              &MainWindow::exportMemoryChartDialog));
    add(menu, tr("Export &Table as CSV…"), Qt::CTRL | Qt::Key_T, [this] {
        exportDialog(tr("Export table"), QStringLiteral("csv"),
                     tr("Comma-separated values (*.csv)"));
    });
    add(menu, tr("Export Report as &Markdown…"), Qt::CTRL | Qt::Key_M,
        [this] { exportDialog(tr("Export report"), QStringLiteral("md"), tr("Markdown (*.md)")); });
    add(menu, tr("Export Report as &HTML…"), Qt::CTRL | Qt::ALT | Qt::Key_M, [this] {
        exportDialog(tr("Export report"), QStringLiteral("html"), tr("HTML page (*.html)"));
    });
    menu->addSeparator();
    menu->addAction(tr("&Quit"), Qt::CTRL | Qt::Key_Q, this, &QWidget::close);
}

void MainWindow::buildEditMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Edit"));
    const auto add = [&](const QString& text, const QKeySequence& keys, auto call) {
        m_kernelActions.push_back(menu->addAction(text, keys, this, call));
    };
    add(tr("&Copy Hints for Assistant"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
        [this] { m_hints->copyForAssistant(); });
    add(tr("Copy Hints as &JSON"), Qt::CTRL | Qt::SHIFT | Qt::Key_J,
        [this] { m_hints->copyJson(); });
    add(tr("&Save Hints…"), QKeySequence::Save, [this] { m_hints->save(); });
    menu->addSeparator();
    m_documentActions.push_back(menu->addAction(tr("&Filter Kernels"), QKeySequence::Find, this,
                                                [this] { m_kernels->focusFilter(); }));
    m_documentActions.push_back(menu->addAction(tr("Search in P&lot"),
                                                Qt::CTRL | Qt::ALT | Qt::Key_F, this,
                                                [this] { m_plotSearch->beginSearch(); }));
    m_documentActions.push_back(menu->addAction(tr("Search C&ounters"),
                                                Qt::CTRL | Qt::SHIFT | Qt::Key_F, this,
                                                [this] { m_details->focusCounterSearch(); }));
    menu->addSeparator();
    m_documentActions.push_back(menu->addAction(tr("&Next Kernel"), Qt::CTRL | Qt::Key_Down, this,
                                                [this] { m_kernels->moveSelection(1); }));
    m_documentActions.push_back(menu->addAction(tr("&Previous Kernel"), Qt::CTRL | Qt::Key_Up, this,
                                                [this] { m_kernels->moveSelection(-1); }));
    add(tr("Next &Hot Line"), Qt::Key_F4, [this] { m_details->moveHot(1); });
    add(tr("Pre&vious Hot Line"), Qt::SHIFT | Qt::Key_F4, [this] { m_details->moveHot(-1); });
    menu->addSeparator();
    m_twoAction = menu->addAction(tr("Compare the &Two"), Qt::CTRL | Qt::SHIFT | Qt::Key_B, this,
                                  &MainWindow::compareSelected);
    m_twoAction->setToolTip(tr("Two selected kernels: the current one against the other"));
    m_kernels->table()->addAction(m_twoAction);
    m_kernels->table()->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void MainWindow::buildViewMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    QMenu* theme = menu->addMenu(tr("&Theme"));
    m_themes = new QActionGroup(theme);
    const std::pair<QString, ThemeChoice> themes[] = {{tr("&System"), ThemeChoice::System},
                                                      {tr("&Light"), ThemeChoice::Light},
                                                      {tr("&Dark"), ThemeChoice::Dark}};
    int key = Qt::Key_F6;
    for (const auto& [name, choice] : themes) {
        QAction* action = theme->addAction(name, QKeySequence(key++), this,
                                           [this, choice = choice] { setTheme(choice); });
        action->setCheckable(true);
        action->setData(int(choice));
        m_themes->addAction(action);
    }

    buildLanguageMenu(menu);
    QMenu* levels = menu->addMenu(tr("&Levels"));
    const plot::RooflineOptions& shown = m_roofline->options();
    for (const Level level : kLevels) {
        const QString name =
            level == Level::Shared ? tr("Shared") : QString::fromUtf8(toString(level));
        auto* action = new QAction(name, levels);
        action->setShortcut(QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_1 + int(level))));
        action->setCheckable(true);
        action->setChecked(shown.levels[level]);
        action->setToolTip(tr("Show dots and roof of %1 (%2)")
                               .arg(name, action->shortcut().toString(QKeySequence::NativeText)));
        connect(action, &QAction::toggled, this,
                [this, level](bool on) { m_roofline->setLevelShown(level, on); });
        levels->addAction(action);
        m_levelActions.push_back(action);
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        m_rooflinePane->addControl(button);
    }
    QMenu* precisions = menu->addMenu(tr("&Precisions"));
    for (const Precision precision : kPrecisions) {
        auto* action = new QAction(QString::fromUtf8(toString(precision)), precisions);
        action->setShortcut(QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_6 + int(precision))));
        action->setCheckable(true);
        action->setChecked(shown.precisions[precision]);
        connect(action, &QAction::toggled, this,
                [this, precision](bool on) { m_roofline->setPrecisionShown(precision, on); });
        precisions->addAction(action);
        m_precisionActions.push_back(action);
    }
    auto* tensorCores = new QAction(tr("Tensor Cores"), precisions);
    tensorCores->setCheckable(true);
    tensorCores->setChecked(shown.tensorCores);
    connect(tensorCores, &QAction::toggled, this,
            [this](bool on) { m_roofline->setTensorCoresShown(on); });
    precisions->addAction(tensorCores);
    m_precisionActions.push_back(tensorCores);
    auto* precisionButton = new QToolButton;
    precisionButton->setText(tr("FP"));
    precisionButton->setToolTip(tr("Which precisions are shown: dots and roofs"));
    precisionButton->setAccessibleName(tr("Precisions"));
    precisionButton->setPopupMode(QToolButton::InstantPopup);
    precisionButton->setMenu(precisions);
    m_rooflinePane->addControl(precisionButton);
    m_conventionAction = menu->addAction(
        tr("L2 and L1 as &Nsight Compute Counts"), Qt::CTRL | Qt::Key_9, this,
        [this](bool on) { setConvention(on ? Convention::Ncu : Convention::Roofscope); });
    m_conventionAction->setCheckable(true);
    m_conventionAction->setToolTip(
        QString::fromStdString(conventionNote(Convention::Ncu).in(shownLanguage())));
    QMenu* columns = menu->addMenu(tr("&Columns"));
    for (QAction* action : m_kernels->columnActions()) columns->addAction(action);
    m_labelsAction = menu->addAction(tr("Kernel L&abels"), Qt::CTRL | Qt::Key_5);
    m_labelsAction->setCheckable(true);
    m_labelsAction->setChecked(true);
    connect(m_labelsAction, &QAction::toggled, this,
            [this](bool on) { m_roofline->setLabelsShown(on); });
    menu->addSeparator();
    menu->addAction(tr("Zoom &In"), QKeySequence::ZoomIn, this,
                    [this] { m_roofline->zoomAtCentre(1.25); });
    menu->addAction(tr("Zoom &Out"), QKeySequence::ZoomOut, this,
                    [this] { m_roofline->zoomAtCentre(1 / 1.25); });
    QAction* fit = menu->addAction(tr("Show &Everything"), Qt::CTRL | Qt::Key_0, this,
                                   [this] { m_roofline->resetViewport(); });
    auto* fitButton = new QToolButton;
    fitButton->setDefaultAction(fit);
    fitButton->setText(tr("Fit"));
    fitButton->setToolTip(tr("Show everything (Ctrl+0 or double-click)"));
    fitButton->setAccessibleName(tr("Show everything"));
    m_rooflinePane->addControl(fitButton);
    menu->addSeparator();
    const std::pair<QString, QWidget*> panes[] = {{tr("&Kernels Pane"), m_kernelPane},
                                                  {tr("&Hints Pane"), m_hintsPane},
                                                  {tr("&Details Pane"), m_rows->widget(1)}};
    key = Qt::Key_F9;
    for (const auto& [name, pane] : panes) {
        QAction* action = menu->addAction(name, QKeySequence(key++));
        action->setCheckable(true);
        action->setChecked(true);
        connect(action, &QAction::toggled, pane, &QWidget::setVisible);
        m_paneActions.push_back(action);
    }
}

void MainWindow::buildLanguageMenu(QMenu* view) {
    const std::vector<Language> languages = windowLanguages();
    if (languages.size() < 2) return;
    // In both languages: who needs this menu may not be able to read the one that is shown.
    QMenu* menu =
        view->addMenu(shownLanguage() == Language::En ? QStringLiteral("Lan&guage · 语言")
                                                      : QStringLiteral("语言 · Lan&guage"));
    auto* group = new QActionGroup(menu);
    const auto add = [&](const QString& name, LanguageChoice choice) {
        QAction* action = menu->addAction(name, this, [this, choice] { setLanguage(choice); });
        action->setCheckable(true);
        action->setChecked(choice == m_languageChoice);
        group->addAction(action);
    };
    add(tr("&System"), std::nullopt);
    for (const Language language : languages) add(nameOf(language), language);
}

void MainWindow::buildHelpMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    menu->addAction(tr("&Mouse, Keys and Filters"), QKeySequence::HelpContents, this,
                    &MainWindow::showHelp);
    menu->addAction(tr("&About roofscope"), this, &MainWindow::showAbout);
}

void MainWindow::connectLoader() {
    connect(&m_loader, &ProfileLoader::progress, this,
            [this](const QString& path, ProfileLoader::Stage stage) {
                const QString name = shownText(QFileInfo(path).fileName());
                m_progress->showStep(stage == ProfileLoader::Stage::Reading
                                         ? tr("Reading %1…").arg(name)
                                         : tr("Analysing %1…").arg(name));
            });
    connect(&m_loader, &ProfileLoader::loaded, this, &MainWindow::onLoaded);
    connect(&m_loader, &ProfileLoader::failed, this, &MainWindow::onFailed);
    connect(&m_loader, &ProfileLoader::cancelled, this, [this](const QString& path) {
        m_background.remove(path);
        if (indexOf(path) < 0) m_watcher.forget(path);
        statusBar()->showMessage(
            tr("Cancelled loading %1").arg(shownText(QFileInfo(path).fileName())), 6000);
    });
    connect(&m_loader, &ProfileLoader::finished, this, [this] {
        m_progress->hide();
        tellUnknownKernel();
    });
    connect(&m_comparer, &BaselineComparer::compared, this,
            [this](const std::shared_ptr<const ReportBaseline>& baseline,
                   const std::shared_ptr<const Analysis>& candidate) {
                for (OpenDocument& open : m_documents)
                    if (open.document.analysis == candidate) open.since = baseline;
                statusBar()->clearMessage();
                showComparison();
            });
    connect(&m_watcher, &FileWatcher::changed, this, [this](const QString& path) {
        m_background.insert(path);
        m_loader.load(path);
    });
}

void MainWindow::open(const QStringList& paths) {
    for (const QString& path : paths) load(QFileInfo(path).absoluteFilePath());
}

void MainWindow::load(const QString& path) {
    // The state before reading: a change while it is read is a change.
    m_watcher.watch(path);
    m_loader.load(path);
}

void MainWindow::reload() {
    if (const ProfileDocument* shown = document()) load(shown->path);
}

int MainWindow::indexOf(const QString& path) const {
    for (std::size_t i = 0; i < m_documents.size(); ++i) {
        if (m_documents[i].document.path == path) return static_cast<int>(i);
    }
    return -1;
}

void MainWindow::onLoaded(const ProfileDocument& document) {
    const bool background = m_background.remove(document.path);
    const int known = indexOf(document.path);
    m_message->hide();
    if (known >= 0) {
        OpenDocument& open = m_documents[static_cast<std::size_t>(known)];
        KernelSelection selection;
        const auto same = [&](std::size_t kernel) {
            return document.findSame(open.document.analysis->kernels[kernel]);
        };
        if (open.selection.current) selection.current = same(*open.selection.current);
        // A name that several kernels have can lead to one and the same.
        std::set<std::size_t> all;
        for (const std::size_t kernel : open.selection.all)
            if (const auto found = same(kernel)) all.insert(*found);
        if (selection.current) all.insert(*selection.current);
        selection.all.assign(all.begin(), all.end());
        open = {.document = document, .selection = selection, .since = nullptr, .two = nullptr};
        // What others were compared with is no more.
        if (document.path == m_baseline)
            for (OpenDocument& other : m_documents) other.since = nullptr;
        if (known == m_current) {
            showDocument(true);
        } else if (background && document.path == m_baseline) {
            showComparison();
            updateComparison();
        } else if (!background) {
            m_tabs->setCurrentIndex(known);
        }
        statusBar()->showMessage(tr("Reloaded %1").arg(document.title()), 6000);
        return;
    }
    if (background) return;  // closed while it was being read again
    OpenDocument open{.document = document, .selection = {}, .since = nullptr, .two = nullptr};
    const auto& kernels = document.analysis->kernels;
    if (!kernels.empty()) open.selection = KernelSelection::of(0);
    if (!m_setup.kernel.isEmpty())
        if (const auto named = document.findNamed(m_setup.kernel))
            open.selection = KernelSelection::of(named);
    m_documents.push_back(std::move(open));
    addTab(document);
    {
        const QSignalBlocker quiet(m_tabs);
        m_current = m_tabs->count() - 1;
        m_tabs->setCurrentIndex(m_current);
    }
    remember(document.path);
    if (!m_setup.baseline.isEmpty() &&
        document.path == QFileInfo(m_setup.baseline).absoluteFilePath()) {
        m_baseline = document.path;
        // It is there to be compared with: the profile before it stays in view.
        if (m_documents.size() > 1) {
            const QSignalBlocker quiet(m_tabs);
            m_current = 0;
            m_tabs->setCurrentIndex(0);
        }
    }
    showDocument(false);
    m_kernels->table()->setFocus();
}

void MainWindow::addTab(const ProfileDocument& document) {
    const QSignalBlocker quiet(m_tabs);
    const int tab = m_tabs->addTab(document.title().replace(QLatin1Char('&'), QLatin1String("&&")));
    m_tabs->setTabToolTip(tab, plainTip(QDir::toNativeSeparators(document.path)));
}

void MainWindow::onFailed(const QString& path, const Error& error) {
    m_background.remove(path);
    QString message = QString::fromStdString(error.message());
    if (const int known = indexOf(path); known >= 0) {
        const QString time =
            m_documents[static_cast<std::size_t>(known)].document.loadedAt.toString(
                QStringLiteral("HH:mm:ss"));
        message = tr("The file changed but cannot be read; what was loaded at %1 stays open. %2")
                      .arg(time, message);
    } else {
        m_watcher.forget(path);
    }
    showError(message);
}

/// Once: what is opened later was not meant.
void MainWindow::tellUnknownKernel() {
    if (m_documents.empty() || std::exchange(m_kernelSought, true) || m_setup.kernel.isEmpty())
        return;
    const bool found =
        std::any_of(m_documents.begin(), m_documents.end(), [this](const OpenDocument& open) {
            return open.document.findNamed(m_setup.kernel).has_value();
        });
    // A profile that could not be read is the graver thing.
    if (!found && m_message->message().isEmpty())
        showError(tr("No kernel has \"%1\" in its name or NVTX range").arg(m_setup.kernel));
}

void MainWindow::closeDocument(int index) {
    if (index < 0 || static_cast<std::size_t>(index) >= m_documents.size()) return;
    const QString path = m_documents[static_cast<std::size_t>(index)].document.path;
    m_watcher.forget(path);
    if (path == m_baseline) {
        m_baseline.clear();
        for (OpenDocument& other : m_documents) other.since = nullptr;
    }
    m_documents.erase(m_documents.begin() + index);
    {
        const QSignalBlocker quiet(m_tabs);
        m_tabs->removeTab(index);
        m_current = m_tabs->currentIndex();
    }
    showDocument(false);
}

const ProfileDocument* MainWindow::document() const {
    if (m_current < 0) return nullptr;
    return &m_documents[static_cast<std::size_t>(m_current)].document;
}

const KernelSelection& MainWindow::selection() const {
    static const KernelSelection none;
    return m_current < 0 ? none : m_documents[static_cast<std::size_t>(m_current)].selection;
}

std::optional<std::size_t> MainWindow::selectedKernel() const { return selection().current; }

void MainWindow::selectKernel(std::optional<std::size_t> kernel) {
    select(KernelSelection::of(kernel));
}

void MainWindow::select(const KernelSelection& selection) {
    if (m_current < 0) return;
    OpenDocument& open = m_documents[static_cast<std::size_t>(m_current)];
    const std::size_t kernels = open.document.analysis->kernels.size();
    if (std::any_of(selection.all.begin(), selection.all.end(),
                    [&](std::size_t kernel) { return kernel >= kernels; }))
        return;
    if (open.selection == selection) return;
    open.selection = selection;
    const bool wasTwo = std::exchange(open.two, nullptr) != nullptr;
    if (wasTwo) m_roofline->setBaseline(open.since);
    showSelection();
}

void MainWindow::setBaseline(const QString& path) {
    if (!path.isEmpty() && indexOf(path) < 0) return;
    if (path != m_baseline) {
        m_baseline = path;
        m_comparer.forget();
        for (OpenDocument& open : m_documents) open.since = nullptr;
    }
    showComparison();
    updateComparison();
}

std::shared_ptr<const ReportBaseline> MainWindow::comparison() const {
    return m_current < 0 ? nullptr : m_documents[static_cast<std::size_t>(m_current)].since;
}

void MainWindow::compareSelected() {
    if (m_current < 0) return;
    OpenDocument& open = m_documents[static_cast<std::size_t>(m_current)];
    const KernelSelection& chosen = open.selection;
    if (chosen.all.size() != 2 || !chosen.current) return;
    const std::size_t other =
        chosen.all.front() == *chosen.current ? chosen.all.back() : chosen.all.front();
    open.two = compareTwo(open.document.analysis, other, *chosen.current);
    m_roofline->setBaseline(open.two);
    showSelection();
}

void MainWindow::setConvention(Convention convention) {
    m_conventionAction->setChecked(convention == Convention::Ncu);
    if (m_loader.convention() == convention) return;
    m_loader.setConvention(convention);
    for (const OpenDocument& open : m_documents) {
        m_background.insert(open.document.path);
        m_loader.analyseAgain(open.document);
    }
}

/// Begins to compare what is shown with the baseline, unless that is done.
void MainWindow::updateComparison() {
    showBaselineChoice();
    m_comparer.forget();
    const int baseline = indexOf(m_baseline);
    if (m_current < 0 || baseline < 0 || baseline == m_current) return;
    const OpenDocument& open = m_documents[static_cast<std::size_t>(m_current)];
    if (open.since) return;
    statusBar()->showMessage(tr("Comparing with the baseline…"));
    m_comparer.compare(m_documents[static_cast<std::size_t>(baseline)].document.analysis,
                       open.document.analysis);
}

void MainWindow::showComparison() {
    const int baseline = indexOf(m_baseline);
    const QString name =
        baseline < 0 ? QString() : m_documents[static_cast<std::size_t>(baseline)].document.title();
    const auto since = comparison();
    m_kernels->setBaseline(since, name);
    m_roofline->setBaseline(since);
    if (m_current >= 0) m_documents[static_cast<std::size_t>(m_current)].two = nullptr;
    showSelection();
}

/// The tabs' titles and the box that say which profile is the baseline.
void MainWindow::showBaselineChoice() {
    m_baselines->clear();
    m_baselines->addItem(tr("nothing"), QString());
    for (std::size_t i = 0; i < m_documents.size(); ++i) {
        const ProfileDocument& open = m_documents[i].document;
        QString title = open.title();
        if (int(i) != m_current) m_baselines->addItem(title, open.path);
        title.replace(QLatin1Char('&'), QLatin1String("&&"));
        m_tabs->setTabText(int(i),
                           open.path == m_baseline ? tr("%1 (baseline)").arg(title) : title);
    }
    const bool isBaseline = document() && document()->path == m_baseline;
    m_baselines->setEnabled(!isBaseline);
    m_baselines->setCurrentIndex(std::max(0, m_baselines->findData(m_baseline)));
    if (isBaseline) m_baselines->setItemText(0, tr("(is the baseline)"));
    m_baselineAction->setChecked(isBaseline);
}

void MainWindow::showDocument(bool keepViewport) {
    const ProfileDocument* shown = document();
    const std::shared_ptr<const Analysis> analysis = shown ? shown->analysis : nullptr;
    {
        const QSignalBlocker quiet(m_devices);
        m_devices->clear();
        if (analysis) {
            // GPUs of one model are judged together, under the first of them.
            std::set<std::uint32_t> judged;
            for (const KernelAnalysis& kernel : analysis->kernels)
                judged.insert(kernel.group.device);
            for (const std::uint32_t i : judged)
                m_devices->addItem(
                    tr("GPU %1: %2").arg(i).arg(shownText(analysis->profile->devices[i].name)),
                    QVariant::fromValue(static_cast<unsigned>(i)));
        }
        m_devices->setVisible(m_devices->count() > 1);
    }
    m_roofline->setAnalysis(analysis, keepViewport);
    {
        const QSignalBlocker quiet(m_kernels);
        m_kernels->setAnalysis(analysis);
    }
    if (m_kernels->filterModel().filtering())
        m_roofline->setVisibleKernels(m_kernels->filterModel().visibleKernels());
    m_details->setAnalysis(analysis);
    m_stack->setCurrentIndex(shown ? 1 : 0);
    m_tabRow->setVisible(m_documents.size() > 1);
    showComparison();
    showState();
    updateComparison();
}

void MainWindow::showSelection() {
    const ProfileDocument* shown = document();
    const std::shared_ptr<const Analysis> analysis = shown ? shown->analysis : nullptr;
    const std::optional<std::size_t> kernel = selectedKernel();
    if (analysis) {
        const std::uint32_t device = kernel ? analysis->kernels[*kernel].group.device
                                            : std::min<std::uint32_t>(m_roofline->device(), 0);
        const QSignalBlocker quiet(m_devices);
        m_devices->setCurrentIndex(m_devices->findData(device));
        m_roofline->setDevice(device);
    }
    m_kernels->select(selection());
    m_roofline->setSelection(selection());
    m_plotSearch->setCurrent(kernel);
    Compared compared;
    if (m_current >= 0) {
        const OpenDocument& open = m_documents[static_cast<std::size_t>(m_current)];
        compared = {.baseline = open.two ? open.two : open.since,
                    .path = open.two ? open.document.path : m_baseline,
                    .twoKernels = open.two != nullptr};
    }
    m_hints->setSelection(analysis, selection(), shown ? shown->path : QString(), compared);
    m_twoAction->setEnabled(selection().all.size() == 2 && kernel.has_value());
    m_details->setKernel(analysis, kernel);
    m_details->setSelection(selection());
    for (QAction* action : m_kernelActions) action->setEnabled(m_hints->hasReport());
}

void MainWindow::showState() {
    const ProfileDocument* shown = document();
    for (QAction* action : m_documentActions) action->setEnabled(shown != nullptr);
    if (!shown) {
        setWindowTitle(QStringLiteral("roofscope"));
        setWindowFilePath({});
        m_summary->clear();
        return;
    }
    setWindowTitle(QStringLiteral("%1 — roofscope").arg(shown->title()));
    const Profile& profile = *shown->analysis->profile;
    QStringList parts;
    QStringList devices;
    for (const Device& device : profile.devices) {
        const QString name = shownText(device.name);
        if (!devices.contains(name)) devices << name;
    }
    if (!devices.isEmpty()) parts << devices.join(QStringLiteral(", "));
    parts << counted(shown->analysis->kernels.size(), tr("%1 kernel"), tr("%1 kernels"));
    parts << counted(profile.launches.size(), tr("%1 launch"), tr("%1 launches"));
    if (profile.capture.passes > 0)
        parts << counted(profile.capture.passes, tr("%1 pass"), tr("%1 passes"));
    const QString created = QString::fromStdString(profile.capture.createdUtc);
    if (const QDateTime time = QDateTime::fromString(created, Qt::ISODate); time.isValid())
        parts << tr("recorded %1")
                     .arg(time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm")));
    if (!isMeasured(profile.capture))
        parts << tr("%1, not measured").arg(shownText(profile.capture.origin));
    m_summary->setText(parts.join(QStringLiteral("   ·   ")));
}

void MainWindow::setTheme(ThemeChoice choice) {
    m_themeChoice = choice;
    const plot::Theme theme = resolveTheme(choice);
    applyTheme(*qApp, theme);
    m_roofline->setTheme(theme);
    m_hints->setTheme(theme);
    m_kernels->setTheme(theme);
    m_details->setTheme(theme);
    for (QAction* action : m_themes->actions()) {
        if (action->data().toInt() == int(choice)) action->setChecked(true);
    }
    updateLevelIcons();
}

void MainWindow::setLanguage(LanguageChoice choice) {
    m_languageChoice = choice;
    if (m_setup.persistent) QSettings().setValue(QStringLiteral("language"), toSetting(choice));
    if (const Result<void> used = useLanguage(choice.value_or(systemLanguage())); !used)
        showError(QString::fromStdString(used.error().message()));
}

LanguageChoice MainWindow::storedLanguage() {
    return languageChoice(QSettings().value(QStringLiteral("language")).toString());
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && m_builtIn != shownLanguage()) rebuild();
}

/// Makes all widgets anew, in another language. What is open and selected is kept in the documents,
/// so that views need to know nothing of this.
void MainWindow::rebuild() {
    m_builtIn = shownLanguage();
    const QVariantMap state = viewState();
    const std::optional<plot::Viewport> viewport = m_roofline->options().viewport;
    const std::uint32_t device = m_roofline->device();
    const QString message = m_message->message();
    const bool two = m_current >= 0 && m_documents[static_cast<std::size_t>(m_current)].two;
    const bool loading = m_loader.busy();
    // What called this may be one of them: they go with the next round of the event loop, and are
    // not listened to until then.
    for (QWidget* old : centralWidget()->findChildren<QWidget*>()) old->disconnect(this);
    setMenuBar(nullptr);
    setStatusBar(nullptr);
    m_levelActions.clear();
    m_precisionActions.clear();
    m_documentActions.clear();
    m_kernelActions.clear();
    m_paneActions.clear();
    buildContent();
    buildMenus();
    setTheme(m_themeChoice);
    updateRecent();
    for (const OpenDocument& open : m_documents) addTab(open.document);
    {
        const QSignalBlocker quiet(m_tabs);
        m_tabs->setCurrentIndex(m_current);
    }
    setViewState(state);
    showDocument(false);
    m_roofline->setDevice(device);
    if (viewport) m_roofline->setViewport(*viewport);
    if (two) compareSelected();
    if (!message.isEmpty()) showError(message);
    if (loading) m_progress->showStep(tr("Loading…"));
    renewRecordDialog();
    m_kernels->table()->setFocus();
}

void MainWindow::updateLevelIcons() {
    // As in the plot: a level is a colour and a marker.
    static constexpr plot::Role kRoles[] = {plot::Role::Dram, plot::Role::L2, plot::Role::L1,
                                            plot::Role::Shared};
    static constexpr plot::MarkerShape kShapes[] = {
        plot::MarkerShape::Circle, plot::MarkerShape::Square, plot::MarkerShape::Triangle,
        plot::MarkerShape::Diamond};
    const plot::Theme theme = resolveTheme(m_themeChoice);
    for (std::size_t i = 0; i < m_levelActions.size(); ++i) {
        QIcon icon;
        for (const double ratio : {1.0, 2.0, 3.0}) {
            QPixmap pixmap(QSizeF(14 * ratio, 14 * ratio).toSize());
            pixmap.setDevicePixelRatio(ratio);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(roleColour(kRoles[i], theme));
            painter.drawPath(markerPath(
                {.centre = {7, 7}, .radius = 4.3, .shape = kShapes[i], .role = kRoles[i]}));
            painter.end();
            icon.addPixmap(pixmap);
        }
        m_levelActions[i]->setIcon(icon);
        m_levelActions[i]->setIconVisibleInMenu(false);
    }
}

void MainWindow::showError(const QString& message) { m_message->showError(message); }

void MainWindow::showOpenDialog() {
    const QString folder =
        document() ? QFileInfo(document()->path).absolutePath()
                   : (m_recent.isEmpty() ? QString() : QFileInfo(m_recent.front()).absolutePath());
    open(QFileDialog::getOpenFileNames(
        this, tr("Open profiles"), folder,
        tr("Profiles (*.roofscope.json *.roofscope.json.gz);;All files (*)")));
}

void MainWindow::exportDialog(const QString& title, const QString& suffix, const QString& filter) {
    const ProfileDocument* shown = document();
    if (!shown) return;
    const QString proposal =
        QFileInfo(shown->path).dir().filePath(shown->title() + QLatin1Char('.') + suffix);
    QString path = QFileDialog::getSaveFileName(this, title, proposal, filter);
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().toLower() != suffix) path += QLatin1Char('.') + suffix;
    if (const Result<void> result = exportTo(path); !result) {
        showError(QString::fromStdString(result.error().message()));
    } else {
        statusBar()->showMessage(tr("Wrote %1").arg(shownText(QDir::toNativeSeparators(path))),
                                 6000);
    }
}

Result<void> MainWindow::exportTo(const QString& path) const {
    const ProfileDocument* shown = document();
    if (!shown)
        return Error{
            .code = ErrorCode::Usage, .what = "no profile is open", .where = {}, .advice = {}};
    ExportOptions options;
    options.plot = m_roofline->options();
    options.plot.width = std::max(960, m_roofline->width());
    options.plot.height = std::max(600, m_roofline->height());
    options.theme = resolveTheme(m_themeChoice);
    return exportDocument(*shown, path, options);
}

Result<void> MainWindow::exportMemoryChart(const QString& path) const {
    const ProfileDocument* shown = document();
    const auto kernel = selectedKernel();
    if (!shown || !kernel)
        return Error{
            .code = ErrorCode::Usage, .what = "no kernel is selected", .where = {}, .advice = {}};
    ExportOptions options;
    options.picture = Picture::MemoryChart;
    options.kernel = *kernel;
    options.theme = resolveTheme(m_themeChoice);
    return exportDocument(*shown, path, options);
}

void MainWindow::exportMemoryChartDialog() {
    const ProfileDocument* shown = document();
    if (!shown) return;
    const QString proposal =
        QFileInfo(shown->path).dir().filePath(shown->title() + QStringLiteral("-memory.svg"));
    QString path = QFileDialog::getSaveFileName(
        this, tr("Export memory chart"), proposal,
        tr("SVG picture (*.svg);;PNG picture (*.png);;PDF document (*.pdf)"));
    if (path.isEmpty()) return;
    static const QStringList kPictures{QStringLiteral("svg"), QStringLiteral("png"),
                                       QStringLiteral("pdf")};
    if (!kPictures.contains(QFileInfo(path).suffix().toLower())) path += QStringLiteral(".svg");
    if (const Result<void> result = exportMemoryChart(path); !result)
        showError(QString::fromStdString(result.error().message()));
    else
        statusBar()->showMessage(tr("Wrote %1").arg(shownText(QDir::toNativeSeparators(path))),
                                 6000);
}

void MainWindow::remember(const QString& path) {
    m_recent.removeAll(path);
    m_recent.prepend(path);
    while (m_recent.size() > kMaxRecent) m_recent.removeLast();
    if (m_setup.persistent) QSettings().setValue(QStringLiteral("recent"), m_recent);
    updateRecent();
}

void MainWindow::updateRecent() {
    m_recentMenu->clear();
    for (const QString& path : std::as_const(m_recent))
        m_recentMenu->addAction(shownText(QDir::toNativeSeparators(path))
                                    .replace(QLatin1Char('&'), QLatin1String("&&")),
                                this, [this, path] { open({path}); });
    m_recentMenu->setEnabled(!m_recent.isEmpty());
    m_empty->setRecent(m_recent);
}

/// How the widgets are arranged and what they show of a document.
QVariantMap MainWindow::viewState() const {
    QVariantMap state{{QStringLiteral("columns"), m_columns->saveState()},
                      {QStringLiteral("rows"), m_rows->saveState()},
                      {QStringLiteral("kernelTree"), m_kernels->saveState()},
                      {QStringLiteral("filter"), m_kernels->filterText()},
                      {QStringLiteral("details"), m_details->currentIndex()},
                      {QStringLiteral("hintTokens"), qulonglong(m_hints->budget())},
                      {QStringLiteral("labels"), m_labelsAction->isChecked()},
                      {QStringLiteral("convention"), m_conventionAction->isChecked()}};
    const auto add = [&state](const QString& key, const std::vector<QAction*>& actions) {
        for (std::size_t i = 0; i < actions.size(); ++i)
            state.insert(key.arg(i), actions[i]->isChecked());
    };
    add(QStringLiteral("levels/%1"), m_levelActions);
    add(QStringLiteral("precisions/%1"), m_precisionActions);
    add(QStringLiteral("panes/%1"), m_paneActions);
    return state;
}

/// Applies what `state` has; the rest stays as it is.
void MainWindow::setViewState(const QVariantMap& state) {
    m_columns->restoreState(state.value(QStringLiteral("columns")).toByteArray());
    m_rows->restoreState(state.value(QStringLiteral("rows")).toByteArray());
    m_kernels->restoreState(state.value(QStringLiteral("kernelTree")).toByteArray());
    m_kernels->setFilterText(state.value(QStringLiteral("filter")).toString());
    m_details->setCurrentIndex(
        state.value(QStringLiteral("details"), m_details->currentIndex()).toInt());
    m_hints->setBudget(state.value(QStringLiteral("hintTokens"), 0).toULongLong());
    const auto set = [&state](const QString& key, const std::vector<QAction*>& actions) {
        for (std::size_t i = 0; i < actions.size(); ++i)
            if (const QVariant on = state.value(key.arg(i)); on.isValid())
                actions[i]->setChecked(on.toBool());
    };
    for (const auto& [key, action] : {std::pair{QStringLiteral("labels"), m_labelsAction},
                                      std::pair{QStringLiteral("convention"), m_conventionAction}})
        if (state.contains(key)) action->setChecked(state.value(key).toBool());
    set(QStringLiteral("levels/%1"), m_levelActions);
    set(QStringLiteral("precisions/%1"), m_precisionActions);
    set(QStringLiteral("panes/%1"), m_paneActions);
}

void MainWindow::restore() {
    ThemeChoice theme = ThemeChoice::System;
    if (m_setup.persistent) {
        const QSettings settings;
        m_recent = settings.value(QStringLiteral("recent")).toStringList();
        restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
        const int stored = settings.value(QStringLiteral("theme"), int(theme)).toInt();
        if (stored >= int(ThemeChoice::System) && stored <= int(ThemeChoice::Dark))
            theme = static_cast<ThemeChoice>(stored);
        QVariantMap state;
        for (const QString& key : viewState().keys())
            if (isKept(key) && settings.contains(key)) state.insert(key, settings.value(key));
        setViewState(state);
    }
    updateRecent();
    setTheme(m_setup.theme.value_or(theme));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_setup.persistent) {
        QSettings settings;
        settings.setValue(QStringLiteral("geometry"), saveGeometry());
        // A theme given on the command line is for this run only.
        if (!m_setup.theme) settings.setValue(QStringLiteral("theme"), int(m_themeChoice));
        const QVariantMap state = viewState();
        for (auto entry = state.begin(); entry != state.end(); ++entry)
            if (isKept(entry.key())) settings.setValue(entry.key(), entry.value());
    }
    m_loader.cancel();
    // The program would go on with this window alone.
    if (m_recordDialog) m_recordDialog->hide();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!localFiles(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    open(localFiles(event->mimeData()));
    event->acceptProposedAction();
}

}  // namespace roofscope::gui
