// SPDX-License-Identifier: Apache-2.0
#include "gui/views/hints_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTabBar>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "gui/models/baseline_comparer.h"
#include "gui/models/shown_language.h"
#include "gui/views/markdown_style.h"
#include "gui/views/save_file.h"
#include "reports/compare_report.h"
#include "reports/report.h"
#include "reports/sequence_words.h"

namespace roofscope::gui {
namespace {

/// Shows text only: a report names files and links, and none of them is loaded.
class ReportBrowser : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;
    QVariant loadResource(int, const QUrl&) override { return {}; }
};

}  // namespace

HintsView::HintsView(QWidget* parent) : QWidget(parent) {
    m_browser = new ReportBrowser;
    m_browser->setOpenLinks(false);
    m_browser->setAccessibleName(tr("Hint report"));
    m_browser->setPlaceholderText(tr("Select a kernel to see what limits it."));
    m_browser->setTabChangesFocus(true);

    m_copy = new QPushButton(tr("Copy for assistant"));
    m_copy->setObjectName(QStringLiteral("primary"));
    m_copy->setToolTip(tr("Copies this report as markdown, ready to be pasted into an assistant"));
    m_json = new QPushButton(tr("Copy JSON"));
    m_save = new QPushButton(tr("Save…"));
    // Two rows: in one they would keep the pane from being narrow.
    auto* others = new QHBoxLayout;
    others->setSpacing(6);
    others->addWidget(m_json, 1);
    others->addWidget(m_save, 1);
    auto* buttons = new QVBoxLayout;
    buttons->setContentsMargins(8, 8, 8, 8);
    buttons->setSpacing(6);
    buttons->addWidget(m_copy);
    buttons->addLayout(others);

    m_tabs = new QTabBar;
    m_tabs->addTab(tr("Hints"));
    m_tabs->addTab(tr("Since the baseline"));
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(tr("Hints or comparison"));
    m_tabs->hide();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tabs);
    layout->addWidget(m_browser, 1);
    layout->addLayout(buttons);

    connect(m_copy, &QPushButton::clicked, this, &HintsView::copyForAssistant);
    connect(m_json, &QPushButton::clicked, this, &HintsView::copyJson);
    connect(m_save, &QPushButton::clicked, this, &HintsView::save);
    connect(m_tabs, &QTabBar::currentChanged, this, &HintsView::render);
    render();
}

void HintsView::setKernel(std::shared_ptr<const Analysis> analysis,
                          std::optional<std::size_t> kernel, const QString& profilePath,
                          const Compared& compared) {
    m_analysis = std::move(analysis);
    m_kernel = kernel;
    m_profilePath = profilePath;
    m_compared = compared;
    m_hints.clear();
    m_comparison.clear();
    if (m_analysis && m_kernel && *m_kernel < m_analysis->kernels.size()) {
        ReportOptions options;
        options.profilePath = m_profilePath.toStdString();
        options.language = shownLanguage();
        if (m_analysis->convention == Convention::Ncu) options.askOptions = "--convention ncu";
        if (options.language != Language::En)
            options.askOptions += (options.askOptions.empty() ? "--lang " : " --lang ") +
                                  std::string(toString(options.language));
        if (!m_compared.twoKernels) options.baseline = m_compared.baseline;
        m_hints = QString::fromStdString(renderKernelHints(*m_analysis, *m_kernel, options));
        // What concerns the launches as a whole is no kernel's own, but an assistant must know it.
        const std::string sequence = sequenceMarkdown(*m_analysis, options.language);
        if (!sequence.empty())
            m_hints +=
                QLatin1Char('\n') + QString::fromStdString(sequence).trimmed() + QLatin1Char('\n');
        if (m_compared.baseline && comparisonOf(m_compared.baseline->comparison, *m_kernel)) {
            const Result<std::string> text = compare(ReportFormat::Markdown);
            m_comparison =
                QString::fromStdString(text ? *text : "**" + text.error().message() + "**");
        }
    }
    {
        const QSignalBlocker quiet(m_tabs);
        m_tabs->setTabText(
            1, m_compared.twoKernels ? tr("The two compared") : tr("Since the baseline"));
        m_tabs->setVisible(hasComparison());
        if (hasComparison() && m_compared.twoKernels) m_tabs->setCurrentIndex(1);
    }
    render();
}

void HintsView::showComparison(bool shown) {
    if (hasComparison()) m_tabs->setCurrentIndex(shown ? 1 : 0);
}

bool HintsView::comparisonShown() const { return hasComparison() && m_tabs->currentIndex() == 1; }

Result<std::string> HintsView::compare(ReportFormat format) const {
    // Of this kernel alone; the notes are about the profiles as a whole and hold for it, too.
    const Comparison& all = m_compared.baseline->comparison;
    Comparison one;
    one.kernels.push_back(*comparisonOf(all, *m_kernel));
    one.notes = all.notes;
    CompareOptions options;
    options.baselinePath = m_compared.path.toStdString();
    options.candidatePath = m_profilePath.toStdString();
    options.language = shownLanguage();
    return renderComparison(one, *m_compared.baseline->analysis, *m_analysis, format, options);
}

void HintsView::setTheme(plot::Theme theme) {
    m_theme = theme;
    render();
}

void HintsView::render() {
    setMarkdown(*m_browser->document(), markdown(), m_theme);
    m_browser->verticalScrollBar()->setValue(0);
    const bool has = hasReport();
    for (QPushButton* button : {m_copy, m_json, m_save}) button->setEnabled(has);
    m_copy->setText(
        has ? tr("Copy for assistant · ≈ %1 tokens").arg(estimateTokens(markdown().toStdString()))
            : tr("Copy for assistant"));
}

void HintsView::copyForAssistant() {
    if (!hasReport()) return;
    QApplication::clipboard()->setText(markdown());
    Q_EMIT done(
        tr("Copied the report: about %1 tokens").arg(estimateTokens(markdown().toStdString())));
}

void HintsView::copyJson() {
    if (!hasReport()) return;
    if (comparisonShown()) {
        const Result<std::string> json = compare(ReportFormat::Json);
        if (!json) {
            Q_EMIT failed(json.error());
            return;
        }
        QApplication::clipboard()->setText(QString::fromStdString(*json));
        Q_EMIT done(tr("Copied the comparison as JSON"));
        return;
    }
    // The JSON report of this kernel alone; its name is matched literally.
    const KernelAnalysis& kernel = m_analysis->kernels[*m_kernel];
    static const QRegularExpression special(QStringLiteral(R"(([\\^$.|?*+()\[\]{}/-]))"));
    const QString name =
        QString::fromStdString(kernel.fullName).replace(special, QStringLiteral("\\\\1"));
    ReportOptions options;
    options.profilePath = m_profilePath.toStdString();
    options.language = shownLanguage();
    options.kernelFilter = (QLatin1Char('^') + name + QLatin1Char('$')).toStdString();
    const Result<std::string> json = renderReport(*m_analysis, ReportFormat::Json, options);
    if (!json) {
        Q_EMIT failed(json.error());
        return;
    }
    QApplication::clipboard()->setText(QString::fromStdString(*json));
    Q_EMIT done(tr("Copied the kernel's findings as JSON"));
}

void HintsView::save() {
    if (!hasReport()) return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save report"), QStringLiteral("hints.md"), tr("Markdown (*.md);;All files (*)"));
    if (path.isEmpty()) return;
    if (const Result<void> saved = saveTo(path); !saved) {
        Q_EMIT failed(saved.error());
    } else {
        Q_EMIT done(tr("Saved %1").arg(path));
    }
}

Result<void> HintsView::saveTo(const QString& path) const {
    return saveFile(path, markdown().toUtf8());
}

}  // namespace roofscope::gui
