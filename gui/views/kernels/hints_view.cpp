// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernels/hints_view.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QTextBrowser>

#include "gui/models/files/baseline_comparer.h"
#include "gui/models/files/profile_reader.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/kernels/answer_view.h"
#include "gui/views/widgets/choice_box.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/markdown_style.h"
#include "gui/views/widgets/save_file.h"
#include "profile/files/output_conflict.h"
#include "reports/compare/compare_report.h"
#include "reports/escape/escape.h"
#include "reports/kernels/kernel_id.h"
#include "reports/profile/sequence_words.h"
#include "reports/report.h"

namespace roofscope::gui {
namespace {

/// Shows text only: never loads files or links that a report names.
class ReportBrowser : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;
    QVariant loadResource(int, const QUrl&) override { return {}; }
};

/// Most kernels with a section in the report of all selected ones: more would be too long to read.
constexpr std::size_t kMostSections = 20;

/// Shown instead of a report that cannot be made.
std::string failure(const Error& error) { return "**" + markdownText(error.message()) + "**"; }

}  // namespace

HintsView::HintsView(QWidget* parent) : QWidget(parent) {
    m_browser = new ReportBrowser;
    m_browser->setOpenLinks(false);
    m_browser->setAccessibleName(tr("Report"));
    m_browser->setTabChangesFocus(true);

    m_answer = new AnswerView;
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_answer);
    m_stack->addWidget(m_browser);

    m_copy = new QPushButton(tr("Copy for assistant"));
    m_copy->setObjectName(QStringLiteral("primary"));
    m_copy->setToolTip(tr("Copies this report as markdown, ready to be pasted into an assistant"));
    m_copy->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_json = new QPushButton(tr("Copy JSON"));
    m_save = new QPushButton(tr("Save…"));
    m_budgets = new ChoiceBox;
    m_budgets->setAccessibleName(tr("Length of the report"));
    m_budgets->setToolTip(tr(
        "Shorten the report to about this many tokens by leaving out the least important parts"));
    m_budgets->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_budgets->setMinimumContentsLength(8);
    m_budgets->addItem(tr("In full"), 0);
    for (const int tokens : {500, 1000, 2000, 4000, 8000})
        m_budgets->addItem(tr("≤ %1 tokens").arg(text(double(tokens))), tokens);
    // Two rows, so that the pane can be narrow.
    auto* others = inRow({{m_budgets, 1}, m_json, m_save}, {.between = 6});
    auto* buttons = inColumn({m_copy, others}, {.around = {8, 8, 8, 8}, .between = 6});

    m_tabs = new QTabBar;
    m_tabs->addTab(tr("Hints"));
    m_tabs->addTab(tr("Since the baseline"));
    m_tabs->addTab(QString());
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(tr("Hints or comparison"));
    m_tabs->hide();

    setLayout(inColumn({m_tabs, {m_stack, 1}, buttons}, kNoSpaces));

    connect(m_answer, &AnswerView::copied, this,
            [this](const QString& title) { Q_EMIT done(tr("Copied the edit: %1").arg(title)); });
    connect(m_answer, &AnswerView::sourceRequested, this, &HintsView::sourceRequested);
    connect(m_answer, &AnswerView::recordRequested, this, &HintsView::recordRequested);
    connect(m_copy, &QPushButton::clicked, this, &HintsView::copyForAssistant);
    connect(m_json, &QPushButton::clicked, this, &HintsView::copyJson);
    connect(m_save, &QPushButton::clicked, this, &HintsView::save);
    connect(m_tabs, &QTabBar::currentChanged, this, &HintsView::render);
    connect(m_budgets, &QComboBox::currentIndexChanged, this,
            [this] { setBudget(m_budgets->currentData().toUInt()); });
    showTabs();
    render();
}

void HintsView::setSelection(std::shared_ptr<const Analysis> analysis,
                             const KernelSelection& selection, const QString& profilePath,
                             const Compared& compared) {
    if (!analysis)
        m_ids.reset();
    else if (analysis != m_analysis)
        m_ids = std::make_shared<const std::vector<std::string>>(kernelIds(*analysis));
    m_analysis = std::move(analysis);
    m_kernel = selection.current;
    m_all = selection.all;
    m_profilePath = profilePath;
    m_compared = compared;
    makeReports();
    m_answer->setAnswer(hasReport()
                            ? std::optional(kernelAnswerText(*m_analysis, *m_kernel, m_profilePath))
                            : std::nullopt);
    showTabs();
    render();
}

void HintsView::setBudget(std::size_t tokens) {
    const int index = m_budgets->findData(int(tokens));
    if (index < 0 || tokens == m_budget) return;
    m_budget = tokens;
    m_budgets->setCurrentIndex(index);
    makeReports();
    render();
}

ReportOptions HintsView::reportOptions() const {
    ReportOptions options;
    // Commands in the report need a profile on disk; a file of Nsight Compute is not one.
    if (!isFromNcu(m_profilePath)) options.profilePath = filePath(m_profilePath).string();
    options.language = shownLanguage();
    if (m_analysis->convention == Convention::Ncu) options.askOptions = "--convention ncu";
    if (options.language != Language::En)
        options.askOptions += (options.askOptions.empty() ? "--lang " : " --lang ") +
                              std::string(toString(options.language));
    if (!m_compared.twoKernels) options.baseline = m_compared.baseline;
    if (m_budget > 0) options.budgetTokens = m_budget;
    options.ids = m_ids;
    return options;
}

void HintsView::makeReports() {
    m_hints.clear();
    m_comparison.clear();
    m_selected.clear();
    if (!m_analysis || !m_kernel || *m_kernel >= m_analysis->kernels.size()) return;
    ReportOptions options = reportOptions();
    // Add findings about the sequence of launches: they belong to no kernel, but an assistant needs
    // them.
    std::string sequence = sequenceMarkdown(*m_analysis, options.language);
    if (!sequence.empty() && options.budgetTokens) {
        const std::size_t size = estimateTokens(sequence);
        if (2 * size <= *options.budgetTokens)
            *options.budgetTokens -= size;
        else
            sequence.clear();
    }
    m_hints = QString::fromStdString(renderKernelHints(*m_analysis, *m_kernel, options));
    if (!sequence.empty())
        m_hints +=
            QLatin1Char('\n') + QString::fromStdString(sequence).trimmed() + QLatin1Char('\n');
    if (m_compared.baseline && comparisonOf(m_compared.baseline->comparison, *m_kernel)) {
        const Result<std::string> text = compare(ReportFormat::Markdown);
        m_comparison = QString::fromStdString(text ? *text : failure(text.error()));
    }
}

void HintsView::showTabs() {
    const QSignalBlocker quiet(m_tabs);
    const bool several = hasReport() && m_all.size() > 1;
    m_tabs->setTabText(Since,
                       m_compared.twoKernels ? tr("The two compared") : tr("Since the baseline"));
    m_tabs->setTabText(Selected, tr("All selected (%1)").arg(m_all.size()));
    m_tabs->setTabVisible(Since, hasComparison());
    m_tabs->setTabVisible(Selected, several);
    m_tabs->setVisible(hasComparison() || several);
    if (hasComparison() && m_compared.twoKernels)
        m_tabs->setCurrentIndex(Since);
    else if (!m_tabs->isTabVisible(m_tabs->currentIndex()))
        m_tabs->setCurrentIndex(Hints);
    m_tabs->updateGeometry();  // Qt would keep the size from when tabs were hidden
}

void HintsView::showComparison(bool shown) {
    if (hasComparison()) m_tabs->setCurrentIndex(shown ? Since : Hints);
}

void HintsView::showSelected(bool shown) {
    if (m_tabs->isTabVisible(Selected)) m_tabs->setCurrentIndex(shown ? Selected : Hints);
}

bool HintsView::comparisonShown() const {
    return hasComparison() && m_tabs->currentIndex() == Since;
}

bool HintsView::selectedShown() const {
    return hasReport() && m_all.size() > 1 && m_tabs->currentIndex() == Selected;
}

Result<std::string> HintsView::compare(ReportFormat format) const {
    // Only this kernel. The notes are about the whole profiles and hold for it, too.
    const Comparison& all = m_compared.baseline->comparison;
    Comparison one;
    one.kernels.push_back(*comparisonOf(all, *m_kernel));
    one.notes = all.notes;
    CompareOptions options;
    options.baselinePath = filePath(m_compared.path).string();
    options.candidatePath = filePath(m_profilePath).string();
    options.language = shownLanguage();
    return renderComparison(one, *m_compared.baseline->analysis, *m_analysis, format, options);
}

void HintsView::setTheme(plot::Theme theme) {
    m_theme = theme;
    m_answer->setTheme(theme);
    render();
}

void HintsView::render() {
    // Built lazily: a box in the plot can quickly select thousands of kernels.
    if (selectedShown() && m_selected.isEmpty()) {
        ReportOptions options = reportOptions();
        options.kernels = m_all;
        options.top = kMostSections;
        const Result<std::string> report =
            renderReport(*m_analysis, ReportFormat::Markdown, options);
        m_selected = QString::fromStdString(report ? *report : failure(report.error()));
    }
    const bool text = comparisonShown() || selectedShown();
    m_stack->setCurrentWidget(text ? static_cast<QWidget*>(m_browser) : m_answer);
    setMarkdown(*m_browser->document(), text ? markdown() : QString(), m_theme);
    m_browser->verticalScrollBar()->setValue(0);
    const bool has = hasReport();
    for (QPushButton* button : {m_copy, m_json, m_save}) button->setEnabled(has);
    m_tokens = has ? estimateTokens(markdown().toStdString()) : 0;
    showCopyText();
}

void HintsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showCopyText();
}

/// Leaves out the number of tokens if it does not fit, so that it does not widen the pane.
void HintsView::showCopyText() {
    const QString brief = tr("Copy for assistant");
    const QString full = tr("Copy for assistant · ≈ %1 tokens").arg(text(double(m_tokens)));
    QFont bold = m_copy->font();
    bold.setWeight(QFont::DemiBold);
    constexpr int kMargins = 26, kAround = 16;
    const bool fits = QFontMetrics(bold).horizontalAdvance(full) + kMargins <= width() - kAround;
    m_copy->setText(m_tokens > 0 && fits ? full : brief);
}

void HintsView::copyForAssistant() {
    if (!hasReport()) return;
    QApplication::clipboard()->setText(markdown());
    Q_EMIT done(tr("Copied the report: about %1 tokens")
                    .arg(text(double(estimateTokens(markdown().toStdString())))));
}

void HintsView::copyJson() {
    if (!hasReport()) return;
    ReportOptions options = reportOptions();
    options.budgetTokens.reset();  // truncated JSON would be useless
    options.kernels = selectedShown() ? m_all : std::vector{*m_kernel};
    const Result<std::string> json = comparisonShown()
                                         ? compare(ReportFormat::Json)
                                         : renderReport(*m_analysis, ReportFormat::Json, options);
    if (!json) return Q_EMIT failed(json.error());
    QApplication::clipboard()->setText(QString::fromStdString(*json));
    Q_EMIT done(comparisonShown() ? tr("Copied the comparison as JSON")
                : selectedShown() ? tr("Copied the findings of all selected kernels as JSON")
                                  : tr("Copied the kernel's findings as JSON"));
}

void HintsView::save() {
    if (!hasReport()) return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save report"),
        (isUtf8FileName(m_profilePath) ? QFileInfo(m_profilePath).dir() : QDir())
            .filePath(QStringLiteral("hints.md")),
        tr("Markdown (*.md);;All files (*)"));
    if (path.isEmpty()) return;
    if (const Result<void> saved = saveTo(path); !saved) return Q_EMIT failed(saved.error());
    Q_EMIT done(tr("Saved %1").arg(shownText(path)));
}

Result<void> HintsView::saveTo(const QString& path) const {
    // The dialog asks before replacing a file, but it does not know that the file is the profile.
    if (auto allowed = checkOutputIsNoInput({}, filePath(path), {filePath(m_profilePath)});
        !allowed)
        return allowed.error();
    return saveFile(path, markdown().toUtf8());
}

}  // namespace roofscope::gui
