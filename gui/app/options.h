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
    QString screenshot;     ///< file for a screenshot of the window; empty = run interactively
    QSize size{1280, 800};  ///< of the window (screenshot) or the plot (export)
    bool sizeGiven = false;
    std::optional<ThemeChoice> theme;
    std::optional<Language> language;     ///< --lang
    QString baseline;                     ///< further file; the others are compared with it
    QString kernel;                       ///< selects the first kernel whose name contains this
    Picture picture = Picture::Roofline;  ///< what exported pictures show
    QString details;                      ///< the details tab to show; empty = the first
    std::string textAndExit;              ///< --help, --version: print this and exit with 0
};

/// Parses the arguments after the program name. Qt's own options ("-platform offscreen") are
/// ignored.
[[nodiscard]] Result<Options> parseOptions(const std::vector<std::string>& arguments);

}  // namespace roofscope::gui
