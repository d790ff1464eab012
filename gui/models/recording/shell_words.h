// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

#include "profile/errors/result.h"

namespace roofscope::gui {

/// Splits a line as a shell does: blanks separate, '…', "…", \ and $'…' quote. Nothing else has a
/// meaning. An error for a quote that is not closed.
[[nodiscard]] Result<QStringList> splitWords(const QString& line);

/// In single quotes unless it is plainly safe: the same to every POSIX shell, whatever it contains.
[[nodiscard]] QString posixQuoted(const QString& word);

}  // namespace roofscope::gui
