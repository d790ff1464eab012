// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/plain_label.h"

#include <QApplication>
#include <QFontDatabase>

namespace roofscope::gui {

QLabel* plainLabel(const QString& text, const char* name) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setObjectName(QString::fromLatin1(name));
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // Long words must not widen the pane.
    label->setMinimumWidth(1);
    return label;
}

QLabel* plainHeading(const QString& text, const char* name, double factor) {
    QLabel* label = plainLabel(text, name);
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * factor);
    font.setWeight(QFont::DemiBold);
    label->setFont(font);
    return label;
}

QLabel* codeLabel(const QString& text) {
    QLabel* label = plainLabel(text, "codeBox");
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(QApplication::font().pointSizeF() * 0.95);
    label->setFont(font);
    return label;
}

QLabel* wordLabel(const QString& text, Qt::Alignment alignment) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setAlignment(alignment);
    return label;
}

}  // namespace roofscope::gui
