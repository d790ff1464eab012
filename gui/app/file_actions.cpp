// SPDX-License-Identifier: Apache-2.0
#include "gui/app/file_actions.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "gui/app/documents.h"
#include "gui/app/look.h"
#include "gui/app/messages.h"
#include "gui/app/session.h"
#include "gui/app/workspace.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/empty_view.h"

namespace roofscope::gui {
namespace {

/// Title and filter of the file dialog for a format.
std::pair<QString, QString> wordsOf(const QString& suffix) {
    const auto is = [&](const char* name) { return suffix == QLatin1String(name); };
    if (is("svg")) return {FileActions::tr("Export plot"), FileActions::tr("SVG picture (*.svg)")};
    if (is("png")) return {FileActions::tr("Export plot"), FileActions::tr("PNG picture (*.png)")};
    if (is("pdf")) return {FileActions::tr("Export plot"), FileActions::tr("PDF document (*.pdf)")};
    if (is("csv"))
        return {FileActions::tr("Export table"), FileActions::tr("Comma-separated values (*.csv)")};
    if (is("html"))
        return {FileActions::tr("Export report"), FileActions::tr("HTML page (*.html)")};
    return {FileActions::tr("Export report"), FileActions::tr("Markdown (*.md)")};
}

Error nothingOpen() { return Error{.code = ErrorCode::Usage, .what = "no profile is open"}; }

}  // namespace

FileActions::FileActions(QWidget& window, Documents& documents, Session& session, const Look& look,
                         Messages& messages)
    : m_window(window),
      m_documents(documents),
      m_session(session),
      m_look(look),
      m_messages(messages) {
    connect(&documents, &Documents::added, this, [this](int index) {
        m_session.remember(m_documents.all()[std::size_t(index)].document.path);
    });
}

void FileActions::follow(Workspace& views) {
    m_views = &views;
    EmptyView& empty = views.empty();
    empty.setRecent(m_session.recent());
    connect(&m_session, &Session::recentChanged, &empty, &EmptyView::setRecent);
    connect(&empty, &EmptyView::openClicked, this, &FileActions::askAndOpen);
    connect(&empty, &EmptyView::fileClicked, this,
            [this](const QString& path) { m_documents.open({path}); });
}

void FileActions::askAndOpen() {
    const ProfileDocument* shown = m_documents.document();
    const QStringList& recent = m_session.recent();
    const QString folder =
        shown ? shown->folder()
              : (recent.isEmpty() ? QString() : QFileInfo(recent.front()).absolutePath());
    m_documents.open(
        QFileDialog::getOpenFileNames(&m_window, tr("Open profiles"), folder,
                                      tr("Profiles, traces of PyTorch and Nsight (*.json "
                                         "*.json.gz *.ncu-rep *.csv *.csv.gz *.sqlite *.nsys-rep)"
                                         ";;All files (*)")));
}

QString FileActions::askForName(const QString& title, const QString& ending,
                                const QString& filter) const {
    const ProfileDocument* shown = m_documents.document();
    if (!shown) return {};
    const QString proposal = QFileInfo(shown->path).dir().filePath(shown->title() + ending);
    return QFileDialog::getSaveFileName(&m_window, title, proposal, filter);
}

void FileActions::askAndExport(const QString& suffix) {
    const auto [title, filter] = wordsOf(suffix);
    QString path = askForName(title, QLatin1Char('.') + suffix, filter);
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().toLower() != suffix) path += QLatin1Char('.') + suffix;
    if (const Result<void> written = exportTo(path); !written)
        m_messages.showError(QString::fromStdString(written.error().message()));
    else
        m_messages.say(wroteText(path));
}

void FileActions::askAndExport(Picture picture) {
    const bool overTime = picture == Picture::OverTime;
    QString path =
        askForName(overTime ? tr("Export activity over time") : tr("Export memory chart"),
                   overTime ? QStringLiteral("-over-time.svg") : QStringLiteral("-memory.svg"),
                   tr("SVG picture (*.svg);;PNG picture (*.png);;PDF document (*.pdf)"));
    if (path.isEmpty()) return;
    static const QStringList kPictures{QStringLiteral("svg"), QStringLiteral("png"),
                                       QStringLiteral("pdf")};
    if (!kPictures.contains(QFileInfo(path).suffix().toLower())) path += QStringLiteral(".svg");
    if (const Result<void> written = exportTo(path, picture); !written)
        m_messages.showError(QString::fromStdString(written.error().message()));
    else
        m_messages.say(tr("Wrote %1").arg(shownText(QDir::toNativeSeparators(path))));
}

QString FileActions::wroteText(const QString& path) const {
    const QString name = shownText(QDir::toNativeSeparators(path));
    const KernelFilterModel& filter = m_views->kernels().filterModel();
    return filter.filtering()
               ? tr("Wrote %1: %2 of %3 kernels, as filtered")
                     .arg(name, text(double(filter.visibleKernels().size())),
                          text(double(m_documents.document()->analysis->kernels.size())))
               : tr("Wrote %1").arg(name);
}

Result<void> FileActions::exportTo(const QString& path) const {
    const ProfileDocument* shown = m_documents.document();
    if (!shown) return nothingOpen();
    const RooflineView& plot = m_views->roofline();
    const KernelFilterModel& filter = m_views->kernels().filterModel();
    ExportOptions options;
    options.plot = plot.options();
    options.plot.width = std::max(960, plot.width());
    options.plot.height = std::max(600, plot.height());
    options.theme = resolveTheme(m_look.theme());
    if (filter.filtering()) {
        options.kernels = filter.visibleKernels();
        if (options.kernels->empty())
            return Error{.code = ErrorCode::Usage,
                         .what = "no kernel matches the filter",
                         .advice = "clear the filter to export all of them"};
    }
    return exportDocument(*shown, path, options);
}

Result<void> FileActions::exportTo(const QString& path, Picture picture) const {
    const ProfileDocument* shown = m_documents.document();
    if (!shown) return nothingOpen();
    const auto kernel = m_documents.selectedKernel();
    if (!kernel) return Error{.code = ErrorCode::Usage, .what = "no kernel is selected"};
    ExportOptions options;
    options.picture = picture;
    options.kernel = *kernel;
    options.theme = resolveTheme(m_look.theme());
    return exportDocument(*shown, path, options);
}

}  // namespace roofscope::gui
