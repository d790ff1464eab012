// SPDX-License-Identifier: Apache-2.0
#include "gui/app/contents.h"

#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QSignalBlocker>
#include <QTabBar>
#include <algorithm>
#include <chrono>
#include <set>

#include "gui/app/documents.h"
#include "gui/app/messages.h"
#include "gui/app/workspace.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/plain_tip.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/timeline/timeline_page.h"
#include "gui/views/timeline/timeline_panel.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/status_area.h"
#include "importer/ncu/ncu_report.h"
#include "reports/profile/parts.h"

namespace roofscope::gui {
namespace {

QString stepText(ProfileLoader::Stage stage, const QString& file) {
    switch (stage) {
        case ProfileLoader::Stage::Converting:
            return Contents::tr(
                       "Reading %1; ncu converts unknown formats (ended if it says nothing for %2 "
                       "minutes)…")
                .arg(file)
                .arg(std::chrono::duration_cast<std::chrono::minutes>(kNcuPatience).count());
        case ProfileLoader::Stage::Reading:
            return Contents::tr("Reading %1…").arg(file);
        case ProfileLoader::Stage::Analysing:
            return Contents::tr("Analysing %1…").arg(file);
    }
    return {};
}

}  // namespace

Contents::Contents(Documents& documents, Messages& messages, bool kernelsFirst)
    : m_documents(documents), m_messages(messages), m_kernelsFirst(kernelsFirst) {
    connect(&documents, &Documents::added, this,
            [this](int index) { onAdded(m_documents.all()[std::size_t(index)].document); });
    connect(&documents, &Documents::removed, this, [this](int index) {
        const QSignalBlocker quiet(m_views->tabs());
        m_views->tabs().removeTab(index);
    });
    connect(&documents, &Documents::shownChanged, this, &Contents::show);
    connect(&documents, &Documents::selectionChanged, this, [this] {
        const OpenDocument* shown = m_documents.shown();
        m_views->roofline().setBaseline(shown->two ? shown->two : shown->since);
        showSelection();
    });
    connect(&documents, &Documents::rangeChanged, this, &Contents::showRange);
    connect(&documents, &Documents::comparisonBegun, this,
            [this] { m_messages.sayBusy(tr("Comparing with the baseline…")); });
    connect(&documents, &Documents::comparisonChanged, this, [this] {
        if (!m_documents.comparing()) m_messages.endBusy();
        showComparison();
        showBaselineChoice();
    });
    connect(&documents, &Documents::progress, this,
            [this](const QString& path, ProfileLoader::Stage stage, int percent) {
                m_views->progress().showStep(stepText(stage, shownText(QFileInfo(path).fileName())),
                                             percent);
            });
    connect(&documents, &Documents::succeeded, this, [this] {
        if (m_failed.isEmpty()) m_messages.hideError();
    });
    connect(&documents, &Documents::failed, this,
            [this](const QString&, const QString& message) { reportFailed(message); });
    connect(&documents, &Documents::cancelled, this, [this](const QString& path) {
        m_messages.say(tr("Cancelled loading %1").arg(shownText(QFileInfo(path).fileName())));
    });
    connect(&documents, &Documents::replaced, this, &Contents::reportReplaced);
    connect(&documents, &Documents::idle, this, [this] {
        m_views->progress().hide();
        m_failed.clear();  // the list stays until something else is opened
        if (!m_documents.all().empty()) m_kernelsFirst = false;
    });
    connect(&documents, &Documents::kernelUnknown, this, [this](const QString& kernel) {
        // Do not replace a message about an unreadable profile: that matters more.
        if (!m_messages.barIsShown())
            m_messages.showError(tr("No kernel has \"%1\" in its name or NVTX range").arg(kernel));
    });
}

void Contents::follow(Workspace& views, StatusArea& status) {
    m_views = &views;
    m_status = &status;
    connectPanes();
    const auto say = [this](const QString& text) { m_messages.say(text); };
    connect(&views.details(), &DetailsView::said, this, say);
    connect(&views.hints(), &HintsView::done, this, say);
    connect(&views.hints(), &HintsView::failed, this, [this](const Error& error) {
        m_messages.showError(QString::fromStdString(error.message()));
    });
    connect(&views.overview(), &OverviewView::said, this, say);
    connect(&views.baselines(), &QComboBox::activated, this, [this](int index) {
        m_documents.setBaseline(m_views->baselines().itemData(index).toString());
    });
    connect(&views.devices(), &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0) m_views->roofline().setDevice(m_views->devices().itemData(index).toUInt());
    });
    connect(&views.progress(), &ProgressLine::cancelClicked, &m_documents.loader(),
            qOverload<>(&ProfileLoader::cancel));
    connect(&views.tabs(), &QTabBar::currentChanged, &m_documents, &Documents::setCurrent);
    connect(&views.tabs(), &QTabBar::tabCloseRequested, &m_documents, &Documents::close);
    for (const OpenDocument& open : m_documents.all()) addTab(open.document);
    m_documents.loader().tellProgress();
}

void Contents::connectPanes() {
    Workspace& views = *m_views;
    const auto choose = [this](std::size_t kernel) { m_documents.selectKernel(kernel); };
    connect(&views.kernels(), &KernelTableView::selectionChanged, &m_documents, &Documents::select);
    connect(&views.kernels(), &KernelTableView::filterChanged, this, &Contents::applyFilter);
    connect(&views.roofline(), &RooflineView::kernelClicked, this, choose);
    connect(&views.roofline(), &RooflineView::nothingClicked, this,
            [this] { m_documents.selectKernel(std::nullopt); });
    connect(&views.roofline(), &RooflineView::kernelsBoxed, this,
            [this](const std::vector<std::size_t>& kernels, bool add) {
                const KernelSelection before = add ? m_documents.selection() : KernelSelection{};
                m_documents.select(before.with(kernels));
            });
    connect(&views.rooflinePage(), &RooflinePage::kernelChosen, this, choose);
    connect(&views.details(), &DetailsView::kernelClicked, this, choose);
    connect(&views.details(), &DetailsView::kernelsClicked, &m_documents, &Documents::select);
    TimelinePage& timeline = views.details().timeline();
    connect(&timeline, &TimelinePage::rangeChanged, this,
            [this, &timeline] { m_documents.setRange(timeline.range()); });
    connect(&timeline, &TimelinePage::accountKnown, this, &Contents::showRange);
    connect(&views.kernels(), &KernelTableView::rangeCleared, this,
            [this] { m_documents.setRange(std::nullopt); });
    connect(
        &views.details(), &DetailsView::counterColumnToggled, this,
        [this](const std::string& name) {
            const QString counter = shownText(name);
            m_messages.say(m_views->kernels().toggleCounter(name)
                               ? tr("Added the column %1 to the kernel table").arg(counter)
                               : tr("Removed the column %1 from the kernel table").arg(counter));
        });
    connect(&views.hints(), &HintsView::sourceRequested, &views, &Workspace::showSource);
    connect(&views.overview(), &OverviewView::kernelsRequested, this,
            [this](const KernelSelection& kernels) {
                m_documents.select(kernels);
                m_views->kernels().showTogether(kernels);
                m_views->showOverview(false);
            });
    connect(&views.overview(), &OverviewView::placeRequested, &views, &Workspace::showLaunchSite);
}

void Contents::onAdded(const ProfileDocument& added) {
    addTab(added);
    if (!m_documents.reopening()) m_views->setOverviewWanted(!m_kernelsFirst);
    // The timeline complements the overview: it shows what ran when.
    if (m_views->overviewWanted() && added.program && !added.program->lanes.empty())
        m_views->details().showTab(QStringLiteral("timeline"));
    m_views->kernels().table()->setFocus();
    // A list of files that cannot be read matters more.
    const std::string ended =
        profile_report::endSentence(*added.analysis->profile, shownLanguage());
    if (!ended.empty() && m_failed.isEmpty())
        m_messages.showInfo(tr("%1: %2").arg(added.title(), shownText(ended)));
}

void Contents::addTab(const ProfileDocument& document) {
    const QSignalBlocker quiet(m_views->tabs());
    const int tab = m_views->tabs().addTab(labelText(document.title()));
    m_views->tabs().setTabToolTip(tab, plainTip(QDir::toNativeSeparators(document.path)));
}

void Contents::applyFilter() {
    const KernelFilterModel& filter = m_views->kernels().filterModel();
    m_views->roofline().setVisibleKernels(
        filter.filtering() ? std::optional(filter.visibleKernels()) : std::nullopt);
    m_views->rooflinePage().showUnplottedKernels();
    m_views->kernels().select(m_documents.selection());
}

/// Marks the range in the timeline, and shows only its kernels in table and plot.
void Contents::showRange() {
    TimelinePage& timeline = m_views->details().timeline();
    const std::optional<TimeSpan> range = m_documents.range();
    if (timeline.range() != range) timeline.setRange(range);
    if (timeline.panel().range())
        m_views->kernels().setRange(timeline.panel().range()->length, timeline.kernelsInRange());
    else
        m_views->kernels().setNoRange();
}

void Contents::showDevices() {
    QComboBox& devices = m_views->devices();
    const QSignalBlocker quiet(devices);
    devices.clear();
    if (const ProfileDocument* shown = m_documents.document()) {
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

void Contents::show(bool keepViewport) {
    const ProfileDocument* shown = m_documents.document();
    const std::shared_ptr<const Analysis> analysis = shown ? shown->analysis : nullptr;
    {
        const QSignalBlocker quiet(m_views->tabs());
        m_views->tabs().setCurrentIndex(m_documents.current());
    }
    showDevices();
    m_views->roofline().setAnalysis(analysis, keepViewport);
    {
        const QSignalBlocker quiet(m_views->kernels());
        m_views->kernels().setAnalysis(analysis);
    }
    if (m_views->kernels().filterModel().filtering())
        m_views->roofline().setVisibleKernels(m_views->kernels().filterModel().visibleKernels());
    m_views->rooflinePage().setProfile(shown ? shown->path : QString());
    m_views->rooflinePage().showUnplottedKernels();
    m_views->details().setAnalysis(analysis, shown ? shown->folder() : QString(),
                                   shown ? shown->program.get() : nullptr);
    showRange();
    showProgram();
    m_views->showContent(shown != nullptr);
    m_views->showTabRow(m_documents.all().size() > 1);
    showComparison();
    showBaselineChoice();
    showState();
}

/// Fills the overview page, or removes it if the document has no program.
void Contents::showProgram() {
    const OpenDocument* shown = m_documents.shown();
    std::optional<Overview> program;
    if (shown && shown->document.program)
        program = overviewOf(*shown->document.analysis, *shown->document.program,
                             shown->document.path, shown->since.get());
    m_views->overview().setOverview(program);
    m_views->setOverviewAvailable(program.has_value());
    if (m_views->overviewShown() && m_views->kernels().table()->hasFocus())
        m_views->overview().setFocus();
}

void Contents::showSelection() {
    const ProfileDocument* shown = m_documents.document();
    const std::shared_ptr<const Analysis> analysis = shown ? shown->analysis : nullptr;
    const std::optional<std::size_t> kernel = m_documents.selectedKernel();
    if (analysis) {
        // Without a selected kernel keep the current GPU, if this profile has it.
        QComboBox& devices = m_views->devices();
        std::uint32_t device = m_views->roofline().device();
        if (kernel)
            device = analysis->kernels[*kernel].group.device;
        else if (devices.count() > 0 && devices.findData(device) < 0)
            device = devices.itemData(0).toUInt();
        const QSignalBlocker quiet(devices);
        devices.setCurrentIndex(devices.findData(device));
        m_views->roofline().setDevice(device);
    }
    m_views->kernels().select(m_documents.selection());
    m_views->roofline().setSelection(m_documents.selection());
    m_views->rooflinePage().setCurrent(kernel);
    Compared compared;
    if (const OpenDocument* open = m_documents.shown())
        compared = {.baseline = open->two ? open->two : open->since,
                    .path = open->two ? open->document.path : m_documents.baseline(),
                    .twoKernels = open->two != nullptr};
    m_views->hints().setSelection(analysis, m_documents.selection(),
                                  shown ? shown->path : QString(), compared);
    m_views->details().setKernel(analysis, kernel, compared.baseline);
    m_views->details().setSelection(m_documents.selection());
}

void Contents::showComparison() {
    const int index = m_documents.indexOf(m_documents.baseline());
    const QString name =
        index < 0 ? QString() : m_documents.all()[std::size_t(index)].document.title();
    const OpenDocument* shown = m_documents.shown();
    m_views->kernels().setBaseline(shown ? shown->since : nullptr, name);
    const bool told =
        m_views->overview().overview() && !m_views->overview().overview()->since.isEmpty();
    if (told != (shown && shown->since)) showProgram();
    m_views->roofline().setBaseline(!shown ? nullptr : shown->two ? shown->two : shown->since);
    showSelection();
}

/// Updates the baseline box and the tab titles, which mark the baseline.
void Contents::showBaselineChoice() {
    QComboBox& box = m_views->baselines();
    box.clear();
    box.addItem(tr("nothing"), QString());
    for (int i = 0; i < int(m_documents.all().size()); ++i) {
        const ProfileDocument& open = m_documents.all()[std::size_t(i)].document;
        QString title = open.title();
        if (i != m_documents.current()) box.addItem(title, open.path);
        title = labelText(title);
        m_views->tabs().setTabText(
            i, open.path == m_documents.baseline() ? tr("%1 (baseline)").arg(title) : title);
    }
    const bool isBaseline = m_documents.baselineIsShown();
    box.setEnabled(!isBaseline);
    box.setCurrentIndex(std::max(0, box.findData(m_documents.baseline())));
    if (isBaseline) box.setItemText(0, tr("(is the baseline)"));
}

void Contents::showState() {
    const ProfileDocument* shown = m_documents.document();
    if (!shown) {
        Q_EMIT titleChanged(QStringLiteral("roofscope"));
        m_status->setSummary({});
        return;
    }
    Q_EMIT titleChanged(QStringLiteral("%1 — roofscope").arg(shown->title()));
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

/// Lists the files that could not be read among those opened together.
void Contents::reportFailed(const QString& message) {
    constexpr qsizetype kMost = 6;
    m_failed << message;
    QStringList lines = m_failed.mid(0, kMost);
    if (m_failed.size() > kMost)
        lines << tr("and %1 more").arg(text(double(m_failed.size() - kMost)));
    m_messages.showError(lines.join(QLatin1Char('\n')));
}

/// If the file changed on disk, every number may be new. That message stays until it is closed.
void Contents::reportReplaced(const ProfileDocument& before, const ProfileDocument& now,
                              bool asked) {
    if (asked) {
        m_messages.say(tr("Reloaded %1").arg(now.title()));
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
    m_messages.showInfo(tr("%1 changed on disk and was loaded again at %2. Now: %3. Before: %4.")
                            .arg(now.title(), now.loadedAt.toString(QStringLiteral("HH:mm:ss")),
                                 facts(now), facts(before)));
}

}  // namespace roofscope::gui
