// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

#include "profile/errors/result.h"

namespace roofscope::gui {

/// Splits a line like a shell: blanks separate; '…', "…", \ and $'…' quote. Nothing else is
/// special. An error if a quote is not closed.
[[nodiscard]] Result<QStringList> splitWords(const QString& line);

/// Quotes a word for any POSIX shell, with single quotes unless it is safe without.
[[nodiscard]] QString posixQuoted(const QString& word);

}  // namespace roofscope::gui
