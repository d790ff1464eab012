// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCloseEvent>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QStatusBar>

#include "gui/app/main_menu.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/shown_language.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/data_tree_view.h"
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

/// Blocks the signals of widgets that are about to be deleted: a line edit, for example, sends one
/// when it loses the focus.
void silence(Workspace& views) {
    views.blockSignals(true);
    for (QObject* child : views.findChildren<QObject*>()) child->blockSignals(true);
}

}  // namespace

MainWindow::MainWindow(const Setup& setup)
    : m_setup(setup),
      m_session(setup.persistent),
      m_look(*this, m_messages, m_session, setup.language),
      m_contents(m_documents, m_messages, !setup.kernel.isEmpty() || !setup.details.isEmpty()),
      m_history(m_documents),
      m_recordings(*this, m_documents, m_messages),
      m_files(*this, m_documents, m_session, m_look, m_messages),
      m_widgetLanguage(shownLanguage()) {
    initResources();
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    setWindowIcon(QIcon(QStringLiteral(":/roofscope.svg")));
    connect(&m_contents, &Contents::titleChanged, this, &QWidget::setWindowTitle);
    m_documents.setInitialSelection({.kernel = setup.kernel, .baseline = setup.baseline});
    build();
    m_views->details().showTab(m_setup.details);
    resize(firstSize(screen()->availableSize()));
    restore();
    m_contents.show(false);
}

QSize MainWindow::firstSize(const QSize& available) {
    constexpr QSize kFrame(16, 40);  // the most that a window manager adds
    return QSize(1280, 800).boundedTo(available - kFrame);
}

MainWindow::~MainWindow() {
    // The members are destroyed before the child widgets, which must not send signals to them.
    silence(*m_views);
}

void MainWindow::build() {
    m_views = new Workspace;
    setCentralWidget(m_views);
    m_status = new StatusArea;
    statusBar()->addPermanentWidget(m_status, 1);
    statusBar()->setSizeGripEnabled(false);
    m_messages.follow(m_views->messageBar(), *m_status);
    m_look.follow(*m_views);
    m_contents.follow(*m_views, *m_status);
    m_history.follow(m_views->kernels());
    m_recordings.follow(*m_views);
    m_files.follow(*m_views);
    m_menu = new MainMenu(*this, *m_views);
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && m_widgetLanguage != shownLanguage()) rebuild();
}

/// Creates all widgets again in the new language. The documents keep what is open and selected, so
/// views need no code for a language change.
void MainWindow::rebuild() {
    m_widgetLanguage = shownLanguage();
    const QVariantMap state = viewState();
    const std::optional<plot::Viewport> viewport = m_views->roofline().options().viewport;
    const std::uint32_t device = m_views->roofline().device();
    // An old widget may be the caller, so let the event loop delete them later.
    silence(*m_views);
    m_menu->deleteLater();
    setMenuBar(nullptr);
    setStatusBar(nullptr);
    build();
    m_look.setScale(m_look.scale());
    setViewState(state);
    m_contents.show(false);
    m_views->roofline().setDevice(device);
    if (viewport) m_views->roofline().setViewport(*viewport);
    m_views->kernels().table()->setFocus();
}

QVariantMap MainWindow::viewState() const {
    QVariantMap state = m_views->state();
    state.insert(m_menu->state());
    return state;
}

void MainWindow::setViewState(const QVariantMap& state) {
    m_views->setState(state);
    m_menu->setState(state);
}

void MainWindow::restore() {
    // Set the size first: the stored widths that follow are for that size.
    m_look.restore(m_setup.theme.value_or(m_session.theme()),
                   m_setup.scale > 0 ? m_setup.scale : m_session.scale());
    if (!m_session.kept()) return;
    restoreGeometry(m_session.geometry());
    QVariantMap state = m_session.viewState(viewState());
    if (!m_setup.details.isEmpty()) state.remove(QStringLiteral("details"));
    setViewState(state);
}

void MainWindow::openLastSession() {
    m_documents.reopen(m_session.openFiles());
    if (m_documents.reopening()) m_views->kernels().setFilterText(m_session.filter());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_views->showAll();
    m_session.setGeometry(saveGeometry());
    // A theme or size from the command line is for this run only.
    if (!m_setup.theme) m_session.setTheme(m_look.theme());
    if (m_setup.scale <= 0) m_session.setScale(m_look.scale());
    m_session.setViewState(viewState());
    m_session.setOpenFiles(m_documents.openFiles());
    m_session.setFilter(m_views->kernels().filterText());
    m_documents.loader().cancel();
    m_recordings.hideDialog();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!localFiles(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    m_documents.open(localFiles(event->mimeData()));
    event->acceptProposedAction();
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    // The focused widget did not use Escape. Restore a maximised pane, else clear the range
    // selected in the timeline, else clear the selection.
    if (event->key() == Qt::Key_Escape && event->modifiers() == Qt::NoModifier) {
        if (m_views->showAll()) return;
        if (m_documents.range())
            m_documents.setRange(std::nullopt);
        else
            m_documents.selectKernel(std::nullopt);
        return;
    }
    // Enter presses the focused button, like Space.
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        if (auto* button = qobject_cast<QAbstractButton*>(QApplication::focusWidget()))
            return button->click();
    QMainWindow::keyPressEvent(event);
}

}  // namespace roofscope::gui
