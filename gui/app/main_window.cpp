// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QStatusBar>
#include <QTabBar>
#include <algorithm>

#include "gui/app/main_menu.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/empty_view.h"
#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/status_area.h"

/// The icon is a resource in a static library: without this call the linker drops it. Qt requires
/// the macro outside of namespaces.
static void initResources() { Q_INIT_RESOURCE(resources); }

namespace roofscope::gui {
namespace {

QStringList localFiles(const QMimeData* data) {
    QStringList paths;
    for (const QUrl& url : data->urls()) {
        // Take the raw bytes: file names need not be UTF-8.
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
    // Restore the application font for later windows of this process.
    if (m_scale != 1) setScale(1);
    // Our members are destroyed before the child widgets, which may still emit signals: a line edit
    // does when it loses the focus.
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
    const auto record = qOverload<const RecordingRequest&>(&MainWindow::showRecordDialog);
    connect(&plotSearch(), &RooflinePage::recordRequested, this, record);
    connect(&details(), &DetailsView::kernelClicked, this, choose);
    connect(&details(), &DetailsView::counterColumnToggled, this, [this](const std::string& name) {
        const QString counter = shownText(name);
        say(kernels().toggleCounter(name) ? tr("The kernel table has the column %1").arg(counter)
                                          : tr("The kernel table lost the column %1").arg(counter));
    });
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
    connect(&hints(), &HintsView::recordRequested, this, record);
    connect(&overview(), &OverviewView::recordRequested, this, record);
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
        // Start with the overview, unless the command line asked for a kernel or a details tab.
        const bool asked =
            !m_kernelSought && (!m_setup.kernel.isEmpty() || !m_setup.details.isEmpty());
        if (m_reopening.files.isEmpty()) m_overviewWanted = !asked;
        // The timeline complements the overview: it shows what ran when.
        if (m_overviewWanted && added.program && !added.program->lanes.empty())
            details().showTab(QStringLiteral("timeline"));
        kernels().table()->setFocus();
        offerComparison(added);
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

void MainWindow::selectBoxed(const std::vector<std::size_t>& kernels, bool add) {
    KernelSelection chosen{.current = kernels.front(), .all = kernels};
    if (add) {
        const KernelSelection& before = selection();
        chosen.all.insert(chosen.all.end(), before.all.begin(), before.all.end());
        std::ranges::sort(chosen.all);
        chosen.all.erase(std::unique(chosen.all.begin(), chosen.all.end()), chosen.all.end());
        if (kernels.size() > 1 && before.current) chosen.current = before.current;
    }
    select(chosen);
}

void MainWindow::recordHistory() {
    if (m_goingBack || m_documents.current() < 0) return;
    m_history.add({.selection = selection(), .filter = kernels().filterText()});
    m_menu->setHistory(m_history.canGo(-1), m_history.canGo(1));
}

void MainWindow::goThroughHistory(int step) {
    const PlaceHistory::Place* known = m_history.go(step);
    if (!known) return;
    const QScopedValueRollback going(m_goingBack, true);
    const PlaceHistory::Place place = *known;
    kernels().setFilterText(place.filter);
    select(place.selection);
    m_menu->setHistory(m_history.canGo(-1), m_history.canGo(1));
}

void MainWindow::toggleBaseline() {
    if (const ProfileDocument* shown = document())
        setBaseline(shown->path == baseline() ? QString() : shown->path);
}

std::shared_ptr<const ReportBaseline> MainWindow::comparison() const {
    const OpenDocument* shown = m_documents.shown();
    return shown ? shown->since : nullptr;
}

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

void MainWindow::showError(const QString& message) { messageBar().showError(message); }

void MainWindow::say(const QString& message) {
    messageBar().hideError();  // an older error is out of date now
    m_status->say(message);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!localFiles(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    open(localFiles(event->mimeData()));
    event->acceptProposedAction();
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    // The focused widget did not use Escape: restore a maximised pane, else clear the selection.
    if (event->key() == Qt::Key_Escape && event->modifiers() == Qt::NoModifier) {
        if (!m_views->showAll()) selectKernel(std::nullopt);
        return;
    }
    // Enter presses the focused button, like Space.
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        if (auto* button = qobject_cast<QAbstractButton*>(QApplication::focusWidget()))
            return button->click();
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
