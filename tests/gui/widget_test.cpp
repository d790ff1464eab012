// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/widget_test.h"

#include <QAction>
#include <QSettings>
#include <QTemporaryDir>
#include <QWidget>

namespace roofscope::test {

QApplication& widgetApp() {
    static int argc = 1;
    static char name[] = "test_gui_views";
    static char* argv[] = {name, nullptr};
    static const QTemporaryDir settings;
    static QApplication& app = *[] {
        // Never destroyed, because Qt's own statics may be destroyed first.
        auto* made = new QApplication(argc, argv);
        QApplication::setOrganizationName(QStringLiteral("roofscope-test"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
        return made;
    }();
    return app;
}

void trigger(const QWidget& window, const QKeySequence& keys) {
    for (QAction* action : window.findChildren<QAction*>())
        if (action->shortcut() == keys) action->trigger();
}

}  // namespace roofscope::test
