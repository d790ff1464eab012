// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QScopedValueRollback>
#include <QSettings>
#include <QSignalBlocker>
#include <QStatusBar>
#include <QTabBar>
#include <algorithm>
#include <set>
#include <utility>

#include "gui/app/main_menu.h"
#include "gui/app/workspace.h"
#include "gui/models/file_name.h"
#include "gui/models/number_text.h"
#include "gui/models/plain_tip.h"
#include "gui/models/shown_language.h"
#include "gui/models/shown_text.h"
#include "gui/views/data_tree_view.h"
#include "gui/views/details_view.h"
#include "gui/views/empty_view.h"
#include "gui/views/hints_view.h"
#include "gui/views/kernel_table_view.h"
#include "gui/views/message_bar.h"
#include "gui/views/overview_view.h"
#include "gui/views/record_dialog.h"
#include "gui/views/roofline_page.h"
#include "gui/views/roofline_view.h"
#include "gui/views/status_area.h"

/// The icon lies in a static library, whose resources nobody would otherwise ask for. Qt wants this
/// outside of namespaces.
static void initResources() { Q_INIT_RESOURCE(resources); }

namespace roofscope::gui {
namespace {

constexpr double kScales[] = {0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3};
constexpr std::size_t kLongestHistory = 200;

/// What of a view's state the settings keep for the next window: the layout, not what was looked
/// at.
bool isKept(const QString& key) {
    static const QStringList kKept{QStringLiteral("columns"),    QStringLiteral("docks"),
                                   QStringLiteral("kernelTree"), QStringLiteral("hintTokens"),
                                   QStringLiteral("details"),    QStringLiteral("overview")};
    return kKept.contains(key) || key.startsWith(QLatin1String("levels/"));
}

QStringList localFiles(const QMimeData* data) {
    QStringList paths;
    for (const QUrl& url : data->urls()) {
        // Its bytes, which need not be UTF-8.
        if (url.isLocalFile())
            paths << fileName(
                QByteArray::fromPercentEncoding(url.path(QUrl::FullyEncoded).toLatin1()));
    }
    return paths;
}

}  // namespace

MainWindow::MainWindow(const Setup& setup)
    : m_setup(setup),
      m_session(setup.persistent),
      m_languageChoice(setup.language),
      m_builtIn(shownLanguage()),
      m_fontSize(QApplication::font().pointSizeF()) {
    initResources();
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    setWindowIcon(QIcon(QStringLiteral(":/roofscope.svg")));
    m_documents.setFirstView({.kernel = setup.kernel, .baseline = setup.baseline});
    build();
    m_views->details().showTab(m_setup.details);
    connectDocuments();
    resize(1280, 800);
    restore();
    showDocument(false);
    qApp->installEventFilter(this);
}

MainWindow::~MainWindow() {
    // Another window of this process begins with the same font.
    if (m_scale != 1) setScale(1);
    // Our members are gone before the widgets are: a field that loses the focus then still tells.
    for (QObject* child : findChildren<QObject*>()) disconnect(child, nullptr, this, nullptr);
}

void MainWindow::build() {
    m_views = new Workspace;
    setCentralWidget(m_views);
    m_status = new StatusArea;
    statusBar()->addPermanentWidget(m_status, 1);
    statusBar()->setSizeGripEnabled(false);
    m_menu = new MainMenu(*this, *m_views);
    connectViews();
}

OverviewView& MainWindow::overview() { return m_views->overview(); }
RooflineView& MainWindow::roofline() { return m_views->roofline(); }
KernelTableView& MainWindow::kernels() { return m_views->kernels(); }
HintsView& MainWindow::hints() { return m_views->hints(); }
RooflinePage& MainWindow::plotSearch() { return m_views->rooflinePage(); }
DetailsView& MainWindow::details() { return m_views->details(); }
MessageBar& MainWindow::messageBar() { return m_views->messageBar(); }

void MainWindow::connectViews() {
    const auto choose = [this](std::size_t kernel) { selectKernel(kernel); };
    connect(&kernels(), &KernelTableView::selectionChanged, this, &MainWindow::select);
    connect(&kernels(), &KernelTableView::filterChanged, this, &MainWindow::applyFilter);
    connect(&kernels(), &KernelTableView::filterCommitted, this, &MainWindow::recordHistory);
    connect(&roofline(), &RooflineView::kernelClicked, this, choose);
    connect(&roofline(), &RooflineView::nothingClicked, this,
            [this] { selectKernel(std::nullopt); });
    connect(&roofline(), &RooflineView::kernelsBoxed, this, &MainWindow::selectBoxed);
    connect(&plotSearch(), &RooflinePage::kernelChosen, this, choose);
    connect(&plotSearch(), &RooflinePage::recordRequested, this,
            qOverload<const RecordingRequest&>(&MainWindow::showRecordDialog));
    connect(&details(), &DetailsView::kernelClicked, this, choose);
    connect(&details(), &DetailsView::counterColumnToggled, &kernels(),
            &KernelTableView::toggleCounter);
    connect(&details(), &DetailsView::said, this, &MainWindow::say);
    connect(&m_views->baselines(), &QComboBox::activated, this,
            [this](int index) { setBaseline(m_views->baselines().itemData(index).toString()); });
    connect(&m_views->devices(), &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0) roofline().setDevice(m_views->devices().itemData(index).toUInt());
    });
    connect(&m_views->progress(), &ProgressLine::cancelClicked, &loader(), &ProfileLoader::cancel);
    connect(&hints(), &HintsView::done, this, &MainWindow::say);
    connect(&hints(), &HintsView::failed, this,
            [this](const Error& error) { showError(QString::fromStdString(error.message())); });
    connect(&hints(), &HintsView::sourceRequested, this, &MainWindow::showSource);
    connect(&overview(), &OverviewView::kernelsRequested, this,
            [this](const KernelSelection& kernels) {
                select(kernels);
                showOverview(false);
            });
    connect(&overview(), &OverviewView::placeRequested, this, &MainWindow::showLaunchSite);
    connect(&overview(), &OverviewView::said, this, &MainWindow::say);
    connect(m_views, &Workspace::pageChanged, this, [this] {
        if (!m_views->pages().isHidden()) m_overviewWanted = m_views->overviewShown();
    });
    connect(&m_views->empty(), &EmptyView::openClicked, this, &MainWindow::showOpenDialog);
    connect(&m_views->empty(), &EmptyView::recordClicked, this, [this] { showRecordDialog(); });
    connect(&m_views->empty(), &EmptyView::fileClicked, this,
            [this](const QString& path) { open({path}); });
    connect(&m_views->tabs(), &QTabBar::currentChanged, &m_documents, &Documents::setCurrent);
    connect(&m_views->tabs(), &QTabBar::tabCloseRequested, this, &MainWindow::closeDocument);
}

void MainWindow::connectDocuments() {
    connect(&m_documents, &Documents::added, this, [this](int index) {
        const ProfileDocument& added = m_documents.all()[std::size_t(index)].document;
        addTab(added);
        m_session.remember(added.path);
        showRecent();
        // The program first, unless one of its kernels was asked for.
        const bool asked =
            !m_kernelSought && (!m_setup.kernel.isEmpty() || !m_setup.details.isEmpty());
        if (m_reopening.files.isEmpty()) m_overviewWanted = !asked;
        // The account's other half: what ran when.
        if (m_overviewWanted && added.program && !added.program->lanes.empty())
            details().showTab(QStringLiteral("timeline"));
        kernels().table()->setFocus();
    });
    connect(&m_documents, &Documents::removed, this, [this](int index) {
        const QSignalBlocker quiet(m_views->tabs());
        m_views->tabs().removeTab(index);
    });
    connect(&m_documents, &Documents::shownChanged, this, &MainWindow::showDocument);
    connect(&m_documents, &Documents::selectionChanged, this, [this] {
        const OpenDocument* shown = m_documents.shown();
        roofline().setBaseline(shown->two ? shown->two : shown->since);
        showSelection();
        recordHistory();
    });
    connect(&m_documents, &Documents::comparisonBegun, this,
            [this] { m_status->sayBusy(tr("Comparing with the baseline…")); });
    connect(&m_documents, &Documents::comparisonChanged, this, [this] {
        if (!m_documents.comparing()) m_status->clear();
        showComparison();
        showBaselineChoice();
    });
    connect(&m_documents, &Documents::progress, this,
            [this](const QString& path, ProfileLoader::Stage stage) {
                const QString name = shownText(QFileInfo(path).fileName());
                m_views->progress().showStep(stage == ProfileLoader::Stage::Reading
                                                 ? tr("Reading %1…").arg(name)
                                                 : tr("Analysing %1…").arg(name));
            });
    connect(&m_documents, &Documents::succeeded, this, [this] { messageBar().hideError(); });
    connect(&m_documents, &Documents::failed, this,
            [this](const QString&, const QString& message) { showError(message); });
    connect(&m_documents, &Documents::cancelled, this, [this](const QString& path) {
        say(tr("Cancelled loading %1").arg(shownText(QFileInfo(path).fileName())));
    });
    connect(&m_documents, &Documents::replaced, this, &MainWindow::tellReplaced);
    connect(&m_documents, &Documents::idle, this, [this] {
        m_views->progress().hide();
        tellUnknownKernel();
        m_reopening = {};
    });
}

void MainWindow::open(const QStringList& paths) { m_documents.open(paths); }

void MainWindow::openLastSession() {
    m_reopening = m_session.open();
    QStringList files;
    for (const QString& file : std::as_const(m_reopening.files))
        if (QFileInfo::exists(file)) files << file;
    if (files.isEmpty()) {
        m_reopening = {};
        return;
    }
    kernels().setFilterText(m_reopening.filter);
    open(files);
}

void MainWindow::reload() { m_documents.reload(); }

void MainWindow::closeDocument(int index) { m_documents.close(index); }

void MainWindow::closeShown() { closeDocument(m_documents.current()); }

const ProfileDocument* MainWindow::document() const { return m_documents.document(); }

const KernelSelection& MainWindow::selection() const { return m_documents.selection(); }

std::optional<std::size_t> MainWindow::selectedKernel() const { return selection().current; }

void MainWindow::selectKernel(std::optional<std::size_t> kernel) {
    select(KernelSelection::of(kernel));
}

void MainWindow::select(const KernelSelection& selection) { m_documents.select(selection); }

void MainWindow::selectBoxed(const std::vector<std::size_t>& kernels, bool add) {
    KernelSelection chosen{.current = kernels.front(), .all = kernels};
    if (add) {
        const KernelSelection& before = selection();
        chosen.all.insert(chosen.all.end(), before.all.begin(), before.all.end());
        std::sort(chosen.all.begin(), chosen.all.end());
        chosen.all.erase(std::unique(chosen.all.begin(), chosen.all.end()), chosen.all.end());
        if (kernels.size() > 1 && before.current) chosen.current = before.current;
    }
    select(chosen);
}

void MainWindow::recordHistory() {
    if (m_goingBack || m_documents.current() < 0) return;
    Place place{.selection = selection(), .filter = kernels().filterText()};
    if (!m_history.empty() && m_history[m_historyAt] == place) return;
    if (!m_history.empty()) m_history.resize(m_historyAt + 1);
    if (m_history.size() == kLongestHistory) m_history.erase(m_history.begin());
    m_history.push_back(std::move(place));
    m_historyAt = m_history.size() - 1;
    m_menu->setHistory(m_historyAt > 0, false);
}

void MainWindow::goThroughHistory(int step) {
    const auto target = std::ptrdiff_t(m_historyAt) + step;
    if (target < 0 || target >= std::ptrdiff_t(m_history.size())) return;
    const QScopedValueRollback going(m_goingBack, true);
    m_historyAt = std::size_t(target);
    const Place place = m_history[m_historyAt];
    kernels().setFilterText(place.filter);
    select(place.selection);
    m_menu->setHistory(m_historyAt > 0, m_historyAt + 1 < m_history.size());
}

void MainWindow::setBaseline(const QString& path) { m_documents.setBaseline(path); }

void MainWindow::toggleBaseline() {
    if (const ProfileDocument* shown = document())
        setBaseline(shown->path == baseline() ? QString() : shown->path);
}

std::shared_ptr<const ReportBaseline> MainWindow::comparison() const {
    const OpenDocument* shown = m_documents.shown();
    return shown ? shown->since : nullptr;
}

void MainWindow::compareSelected() { m_documents.compareSelected(); }

void MainWindow::setConvention(Convention convention) {
    m_menu->showConvention(convention == Convention::Ncu);
    m_documents.setConvention(convention);
}

void MainWindow::showSource(const QString& file, int line) {
    m_views->showAll();
    details().showSource(file, line);
}

void MainWindow::maximiseFocused() {
    if (m_views->showAll()) return;
    m_views->maximise(m_views->partOf(QApplication::focusWidget()).value_or(Workspace::Roofline));
}

void MainWindow::addTab(const ProfileDocument& document) {
    const QSignalBlocker quiet(m_views->tabs());
    const int tab =
        m_views->tabs().addTab(document.title().replace(QLatin1Char('&'), QLatin1String("&&")));
    m_views->tabs().setTabToolTip(tab, plainTip(QDir::toNativeSeparators(document.path)));
}

void MainWindow::applyFilter() {
    const KernelFilterModel& filter = kernels().filterModel();
    roofline().setVisibleKernels(filter.filtering() ? std::optional(filter.visibleKernels())
                                                    : std::nullopt);
    plotSearch().showHidden();
    kernels().select(selection());
}

void MainWindow::showDevices() {
    QComboBox& devices = m_views->devices();
    const QSignalBlocker quiet(devices);
    devices.clear();
    if (const ProfileDocument* shown = document()) {
        // GPUs of one model are judged together, under the first of them.
        std::set<std::uint32_t> judged;
        for (const KernelAnalysis& kernel : shown->analysis->kernels)
            judged.insert(kernel.group.device);
        for (const std::uint32_t i : judged)
            devices.addItem(
                tr("GPU %1: %2").arg(i).arg(shownText(shown->analysis->profile->devices[i].name)),
                QVariant::fromValue(static_cast<unsigned>(i)));
    }
    devices.setVisible(devices.count() > 1);
}

void MainWindow::showDocument(bool keepViewport) {
    const ProfileDocument* shown = document();
    const std::shared_ptr<const Analysis> analysis = shown ? shown->analysis : nullptr;
    {
        const QSignalBlocker quiet(m_views->tabs());
        m_views->tabs().setCurrentIndex(m_documents.current());
    }
    showDevices();
    roofline().setAnalysis(analysis, keepViewport);
    {
        const QSignalBlocker quiet(kernels());
        kernels().setAnalysis(analysis);
    }
    if (kernels().filterModel().filtering())
        roofline().setVisibleKernels(kernels().filterModel().visibleKernels());
    plotSearch().setProfile(shown ? shown->path : QString());
    plotSearch().showHidden();
    details().setAnalysis(analysis);
    showProgram();
    m_views->showContent(shown != nullptr);
    m_views->showTabRow(m_documents.all().size() > 1);
    // Places are of one profile.
    m_history.clear();
    m_historyAt = 0;
    m_menu->setHistory(false, false);
    // What the last session had selected here.
    if (shown)
        if (const qsizetype at = m_reopening.files.indexOf(shown->path); at >= 0) {
            const QString kernel = m_reopening.kernels.value(at);
            if (const auto found = kernel.isEmpty() ? std::nullopt : shown->findNamed(kernel))
                m_documents.select(KernelSelection::of(found));
        }
    showComparison();
    showBaselineChoice();
    showState();
    recordHistory();
}

/// Of the program as a whole, above its kernels.
void MainWindow::showProgram() {
    const OpenDocument* shown = m_documents.shown();
    std::optional<Overview> program;
    if (shown && shown->document.program)
        program = overviewOf(*shown->document.analysis, *shown->document.program,
                             shown->document.path, shown->since.get());
    overview().setOverview(program);
    m_views->setOverviewThere(program.has_value());
    m_views->showOverview(m_overviewWanted);
    if (m_views->overviewShown() && kernels().table()->hasFocus()) overview().setFocus();
}

void MainWindow::showOverview(bool overview) {
    m_views->showOverview(overview);
    m_overviewWanted = overview;
    if (m_views->overviewShown())
        this->overview().setFocus();
    else
        kernels().table()->setFocus();
}

void MainWindow::showLaunchSite(const QString& file, int line) {
    m_views->showAll();
    details().showLaunchSite(file, line);
}

void MainWindow::showSelection() {
    const ProfileDocument* shown = document();
    const std::shared_ptr<const Analysis> analysis = shown ? shown->analysis : nullptr;
    const std::optional<std::size_t> kernel = selectedKernel();
    if (analysis) {
        // Without a kernel the GPU that is shown stays, if this profile has it.
        QComboBox& devices = m_views->devices();
        std::uint32_t device = roofline().device();
        if (kernel)
            device = analysis->kernels[*kernel].group.device;
        else if (devices.count() > 0 && devices.findData(device) < 0)
            device = devices.itemData(0).toUInt();
        const QSignalBlocker quiet(devices);
        devices.setCurrentIndex(devices.findData(device));
        roofline().setDevice(device);
    }
    kernels().select(selection());
    roofline().setSelection(selection());
    plotSearch().setCurrent(kernel);
    Compared compared;
    if (const OpenDocument* open = m_documents.shown())
        compared = {.baseline = open->two ? open->two : open->since,
                    .path = open->two ? open->document.path : baseline(),
                    .twoKernels = open->two != nullptr};
    hints().setSelection(analysis, selection(), shown ? shown->path : QString(), compared);
    details().setKernel(analysis, kernel, compared.baseline);
    details().setSelection(selection());
    m_menu->setEnabled(shown != nullptr, hints().hasReport(),
                       selection().all.size() == 2 && kernel.has_value());
}

void MainWindow::showComparison() {
    const int index = m_documents.indexOf(baseline());
    const QString name =
        index < 0 ? QString() : m_documents.all()[std::size_t(index)].document.title();
    const OpenDocument* shown = m_documents.shown();
    kernels().setBaseline(shown ? shown->since : nullptr, name);
    const bool told = overview().overview() && !overview().overview()->since.isEmpty();
    if (told != (shown && shown->since)) showProgram();
    roofline().setBaseline(!shown ? nullptr : shown->two ? shown->two : shown->since);
    showSelection();
}

/// The tabs' titles and the box that say which profile is the baseline.
void MainWindow::showBaselineChoice() {
    QComboBox& box = m_views->baselines();
    box.clear();
    box.addItem(tr("nothing"), QString());
    for (int i = 0; i < int(m_documents.all().size()); ++i) {
        const ProfileDocument& open = m_documents.all()[std::size_t(i)].document;
        QString title = open.title();
        if (i != m_documents.current()) box.addItem(title, open.path);
        title.replace(QLatin1Char('&'), QLatin1String("&&"));
        m_views->tabs().setTabText(
            i, open.path == baseline() ? tr("%1 (baseline)").arg(title) : title);
    }
    const bool isBaseline = document() && document()->path == baseline();
    box.setEnabled(!isBaseline);
    box.setCurrentIndex(std::max(0, box.findData(baseline())));
    if (isBaseline) box.setItemText(0, tr("(is the baseline)"));
    m_menu->showBaseline(isBaseline);
}

void MainWindow::showState() {
    const ProfileDocument* shown = document();
    if (!shown) {
        setWindowTitle(QStringLiteral("roofscope"));
        setWindowFilePath({});
        m_status->setSummary({});
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
    m_status->setSummary(parts.join(QStringLiteral("   ·   ")));
}

void MainWindow::showRecent() {
    m_menu->setRecent(m_session.recent());
    m_views->empty().setRecent(m_session.recent());
}

void MainWindow::forgetRecent() {
    m_session.forgetRecent();
    showRecent();
}

/// Once: what is opened later was not meant.
void MainWindow::tellUnknownKernel() {
    if (m_documents.all().empty() || std::exchange(m_kernelSought, true) ||
        m_setup.kernel.isEmpty())
        return;
    const bool found = std::ranges::any_of(m_documents.all(), [this](const OpenDocument& open) {
        return open.document.findNamed(m_setup.kernel).has_value();
    });
    // A profile that could not be read is the graver thing.
    if (!found && messageBar().message().isEmpty())
        showError(tr("No kernel has \"%1\" in its name or NVTX range").arg(m_setup.kernel));
}

/// A file that changed by itself replaced every number: that stays to be read until it is closed.
void MainWindow::tellReplaced(const ProfileDocument& before, const ProfileDocument& now,
                              bool asked) {
    if (asked) {
        say(tr("Reloaded %1").arg(now.title()));
        return;
    }
    const auto facts = [](const ProfileDocument& document) {
        const Analysis& analysis = *document.analysis;
        QStringList parts{
            counted(analysis.kernels.size(), tr("%1 kernel"), tr("%1 kernels")),
            counted(analysis.profile->launches.size(), tr("%1 launch"), tr("%1 launches"))};
        double seconds = 0;
        for (const KernelAnalysis& kernel : analysis.kernels)
            seconds += kernel.quantities.duration.total.value;
        if (seconds > 0) parts << tr("%1 of GPU time").arg(text(Seconds{seconds}));
        if (const QString created = QString::fromStdString(analysis.profile->capture.createdUtc);
            !created.isEmpty())
            parts << tr("recorded %1").arg(shownText(created));
        return parts.join(QStringLiteral(", "));
    };
    messageBar().showInfo(tr("%1 changed on disk and was loaded again at %2. Now: %3. Before: %4.")
                              .arg(now.title(), now.loadedAt.toString(QStringLiteral("HH:mm:ss")),
                                   facts(now), facts(before)));
}

void MainWindow::setTheme(ThemeChoice choice) {
    m_themeChoice = choice;
    const plot::Theme theme = resolveTheme(choice);
    applyTheme(*qApp, theme);
    m_views->setTheme(theme);
    m_menu->showTheme(choice);
}

void MainWindow::setScale(double scale) {
    scale = std::clamp(scale, std::begin(kScales)[0], std::end(kScales)[-1]);
    m_scale = scale;
    QFont font = QApplication::font();
    font.setPointSizeF(m_fontSize * scale);
    QApplication::setFont(font);
    m_views->setScale(scale);
    // Widths that the style sheet made are made again.
    setTheme(m_themeChoice);
}

void MainWindow::changeScale(int steps) {
    const auto nearest = std::ranges::min_element(
        kScales, {}, [this](double scale) { return std::abs(scale - m_scale); });
    const auto last = std::ssize(kScales) - 1;
    const auto at = std::clamp<std::ptrdiff_t>(nearest - std::begin(kScales) + steps, 0, last);
    setScale(kScales[at]);
    say(tr("Size: %1 %").arg(qRound(m_scale * 100)));
}

void MainWindow::setLanguage(LanguageChoice choice) {
    m_languageChoice = choice;
    if (m_session.kept()) QSettings().setValue(QStringLiteral("language"), toSetting(choice));
    if (const Result<void> used = useLanguage(choice.value_or(systemLanguage())); !used)
        showError(QString::fromStdString(used.error().message()));
}

LanguageChoice MainWindow::storedLanguage() {
    return gui::languageChoice(QSettings().value(QStringLiteral("language")).toString());
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
    const std::optional<plot::Viewport> viewport = roofline().options().viewport;
    const std::uint32_t device = roofline().device();
    const QString message = messageBar().message();
    const bool wasError = messageBar().isError();
    const bool loading = loader().busy();
    // What called this may be one of them: they go with the next round of the event loop, and are
    // not listened to until then.
    for (QWidget* old : m_views->findChildren<QWidget*>()) old->disconnect(this);
    for (QWidget* old : m_views->findChildren<QWidget*>()) old->disconnect(&m_documents);
    m_menu->disconnect(this);
    m_menu->deleteLater();
    setMenuBar(nullptr);
    setStatusBar(nullptr);
    build();
    setScale(m_scale);
    showRecent();
    for (const OpenDocument& open : m_documents.all()) addTab(open.document);
    setViewState(state);
    showDocument(false);
    roofline().setDevice(device);
    if (viewport) roofline().setViewport(*viewport);
    if (!message.isEmpty())
        wasError ? messageBar().showError(message) : messageBar().showInfo(message);
    if (loading) m_views->progress().showStep(tr("Loading…"));
    renewRecordDialog();
    kernels().table()->setFocus();
}

void MainWindow::showError(const QString& message) { messageBar().showError(message); }

void MainWindow::say(const QString& message) {
    messageBar().hideError();  // what failed before was done now, or something else was
    m_status->say(message);
}

/// How the widgets are arranged and what they show of a document.
QVariantMap MainWindow::viewState() const {
    QVariantMap state{{QStringLiteral("kernelTree"), m_views->kernels().saveState()},
                      {QStringLiteral("filter"), m_views->kernels().filterText()},
                      {QStringLiteral("details"), m_views->details().currentIndex()},
                      {QStringLiteral("overview"), m_overviewWanted},
                      {QStringLiteral("hintTokens"), qulonglong(m_views->hints().budget())}};
    state.insert(m_views->layoutState());
    state.insert(m_menu->state());
    return state;
}

/// Applies what `state` has; the rest stays as it is.
void MainWindow::setViewState(const QVariantMap& state) {
    m_views->setLayoutState(state);
    kernels().restoreState(state.value(QStringLiteral("kernelTree")).toByteArray());
    kernels().setFilterText(state.value(QStringLiteral("filter")).toString());
    details().setCurrentIndex(
        state.value(QStringLiteral("details"), details().currentIndex()).toInt());
    m_overviewWanted = state.value(QStringLiteral("overview"), m_overviewWanted).toBool();
    hints().setBudget(state.value(QStringLiteral("hintTokens"), 0).toULongLong());
    m_menu->setState(state);
}

void MainWindow::restore() {
    m_session.load();
    if (m_session.kept()) {
        restoreGeometry(m_session.geometry());
        QVariantMap wanted = viewState();
        for (auto entry = wanted.begin(); entry != wanted.end();)
            entry = isKept(entry.key()) ? std::next(entry) : wanted.erase(entry);
        if (!m_setup.details.isEmpty()) wanted.remove(QStringLiteral("details"));
        setViewState(m_session.views(wanted));
    }
    showRecent();
    m_themeChoice = m_setup.theme.value_or(m_session.theme());
    setScale(m_setup.scale > 0 ? m_setup.scale : m_session.scale());
}

void MainWindow::storeOpen() {
    Session::Open open{.current = m_documents.current(), .filter = kernels().filterText()};
    for (const OpenDocument& each : m_documents.all()) {
        open.files << each.document.path;
        const auto kernel = each.selection.current;
        open.kernels << (kernel ? shownText(each.document.analysis->kernels[*kernel].fullName)
                                : QString());
    }
    m_session.setOpen(open);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_views->showAll();
    m_session.setGeometry(saveGeometry());
    // A theme given on the command line is for this run only.
    if (!m_setup.theme) m_session.setTheme(m_themeChoice);
    if (m_setup.scale <= 0) m_session.setScale(m_scale);
    QVariantMap state = viewState();
    for (auto entry = state.begin(); entry != state.end();)
        entry = isKept(entry.key()) ? std::next(entry) : state.erase(entry);
    m_session.setViews(state);
    storeOpen();
    loader().cancel();
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

void MainWindow::keyPressEvent(QKeyEvent* event) {
    // What has the focus had no use for it: a pane that is alone goes back, else nothing is
    // selected.
    if (event->key() == Qt::Key_Escape && event->modifiers() == Qt::NoModifier) {
        if (!m_views->showAll()) selectKernel(std::nullopt);
        return;
    }
    QMainWindow::keyPressEvent(event);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Wheel) {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (wheel->modifiers() == Qt::ControlModifier && wheel->angleDelta().y() != 0 && widget &&
            widget->window() == this) {
            changeScale(wheel->angleDelta().y() > 0 ? 1 : -1);
            return true;
        }
    }
    return QMainWindow::eventFilter(watched, event);
}

}  // namespace roofscope::gui
