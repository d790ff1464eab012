// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/markdown_style.h"

#include <QFontDatabase>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>

#include "gui/views/widgets/theme.h"

namespace roofscope::gui {
namespace {

void styleTables(QTextFrame* frame, const ThemeColours& colours) {
    for (QTextFrame* child : frame->childFrames()) {
        if (auto* table = qobject_cast<QTextTable*>(child)) {
            QTextTableFormat format = table->format();
            format.setBorderCollapse(true);
            format.setBorder(1);
            format.setBorderBrush(colours.border);
            format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            format.setCellPadding(4);
            format.setCellSpacing(0);
            format.setTopMargin(6);
            format.setBottomMargin(8);
            table->setFormat(format);
        }
        styleTables(child, colours);
    }
}

void styleBlock(const QTextBlock& block, const ThemeColours& colours, const QFont& base,
                const QFont& mono) {
    QTextCursor cursor(block);
    QTextBlockFormat format = block.blockFormat();
    const int level = format.headingLevel();
    const bool code = format.hasProperty(QTextFormat::BlockCodeFence) ||
                      format.hasProperty(QTextFormat::BlockCodeLanguage);
    if (level > 0) {
        static constexpr double kScale[] = {1, 1.35, 1.18, 1.05, 1, 1, 1};
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        QTextCharFormat chars;
        chars.setFontPointSize(base.pointSizeF() * kScale[level]);
        chars.setFontWeight(QFont::DemiBold);
        chars.setProperty(QTextFormat::FontSizeAdjustment, 0);
        cursor.mergeCharFormat(chars);
        format.setTopMargin(level == 1 ? 2 : 12);
        format.setBottomMargin(4);
    } else if (code) {
        format.setBackground(colours.code);
        format.setTopMargin(0);
        format.setBottomMargin(0);
        format.setLeftMargin(4);
        format.setNonBreakableLines(false);
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        QTextCharFormat chars;
        chars.setFontFamilies({mono.family()});
        chars.setFontPointSize(base.pointSizeF() * 0.95);
        cursor.mergeCharFormat(chars);
    } else if (!cursor.currentTable()) {
        format.setTopMargin(2);
        format.setBottomMargin(cursor.currentList() ? 2 : 6);
        format.setLineHeight(118, QTextBlockFormat::ProportionalHeight);
    }
    QTextCursor(block).setBlockFormat(format);
    if (code) return;
    for (auto it = block.begin(); !it.atEnd(); ++it) {
        const QTextFragment fragment = it.fragment();
        if (!fragment.charFormat().fontFixedPitch()) continue;
        QTextCursor span(block);
        span.setPosition(fragment.position());
        span.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
        QTextCharFormat chars;
        chars.setFontFamilies({mono.family()});
        chars.setBackground(colours.code);
        span.mergeCharFormat(chars);
    }
}

}  // namespace

void setMarkdown(QTextDocument& document, const QString& markdown, plot::Theme theme) {
    const ThemeColours& colours = themeColours(theme);
    document.setUndoRedoEnabled(false);
    document.setDocumentMargin(12);
    document.setMarkdown(markdown,
                         QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub |
                                                         QTextDocument::MarkdownNoHTML));
    const QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const QFont base = document.defaultFont();
    QTextCursor edit(&document);
    edit.beginEditBlock();
    styleTables(document.rootFrame(), colours);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        styleBlock(block, colours, base, mono);
    edit.endEditBlock();
}

}  // namespace roofscope::gui
