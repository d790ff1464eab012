// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/profile_document.h"

#include <QFileInfo>

#include "gui/models/text/file_name.h"
#include "gui/models/text/shown_text.h"

namespace roofscope::gui {

QString ProfileDocument::title() const {
    QString name = shownText(QFileInfo(path).fileName());
    for (const char* suffix : {".gz", ".json", ".roofscope", ".ncu-rep", ".nsys-rep", ".sqlite"}) {
        if (name.endsWith(QLatin1String(suffix)) && name.size() > qsizetype(qstrlen(suffix)))
            name.chop(qsizetype(qstrlen(suffix)));
    }
    return name;
}

QString ProfileDocument::folder() const {
    return isUtf8FileName(path) ? QFileInfo(path).absolutePath() : QString();
}

std::optional<std::size_t> ProfileDocument::findSame(const KernelAnalysis& kernel) const {
    if (!analysis) return std::nullopt;
    std::optional<std::size_t> byName;
    for (std::size_t i = 0; i < analysis->kernels.size(); ++i) {
        const KernelAnalysis& candidate = analysis->kernels[i];
        if (candidate.fullName != kernel.fullName) continue;
        if (candidate.range == kernel.range && candidate.group.grid == kernel.group.grid &&
            candidate.group.block == kernel.group.block &&
            candidate.group.device == kernel.group.device)
            return i;
        if (!byName) byName = i;
    }
    return byName;
}

std::optional<std::size_t> ProfileDocument::findNamed(const QString& part) const {
    if (!analysis) return std::nullopt;
    for (std::size_t i = 0; i < analysis->kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis->kernels[i];
        if (shownText(kernel.fullName).contains(part) || shownText(kernel.range).contains(part))
            return i;
    }
    return std::nullopt;
}

}  // namespace roofscope::gui
