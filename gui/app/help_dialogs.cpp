// SPDX-License-Identifier: Apache-2.0
#include "gui/app/help_dialogs.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QMessageBox>
#include <QTextBrowser>

#include "gui/models/kernels/kernel_filter.h"
#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct HelpText {
    Q_DECLARE_TR_FUNCTIONS(Help)
};

using Rows = std::vector<std::pair<QString, QString>>;

QString table(const Rows& rows) {
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='3'>");
    for (const auto& [keys, does] : rows)
        html += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;&nbsp;</td><td>%2</td></tr>")
                    .arg(keys.toHtmlEscaped(), does.toHtmlEscaped());
    return html + QStringLiteral("</table>");
}

QString section(const QString& title, const Rows& rows) {
    return QStringLiteral("<h3>%1</h3>").arg(title.toHtmlEscaped()) + table(rows);
}

}  // namespace

void showAbout(QWidget& window) {
    QMessageBox::about(
        &window, HelpText::tr("About roofscope"),
        HelpText::tr("<h3>roofscope %1</h3><p>Profiling reports and rooflines for CUDA kernels.</p>"
                     "<p>Apache License 2.0</p><p>Qt %2</p>")
            .arg(QStringLiteral(ROOFSCOPE_VERSION), QString::fromUtf8(qVersion())));
}

void showHelp(QWidget& window, const std::vector<MenuShortcuts>& menus) {
    QString html = section(
        HelpText::tr("Roofline"),
        {{HelpText::tr("hover"), HelpText::tr("numbers of a dot")},
         {HelpText::tr("click"),
          HelpText::tr("select the kernel in all views; on empty space: clear the selection")},
         {HelpText::tr("Shift and drag"),
          HelpText::tr("select the kernels in a box; with Ctrl: add them to the selection")},
         {HelpText::tr("wheel, + and −"),
          HelpText::tr("zoom: the wheel at the cursor, the keys at the centre")},
         {HelpText::tr("drag, arrow keys"), HelpText::tr("pan")},
         {HelpText::tr("double-click, 0"), HelpText::tr("show everything")},
         {HelpText::tr("Ctrl+F"),
          HelpText::tr("search in the plot; Enter: next match, Shift+Enter: previous match")}});
    html += section(
        HelpText::tr("Everywhere"),
        {{HelpText::tr("Escape"),
          HelpText::tr("end a search, clear a filter, restore all panes, clear the selection")},
         {HelpText::tr("double-click on a pane's title"),
          HelpText::tr("maximise or restore this pane")},
         {HelpText::tr("Ctrl and wheel"), HelpText::tr("make everything larger or smaller")},
         {HelpText::tr("right click on a kernel"),
          HelpText::tr("filter by it or exclude it, copy, compare")},
         {HelpText::tr("right click on the table's header"), HelpText::tr("choose columns")},
         {HelpText::tr("Ctrl+C in a table"), HelpText::tr("copy the selected rows, tab separated")},
         {HelpText::tr("mouse, Left and Right in \"Over time\""),
          HelpText::tr("numbers of one interval")}});
    html += section(
        HelpText::tr("Timeline"),
        {{HelpText::tr("click"),
          HelpText::tr("a launch or its call: this launch; the mark of a repeat: its time")},
         {HelpText::tr("drag"), HelpText::tr("select a time: its account, kernels and roofline")},
         {HelpText::tr("wheel, W and S"),
          HelpText::tr("zoom at the cursor; Shift and wheel scrolls the rows")},
         {HelpText::tr("Shift and drag, A and D, arrow keys"), HelpText::tr("pan")},
         {HelpText::tr("F, R, double-click or 0"),
          HelpText::tr("show what is selected, one repeat, everything")},
         {HelpText::tr("PgDown, PgUp"), HelpText::tr("next, previous repeat")},
         {HelpText::tr("G"), HelpText::tr("a repeat by its number")},
         {HelpText::tr(". and ,"), HelpText::tr("next, previous launch of the selected kernel")},
         {HelpText::tr("P"),
          HelpText::tr("pin the row under the mouse to the top, or that of the selected launch")},
         {HelpText::tr("C"), HelpText::tr("show the call of the selected launch")},
         {HelpText::tr("Ctrl+F"), HelpText::tr("search for launches")},
         {HelpText::tr("right click"), HelpText::tr("all of these")}});
    for (const MenuShortcuts& menu : menus) html += section(menu.menu, menu.keys);
    html += section(
        HelpText::tr("Kernel filter"),
        {{QStringLiteral("gemm"), HelpText::tr("name or NVTX range contains it")},
         {QStringLiteral("-gemm"), HelpText::tr("neither contains it")},
         {QStringLiteral("bw > 60%  bw > 2TB/s"),
          HelpText::tr("DRAM bandwidth, as a share of its roof or in bytes per second")},
         {QStringLiteral("conflict > 0.1  occupancy < 50%"), HelpText::tr("shares")},
         {QStringLiteral("time > 100us  launches > 10"),
          HelpText::tr("total time, number of launches")},
         {QStringLiteral("verdict = memory-bound"), HelpText::tr("part of the verdict")},
         {HelpText::tr("Tab"), HelpText::tr("completes the beginning of a field or a verdict")}});
    html += QStringLiteral("<p>%1</p>")
                .arg(HelpText::tr("Fields: %1")
                         .arg(KernelFilter::fieldNames().join(QStringLiteral(", ")))
                         .toHtmlEscaped());

    auto* dialog = new QDialog(&window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("help"));
    dialog->setWindowTitle(HelpText::tr("Mouse, keys and filters"));
    auto* text = new QTextBrowser;
    text->setAccessibleName(dialog->windowTitle());
    text->setHtml(html);
    auto* buttons = new QDialogButtonBox;
    // Not a standard button: its text comes from Qt, which may lack the translation.
    buttons->addButton(HelpText::tr("Close"), QDialogButtonBox::RejectRole);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    dialog->setLayout(inColumn({{text, 1}, buttons}));
    dialog->resize(window.fontMetrics().averageCharWidth() * 95, window.height() * 3 / 4);
    dialog->open();
}

}  // namespace roofscope::gui
