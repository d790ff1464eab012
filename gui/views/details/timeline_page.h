// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>

#include "gui/views/details/timeline_view.h"

class QLabel;
class QStackedWidget;

namespace roofscope::gui {

/// The timeline, with findings about the sequence of launches above it. Without a timeline, the
/// reason why there is none.
class TimelinePage : public QWidget {
    Q_OBJECT
public:
    explicit TimelinePage(QWidget* parent = nullptr);

    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);
    void setSelection(const KernelSelection& selection) { m_view->setSelection(selection); }
    void setTheme(plot::Theme theme) { m_view->setTheme(theme); }
    [[nodiscard]] TimelineView& view() { return *m_view; }
    /// The reason why there is no timeline; empty if there is one.
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QString findingText() const;

private:
    QStackedWidget* m_stack = nullptr;
    QLabel *m_empty = nullptr, *m_finding = nullptr, *m_note = nullptr;
    TimelineView* m_view = nullptr;
};

}  // namespace roofscope::gui
