// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDateTime>
#include <QString>
#include <memory>
#include <optional>

#include "analyzer/model/analysis.h"
#include "analyzer/program/program.h"

namespace roofscope::gui {

/// A profile that is open: where it came from and what it means. Cheap to copy; the analysis is
/// shared and never changes.
struct ProfileDocument {
    QString path;  ///< absolute
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<const Program> program = nullptr;  ///< of the analysis
    QDateTime loadedAt;

    /// File name without folder and ".roofscope.json": what tabs and the window title show.
    [[nodiscard]] QString title() const;
    /// Where a search for files beside it begins; empty where dialogs cannot show the folder's
    /// name.
    [[nodiscard]] QString folder() const;
    /// The kernel here that is the same as `kernel` of another recording: same name, launch shape
    /// and range, else same name. Keeps a selection over a reload.
    [[nodiscard]] std::optional<std::size_t> findSame(const KernelAnalysis& kernel) const;
    /// The first kernel with this text in its full name or NVTX range.
    [[nodiscard]] std::optional<std::size_t> findNamed(const QString& part) const;
};

}  // namespace roofscope::gui
