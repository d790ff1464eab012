// SPDX-License-Identifier: Apache-2.0
#include <QMessageBox>

#include "gui/app/main_window.h"
#include "gui/models/kernel_filter.h"

namespace roofscope::gui {

void MainWindow::showAbout() {
    QMessageBox::about(
        this, tr("About roofscope"),
        tr("<h3>roofscope %1</h3><p>Profiling reports and rooflines for CUDA kernels.</p>"
           "<p>Apache License 2.0</p><p>Qt %2</p>")
            .arg(QStringLiteral(ROOFSCOPE_VERSION), QString::fromUtf8(qVersion())));
}

void MainWindow::showHelp() {
    QMessageBox box(this);
    box.setWindowTitle(tr("Mouse, keys and filters"));
    box.setTextFormat(Qt::RichText);
    box.setText(
        tr("<h3>Roofline</h3><table>"
           "<tr><td>hover&nbsp;&nbsp;</td><td>numbers of a dot</td></tr>"
           "<tr><td>click</td><td>select the kernel everywhere</td></tr>"
           "<tr><td>wheel, + and −</td><td>zoom</td></tr>"
           "<tr><td>drag, arrow keys</td><td>pan</td></tr>"
           "<tr><td>double-click, 0</td><td>show everything</td></tr></table>"
           "<h3>Kernel filter</h3><p>Words are searched in names and NVTX ranges. Comparisons "
           "must all hold:</p><p><code>bw &gt; 60%</code><br><code>bw &gt; 2TB/s</code><br>"
           "<code>conflict &gt; 0.1</code><br><code>occupancy &lt; 50%</code><br>"
           "<code>time &gt; 100us</code><br><code>verdict = memory-bound</code></p>"
           "<p>Fields: %1</p>")
            .arg(KernelFilter::fieldNames().join(QStringLiteral(", "))));
    box.exec();
}

}  // namespace roofscope::gui
