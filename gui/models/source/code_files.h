// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace roofscope::gui {

/// Finds files of the profiled program on this machine: where the program had them, or where the
/// user found others of the same tree.
class CodeFiles {
public:
    /// The user found a file of the program here: "/build/app/ops.py" at "/home/me/app/ops.py"
    /// means that "/build" is "/home/me".
    void found(const QString& recorded, const QString& here);
    /// A path that can be read; nothing when there is none.
    [[nodiscard]] std::optional<QString> find(const QString& recorded) const;
    /// Its lines, as they are; nothing for what is no regular file, cannot be read, or is too large
    /// to be code.
    [[nodiscard]] static std::optional<std::vector<std::string>> lines(const QString& path);

private:
    std::map<QString, QString> m_roots;  ///< of the recording → here
};

}  // namespace roofscope::gui
