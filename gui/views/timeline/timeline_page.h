// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QWidget>
#include <future>
#include <memory>
#include <vector>

#include "gui/views/timeline/timeline_view.h"

class QLabel;
class QStackedWidget;

namespace roofscope::gui {

class TimelineMinimap;
class TimelinePanel;
class TimelineSearch;

/// The timeline with findings about the sequence of launches above and facts about the selection on
/// the right. If there is no timeline, the reason.
class TimelinePage : public QWidget {
    Q_OBJECT
public:
    explicit TimelinePage(QWidget* parent = nullptr);

    /// `program` belongs to the analysis, for repeats and phases; may be null.
    void setAnalysis(const std::shared_ptr<const Analysis>& analysis,
                     const Program* program = nullptr);
    void setSelection(const KernelSelection& selection) { m_view->setSelection(selection); }
    /// Selects a range, or none, without sending signals.
    void setRange(const std::optional<TimeSpan>& range);
    /// Selects a range as the user would, and moves it into view.
    void chooseRange(const TimeSpan& range);
    [[nodiscard]] const std::optional<TimeSpan>& range() const { return m_view->range(); }
    void setTheme(plot::Theme theme);
    [[nodiscard]] TimelineView& view() { return *m_view; }
    [[nodiscard]] TimelinePanel& panel() { return *m_panel; }
    [[nodiscard]] TimelineSearch& search() { return *m_search; }
    [[nodiscard]] TimelineMinimap& minimap() { return *m_minimap; }
    /// Whether accounts of ranges are available. They are computed in the background; until then, a
    /// selected range has no account.
    [[nodiscard]] bool accountsReady() const { return accounts() != nullptr; }
    /// The kernels that run in the selected range, ascending; empty without a range.
    [[nodiscard]] std::vector<std::size_t> kernelsInRange() const;
    /// The reason why there is no timeline; empty if there is one.
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QString findingText() const;

Q_SIGNALS:
    /// The user selected another range, or none.
    void rangeChanged();
    /// The account of the selected range became available.
    void accountKnown();
    void kernelsRequested(const roofscope::gui::KernelSelection& kernels);
    /// A message for the status line.
    void said(const QString& message);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectPanel();
    void showRange(const std::optional<TimeSpan>& range);
    void showLaunch(std::optional<std::uint32_t> launch);
    void showBar(const std::optional<TimelinePlace>& bar);
    /// Keeps the selected range for comparison, or no longer.
    void toggleComparison();
    void prepareAccounts();
    void awaitAccounts();
    /// Null while they are being computed.
    [[nodiscard]] const RangeAccounts* accounts() const { return m_accounts.get(); }

    using AccountsFuture = std::future<std::shared_ptr<const RangeAccounts>>;
    std::shared_ptr<const Analysis> m_analysis;
    std::shared_ptr<const RangeAccounts> m_accounts;
    std::optional<TimeSpan> m_kept;  ///< the range that others are compared with
    AccountsFuture m_coming;
    std::vector<AccountsFuture> m_outdated;  ///< kept because the destructor would wait
    QTimer m_waiting;                        ///< checks whether the accounts are ready
    QTimer m_dragged;                        ///< delays the panel during a drag
    std::vector<std::size_t> m_inRange;
    QStackedWidget* m_stack = nullptr;
    QLabel *m_empty = nullptr, *m_finding = nullptr, *m_note = nullptr;
    TimelineView* m_view = nullptr;
    TimelinePanel* m_panel = nullptr;
    TimelineSearch* m_search = nullptr;
    TimelineMinimap* m_minimap = nullptr;
};

}  // namespace roofscope::gui
