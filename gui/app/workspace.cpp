// SPDX-License-Identifier: Apache-2.0
#include "gui/app/workspace.h"

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QMainWindow>
#include <QMouseEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <utility>
#include <vector>

#include "gui/views/details/details_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/choice_box.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/empty_view.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/pane.h"
#include "gui/views/widgets/tab_order.h"

namespace roofscope::gui {
namespace {

/// Version of the layout that saveState() writes; restoreState() ignores other versions.
constexpr int kLayoutVersion = 2;
/// The least widths of a pane, of the overview and of the details. Their contents would ask for
/// more, and a window with the details beside would be wider than a laptop's screen.
constexpr int kLeastPane = 210, kLeastPage = 360, kLeastDetails = 300;
/// Overview and panes need no more lines than this; in a higher window, the details get the rest.
constexpr int kMostLinesAbove = 36;

QFrame* framed(QWidget* content) {
    auto* frame = new QFrame;
    frame->setObjectName(QStringLiteral("pane"));
    frame->setLayout(inColumn({content}, {.around = {1, 1, 1, 1}}));
    return frame;
}

}  // namespace

Workspace::Workspace(QWidget* parent) : QWidget(parent) {
    m_message = new MessageBar;
    m_progress = new ProgressLine;
    m_empty = new EmptyView;
    buildTabRow();
    buildContent();
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_content);

    setLayout(inColumn({m_message, m_progress, m_tabRow, {m_stack, 1}}, kNoSpaces));
}

void Workspace::buildTabRow() {
    m_tabs = new QTabBar;
    m_tabs->setObjectName(QStringLiteral("profileTabs"));
    m_tabs->setTabsClosable(true);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setExpanding(false);
    m_tabs->setElideMode(Qt::ElideMiddle);
    m_tabs->setAccessibleName(tr("Open profiles"));
    m_baselines = new ChoiceBox;
    m_baselines->setAccessibleName(tr("Baseline"));
    m_baselines->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_baselines->setMaximumWidth(400);
    m_baselines->setToolTip(tr("The profile that others are compared with (Ctrl+B)"));
    auto* label = new QLabel(tr("Compare with"));
    label->setBuddy(m_baselines);
    m_tabRow = widgetWith(inRow({{m_tabs, 1}, label, m_baselines}, {.around = {0, 0, 7, 0}}));
}

void Workspace::buildContent() {
    m_kernels = new KernelTableView;
    m_roofline = new RooflineView;
    m_hints = new HintsView;
    m_details = new DetailsView;
    m_rooflinePage = new RooflinePage(m_roofline);
    m_kernelPane = new Pane(nameOf(Kernels), m_kernels);
    m_rooflinePane = new Pane(nameOf(Roofline), m_rooflinePage);
    m_hintsPane = new Pane(nameOf(Hints), m_hints);
    m_devices = new ChoiceBox;
    m_devices->setAccessibleName(tr("Device"));
    m_rooflinePane->addControl(m_devices);
    for (const Part part : {Kernels, Roofline, Hints})
        connect(static_cast<Pane*>(widgetOf(part)), &Pane::maximiseRequested, this,
                [this, part] { maximise(part); });

    m_columns = new QSplitter(Qt::Horizontal);
    m_columns->setHandleWidth(7);
    m_columns->setChildrenCollapsible(false);
    // All three grow with the window: each holds text that needs width.
    constexpr int kShares[] = {34, 38, 28};
    for (const Part part : {Kernels, Roofline, Hints}) {
        m_columns->addWidget(widgetOf(part));
        m_columns->setStretchFactor(part, kShares[part]);
    }
    m_columns->setSizes({435, 486, 359});
    m_overview = new OverviewView;
    m_page = new QStackedWidget;
    m_page->addWidget(m_columns);
    m_page->addWidget(framed(m_overview));
    m_pages = new QTabBar;
    m_pages->setExpanding(false);
    m_pages->setAccessibleName(tr("Overview or kernels"));
    m_pages->addTab(nameOf(Overview));
    m_pages->addTab(nameOf(Kernels));
    m_pages->setCurrentIndex(1);
    m_pages->hide();
    connect(m_pages, &QTabBar::currentChanged, this, [this](int page) {
        m_page->setCurrentIndex(page == 0 ? 1 : 0);
        m_alone.reset();
        applyVisibility();
        if (!m_pages->isHidden()) m_overviewWanted = page == 0;
    });
    connect(m_pages, &QTabBar::tabBarDoubleClicked, this,
            [this](int page) { maximise(page == 0 ? Overview : Kernels); });
    m_dock = new QDockWidget(nameOf(Details));
    m_dock->setObjectName(QStringLiteral("details"));
    m_dock->setWidget(widgetWith(inColumn({framed(m_details)}, {.around = {7, 0, 7, 7}})));
    m_dock->setAllowedAreas(Qt::BottomDockWidgetArea | Qt::RightDockWidgetArea |
                            Qt::LeftDockWidgetArea);
    m_emptyTitleBar = new QWidget(m_dock);
    m_dock->setTitleBarWidget(m_emptyTitleBar);
    m_content = new QMainWindow(nullptr, Qt::Widget);
    m_content->setCentralWidget(
        widgetWith(inColumn({m_pages, {m_page, 1}}, {.around = {7, 7, 7, 0}, .between = 0})));
    m_content->addDockWidget(Qt::BottomDockWidgetArea, m_dock);
    m_content->setContextMenuPolicy(Qt::NoContextMenu);
    m_content->installEventFilter(this);
    buildCorner();
    connect(m_dock, &QDockWidget::topLevelChanged, this, [this](bool floating) {
        limitWidths(detailsPlace());
        // A floating window needs a title bar to be moved.
        m_dock->setTitleBarWidget(floating ? nullptr : m_emptyTitleBar);
        m_emptyTitleBar->setVisible(!floating);
        Q_EMIT detailsPlaceChanged();
    });
    connect(m_dock, &QDockWidget::visibilityChanged, this, [this] {
        // The floating window was closed: dock it at the bottom again.
        if (m_dock->isFloating() && m_dock->isHidden() && m_shown[Details] && isVisible())
            setDetailsPlace(DetailsPlace::Below);
    });
}

void Workspace::buildCorner() {
    auto* row = inRow({}, {.around = {0, 2, 4, 0}, .between = 2});
    const auto add = [&](const QString& text, const QString& name, auto call) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(name);
        button->setAccessibleName(name);
        button->setObjectName(QStringLiteral("flat"));
        connect(button, &QToolButton::clicked, this, call);
        row->addWidget(button);
    };
    add(QStringLiteral("◨"), tr("Place the details beside or below the panes"), [this] {
        setDetailsPlace(detailsPlace() == DetailsPlace::Below ? DetailsPlace::Beside
                                                              : DetailsPlace::Below);
    });
    add(QStringLiteral("❐"), tr("Move the details to a separate window, or dock them again"),
        [this] {
            setDetailsPlace(detailsPlace() == DetailsPlace::Floating ? DetailsPlace::Below
                                                                     : DetailsPlace::Floating);
        });
    add(QStringLiteral("⤢"), tr("Maximise or restore the details (F12)"),
        [this] { maximise(Details); });
    m_details->setCornerWidget(widgetWith(row), Qt::TopRightCorner);
    connect(m_details->tabBar(), &QTabBar::tabBarDoubleClicked, this,
            [this] { maximise(Details); });
}

void Workspace::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    // Deferred until the children have their new size, too.
    QTimer::singleShot(0, this, &Workspace::sizeDetails);
}

bool Workspace::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_content && event->type() == QEvent::MouseButtonPress) {
        const QPoint at = static_cast<QMouseEvent*>(event)->position().toPoint();
        m_grabbed = m_content->isSeparator(at) ? std::optional(m_dock->size()) : std::nullopt;
    } else if (watched == m_content && event->type() == QEvent::MouseButtonRelease && m_grabbed) {
        const QSize before = *std::exchange(m_grabbed, std::nullopt);
        // Deferred until Qt has moved the divider.
        QTimer::singleShot(0, this, [this, before] { keepChosenSize(before); });
    }
    return QWidget::eventFilter(watched, event);
}

void Workspace::keepChosenSize(QSize before) {
    const DetailsPlace place = detailsPlace();
    if (place == DetailsPlace::Below && m_dock->height() != before.height())
        m_chosenHeight = m_dock->height();
    if (place == DetailsPlace::Beside && m_dock->width() != before.width())
        m_chosenWidth = m_dock->width();
}

/// Qt keeps the size of a dock, but loses it if the window is too small for it for a while.
void Workspace::sizeDetails() {
    if (m_stack->currentWidget() != m_content) return;
    const DetailsPlace place = detailsPlace();
    if (place == DetailsPlace::Below)
        m_content->resizeDocks({m_dock}, {m_chosenHeight.value_or(defaultHeight())}, Qt::Vertical);
    else if (place == DetailsPlace::Beside && m_chosenWidth)
        m_content->resizeDocks({m_dock}, {*m_chosenWidth}, Qt::Horizontal);
}

int Workspace::defaultHeight() const {
    const int all = m_content->height(), above = kMostLinesAbove * fontMetrics().lineSpacing();
    return std::max({190, all * 34 / 100, std::min(all * 55 / 100, all - above)});
}

QString Workspace::nameOf(Part part) {
    const QString names[Parts] = {tr("Kernels"), tr("Roofline"), tr("Hints"), tr("Details"),
                                  tr("Overview")};
    return names[part];
}

QWidget* Workspace::widgetOf(Part part) const {
    QWidget* const widgets[Parts] = {m_kernelPane, m_rooflinePane, m_hintsPane, m_dock, m_overview};
    return widgets[part];
}

std::optional<Workspace::Part> Workspace::partOf(const QWidget* widget) const {
    for (const Part part : {Kernels, Roofline, Hints, Details, Overview})
        if (widget && (widgetOf(part) == widget || widgetOf(part)->isAncestorOf(widget)))
            return part;
    return std::nullopt;
}

void Workspace::focusPart(Part part) {
    if (m_alone && m_alone != part) showAll();
    if (!m_shown[part]) Q_EMIT partWanted(part);
    if (part != Details) turnPage(part == Overview);
    QWidget* const contents[Parts] = {m_kernels->table(), m_roofline, m_hints,
                                      m_details->currentWidget(), m_overview};
    if (QWidget* first = firstFocusableWidget(contents[part]))
        first->setFocus(Qt::ShortcutFocusReason);
    else if (part == Details)
        m_details->tabBar()->setFocus(Qt::ShortcutFocusReason);
    if (part == Details && m_dock->isFloating()) m_dock->activateWindow();
}

void Workspace::focusNextPart(int step) {
    std::vector<Part> parts{Kernels, Roofline, Hints, Details};
    if (overviewShown()) parts = {Overview, Details};
    std::erase_if(parts, [this](Part part) { return !widgetOf(part)->isVisible(); });
    if (parts.empty()) return;
    const auto here = partOf(QApplication::focusWidget());
    const auto at = here ? std::ranges::find(parts, *here) : parts.end();
    const std::ptrdiff_t count = std::ssize(parts);
    const std::ptrdiff_t next = at == parts.end() ? (step > 0 ? 0 : count - 1)
                                                  : (at - parts.begin() + step + count) % count;
    focusPart(parts[std::size_t(next)]);
}

void Workspace::beginSearch() {
    const auto part = partOf(QApplication::focusWidget());
    if (part == Details && m_details->beginSearch()) return;
    if (part == Roofline) return m_rooflinePage->beginSearch();
    focusPart(Kernels);
    m_kernels->focusFilter();
}

void Workspace::showDetails(int page) {
    m_details->setCurrentIndex(page);
    focusPart(Details);
}

void Workspace::showSource(const QString& file, int line) {
    showAll();
    m_details->showSource(file, line);
}

void Workspace::showLaunchSite(const QString& file, int line) {
    showAll();
    m_details->showLaunchSite(file, line);
}

void Workspace::setPartShown(Part part, bool shown) {
    m_shown[part] = shown;
    m_alone.reset();
    applyVisibility();
}

void Workspace::maximise(Part part) {
    if (part == Details && m_dock->isFloating()) {
        m_dock->setWindowState(m_dock->windowState() ^ Qt::WindowMaximized);
        return;
    }
    if (m_alone == part) {
        showAll();
        return;
    }
    if (!m_alone) m_detailsSize = m_dock->size();
    if (part != Details) turnPage(part == Overview);
    m_alone = part;
    applyVisibility();
}

void Workspace::maximiseFocused() {
    if (!showAll()) maximise(partOf(QApplication::focusWidget()).value_or(Roofline));
}

bool Workspace::showAll() {
    if (!std::exchange(m_alone, std::nullopt)) return false;
    applyVisibility();
    // Qt does not restore the size of a dock that was hidden or maximised.
    if (m_detailsSize.isValid() && m_dock->isVisible() && !m_dock->isFloating())
        for (const Qt::Orientation way : {Qt::Horizontal, Qt::Vertical})
            m_content->resizeDocks(
                {m_dock}, {way == Qt::Vertical ? m_detailsSize.height() : m_detailsSize.width()},
                way);
    return true;
}

void Workspace::applyVisibility() {
    const auto visible = [this](Part part) { return m_alone ? m_alone == part : m_shown[part]; };
    for (const Part part : {Kernels, Roofline, Hints}) widgetOf(part)->setVisible(visible(part));
    m_content->centralWidget()->setVisible(
        overviewShown() ? visible(Overview)
                        : visible(Kernels) || visible(Roofline) || visible(Hints));
    m_dock->setVisible(m_dock->isFloating() ? m_shown[Details] : visible(Details));
}

/// Contents ask for more width than a small screen has for four of them side by side.
void Workspace::limitWidths(DetailsPlace place) {
    const bool beside = place == DetailsPlace::Beside;
    // 0: what the contents ask for.
    for (const Part part : {Kernels, Roofline, Hints})
        widgetOf(part)->setMinimumWidth(beside ? kLeastPane : 0);
    m_page->widget(1)->setMinimumWidth(beside ? kLeastPage : 0);
    m_dock->widget()->setMinimumWidth(beside ? kLeastDetails : 0);
}

void Workspace::setDetailsPlace(DetailsPlace place) {
    showAll();
    limitWidths(place);
    if (place == DetailsPlace::Floating) {
        m_dock->setFloating(true);
        m_dock->resize(1100, 600);
    } else {
        const bool below = place == DetailsPlace::Below;
        m_content->addDockWidget(below ? Qt::BottomDockWidgetArea : Qt::RightDockWidgetArea,
                                 m_dock);
        m_dock->setFloating(false);
        if (!below) m_content->resizeDocks({m_dock}, {m_content->width() / 3}, Qt::Horizontal);
        sizeDetails();
    }
    m_dock->setVisible(m_shown[Details]);
    Q_EMIT detailsPlaceChanged();
}

Workspace::DetailsPlace Workspace::detailsPlace() const {
    if (m_dock->isFloating()) return DetailsPlace::Floating;
    return m_content->dockWidgetArea(m_dock) == Qt::BottomDockWidgetArea ? DetailsPlace::Below
                                                                         : DetailsPlace::Beside;
}

void Workspace::setOverviewAvailable(bool there) {
    m_pages->setVisible(there);
    turnPage(m_overviewWanted);
}

void Workspace::showOverview(bool overview) {
    m_overviewWanted = overview;
    turnPage(overview);
    if (overviewShown())
        m_overview->setFocus();
    else
        m_kernels->table()->setFocus();
}

void Workspace::turnPage(bool overview) {
    m_pages->setCurrentIndex(overview && !m_pages->isHidden() ? 0 : 1);
}

bool Workspace::overviewShown() const { return m_pages->currentIndex() == 0; }

void Workspace::showContent(bool content) {
    m_stack->setCurrentIndex(content ? 1 : 0);
    sizeDetails();
}

void Workspace::showTabRow(bool shown) { m_tabRow->setVisible(shown); }

void Workspace::setTheme(plot::Theme theme) {
    m_roofline->setTheme(theme);
    m_hints->setTheme(theme);
    m_kernels->setTheme(theme);
    m_overview->setTheme(theme);
    m_details->setTheme(theme);
}

void Workspace::setScale(double scale) {
    m_roofline->setScale(scale);
    m_details->setScale(scale);
    m_kernels->fitColumns();
}

QVariantMap Workspace::state() const {
    return {{QStringLiteral("columns"), m_columns->saveState()},
            {QStringLiteral("docks"), m_content->saveState(kLayoutVersion)},
            {QStringLiteral("detailsHeight"), m_chosenHeight.value_or(0)},
            {QStringLiteral("detailsWidth"), m_chosenWidth.value_or(0)},
            {QStringLiteral("kernelTree"), m_kernels->saveState()},
            {QStringLiteral("filter"), m_kernels->filterText()},
            {QStringLiteral("details"), m_details->currentIndex()},
            {QStringLiteral("overview"), m_overviewWanted},
            {QStringLiteral("hintTokens"), qulonglong(m_hints->budget())}};
}

void Workspace::setState(const QVariantMap& state) {
    const auto size = [&state](const QString& key) {
        const int stored = state.value(key).toInt();
        return stored > 0 ? std::optional(stored) : std::nullopt;
    };
    m_chosenHeight = size(QStringLiteral("detailsHeight"));
    m_chosenWidth = size(QStringLiteral("detailsWidth"));
    m_columns->restoreState(state.value(QStringLiteral("columns")).toByteArray());
    m_content->restoreState(state.value(QStringLiteral("docks")).toByteArray(), kLayoutVersion);
    limitWidths(detailsPlace());
    // restoreState() also changes visibility and title bar; ours are set here.
    m_dock->setTitleBarWidget(m_dock->isFloating() ? nullptr : m_emptyTitleBar);
    applyVisibility();
    m_kernels->restoreState(state.value(QStringLiteral("kernelTree")).toByteArray());
    m_kernels->setFilterText(state.value(QStringLiteral("filter")).toString());
    m_details->setCurrentIndex(
        state.value(QStringLiteral("details"), m_details->currentIndex()).toInt());
    m_overviewWanted = state.value(QStringLiteral("overview"), m_overviewWanted).toBool();
    m_hints->setBudget(state.value(QStringLiteral("hintTokens"), 0).toULongLong());
}

}  // namespace roofscope::gui
