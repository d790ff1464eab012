// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/search_bar.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>

#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {

SearchBar::SearchBar(const Words& words, const QMargins& around, QWidget* parent)
    : QWidget(parent) {
    m_line = new QLineEdit;
    m_line->setPlaceholderText(words.placeholder);
    m_line->setAccessibleName(words.name);
    m_line->setClearButtonEnabled(true);
    m_line->installEventFilter(this);
    m_said = new QLabel;
    m_said->setObjectName(QStringLiteral("hint"));
    m_said->setTextFormat(Qt::PlainText);
    // A long error must not widen the pane.
    m_said->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    const auto button = [this](const QString& text, const QString& name, auto call) {
        auto* made = new QToolButton;
        made->setText(text);
        made->setToolTip(name);
        made->setAccessibleName(name);
        connect(made, &QToolButton::clicked, this, call);
        return made;
    };
    setLayout(inRow(
        {{m_line, 1},
         {m_said, 1},
         button(QStringLiteral("‹"), words.previous, [this] { Q_EMIT stepped(false); }),
         button(QStringLiteral("›"), words.next, [this] { Q_EMIT stepped(true); }),
         button(QStringLiteral("×"), tr("End the search (Escape)"), [this] { Q_EMIT ended(); })},
        {.around = around, .between = 6}));
    hide();
    connect(m_line, &QLineEdit::textChanged, this, &SearchBar::textChanged);
}

void SearchBar::begin() {
    show();
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
}

QString SearchBar::text() const { return m_line->text(); }

void SearchBar::setText(const QString& text) { m_line->setText(text); }

void SearchBar::say(const QString& text, bool wrong) {
    m_said->setText(text);
    // The label may be too narrow to show the whole text.
    m_said->setToolTip(text.toHtmlEscaped());
    m_line->setProperty("wrong", wrong);
    m_line->style()->polish(m_line);
}

QString SearchBar::said() const { return m_said->text(); }

bool SearchBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            Q_EMIT stepped(!key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            Q_EMIT ended();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace roofscope::gui
