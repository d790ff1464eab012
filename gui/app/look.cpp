// SPDX-License-Identifier: Apache-2.0
#include "gui/app/look.h"

#include <QApplication>
#include <QWheelEvent>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "gui/app/messages.h"
#include "gui/app/session.h"
#include "gui/app/workspace.h"

namespace roofscope::gui {
namespace {

constexpr double kScales[] = {0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3};

void setFontSize(double points) {
    QFont font = QApplication::font();
    font.setPointSizeF(points);
    QApplication::setFont(font);
}

}  // namespace

Look::Look(QWidget& window, Messages& messages, Session& session, LanguageChoice language)
    : m_window(window),
      m_messages(messages),
      m_session(session),
      m_language(language),
      m_fontSize(QApplication::font().pointSizeF()) {
    qApp->installEventFilter(this);
}

Look::~Look() {
    // Later windows of this process start at the original size.
    if (m_scale != 1) setFontSize(m_fontSize);
}

void Look::follow(Workspace& views) { m_views = &views; }

void Look::restore(ThemeChoice theme, double scale) {
    m_theme = theme;
    setScale(scale);
}

void Look::setTheme(ThemeChoice choice) {
    m_theme = choice;
    const plot::Theme theme = resolveTheme(choice);
    applyTheme(*qApp, theme);
    if (m_views) m_views->setTheme(theme);
    Q_EMIT themeChanged();
}

void Look::setScale(double scale) {
    m_scale = std::clamp(scale, std::begin(kScales)[0], std::end(kScales)[-1]);
    setFontSize(m_fontSize * m_scale);
    if (m_views) m_views->setScale(m_scale);
    // Apply the style sheet again: its computed widths depend on the font.
    setTheme(m_theme);
}

void Look::changeScale(int steps) {
    const auto nearest = std::ranges::min_element(
        kScales, {}, [this](double scale) { return std::abs(scale - m_scale); });
    const auto last = std::ssize(kScales) - 1;
    const auto at = std::clamp<std::ptrdiff_t>(nearest - std::begin(kScales) + steps, 0, last);
    setScale(kScales[at]);
    m_messages.say(tr("Size: %1 %").arg(qRound(m_scale * 100)));
}

void Look::setLanguage(LanguageChoice choice) {
    m_language = choice;
    m_session.setLanguage(choice);
    if (const Result<void> used = useLanguage(choice.value_or(systemLanguage())); !used)
        m_messages.showError(QString::fromStdString(used.error().message()));
}

bool Look::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Wheel) {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (wheel->modifiers() == Qt::ControlModifier && wheel->angleDelta().y() != 0 && widget &&
            widget->window() == &m_window) {
            changeScale(wheel->angleDelta().y() > 0 ? 1 : -1);
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace roofscope::gui
