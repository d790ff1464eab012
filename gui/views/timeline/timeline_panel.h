// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>
#include <optional>

#include "gui/models/timeline/bar_facts.h"
#include "gui/models/timeline/launch_facts.h"
#include "gui/models/timeline/shown_range.h"
#include "reports/plot/draw_list.h"

class QVBoxLayout;

namespace roofscope::gui {

/// The panel beside the timeline about the selection: facts of a launch or another bar, the account
/// of a range.
/// The one selected last comes first. Hidden while nothing is selected.
class TimelinePanel : public QScrollArea {
    Q_OBJECT
public:
    explicit TimelinePanel(QWidget* parent = nullptr);

    /// A launch replaces another bar and the other way round; nullopt removes only its own kind.
    void setLaunch(const std::optional<LaunchFacts>& launch);
    void setBar(const std::optional<BarFacts>& bar);
    void setRange(const std::optional<ShownRange>& range);
    void setTheme(plot::Theme theme);
    [[nodiscard]] const std::optional<LaunchFacts>& launch() const { return m_launch; }
    [[nodiscard]] const std::optional<BarFacts>& bar() const { return m_bar; }
    [[nodiscard]] const std::optional<ShownRange>& range() const { return m_range; }
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void kernelsRequested(const roofscope::gui::KernelSelection& kernels);
    /// The user wants the next (1) or previous (-1) launch of the kernel, or bar of this name.
    void stepped(int step);
    void callRequested();
    void zoomRequested();
    void barClosed();
    void rangeClosed();
    /// The user wants to compare other ranges with this one, or no longer.
    void comparisonToggled();
    /// A message for the status line.
    void said(const QString& message);

private:
    void render();
    /// What both panels of a bar have: its name, a button to close them, and a row of buttons.
    struct BarPart {
        QString name, place, close, previous, next, call, copy;
        bool hasCall = false;
        QString text;  ///< for the clipboard
    };
    void addBarPart(QVBoxLayout& to, const BarPart& part);
    void addLaunch(QVBoxLayout& to);
    void addBar(QVBoxLayout& to);
    void addRange(QVBoxLayout& to);
    void addFunctions(QVBoxLayout& to);
    void addChange(QVBoxLayout& to);
    void copy(const QString& text, const QString& message);

    std::optional<LaunchFacts> m_launch;
    std::optional<BarFacts> m_bar;
    std::optional<ShownRange> m_range;
    bool m_rangeFirst = false;  ///< the range was selected after the bar
    plot::Theme m_theme = plot::Theme::Light;
};

}  // namespace roofscope::gui
