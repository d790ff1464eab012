// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>

#include "gui/models/kernels/hidden_kernels.h"
#include "gui/models/plot/plot_search.h"
#include "gui/models/recording/recording_request.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace roofscope::gui {

class RooflineView;

/// The roofline with a search line above it, which is shown when it is asked for. What the search
/// does not find is dimmed; Enter goes to the next match, Shift+Enter to the one before, Escape
/// ends the search. A strip below names the kernels that have no dot, and offers the recording that
/// gives them one.
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
    /// The file that is shown, for a further recording of it.
    void setProfile(const QString& path) { m_path = path; }
    /// Tells which kernels have no dot, after the analysis, the device or the filter changed.
    void showHidden();
    [[nodiscard]] bool searching() const;
    [[nodiscard]] const PlotSearch& search() const { return m_search; }
    [[nodiscard]] QString countText() const;

Q_SIGNALS:
    void kernelChosen(std::size_t kernel);
    /// The recording that gives kernels a dot is asked for.
    void recordRequested(const roofscope::gui::RecordingRequest& request);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* buildStrip();
    QString nameOf(const HiddenKernel& hidden) const;
    /// Shows as many chips as there is room for.
    void fitChips();
    void refresh();
    void go(bool forward);

    RooflineView* m_plot;
    QWidget* m_bar = nullptr;
    QLineEdit* m_line = nullptr;
    QLabel* m_count = nullptr;
    QWidget* m_strip = nullptr;  ///< kernels without a dot
    QHBoxLayout* m_chips = nullptr;
    QLabel* m_stripTitle = nullptr;
    std::vector<QToolButton*> m_chipButtons;
    QLabel* m_more = nullptr;  ///< how many have no chip
    QPushButton* m_record = nullptr;
    QString m_path;
    std::vector<HiddenKernel> m_hidden;
    PlotSearch m_search;
    std::optional<std::size_t> m_current;
};

}  // namespace roofscope::gui
