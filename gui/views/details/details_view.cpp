// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/details_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QtMath>
#include <algorithm>

#include "gui/models/files/baseline_comparer.h"
#include "gui/models/text/number_text.h"
#include "gui/views/details/launch_sites_page.h"
#include "gui/views/details/memory_chart_view.h"
#include "gui/views/details/occupancy_line.h"
#include "gui/views/details/over_time_page.h"
#include "gui/views/details/ranges_page.h"
#include "gui/views/details/source_view.h"
#include "gui/views/timeline/timeline_page.h"
#include "gui/views/timeline/timeline_search.h"
#include "gui/views/widgets/data_table_view.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/share_bar_delegate.h"

namespace roofscope::gui {
namespace {

/// Draws the headings of the property table in bold.
class PropertyDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.data(PropertyModel::SectionRole).toBool()) option->font.setBold(true);
    }
};

/// Makes rows high enough for their wrapped texts. Qt's own size hint is too small: it measures the
/// text over the whole cell width, but draws it inside margins and drops a line that does not fit.
/// Lines of Chinese text are also higher than others.
class WrappedDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem cell = option;
        initStyleOption(&cell, index);
        const QWidget* widget = option.widget;
        const QStyle* style = widget ? widget->style() : QApplication::style();
        const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &cell, widget) + 1;
        const int width =
            style->subElementRect(QStyle::SE_ItemViewItemText, &cell, widget).width() - 2 * margin;
        QTextOption wrap;
        wrap.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        QTextLayout layout(cell.text, cell.font);
        layout.setTextOption(wrap);
        layout.beginLayout();
        qreal height = 0;  // summed by line, because their heights differ
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(std::max(1, width - 1));
            height += line.height();
        }
        layout.endLayout();
        const QSize base = QStyledItemDelegate::sizeHint(option, index);
        return {base.width(), std::max(base.height(), qCeil(height) + 2 * margin)};
    }
};

}  // namespace

DetailsView::DetailsView(QWidget* parent) : QTabWidget(parent) {
    setAccessibleName(tr("Details"));
    const auto add = [this](const char* name, const QString& title, QWidget* page) {
        page->setObjectName(QLatin1String(name));
        addTab(page, title);
    };
    m_counterFilter.setSourceModel(&m_counters);
    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("Search counters"));
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(tr("Search counters"));
    m_counterTable = new DataTableView;
    m_counterTable->setAccessibleName(tr("Counters"));
    m_counterTable->setModel(&m_counterFilter);
    m_counterTable->setSortingEnabled(true);
    m_counterTable->sortByColumn(int(CounterTableColumn::Name), Qt::AscendingOrder);
    const int letter = fontMetrics().averageCharWidth();
    const int letters[kCounterColumns] = {60, 20, 20, 12, 20, 20, 14, 12, 20};
    m_counterTable->setColumnLetters(letters);
    m_counterTable->horizontalHeader()->setStretchLastSection(true);
    m_counterDelegate = new ShareBarDelegate(m_counterTable);
    m_counterTable->setItemDelegate(m_counterDelegate);
    m_counterTable->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_counterTable, &QWidget::customContextMenuRequested, this,
            &DetailsView::showCounterMenu);
    m_search->setFixedWidth(letter * 50);
    auto* searchRow = inRow({m_search, stretchSpace()}, {.around = {8, 0, 8, 0}});
    add("counters", tr("Counters"),
        widgetWith(
            inColumn({searchRow, {m_counterTable, 1}}, {.around = {0, 6, 0, 0}, .between = 6})));

    m_propertyTable = new DataTableView;
    m_propertyTable->setAccessibleName(tr("Launch and occupancy"));
    m_propertyTable->setModel(&m_properties);
    m_propertyTable->setItemDelegate(new PropertyDelegate(m_propertyTable));
    m_propertyTable->setColumnWidth(PropertyModel::Name, letter * 40);
    m_propertyTable->setColumnWidth(PropertyModel::Value, letter * 30);
    m_propertyTable->horizontalHeader()->setStretchLastSection(true);
    m_whatIf = new OccupancyLine;
    add("launch", tr("Launch and occupancy"),
        widgetWith(
            inColumn({m_whatIf, {m_propertyTable, 1}}, {.around = kNoMargins, .between = 6})));
    add("source", tr("Source"), m_source = new SourceView);
    add("memory", tr("Memory chart"), m_memory = new MemoryChartView);
    add("over-time", tr("Over time"), m_overTime = new OverTimePage);
    add("timeline", tr("Timeline"), m_timeline = new TimelinePage);
    add("sites", tr("Launch sites"), m_sites = new LaunchSitesPage);
    add("ranges", tr("Ranges"), m_ranges = new RangesPage);

    m_issueTable = new DataTableView;
    m_issueTable->setAccessibleName(tr("Recording issues"));
    m_issueTable->setModel(&m_issues);
    m_issueTable->setEmptyText(tr("Nothing went wrong while this was recorded"));
    m_issueTable->setWordWrap(true);
    m_issueTable->setItemDelegate(new WrappedDelegate(m_issueTable));
    m_issueTable->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_issueTable->setColumnWidth(IssueModel::Severity, letter * 14);
    m_issueTable->setColumnWidth(IssueModel::Message, letter * 80);
    m_issueTable->setColumnWidth(IssueModel::Advice, letter * 60);
    m_issueTable->horizontalHeader()->setStretchLastSection(true);
    add("issues", tr("Recording issues"), m_issueTable);
    connect(&m_timeline->view(), &TimelineView::kernelClicked, this, &DetailsView::kernelClicked);
    connect(m_timeline, &TimelinePage::kernelsRequested, this, &DetailsView::kernelsClicked);
    connect(m_timeline, &TimelinePage::said, this, &DetailsView::said);
    connect(&m_timeline->search(), &TimelineSearch::kernelChosen, this,
            &DetailsView::kernelClicked);
    connect(m_ranges, &RangesPage::timeRequested, this, [this](const TimeSpan& time) {
        setCurrentWidget(m_timeline);
        m_timeline->chooseRange(time);
    });
    connect(m_source, &SourceView::said, this, &DetailsView::said);
    connect(m_sites, &LaunchSitesPage::said, this, &DetailsView::said);
    connect(m_search, &QLineEdit::textChanged, &m_counterFilter, &CounterFilterModel::setSearch);
}

void DetailsView::setAnalysis(const std::shared_ptr<const Analysis>& analysis,
                              const QString& folder, const Program* program) {
    m_source->setFolder(folder);
    m_sites->setFolder(folder);
    m_timeline->setAnalysis(analysis, program);
    m_sites->setAnalysis(analysis);
    m_issues.setAnalysis(analysis);
    m_ranges->setAnalysis(analysis);
    const std::size_t ranges = m_ranges->count();
    setTabText(
        indexOf(m_ranges),
        ranges > 0 ? tr("Ranges (%1)").arg(countText(static_cast<double>(ranges))) : tr("Ranges"));
    const int issues = m_issues.rowCount();
    setTabText(indexOf(m_issueTable),
               issues > 0 ? tr("Recording issues (%1)").arg(issues) : tr("Recording issues"));
}

void DetailsView::setKernel(const std::shared_ptr<const Analysis>& analysis,
                            std::optional<std::size_t> kernel,
                            const std::shared_ptr<const ReportBaseline>& baseline) {
    CounterpartKernel before;
    if (baseline && kernel)
        if (const KernelComparison* change = comparisonOf(baseline->comparison, *kernel))
            before = {.analysis = baseline->analysis,
                      .kernel = change->match.baseline,
                      .sameGpu = change->sameGpu};
    m_counters.setKernel(analysis, kernel, before);
    m_counterTable->setColumnHidden(int(CounterTableColumn::Baseline), !before.analysis);
    m_counterTable->setColumnHidden(int(CounterTableColumn::Change), !before.analysis);
    m_properties.setKernel(analysis, kernel);
    m_whatIf->setKernel(analysis, kernel);
    m_source->setKernel(analysis, kernel);
    m_memory->setKernel(analysis, kernel);
    m_overTime->setKernel(analysis, kernel);
    m_propertyTable->clearSpans();
    for (int row = 0; row < m_properties.rowCount(); ++row) {
        if (m_properties.index(row, 0).data(PropertyModel::SectionRole).toBool())
            m_propertyTable->setSpan(row, 0, 1, PropertyModel::ColumnCount);
        else if (m_properties.index(row, PropertyModel::How).data().toString().isEmpty())
            m_propertyTable->setSpan(row, PropertyModel::Value, 1, 2);  // room for a long value
    }
    // With a single launch, minimum and maximum would only repeat its value.
    const bool single = analysis && kernel && analysis->kernels[*kernel].group.launches.size() == 1;
    m_counterTable->setColumnHidden(int(CounterTableColumn::Min), single);
    m_counterTable->setColumnHidden(int(CounterTableColumn::Max), single);
}

void DetailsView::showCounterMenu(QPoint at) {
    const QModelIndex index = m_counterTable->indexAt(at);
    if (!index.isValid()) return;
    const std::string counter = index.data(CounterTableModel::CounterRole).toString().toStdString();
    QMenu menu(this);
    menu.addAction(tr("Add to or Remove from the Kernel Table"), this,
                   [this, counter] { Q_EMIT counterColumnToggled(counter); });
    menu.addAction(tr("Copy Selected Rows"), this,
                   [this] { QApplication::clipboard()->setText(m_counterTable->selectedText()); });
    menu.exec(m_counterTable->viewport()->mapToGlobal(at));
}

void DetailsView::showTab(const QString& name) {
    for (int i = 0; i < count(); ++i)
        if (widget(i)->objectName() == name) setCurrentIndex(i);
}

void DetailsView::moveHot(int step) {
    // The first call only shows the source: setKernel() has already gone to the hottest line.
    if (currentWidget() != m_source)
        setCurrentWidget(m_source);
    else
        m_source->moveHot(step);
}

void DetailsView::showSource(const QString& file, int line) {
    setCurrentWidget(m_source);
    if (!file.isEmpty()) m_source->goTo(file, line);
}

void DetailsView::showLaunchSite(const QString& file, int line) {
    setCurrentWidget(m_sites);
    m_sites->goTo(file, line);
}

void DetailsView::setScale(double scale) {
    m_memory->setScale(scale);
    m_overTime->setScale(scale);
}

void DetailsView::setTheme(plot::Theme theme) {
    m_counterDelegate->setTheme(theme);
    m_source->setTheme(theme);
    m_memory->setTheme(theme);
    m_overTime->setTheme(theme);
    m_timeline->setTheme(theme);
}

void DetailsView::setSelection(const KernelSelection& selection) {
    m_timeline->setSelection(selection);
}

bool DetailsView::beginSearch() {
    if (currentWidget() == m_timeline && m_timeline->emptyText().isEmpty())
        m_timeline->search().begin();
    else if (currentIndex() == 0)
        focusCounterSearch();
    else
        return false;
    return true;
}

void DetailsView::focusCounterSearch() {
    setCurrentIndex(0);
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

}  // namespace roofscope::gui
