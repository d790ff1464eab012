// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>

#include "gui/models/plot_search.h"

class QLabel;
class QLineEdit;

namespace roofscope::gui {

class RooflineView;

/// The roofline with a search line above it, which is shown when it is asked for. What the search
/// does not find is dimmed; Enter goes to the next match, Shift+Enter to the one before, Escape
/// ends the search.
class RooflinePage : public QWidget {
    Q_OBJECT
public:
    /// Takes over the plot.
    explicit RooflinePage(RooflineView* plot, QWidget* parent = nullptr);

    /// Shows the search line with the cursor in it.
    void beginSearch();
    void endSearch();
    void setSearchText(const QString& text);
    /// The kernel that is selected, from which the search goes on.
    void setCurrent(std::optional<std::size_t> kernel);
    [[nodiscard]] bool searching() const;
    [[nodiscard]] const PlotSearch& search() const { return m_search; }
    [[nodiscard]] QString countText() const;

Q_SIGNALS:
    void kernelChosen(std::size_t kernel);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void go(bool forward);

    RooflineView* m_plot;
    QWidget* m_bar = nullptr;
    QLineEdit* m_line = nullptr;
    QLabel* m_count = nullptr;
    PlotSearch m_search;
    std::optional<std::size_t> m_current;
};

}  // namespace roofscope::gui
