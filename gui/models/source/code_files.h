// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace roofscope::gui {

/// Finds source files of the profiled program on this machine: at the recorded path, or in a tree
/// where the user has found another of its files.
class CodeFiles {
public:
    /// Tells where the user has found a file: "/build/app/ops.py" at "/home/me/app/ops.py" means
    /// that "/build" is at "/home/me" here.
    void found(const QString& recorded, const QString& here);
    /// The path of a readable file here; nullopt if there is none.
    [[nodiscard]] std::optional<QString> find(const QString& recorded) const;
    /// The unchanged lines of a file; nullopt if it is no regular file, cannot be read, or is too
    /// large to be code.
    [[nodiscard]] static std::optional<std::vector<std::string>> lines(const QString& path);

private:
    std::map<QString, QString> m_roots;  ///< recorded path → path here
};

}  // namespace roofscope::gui
