// SPDX-License-Identifier: Apache-2.0
// MainWindow: what is remembered from one run to the next: layout, looks, files and selections.
#include <QCloseEvent>
#include <utility>

#include "gui/app/main_menu.h"
#include "gui/app/main_window.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/empty_view.h"

namespace roofscope::gui {
namespace {

/// Which part of viewState() goes into the settings: the layout, but not the filter, for example.
bool isKept(const QString& key) {
    static const QStringList kKept{QStringLiteral("columns"),    QStringLiteral("docks"),
                                   QStringLiteral("kernelTree"), QStringLiteral("hintTokens"),
                                   QStringLiteral("details"),    QStringLiteral("overview")};
    return kKept.contains(key) || key.startsWith(QLatin1String("levels/"));
}

}  // namespace

/// The layout of the widgets and how they show a document (filter, columns, levels).
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

/// Applies the keys that `state` has; other settings stay as they are, but the filter is cleared.
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
    m_themeChoice = m_setup.theme.value_or(m_session.theme());
    // Before the stored widths are restored: they are already scaled.
    setScale(m_setup.scale > 0 ? m_setup.scale : m_session.scale());
    if (m_session.kept()) {
        restoreGeometry(m_session.geometry());
        QVariantMap wanted = viewState();
        for (auto entry = wanted.begin(); entry != wanted.end();)
            entry = isKept(entry.key()) ? std::next(entry) : wanted.erase(entry);
        if (!m_setup.details.isEmpty()) wanted.remove(QStringLiteral("details"));
        setViewState(m_session.views(wanted));
    }
    showRecent();
}

void MainWindow::openLastSession() {
    m_reopening = m_session.open();
    QStringList files;
    for (const QString& file : std::as_const(m_reopening.files))
        if (fileExists(file)) files << file;
    if (files.isEmpty()) {
        m_reopening = {};
        return;
    }
    kernels().setFilterText(m_reopening.filter);
    open(files);
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

void MainWindow::showRecent() {
    m_menu->setRecent(m_session.recent());
    m_views->empty().setRecent(m_session.recent());
}

void MainWindow::forgetRecent() {
    m_session.forgetRecent();
    showRecent();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_views->showAll();
    m_session.setGeometry(saveGeometry());
    // A theme from the command line is for this run only.
    if (!m_setup.theme) m_session.setTheme(m_themeChoice);
    if (m_setup.scale <= 0) m_session.setScale(m_scale);
    QVariantMap state = viewState();
    for (auto entry = state.begin(); entry != state.end();)
        entry = isKept(entry.key()) ? std::next(entry) : state.erase(entry);
    m_session.setViews(state);
    storeOpen();
    loader().cancel();
    // A visible dialog would keep the program running.
    if (m_recordDialog) m_recordDialog->hide();
    event->accept();
}

}  // namespace roofscope::gui
