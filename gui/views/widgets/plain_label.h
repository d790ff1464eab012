// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

class QVBoxLayout;

namespace roofscope::gui {

/// Words that wrap, can be marked and copied, and are never read as markup. `name` is what the
/// style sheet knows them by.
[[nodiscard]] QLabel* plainLabel(const QString& text, const char* name = "");
/// The same for a heading, larger than text by `factor`.
[[nodiscard]] QLabel* plainHeading(const QString& text, const char* name, double factor = 1);
/// Code or a command, in a box.
[[nodiscard]] QLabel* codeLabel(const QString& text);
/// A word or number in one line, never read as markup.
[[nodiscard]] QLabel* wordLabel(const QString& text, Qt::Alignment alignment = Qt::AlignVCenter);

/// A framed card: what is to be done under its number, what that gains, and below them whatever is
/// added to `layout`.
struct Card {
    QFrame* frame;
    QVBoxLayout* layout;
};
/// Where a card has its gain. Beside the title it needs a wide pane.
enum class GainPlace { BesideTitle, BelowTitle };
[[nodiscard]] Card numberedCard(std::size_t number, const QString& title, const QString& gain,
                                const QString& gainTip, GainPlace place);

}  // namespace roofscope::gui
