// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernels/kernel_table_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDataStream>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStyle>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/kernels/kernel_column_widths.h"
#include "gui/views/kernels/kernel_delegate.h"
#include "gui/views/widgets/choice_box.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/data_view_setup.h"
#include "gui/views/widgets/layouts.h"
#include "reports/compare/words.h"

namespace roofscope::gui {
namespace {

constexpr qint32 kStateVersion = 2;

}  // namespace

KernelTableView::KernelTableView(QWidget* parent) : QWidget(parent) {
    m_filter.setSourceModel(&m_model);

    m_line = new QLineEdit;
    m_line->setPlaceholderText(tr("Filter: name, bw > 60%, conflict > 0.1"));
    m_line->setClearButtonEnabled(true);
    m_line->setAccessibleName(tr("Kernel filter"));
    m_line->setToolTip(tr("Words are searched in name and NVTX range; comparisons must all hold.\n"
                          "Fields: %1\n"
                          "bw > 60%   bw > 2TB/s   conflict > 0.1   occupancy < 50%\n"
                          "time > 100us   verdict = memory-bound")
                           .arg(KernelFilter::fieldNames().join(QStringLiteral(", "))));
    m_groups = new ChoiceBox;
    m_groups->setAccessibleName(tr("Group kernels"));
    m_groups->setToolTip(tr("Group kernels by name, NVTX range or stream"));
    for (const auto& [grouping, name] : {std::pair{KernelGrouping::None, tr("No groups")},
                                         std::pair{KernelGrouping::Name, tr("By name")},
                                         std::pair{KernelGrouping::Range, tr("By range")},
                                         std::pair{KernelGrouping::Stream, tr("By stream")}})
        m_groups->addItem(name, int(grouping));
    m_message = new QLabel;
    m_since = new QLabel;
    m_since->setObjectName(QStringLiteral("hint"));
    for (QLabel* label : {m_message, m_since}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->hide();
    }

    m_table = new DataTreeView;
    m_table->setAccessibleName(tr("Kernels"));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setModel(&m_filter);
    m_table->setTextElideMode(Qt::ElideRight);
    m_delegate = new KernelDelegate(m_table);
    m_table->setItemDelegate(m_delegate);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(int(KernelColumn::TotalTime), Qt::DescendingOrder);
    buildColumns();
    m_line->installEventFilter(this);
    m_table->installEventFilter(this);
    m_table->viewport()->installEventFilter(this);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this, &KernelTableView::showRowMenu);

    m_range = new QToolButton;
    m_range->setObjectName(QStringLiteral("chip"));
    m_range->setAccessibleName(tr("Show all kernels"));
    m_range->hide();
    connect(m_range, &QToolButton::clicked, this, &KernelTableView::rangeCleared);
    m_fold = new QToolButton;
    m_fold->setObjectName(QStringLiteral("foldGroups"));
    m_fold->setCheckable(true);
    m_fold->setText(QStringLiteral("▾"));
    m_fold->setAccessibleName(tr("Collapse all groups"));
    m_fold->setToolTip(tr("Collapse or expand all groups"));
    m_fold->hide();
    connect(m_fold, &QToolButton::toggled, this, [this](bool folded) { setExpanded(!folded); });
    auto* line = inRow({{m_line, 1}, m_groups, m_fold}, {.between = 6});
    auto* top = inColumn({line, {m_range, 0, Qt::AlignLeft}, m_since, m_message},
                         {.around = {8, 8, 8, 6}, .between = 4});
    setLayout(inColumn({top, {m_table, 1}}, kNoSpaces));

    connect(m_line, &QLineEdit::textChanged, this, [this](const QString& text) {
        // If the selected row is filtered out, Qt selects its neighbour. Ignore that.
        const QScopedValueRollback quiet(m_quiet, true);
        m_filter.setFilterText(text);
        if (m_filter.filtering()) setExpanded(true);
    });
    connect(m_line, &QLineEdit::editingFinished, this, &KernelTableView::filterCommitted);
    connect(&m_filter, &KernelFilterModel::filterChanged, this, [this] {
        showFilterState();
        Q_EMIT filterChanged();
    });
    connect(m_groups, &QComboBox::currentIndexChanged, this,
            [this] { setGrouping(static_cast<KernelGrouping>(m_groups->currentData().toInt())); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_quiet) return;
        Q_EMIT selectionChanged(selection());
    });
}

void KernelTableView::setRange(const QString& length, const std::vector<std::size_t>& kernels) {
    m_range->setText(tr("Selected time: %1  ×").arg(length));
    const QString meaning =
        tr("Only kernels that run in the time selected in the timeline. Numbers are those of all "
           "their launches. Click to see all kernels.");
    m_range->setToolTip(QStringLiteral("<p>%1</p>").arg(meaning));
    m_range->setAccessibleName(m_range->text());
    m_range->setAccessibleDescription(meaning);
    m_range->show();
    const QScopedValueRollback quiet(m_quiet, true);
    m_filter.setOnly(kernels);
}

void KernelTableView::setNoRange() {
    m_range->hide();
    const QScopedValueRollback quiet(m_quiet, true);
    m_filter.setOnly(std::nullopt);
}

void KernelTableView::buildColumns() {
    for (const ColumnRow& row : kernelColumns()) {
        const int column = int(row.column);
        const QString name = m_filter.headerData(column, Qt::Horizontal).toString();
        m_table->setColumnWidth(column, columnWidth(*this, name, row.letters));
        if (row.column == KernelColumn::Name) continue;
        auto* action = new QAction(name, this);
        action->setCheckable(true);
        action->setChecked(true);
        action->setData(column);
        connect(action, &QAction::toggled, this, &KernelTableView::showColumns);
        m_columnActions.push_back(action);
        m_table->header()->addAction(action);
    }
    m_table->header()->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(m_table->header(), &QHeaderView::sectionResized, this, [this](int column) {
        if (m_fitting || QApplication::mouseButtons() == Qt::NoButton) return;
        m_nameFixed = m_nameFixed || column == int(KernelColumn::Name);
        m_verdictFixed = m_verdictFixed || column == int(KernelColumn::Verdict);
    });
    showColumns();
}

bool KernelTableView::toggleCounter(const std::string& counter) {
    std::vector<std::string> counters = m_model.counters();
    const bool added = std::erase(counters, counter) == 0;
    if (added) counters.push_back(counter);
    setCounters(counters);
    if (!added) return false;
    // Put it beside the names: at the end it would be out of sight.
    QHeaderView& header = *m_table->header();
    header.moveSection(header.visualIndex(kKernelColumns + int(counters.size()) - 1), 1);
    m_table->horizontalScrollBar()->setValue(0);
    return true;
}

void KernelTableView::setCounters(const std::vector<std::string>& counters) {
    const KernelSelection before = selection();
    {
        const QScopedValueRollback quiet(m_quiet, true);
        m_model.setCounters(counters);
        setExpanded(!m_fold->isChecked());
    }
    for (QAction* action : std::exchange(m_counterActions, {})) delete action;
    constexpr int kFewest = 14, kMost = 30;  // letters
    for (std::size_t i = 0; i < counters.size(); ++i) {
        const QString name = shownText(counters[i]);
        m_table->setColumnWidth(kKernelColumns + int(i),
                                columnWidth(*this, name.left(kMost), kFewest));
        auto* action = new QAction(tr("Without %1").arg(name), this);
        connect(
            action, &QAction::triggered, this,
            [this, counter = counters[i]] { toggleCounter(counter); }, Qt::QueuedConnection);
        m_counterActions.push_back(action);
        m_table->header()->addAction(action);
    }
    fitColumns();
    mark(before);
}

bool KernelTableView::isWanted(KernelColumn column) const {
    if (column == KernelColumn::Name) return true;
    const auto chosen = std::ranges::find(m_columnActions, int(column),
                                          [](const QAction* action) { return action->data(); });
    return (chosen == m_columnActions.end() || (*chosen)->isChecked()) &&
           (m_model.baseline() || !rowOf(column).filledByComparison);
}

void KernelTableView::showColumns() {
    for (const ColumnRow& row : kernelColumns())
        m_table->setColumnHidden(int(row.column), !isWanted(row.column));
    for (QAction* action : m_columnActions)
        action->setVisible(
            m_model.baseline() ||
            !kernelColumns()[std::size_t(action->data().toInt())].filledByComparison);
    fitColumns();
}

void KernelTableView::fitColumns() {
    if (m_fitting) return;
    const QScopedValueRollback fitting(m_fitting, true);
    constexpr int kFewest = 8, kGood = 14, kRoomy = 20;  // letters
    const auto letters = [&](KernelColumn column, int count) {
        return columnWidth(*this, m_filter.headerData(int(column), Qt::Horizontal).toString(),
                           count);
    };
    // Show these columns first: a hidden column does not report its width.
    for (const KernelColumn column : {KernelColumn::TotalTime, KernelColumn::Share})
        m_table->setColumnHidden(int(column), !isWanted(column));
    const auto width = [&](KernelColumn column) {
        return isWanted(column) ? m_table->columnWidth(int(column)) : 0;
    };
    const int name = m_table->columnWidth(int(KernelColumn::Name)),
              verdict = width(KernelColumn::Verdict);
    ColumnNeeds needs{.all = m_table->viewport()->width(),
                      .leastName = letters(KernelColumn::Name, kFewest),
                      .goodName = letters(KernelColumn::Name, kGood),
                      .roomyName = letters(KernelColumn::Name, kRoomy),
                      .longestName = m_longestName,
                      .time = width(KernelColumn::TotalTime),
                      .change = width(KernelColumn::Change),
                      .share = width(KernelColumn::Share)};
    if (m_nameFixed) needs.leastName = needs.goodName = needs.roomyName = needs.longestName = name;
    const bool verdicts = isWanted(KernelColumn::Verdict);
    if (verdicts && m_verdictFixed) {
        needs.leastVerdict = needs.goodVerdict = needs.longestVerdict = verdict;
    } else if (verdicts) {
        needs.leastVerdict = letters(KernelColumn::Verdict, kFewest);
        needs.goodVerdict = letters(KernelColumn::Verdict, kGood);
        needs.longestVerdict = m_longestVerdict;
    }
    for (int column = int(KernelColumn::Verdict) + 1; column < m_filter.columnCount(); ++column)
        if (!m_table->isColumnHidden(column)) needs.others += m_table->columnWidth(column);
    for (const KernelColumn column : {KernelColumn::Median, KernelColumn::Shape})
        needs.next += width(column);
    const ColumnPlan plan = planColumns(needs);
    m_table->setColumnWidth(int(KernelColumn::Name), plan.name);
    if (verdicts) m_table->setColumnWidth(int(KernelColumn::Verdict), plan.verdict);
    if (!plan.time) m_table->setColumnHidden(int(KernelColumn::TotalTime), true);
    if (!plan.share) m_table->setColumnHidden(int(KernelColumn::Share), true);
}

void KernelTableView::measureTexts() {
    m_longestName = m_longestVerdict = 0;
    if (const auto& shown = m_model.analysis()) {
        constexpr std::size_t kMostMeasured = 300;  // a sample is enough
        const auto widen = [&](int& longest, const QString& text) {
            longest = std::max(longest, fontMetrics().horizontalAdvance(text));
        };
        const QStringList names = m_model.names();
        for (const QString& name : names.first(std::min(qsizetype(kMostMeasured), names.size())))
            widen(m_longestName, name);
        if (grouping() != KernelGrouping::None)
            m_longestName += fontMetrics().horizontalAdvance(QStringLiteral("  (1,234)"));
        for (std::size_t i = 0; i < std::min(kMostMeasured, shown->kernels.size()); ++i)
            widen(m_longestVerdict, verdictText(shown->kernels[i].verdict));
        m_delegate->setNames(names);
        const int margins = 3 * fontMetrics().averageCharWidth();
        m_longestName += margins + m_table->indentation();
        m_longestVerdict += margins;
    }
}

void KernelTableView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::FontChange) return;
    measureTexts();
    fitColumns();
}

void KernelTableView::addToFilter(const QString& term) {
    const QString line = m_line->text().simplified();
    setFilterText(line.isEmpty() ? term : line + QLatin1Char(' ') + term);
    Q_EMIT filterCommitted();
}

void KernelTableView::showRowMenu(QPoint at) {
    const QModelIndex index = m_table->indexAt(at);
    if (!index.isValid() || !m_model.analysis()) return;
    QMenu menu(this);
    if (const auto kernel = m_filter.kernelOf(index.siblingAtColumn(0))) {
        const KernelAnalysis& row = m_model.analysis()->kernels[*kernel];
        // Drop template arguments, so that the filter matches all instances of a template.
        QString name = shownText(row.name);
        if (const qsizetype bracket = name.indexOf(QLatin1Char('<')); bracket > 0)
            name.truncate(bracket);
        name.remove(QLatin1Char('"'));
        const QString quoted =
            name.contains(QLatin1Char(' ')) ? QLatin1Char('"') + name + QLatin1Char('"') : name;
        const QString shown = labelText(menu.fontMetrics().elidedText(
            name, Qt::ElideMiddle, 40 * menu.fontMetrics().averageCharWidth()));
        const QString verdict = QString::fromUtf8(toString(row.verdict.cls));
        menu.addAction(tr("Only %1").arg(shown), this, [this, quoted] { addToFilter(quoted); });
        menu.addAction(tr("Without %1").arg(shown), this,
                       [this, quoted] { addToFilter(QLatin1Char('-') + quoted); });
        // The menu shows translated words; the filter gets the identifier, valid in every language.
        const QString words = verdictText(Verdict{.cls = row.verdict.cls});
        menu.addAction(tr("Only %1").arg(words), this,
                       [this, verdict] { addToFilter(QStringLiteral("verdict = ") + verdict); });
        menu.addAction(tr("Without %1").arg(words), this,
                       [this, verdict] { addToFilter(QStringLiteral("verdict != ") + verdict); });
        menu.addSeparator();
        menu.addAction(tr("Copy Name"), this, [full = shownText(row.fullName)] {
            QApplication::clipboard()->setText(full);
        });
    }
    menu.addAction(tr("Copy Selected Rows"), this,
                   [this] { QApplication::clipboard()->setText(selectedRowsText(*m_table)); });
    if (grouping() != KernelGrouping::None) {
        menu.addAction(tr("Collapse All Groups"), this, [this] { setExpanded(false); });
        menu.addAction(tr("Expand All Groups"), this, [this] { setExpanded(true); });
    }
    menu.addSeparator();
    menu.addActions(m_rowActions);
    if (!m_line->text().isEmpty())
        menu.addAction(tr("Clear Filter"), this, [this] {
            m_line->clear();
            Q_EMIT filterCommitted();
        });
    menu.exec(m_table->viewport()->mapToGlobal(at));
}

bool KernelTableView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_table->viewport() && event->type() == QEvent::Resize) {
        fitColumns();
        keepCurrentRowVisible(static_cast<QResizeEvent*>(event)->oldSize().height());
    }
    if (watched == m_line && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Tab && key->modifiers() == Qt::NoModifier && complete())
            return true;
    }
    if (event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        if (watched == m_line && !m_line->text().isEmpty()) {
            m_line->clear();
            return true;
        }
        if (watched == m_line) {
            m_table->setFocus(Qt::OtherFocusReason);
            return true;
        }
        // The table would consume Escape: pass it on to the window.
        if (watched == m_table) {
            event->ignore();
            return false;
        }
    }
    return QWidget::eventFilter(watched, event);
}

bool KernelTableView::complete() {
    const QString line = m_line->text();
    if (m_line->cursorPosition() != line.size()) return false;
    if (line != m_completedLine) {
        m_completion = KernelFilter::completion(line);
        m_completed = 0;
    }
    if (m_completed >= m_completion.words.size()) return false;  // Tab moves the focus then
    m_completedLine = line.left(m_completion.start) + m_completion.words[m_completed++];
    m_line->setText(m_completedLine);
    return true;
}

/// Keeps the current row visible when the table becomes lower, unless it was out of sight before.
void KernelTableView::keepCurrentRowVisible(int heightBefore) {
    const QRect row = m_table->visualRect(m_table->currentIndex());
    if (!row.isValid() || row.bottom() < 0 || (heightBefore >= 0 && row.top() > heightBefore))
        return;
    // Deferred until the table has updated its scroll range.
    QTimer::singleShot(0, this, [this] {
        // If its group was collapsed meanwhile, scrollTo() would expand it again.
        if (const QModelIndex current = m_table->currentIndex();
            m_table->visualRect(current).isValid())
            m_table->scrollTo(current);
    });
}

void KernelTableView::setAnalysis(std::shared_ptr<const Analysis> analysis) {
    const QScopedValueRollback quiet(m_quiet, true);
    m_model.setAnalysis(std::move(analysis));
    setBaseline(nullptr, {});
    setExpanded(m_filter.filtering());
    showFilterState();
    measureTexts();
    fitColumns();
}

void KernelTableView::setBaseline(std::shared_ptr<const ReportBaseline> baseline,
                                  const QString& name) {
    const QScopedValueRollback quiet(m_quiet, true);
    m_model.setBaseline(std::move(baseline));
    showColumns();
    showBaseline(name);
}

void KernelTableView::showBaseline(const QString& name) {
    const auto& baseline = m_model.baseline();
    m_since->setVisible(baseline != nullptr);
    if (!baseline) return;
    const Comparison& comparison = baseline->comparison;
    const compare_words::View view{comparison, *baseline->analysis, *m_model.analysis(),
                                   shownLanguage()};
    QStringList parts{tr("Compared with %1").arg(name)};
    QStringList tips;
    if (!comparison.comparable())
        parts << shownText(compare_words::incomparable(view));
    else if (const std::string total = compare_words::total(view); !total.empty())
        parts << shownText(total);
    if (!comparison.gone.empty()) {
        parts << counted(comparison.gone.size(), tr("%1 of its kernels is not in this profile"),
                         tr("%1 of its kernels are not in this profile"));
        constexpr std::size_t kMost = 20;
        tips << tr("Only in the baseline:");
        for (std::size_t i = 0; i < std::min(kMost, comparison.gone.size()); ++i)
            tips << shownText(baseline->analysis->kernels[comparison.gone[i]].name);
        if (comparison.gone.size() > kMost)
            tips << tr("and %1 more").arg(text(double(comparison.gone.size() - kMost)));
    }
    for (const Remark& note : comparison.notes)
        tips << shownText(compare_words::sentence(note, shownLanguage()));
    m_since->setText(parts.join(QStringLiteral("  ·  ")));
    m_since->setToolTip(tips.join(QLatin1Char('\n'))
                            .toHtmlEscaped()
                            .replace(QLatin1Char('\n'), QLatin1String("<br>")));
}

void KernelTableView::setGrouping(KernelGrouping grouping) {
    m_groups->setCurrentIndex(m_groups->findData(int(grouping)));
    if (grouping == m_model.grouping()) return;
    const KernelSelection before = selection();
    {
        const QScopedValueRollback quiet(m_quiet, true);
        m_model.setGrouping(grouping);
        m_table->setRootIsDecorated(grouping != KernelGrouping::None);
        m_fold->setVisible(grouping != KernelGrouping::None);
        setExpanded(m_filter.filtering());
        measureTexts();
        fitColumns();
    }
    mark(before);
}

void KernelTableView::setTheme(plot::Theme theme) {
    m_delegate->setTheme(theme);
    m_table->viewport()->update();
}

void KernelTableView::setFilterText(const QString& line) { m_line->setText(line); }

QString KernelTableView::filterText() const { return m_line->text(); }

void KernelTableView::focusFilter() {
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
}

QByteArray KernelTableView::saveState() const {
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    QList<qint32> hidden;
    for (const QAction* action : m_columnActions)
        if (!action->isChecked()) hidden << action->data().toInt();
    QStringList counters;
    for (const std::string& counter : m_model.counters())
        counters << QString::fromStdString(counter);
    stream << kStateVersion << qint32(kKernelColumns) << qint32(m_model.grouping()) << hidden
           << counters << m_table->header()->saveState();
    return state;
}

void KernelTableView::restoreState(const QByteArray& state) {
    QDataStream stream(state);
    qint32 version = 0, columns = 0, grouping = 0;
    QList<qint32> hidden;
    QStringList counters;
    QByteArray header;
    stream >> version >> columns >> grouping >> hidden >> counters >> header;
    // The state of another version may have other columns.
    if (stream.status() != QDataStream::Ok || version != kStateVersion || columns != kKernelColumns)
        return;
    std::vector<std::string> own;
    for (const QString& counter : std::as_const(counters)) own.push_back(counter.toStdString());
    setCounters(own);
    m_table->header()->restoreState(header);
    for (QAction* action : m_columnActions)
        action->setChecked(!hidden.contains(action->data().toInt()));
    showColumns();
    if (m_groups->findData(grouping) >= 0) setGrouping(static_cast<KernelGrouping>(grouping));
}

void KernelTableView::showFilterState() {
    const bool wrong = !m_filter.errorText().isEmpty();
    m_line->setProperty("wrong", wrong);
    m_message->setObjectName(wrong ? QStringLiteral("errorText") : QStringLiteral("hint"));
    for (QWidget* widget : {static_cast<QWidget*>(m_line), static_cast<QWidget*>(m_message)}) {
        widget->style()->unpolish(widget);
        widget->style()->polish(widget);
    }
    if (wrong) {
        QStringList words = KernelFilter::completion(m_line->text()).words;
        for (QString& word : words) word.remove(QRegularExpression(QStringLiteral(" [>=] $")));
        m_message->setText(words.isEmpty()
                               ? m_filter.errorText()
                               : tr("%1 · Tab completes: %2")
                                     .arg(m_filter.errorText(), words.join(QStringLiteral(", "))));
    } else if (m_filter.filtering()) {
        m_message->setText(tr("%1 of %2 kernels")
                               .arg(text(double(m_filter.visibleKernels().size())),
                                    text(double(m_model.kernelCount()))));
    }
    m_message->setVisible(wrong || m_filter.filtering());
}

}  // namespace roofscope::gui
