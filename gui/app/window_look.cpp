// SPDX-License-Identifier: Apache-2.0
// MainWindow: theme, scale and language.
#include <QApplication>
#include <QEvent>
#include <QMenuBar>
#include <QSettings>
#include <QStatusBar>
#include <algorithm>

#include "gui/app/main_menu.h"
#include "gui/app/main_window.h"
#include "gui/models/text/shown_language.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/status_area.h"

namespace roofscope::gui {
namespace {

constexpr double kScales[] = {0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3};

}  // namespace

void MainWindow::setTheme(ThemeChoice choice) {
    m_themeChoice = choice;
    const plot::Theme theme = resolveTheme(choice);
    applyTheme(*qApp, theme);
    m_views->setTheme(theme);
    m_menu->showTheme(choice);
}

void MainWindow::setScale(double scale) {
    scale = std::clamp(scale, std::begin(kScales)[0], std::end(kScales)[-1]);
    m_scale = scale;
    QFont font = QApplication::font();
    font.setPointSizeF(m_fontSize * scale);
    QApplication::setFont(font);
    m_views->setScale(scale);
    // Apply the style sheet again: widths it computed depend on the font.
    setTheme(m_themeChoice);
}

void MainWindow::changeScale(int steps) {
    const auto nearest = std::ranges::min_element(
        kScales, {}, [this](double scale) { return std::abs(scale - m_scale); });
    const auto last = std::ssize(kScales) - 1;
    const auto at = std::clamp<std::ptrdiff_t>(nearest - std::begin(kScales) + steps, 0, last);
    setScale(kScales[at]);
    say(tr("Size: %1 %").arg(qRound(m_scale * 100)));
}

void MainWindow::setLanguage(LanguageChoice choice) {
    m_languageChoice = choice;
    if (m_session.kept()) QSettings().setValue(QStringLiteral("language"), toSetting(choice));
    if (const Result<void> used = useLanguage(choice.value_or(systemLanguage())); !used)
        showError(QString::fromStdString(used.error().message()));
}

LanguageChoice MainWindow::storedLanguage() {
    return gui::languageChoice(QSettings().value(QStringLiteral("language")).toString());
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && m_builtIn != shownLanguage()) rebuild();
}

/// Creates all widgets again in the new language. The documents keep what is open and selected, so
/// views need no code for a language change.
void MainWindow::rebuild() {
    m_builtIn = shownLanguage();
    const QVariantMap state = viewState();
    const std::optional<plot::Viewport> viewport = roofline().options().viewport;
    const std::uint32_t device = roofline().device();
    const QString message = messageBar().message();
    const bool wasError = messageBar().isError(), offered = messageBar().offers();
    const bool loading = loader().busy();
    // One of the old widgets may be the caller, so they are deleted by the event loop later. Until
    // then ignore their signals.
    for (QWidget* old : m_views->findChildren<QWidget*>()) old->disconnect(this);
    for (QWidget* old : m_views->findChildren<QWidget*>()) old->disconnect(&m_documents);
    m_menu->disconnect(this);
    m_menu->deleteLater();
    setMenuBar(nullptr);
    setStatusBar(nullptr);
    build();
    setScale(m_scale);
    showRecent();
    for (const OpenDocument& open : m_documents.all()) addTab(open.document);
    setViewState(state);
    showDocument(false);
    roofline().setDevice(device);
    if (viewport) roofline().setViewport(*viewport);
    if (offered)
        showOffer();
    else if (!message.isEmpty())
        wasError ? messageBar().showError(message) : messageBar().showInfo(message);
    if (loading) m_views->progress().showStep(tr("Loading…"));
    renewRecordDialog();
    kernels().table()->setFocus();
}

}  // namespace roofscope::gui
