// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>

#include "gui/models/plot/plot_search.h"
#include "gui/models/plot/unplotted_kernels.h"
#include "gui/models/recording/recording_request.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace roofscope::gui {

class RooflineView;
class SearchBar;

/// The roofline with a search line above it, hidden until a search begins. Kernels that do not
/// match are dimmed. Enter goes to the next match, Shift+Enter to the previous one, Escape ends the
/// search. A strip below lists the kernels without a dot, and offers to record what they lack.
class RooflinePage : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership of the plot.
    explicit RooflinePage(RooflineView* plot, QWidget* parent = nullptr);

    /// Shows and focuses the search line.
    void beginSearch();
    void endSearch();
    void setSearchText(const QString& text);
    /// Sets the selected kernel, where the search continues.
    void setCurrent(std::optional<std::size_t> kernel);
    /// Sets the profile's file, for recordRequested().
    void setProfile(const QString& path) { m_path = path; }
    /// Updates the list of kernels without a dot. Call it when analysis, device or filter changed.
    void showUnplottedKernels();
    [[nodiscard]] bool searching() const;
    [[nodiscard]] const PlotSearch& search() const { return m_search; }
    [[nodiscard]] QString countText() const;

Q_SIGNALS:
    void kernelChosen(std::size_t kernel);
    /// The user wants to record what kernels need for a dot.
    void recordRequested(const roofscope::gui::RecordingRequest& request);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* buildStrip();
    [[nodiscard]] QString nameOf(const UnplottedKernel& unplotted) const;
    /// "12.3 % gemm"
    [[nodiscard]] static QString withShare(const UnplottedKernel& unplotted, const QString& name);
    /// Shows as many chips (buttons of kernels without a dot) as fit.
    void fitChips();
    void refresh();
    void go(bool forward);

    RooflineView* m_plot;
    SearchBar* m_bar = nullptr;
    QWidget* m_strip = nullptr;  ///< kernels without a dot
    QHBoxLayout* m_chips = nullptr;
    QLabel* m_stripTitle = nullptr;
    std::vector<QToolButton*> m_chipButtons;
    QLabel* m_more = nullptr;  ///< number of kernels without a chip
    QPushButton* m_record = nullptr;
    QString m_path;
    std::vector<UnplottedKernel> m_unplotted;
    PlotSearch m_search;
    std::optional<std::size_t> m_current;
};

}  // namespace roofscope::gui
