// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/language/words.h"
#include "gui/app/export.h"
#include "gui/views/widgets/theme.h"
#include "profile/errors/result.h"

namespace roofscope::gui {

/// The command line of roofscope-gui.
struct Options {
    QStringList profiles;
    QStringList exports;    ///< files to write instead of opening a window
    QString screenshot;     ///< file to grab the window into; empty = run the window
    QSize size{1280, 800};  ///< of the window for a screenshot, of the plot for an export
    bool sizeGiven = false;
    std::optional<ThemeChoice> theme;
    std::optional<Language> language;     ///< --lang
    QString baseline;                     ///< opened, too; the others are compared with it
    QString kernel;                       ///< selects the first kernel whose name contains this
    Picture picture = Picture::Roofline;  ///< what exported pictures show
    QString details;          ///< the tab of the details that is shown; empty = the first
    std::string textAndExit;  ///< --help, --version: print this and exit with 0
};

/// Parses the arguments behind the program's name. Qt's own options ("-platform offscreen") are
/// left alone.
[[nodiscard]] Result<Options> parseOptions(const std::vector<std::string>& arguments);

}  // namespace roofscope::gui
