// SPDX-License-Identifier: Apache-2.0
#include <QDialogButtonBox>
#include <QMessageBox>
#include <QTextBrowser>

#include "gui/app/main_menu.h"
#include "gui/app/main_window.h"
#include "gui/models/kernels/kernel_filter.h"
#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {
namespace {

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

void MainWindow::showAbout() {
    QMessageBox::about(
        this, tr("About roofscope"),
        tr("<h3>roofscope %1</h3><p>Profiling reports and rooflines for CUDA kernels.</p>"
           "<p>Apache License 2.0</p><p>Qt %2</p>")
            .arg(QStringLiteral(ROOFSCOPE_VERSION), QString::fromUtf8(qVersion())));
}

void MainWindow::showHelp() {
    QString html = section(
        tr("Roofline"),
        {{tr("hover"), tr("numbers of a dot")},
         {tr("click"), tr("select the kernel everywhere; beside the dots: select nothing")},
         {tr("Shift and drag"), tr("select the kernels in a box; with Ctrl in addition")},
         {tr("wheel, + and −"), tr("zoom at the cursor; at the centre")},
         {tr("drag, arrow keys"), tr("pan")},
         {tr("double-click, 0"), tr("show everything")},
         {tr("Ctrl+F"), tr("search in the plot; Enter: next match, Shift+Enter: the one before")}});
    html += section(
        tr("Everywhere"),
        {{tr("Escape"), tr("end a search, clear a filter, all panes again, select nothing")},
         {tr("double-click on a pane's title"), tr("this pane alone, and back")},
         {tr("Ctrl and wheel"), tr("everything larger or smaller")},
         {tr("right click on a kernel"), tr("filter by it or against it, copy, compare")},
         {tr("right click on the table's header"), tr("choose columns")},
         {tr("Ctrl+C in a table"), tr("copy the selected rows, tab separated")},
         {tr("mouse, Left and Right over a kernel's time"), tr("numbers of one interval")},
         {tr("wheel, drag in the timeline"), tr("zoom, pan; Shift and wheel scrolls the rows")}});
    for (const MainMenu::Shortcuts& menu : m_menu->shortcuts())
        html += section(menu.menu, menu.keys);
    html += section(
        tr("Kernel filter"),
        {{QStringLiteral("gemm"), tr("name or NVTX range contains it")},
         {QStringLiteral("-gemm"), tr("neither contains it")},
         {QStringLiteral("bw > 60%  bw > 2TB/s"), tr("DRAM bandwidth, of its roof or in units")},
         {QStringLiteral("conflict > 0.1  occupancy < 50%"), tr("shares")},
         {QStringLiteral("time > 100us  launches > 10"), tr("total time, number of launches")},
         {QStringLiteral("verdict = memory-bound"), tr("part of the verdict")},
         {tr("Tab"), tr("completes the beginning of a field or a verdict")}});
    html += QStringLiteral("<p>%1</p>")
                .arg(tr("Fields: %1")
                         .arg(KernelFilter::fieldNames().join(QStringLiteral(", ")))
                         .toHtmlEscaped());

    auto* dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("help"));
    dialog->setWindowTitle(tr("Mouse, keys and filters"));
    auto* text = new QTextBrowser;
    text->setAccessibleName(dialog->windowTitle());
    text->setHtml(html);
    auto* buttons = new QDialogButtonBox;
    // Not a standard button: its text comes from Qt, which may lack the translation.
    buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    dialog->setLayout(inColumn({{text, 1}, buttons}));
    dialog->resize(fontMetrics().averageCharWidth() * 95, height() * 3 / 4);
    dialog->open();
}

}  // namespace roofscope::gui
