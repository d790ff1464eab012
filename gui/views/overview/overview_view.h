// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>
#include <optional>
#include <vector>

#include "gui/models/kernels/kernel_selection.h"
#include "gui/models/overview/overview.h"
#include "reports/plot/draw_list.h"

class QBoxLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace roofscope::gui {

class ActionCard;

/// The overview of the program. On the left are the account of its time and its kernels, on the
/// right (if narrow: below) a card per action. If the page is low, only the first cards are open.
class OverviewView : public QScrollArea {
    Q_OBJECT
public:
    explicit OverviewView(QWidget* parent = nullptr);

    void setOverview(const std::optional<Overview>& overview);
    /// The overview of the whole window, even while a part is shown.
    [[nodiscard]] const std::optional<Overview>& overview() const { return m_overview; }
    /// Shows one part of the window; nullopt shows the whole window.
    void showPart(std::optional<std::size_t> part);
    void setTheme(plot::Theme theme);

Q_SIGNALS:
    /// The user wants to see the kernels of an action.
    void kernelsRequested(const roofscope::gui::KernelSelection& kernels);
    /// The user wants to see a source line of the program.
    void placeRequested(const QString& file, int line);
    /// The user wants to record the program again, with this filled-in form.
    void recordRequested(const roofscope::gui::RecordingRequest& request);
    /// A message for the status line.
    void said(const QString& message);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void render();
    void addParts(QVBoxLayout& to);
    void addHead(QVBoxLayout& to);
    void addAccount(QVBoxLayout& to);
    void addLanes(QVBoxLayout& to);
    void addActions(QVBoxLayout& to);
    void foldCards(bool wide);
    void addKernels(QVBoxLayout& to);
    void addOperators(QVBoxLayout& to);
    void showKernelRows();
    void addOpen(QVBoxLayout& to);
    void addNext(QVBoxLayout& to);
    [[nodiscard]] QPushButton* recordButton(const QString& text, const RecordingRequest& request);
    void copy(const QString& text, const QString& message);
    void arrange();

    /// What is shown: the whole window, or the part that the user chose.
    [[nodiscard]] const Overview& shown() const {
        return m_part ? m_overview->parts[*m_part] : *m_overview;
    }

    std::optional<Overview> m_overview;
    std::optional<std::size_t> m_part;  ///< index into m_overview->parts
    plot::Theme m_theme = plot::Theme::Light;
    QBoxLayout* m_columns = nullptr;
    std::vector<ActionCard*> m_cards;
    std::vector<std::vector<QWidget*>> m_kernelRows;
    QLabel* m_moreKernels = nullptr;
};

}  // namespace roofscope::gui
