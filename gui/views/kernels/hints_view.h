// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "analyzer/model/analysis.h"
#include "gui/models/kernels/kernel_selection.h"
#include "gui/models/recording/recording_request.h"
#include "profile/errors/result.h"
#include "reports/plot/draw_list.h"
#include "reports/report.h"

class QComboBox;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QTextBrowser;

namespace roofscope::gui {

class AnswerView;

/// What a kernel is compared with.
struct Compared {
    std::shared_ptr<const ReportBaseline> baseline;  ///< null: no comparison
    QString path;                                    ///< the baseline's file
    bool twoKernels = false;  ///< two kernels of one profile: show the comparison at once
};

/// The answer for the selected kernel, and buttons to copy or save its report. With a comparison, a
/// second tab shows what changed. With several selected kernels, a third tab shows their common
/// report. Buttons and markdown() refer to the current tab. On the first tab they use the hints
/// report, which is for assistants and is not displayed itself.
class HintsView : public QWidget {
    Q_OBJECT
public:
    explicit HintsView(QWidget* parent = nullptr);

    void setKernel(std::shared_ptr<const Analysis> analysis, std::optional<std::size_t> kernel,
                   const QString& profilePath, const Compared& compared = {}) {
        setSelection(std::move(analysis), KernelSelection::of(kernel), profilePath, compared);
    }
    void setSelection(std::shared_ptr<const Analysis> analysis, const KernelSelection& selection,
                      const QString& profilePath, const Compared& compared = {});
    /// Trims hints reports to about this many tokens; 0: no limit.
    void setBudget(std::size_t tokens);
    [[nodiscard]] std::size_t budget() const { return m_budget; }
    /// Shows the report of all selected kernels, or the hints. Ignored unless several are selected.
    void showSelected(bool shown);
    /// Shows the comparison, or the hints. Ignored without a comparison.
    void showComparison(bool shown);
    [[nodiscard]] bool hasComparison() const { return !m_comparison.isEmpty(); }
    void setTheme(plot::Theme theme);
    [[nodiscard]] bool hasReport() const { return !m_hints.isEmpty(); }
    /// The report of the current tab as markdown, for copying and saving.
    [[nodiscard]] const QString& markdown() const {
        return comparisonShown() ? m_comparison : selectedShown() ? m_selected : m_hints;
    }

    /// The content of the first tab.
    [[nodiscard]] AnswerView& answerView() { return *m_answer; }

    void copyForAssistant();
    void copyJson();
    void save();
    /// Writes the report to a file.
    [[nodiscard]] Result<void> saveTo(const QString& path) const;

Q_SIGNALS:
    /// A message for the status bar: "Copied …".
    void done(const QString& message);
    void failed(const roofscope::Error& error);
    /// The user wants to see a fix's place in the source.
    void sourceRequested(const QString& file, int line);
    void recordRequested(const roofscope::gui::RecordingRequest& request);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    enum Tab { Hints, Since, Selected };

    [[nodiscard]] bool comparisonShown() const;
    [[nodiscard]] bool selectedShown() const;
    [[nodiscard]] ReportOptions reportOptions() const;
    void makeReports();
    void showTabs();
    [[nodiscard]] Result<std::string> compare(ReportFormat format) const;
    void render();
    void showCopyText();

    std::shared_ptr<const Analysis> m_analysis;
    std::optional<std::size_t> m_kernel;
    std::vector<std::size_t> m_all;  ///< all selected kernels
    Compared m_compared;
    std::size_t m_tokens = 0;                               ///< size of the current report
    std::size_t m_budget = 0;                               ///< in tokens; 0: no limit
    std::shared_ptr<const std::vector<std::string>> m_ids;  ///< kernelIds() of the analysis
    QString m_profilePath, m_hints, m_comparison, m_selected;
    plot::Theme m_theme = plot::Theme::Light;
    QTabBar* m_tabs = nullptr;
    QStackedWidget* m_stack = nullptr;
    AnswerView* m_answer = nullptr;
    QTextBrowser* m_browser = nullptr;  ///< the content of the other tabs
    QPushButton* m_copy = nullptr;
    QPushButton* m_json = nullptr;
    QPushButton* m_save = nullptr;
    QComboBox* m_budgets = nullptr;
};

}  // namespace roofscope::gui
