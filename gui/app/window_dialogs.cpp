// SPDX-License-Identifier: Apache-2.0
// MainWindow: dialogs to open, export and record, and the exports themselves.
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <utility>

#include "gui/app/main_window.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/message_bar.h"
#include "profile/names/launchers.h"

namespace roofscope::gui {
namespace {

/// Title and filter of the file dialog for a format.
std::pair<QString, QString> wordsOf(const QString& suffix) {
    const auto is = [&](const char* name) { return suffix == QLatin1String(name); };
    if (is("svg")) return {MainWindow::tr("Export plot"), MainWindow::tr("SVG picture (*.svg)")};
    if (is("png")) return {MainWindow::tr("Export plot"), MainWindow::tr("PNG picture (*.png)")};
    if (is("pdf")) return {MainWindow::tr("Export plot"), MainWindow::tr("PDF document (*.pdf)")};
    if (is("csv"))
        return {MainWindow::tr("Export table"), MainWindow::tr("Comma-separated values (*.csv)")};
    if (is("html")) return {MainWindow::tr("Export report"), MainWindow::tr("HTML page (*.html)")};
    return {MainWindow::tr("Export report"), MainWindow::tr("Markdown (*.md)")};
}

Error nothingOpen() { return Error{.code = ErrorCode::Usage, .what = "no profile is open"}; }

}  // namespace

void MainWindow::showOpenDialog() {
    const QStringList& recent = m_session.recent();
    const QString folder =
        document() ? document()->folder()
                   : (recent.isEmpty() ? QString() : QFileInfo(recent.front()).absolutePath());
    open(QFileDialog::getOpenFileNames(
        this, tr("Open profiles"), folder,
        tr("Profiles and Nsight Compute (*.roofscope.json *.roofscope.json.gz *.ncu-rep *.csv)"
           ";;All files (*)")));
}

void MainWindow::exportDialog(const QString& suffix) {
    const ProfileDocument* shown = document();
    if (!shown) return;
    const auto [title, filter] = wordsOf(suffix);
    const QString proposal =
        QFileInfo(shown->path).dir().filePath(shown->title() + QLatin1Char('.') + suffix);
    QString path = QFileDialog::getSaveFileName(this, title, proposal, filter);
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().toLower() != suffix) path += QLatin1Char('.') + suffix;
    tell(exportTo(path), path);
}

void MainWindow::tell(const Result<void>& result, const QString& path) {
    if (result)
        sayWrote(path);
    else
        showError(QString::fromStdString(result.error().message()));
}

void MainWindow::sayWrote(const QString& path) {
    const QString name = shownText(QDir::toNativeSeparators(path));
    const KernelFilterModel& filter = kernels().filterModel();
    say(filter.filtering() ? tr("Wrote %1: %2 of %3 kernels, as filtered")
                                 .arg(name)
                                 .arg(filter.visibleKernels().size())
                                 .arg(document()->analysis->kernels.size())
                           : tr("Wrote %1").arg(name));
}

Result<void> MainWindow::exportTo(const QString& path) const {
    const ProfileDocument* shown = document();
    if (!shown) return nothingOpen();
    const RooflineView& plot = m_views->roofline();
    const KernelFilterModel& filter = m_views->kernels().filterModel();
    ExportOptions options;
    options.plot = plot.options();
    options.plot.width = std::max(960, plot.width());
    options.plot.height = std::max(600, plot.height());
    options.theme = resolveTheme(m_themeChoice);
    if (filter.filtering()) {
        options.kernels = filter.visibleKernels();
        if (options.kernels->empty())
            return Error{.code = ErrorCode::Usage,
                         .what = "no kernel matches the filter",
                         .advice = "clear the filter to export all of them"};
    }
    return exportDocument(*shown, path, options);
}

Result<void> MainWindow::exportPicture(Picture picture, const QString& path) const {
    const ProfileDocument* shown = document();
    if (!shown) return nothingOpen();
    const auto kernel = selectedKernel();
    if (!kernel) return Error{.code = ErrorCode::Usage, .what = "no kernel is selected"};
    ExportOptions options;
    options.picture = picture;
    options.kernel = *kernel;
    options.theme = resolveTheme(m_themeChoice);
    return exportDocument(*shown, path, options);
}

void MainWindow::exportPictureDialog(Picture picture) {
    const ProfileDocument* shown = document();
    if (!shown) return;
    const bool overTime = picture == Picture::OverTime;
    const QString proposal =
        QFileInfo(shown->path)
            .dir()
            .filePath(shown->title() + (overTime ? QStringLiteral("-over-time.svg")
                                                 : QStringLiteral("-memory.svg")));
    QString path = QFileDialog::getSaveFileName(
        this, overTime ? tr("Export activity over time") : tr("Export memory chart"), proposal,
        tr("SVG picture (*.svg);;PNG picture (*.png);;PDF document (*.pdf)"));
    if (path.isEmpty()) return;
    static const QStringList kPictures{QStringLiteral("svg"), QStringLiteral("png"),
                                       QStringLiteral("pdf")};
    if (!kPictures.contains(QFileInfo(path).suffix().toLower())) path += QStringLiteral(".svg");
    if (const Result<void> result = exportPicture(picture, path); !result)
        showError(QString::fromStdString(result.error().message()));
    else
        say(tr("Wrote %1").arg(shownText(QDir::toNativeSeparators(path))));
}

void MainWindow::showRecordDialog() {
    renewRecordDialog();  // it may have been recording when the language changed
    if (!m_recordDialog) makeRecordDialog();
    m_recordDialog->show();
    m_recordDialog->raise();
    m_recordDialog->activateWindow();
}

void MainWindow::showRecordDialog(const RecordingRequest& request) {
    showRecordDialog();
    if (!m_recordDialog->recording().busy()) m_recordDialog->setRequest(request);
}

void MainWindow::makeRecordDialog() {
    auto* dialog = new RecordDialog(this);
    m_recordDialog = dialog;
    connect(dialog, &RecordDialog::recorded, this, [this, dialog](const QString& path, bool whole) {
        m_recorded = {.path = absolutePath(path),
                      .before = document() ? document()->path : QString()};
        open({path});
        // Keep the dialog open so that the user can read what went wrong.
        if (!whole) return;
        say(dialog->statusText().replace(QLatin1Char('\n'), QLatin1Char(' ')));
        dialog->hide();
    });
}

/// After a second recording of the same program, offers to compare it with the one shown before:
/// the user probably changed the code and wants to see the effect.
void MainWindow::offerComparison(const ProfileDocument& added) {
    if (added.path != m_recorded.path) return;
    const QString path = std::exchange(m_recorded, {}).before;
    const int index = m_documents.indexOf(path);
    if (index < 0 || !baseline().isEmpty()) return;
    const ProfileDocument& before = m_documents.all()[std::size_t(index)].document;
    const auto recorded = [](const ProfileDocument& document) {
        return nameOfCommand(document.analysis->profile->capture.command);
    };
    const std::string program = recorded(added);
    if (program.empty() || program != recorded(before)) return;
    m_offered = {.path = added.path, .before = path};
    showOffer();
}

/// Separate from offerComparison() so that rebuild() can show it again in the new language.
void MainWindow::showOffer() {
    const int added = m_documents.indexOf(m_offered.path);
    const int before = m_documents.indexOf(m_offered.before);
    if (added < 0 || before < 0) return;
    const auto title = [this](int index) {
        return m_documents.all()[std::size_t(index)].document.title();
    };
    messageBar().offer(
        tr("%1 was recorded with the same program as %2.").arg(title(added), title(before)),
        tr("Compare Them"), [this, path = m_offered.before] { setBaseline(path); });
}

/// Rebuilds the dialog if the language changed; keeps the filled-in form. Leaves a dialog that is
/// recording as it is.
void MainWindow::renewRecordDialog() {
    RecordDialog* old = m_recordDialog;
    if (!old || old->recording().busy() || old->language() == shownLanguage()) return;
    makeRecordDialog();
    m_recordDialog->setRequest(old->request());
    m_recordDialog->setGeometry(old->geometry());
    m_recordDialog->setVisible(old->isVisible());
    old->hide();
    old->disconnect(this);
    old->deleteLater();
}

}  // namespace roofscope::gui
