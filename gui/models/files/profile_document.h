// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDateTime>
#include <QString>
#include <memory>
#include <optional>

#include "analyzer/model/analysis.h"
#include "analyzer/program/program.h"

namespace roofscope::gui {

/// An open profile: its file and its analysis. Cheap to copy; the analysis is shared and never
/// changes.
struct ProfileDocument {
    QString path;  ///< absolute
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<const Program> program = nullptr;  ///< analyzeProgram() of `analysis`
    QDateTime loadedAt;

    /// File name without folder and ".roofscope.json", for tabs and the window title.
    [[nodiscard]] QString title() const;
    /// The file's folder, where file dialogs start; empty if they cannot show the folder's name.
    [[nodiscard]] QString folder() const;
    /// The kernel here that matches `kernel` of another recording: same name, launch shape, range
    /// and device; else the first with the same name. Keeps a selection across a reload.
    [[nodiscard]] std::optional<std::size_t> findSame(const KernelAnalysis& kernel) const;
    /// The first kernel with this text in its full name or NVTX range.
    [[nodiscard]] std::optional<std::size_t> findNamed(const QString& part) const;
};

}  // namespace roofscope::gui
