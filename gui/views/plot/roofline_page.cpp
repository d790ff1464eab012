// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plot/roofline_page.h"

#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "gui/models/text/names_apart.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/plain_tip.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/search_bar.h"
#include "gui/views/widgets/tab_order.h"

namespace roofscope::gui {
namespace {

/// Most kernels without a dot that get a button; the others are only counted.
constexpr std::size_t kMostChips = 12;

}  // namespace

RooflinePage::RooflinePage(RooflineView* plot, QWidget* parent) : QWidget(parent), m_plot(plot) {
    m_bar = new SearchBar({.placeholder = tr("Search in the plot: name, bw > 60%"),
                           .name = tr("Search in the plot"),
                           .previous = tr("Previous match (Shift+Enter)"),
                           .next = tr("Next match (Enter)")},
                          {8, 6, 8, 0});
    setLayout(inColumn({m_bar, {m_plot, 1}, buildStrip()}, kNoSpaces));
    connect(m_bar, &SearchBar::textChanged, this, &RooflinePage::refresh);
    connect(m_bar, &SearchBar::stepped, this, &RooflinePage::go);
    connect(m_bar, &SearchBar::ended, this, &RooflinePage::endSearch);
    connect(m_plot, &RooflineView::plottedChanged, this, &RooflinePage::refresh);
    connect(m_plot, &RooflineView::deviceChanged, this, &RooflinePage::showUnplottedKernels);
    connect(m_plot, &RooflineView::searchRequested, this, &RooflinePage::beginSearch);
}

QWidget* RooflinePage::buildStrip() {
    m_stripTitle = new ElidedLabel("hint");  // the tooltip has the full text
    m_record = new QPushButton(tr("Record what is missing…"));
    m_chips = inRow({}, {.around = kNoMargins, .between = 4});
    QWidget* chips = widgetWith(m_chips);
    chips->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* title = inRow({{m_stripTitle, 1}, m_record}, {.between = 6});
    m_strip = widgetWith(inColumn({title, chips}, {.around = {8, 4, 8, 6}, .between = 3}));
    m_strip->setObjectName(QStringLiteral("strip"));
    m_strip->setAccessibleName(tr("Kernels without a dot"));
    m_strip->hide();
    connect(m_record, &QPushButton::clicked, this, [this] {
        if (m_plot->analysis())
            Q_EMIT recordRequested(
                requestToRepeat(*m_plot->analysis()->profile, m_path, groupsFor(m_unplotted)));
    });
    return m_strip;
}

QString RooflinePage::nameOf(const UnplottedKernel& unplotted) const {
    return shownText(m_plot->analysis()->kernels[unplotted.kernel].wholeName);
}

QString RooflinePage::withShare(const UnplottedKernel& unplotted, const QString& name) {
    return unplotted.share ? tr("%1 %2").arg(text(Ratio{*unplotted.share}), name) : name;
}

void RooflinePage::showUnplottedKernels() {
    while (QLayoutItem* item = m_chips->takeAt(0)) {
        // Delete later: a click on one of them may be the caller.
        if (QWidget* chip = item->widget()) {
            chip->hide();
            chip->deleteLater();
        }
        delete item;
    }
    m_chipButtons.clear();
    m_more = nullptr;
    m_unplotted = m_plot->analysis()
                      ? unplottedKernels(*m_plot->analysis(), m_plot->kernelsOfDevice())
                      : std::vector<UnplottedKernel>{};
    m_strip->setVisible(!m_unplotted.empty());
    if (m_unplotted.empty()) return;
    double share = 0;
    for (const UnplottedKernel& one : m_unplotted) share += one.share.value_or(0);
    const QString count =
        counted(m_unplotted.size(), tr("%1 kernel has no dot"), tr("%1 kernels have no dot"));
    m_stripTitle->setText(share > 0 ? tr("%1: %2 of GPU time").arg(count, text(Ratio{share}))
                                    : count);
    m_stripTitle->setToolTip(plainTip(m_stripTitle->text()));
    const QStringList groups = groupsFor(m_unplotted);
    m_record->setVisible(!groups.isEmpty());
    m_record->setToolTip(
        tr("Opens the Record dialog for the same program, with the counter groups %1")
            .arg(groups.join(QStringLiteral(", "))));
    const auto widthOf = [metrics = fontMetrics()](const QString& part) {
        return metrics.horizontalAdvance(part);
    };
    QStringList names;
    for (std::size_t i = 0; i < std::min(kMostChips, m_unplotted.size()); ++i)
        names << nameOf(m_unplotted[i]);
    const NamesApart apart(names);
    for (std::size_t i = 0; i < std::min(kMostChips, m_unplotted.size()); ++i) {
        const UnplottedKernel& one = m_unplotted[i];
        const QString name = nameOf(one);
        auto* chip = new QToolButton;
        chip->setObjectName(QStringLiteral("chip"));
        constexpr int kLetters = 24;
        const int room =
            kLetters * fontMetrics().averageCharWidth() - widthOf(withShare(one, QString()));
        chip->setText(labelText(withShare(one, apart.shortened(name, room, widthOf))));
        chip->setAccessibleName(withShare(one, name));
        chip->setAccessibleDescription(one.reason);
        chip->setToolTip(plainTip(tr("%1: no dot, %2").arg(name, one.reason)));
        connect(chip, &QToolButton::clicked, this,
                [this, kernel = one.kernel] { Q_EMIT kernelChosen(kernel); });
        m_chips->addWidget(chip);
        m_chipButtons.push_back(chip);
    }
    m_more = new QLabel;
    m_more->setObjectName(QStringLiteral("hint"));
    m_chips->addWidget(m_more);
    m_chips->addStretch(1);
    insertInTabOrderAfter(m_record, m_chips->parentWidget());
    fitChips();
}

void RooflinePage::fitChips() {
    if (!m_more) return;
    const int room = width() - 16 -
                     fontMetrics().horizontalAdvance(tr("and %1 more").arg(text(double(9999)))) - 8;
    int used = 0;
    std::size_t shown = 0;
    for (QToolButton* chip : m_chipButtons) {
        chip->ensurePolished();
        used += chip->sizeHint().width() + m_chips->spacing();
        const bool fits = used <= room || shown == 0;
        chip->setVisible(fits);
        if (fits) ++shown;
    }
    constexpr std::size_t kMostListed = 40;
    QStringList rest;
    for (std::size_t i = shown; i < std::min(m_unplotted.size(), kMostListed); ++i)
        rest << tr("%1: %2").arg(withShare(m_unplotted[i], nameOf(m_unplotted[i])),
                                 m_unplotted[i].reason);
    m_more->setText(rest.isEmpty()
                        ? QString()
                        : tr("and %1 more").arg(text(double(m_unplotted.size() - shown))));
    m_more->setToolTip(plainTip(rest.join(QLatin1Char('\n'))));
}

void RooflinePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitChips();
}

bool RooflinePage::searching() const { return !m_bar->isHidden(); }

QString RooflinePage::countText() const { return m_bar->said(); }

void RooflinePage::beginSearch() {
    m_bar->begin();
    refresh();
}

void RooflinePage::endSearch() {
    m_bar->hide();
    refresh();
    m_plot->setFocus(Qt::OtherFocusReason);
}

void RooflinePage::setSearchText(const QString& text) { m_bar->setText(text); }

void RooflinePage::setCurrent(std::optional<std::size_t> kernel) {
    m_current = kernel;
    if (searching() && !m_bar->isBlank())
        m_bar->say(m_search.count(m_current), !m_search.error.isEmpty());
}

void RooflinePage::refresh() {
    const bool active = searching() && m_plot->analysis() && !m_bar->isBlank();
    m_search = active ? searchPlot(*m_plot->analysis(), m_bar->text(), m_plot->plottedKernels())
                      : PlotSearch();
    m_bar->say(active ? m_search.count(m_current) : QString(), !m_search.error.isEmpty());
    // An invalid search line must not dim anything.
    m_plot->setFound(active && m_search.error.isEmpty() ? std::optional(m_search.kernels)
                                                        : std::nullopt);
}

void RooflinePage::go(bool forward) {
    const auto kernel = m_search.next(m_current, forward);
    if (!kernel) return;
    Q_EMIT kernelChosen(*kernel);
    m_plot->bringIntoView(*kernel);
}

}  // namespace roofscope::gui
