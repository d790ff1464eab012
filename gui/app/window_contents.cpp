// SPDX-License-Identifier: Apache-2.0
// MainWindow: shows the open documents in all parts of the window.
#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QSignalBlocker>
#include <QTabBar>
#include <algorithm>
#include <set>
#include <utility>

#include "gui/app/main_menu.h"
#include "gui/app/main_window.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/plain_tip.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/status_area.h"

namespace roofscope::gui {

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
        // GPUs of the same model are analysed together, under the index of the first one.
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
    details().setAnalysis(analysis, shown ? shown->folder() : QString());
    showProgram();
    m_views->showContent(shown != nullptr);
    m_views->showTabRow(m_documents.all().size() > 1);
    // The history belongs to one profile.
    m_history.clear();
    m_menu->setHistory(false, false);
    // Restore the selection of the last session.
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

/// Fills the overview page, or removes it if the document has no program.
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

void MainWindow::showSelection() {
    const ProfileDocument* shown = document();
    const std::shared_ptr<const Analysis> analysis = shown ? shown->analysis : nullptr;
    const std::optional<std::size_t> kernel = selectedKernel();
    if (analysis) {
        // Without a selected kernel keep the current GPU, if this profile has it.
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
                       selection().all.size() == 2 && kernel.has_value(),
                       analysis && kernel && analysis->kernels[*kernel].overTime);
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

/// Updates the baseline box and the tab titles, which mark the baseline.
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

/// Reports only once: Setup::kernel refers to the files opened first.
void MainWindow::tellUnknownKernel() {
    if (m_documents.all().empty() || std::exchange(m_kernelSought, true) ||
        m_setup.kernel.isEmpty())
        return;
    const bool found = std::ranges::any_of(m_documents.all(), [this](const OpenDocument& open) {
        return open.document.findNamed(m_setup.kernel).has_value();
    });
    // Do not replace a message about an unreadable profile: that matters more.
    if (!found && messageBar().message().isEmpty())
        showError(tr("No kernel has \"%1\" in its name or NVTX range").arg(m_setup.kernel));
}

/// If the file changed on disk, every number may be new. That message stays until it is closed.
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

}  // namespace roofscope::gui
