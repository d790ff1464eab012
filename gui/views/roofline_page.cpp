// SPDX-License-Identifier: Apache-2.0
#include "gui/views/roofline_page.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/views/roofline_view.h"

namespace roofscope::gui {

RooflinePage::RooflinePage(RooflineView* plot, QWidget* parent) : QWidget(parent), m_plot(plot) {
    m_line = new QLineEdit;
    m_line->setPlaceholderText(tr("Search in the plot: name, bw > 60%"));
    m_line->setAccessibleName(tr("Search in the plot"));
    m_line->setClearButtonEnabled(true);
    m_line->installEventFilter(this);
    m_count = new QLabel;
    m_count->setObjectName(QStringLiteral("hint"));
    m_count->setTextFormat(Qt::PlainText);
    // A long error must not widen the pane.
    m_count->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    const auto button = [this](const QString& text, const QString& name, auto call) {
        auto* made = new QToolButton;
        made->setText(text);
        made->setToolTip(name);
        made->setAccessibleName(name);
        connect(made, &QToolButton::clicked, this, call);
        return made;
    };
    m_bar = new QWidget;
    auto* row = new QHBoxLayout(m_bar);
    row->setContentsMargins(8, 6, 8, 0);
    row->setSpacing(6);
    row->addWidget(m_line, 1);
    row->addWidget(m_count, 1);
    row->addWidget(
        button(QStringLiteral("‹"), tr("Previous match (Shift+Enter)"), [this] { go(false); }));
    row->addWidget(button(QStringLiteral("›"), tr("Next match (Enter)"), [this] { go(true); }));
    row->addWidget(
        button(QStringLiteral("×"), tr("End the search (Escape)"), [this] { endSearch(); }));
    m_bar->hide();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_bar);
    layout->addWidget(m_plot, 1);
    connect(m_line, &QLineEdit::textChanged, this, &RooflinePage::refresh);
    connect(m_plot, &RooflineView::plottedChanged, this, &RooflinePage::refresh);
    connect(m_plot, &RooflineView::searchRequested, this, &RooflinePage::beginSearch);
}

bool RooflinePage::searching() const { return !m_bar->isHidden(); }

QString RooflinePage::countText() const { return m_count->text(); }

void RooflinePage::beginSearch() {
    m_bar->show();
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
    refresh();
}

void RooflinePage::endSearch() {
    m_bar->hide();
    refresh();
    m_plot->setFocus(Qt::OtherFocusReason);
}

void RooflinePage::setSearchText(const QString& text) { m_line->setText(text); }

void RooflinePage::setCurrent(std::optional<std::size_t> kernel) {
    m_current = kernel;
    if (searching() && !m_line->text().trimmed().isEmpty())
        m_count->setText(m_search.count(m_current));
}

void RooflinePage::refresh() {
    const bool active = searching() && m_plot->analysis() && !m_line->text().trimmed().isEmpty();
    m_search = active ? searchPlot(*m_plot->analysis(), m_line->text(), m_plot->plottedKernels())
                      : PlotSearch();
    m_count->setText(active ? m_search.count(m_current) : QString());
    // The room for it is narrow.
    m_count->setToolTip(m_count->text().toHtmlEscaped());
    m_line->setProperty("wrong", !m_search.error.isEmpty());
    m_line->style()->polish(m_line);
    // A line that is wrong dims nothing.
    m_plot->setFound(active && m_search.error.isEmpty() ? std::optional(m_search.kernels)
                                                        : std::nullopt);
}

void RooflinePage::go(bool forward) {
    const auto kernel = m_search.next(m_current, forward);
    if (!kernel) return;
    Q_EMIT kernelChosen(*kernel);
    m_plot->bringIntoView(*kernel);
}

bool RooflinePage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            go(!key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            endSearch();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace roofscope::gui
