// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/models/files/profile_document.h"
#include "profile/errors/result.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::gui {

/// What a picture shows.
enum class Picture { Roofline, MemoryChart, OverTime };

struct ExportOptions {
    Picture picture = Picture::Roofline;
    std::size_t kernel = 0;      ///< of a picture of one kernel
    plot::RooflineOptions plot;  ///< size, levels and viewport of a plot
    /// Indices of the kernels to write, as a filter shows them; absent: all.
    std::optional<std::vector<std::size_t>> kernels = {};
    plot::Theme theme = plot::Theme::Light;
    double pixelRatio = 2;  ///< pixels of a PNG per unit of the layout
};

/// Writes a document to `path`. The ending decides: .svg, .png, .pdf hold the picture, .md, .txt,
/// .json and .csv the report in that format.
[[nodiscard]] Result<void> exportDocument(const ProfileDocument& document, const QString& path,
                                          const ExportOptions& options);

/// The first kernel that was sampled over its time; 0 where none was.
[[nodiscard]] std::size_t firstOverTime(const Analysis& analysis);

/// What a picture says above itself: profile and device.
[[nodiscard]] std::string plotTitle(const ProfileDocument& document, std::uint32_t device);

}  // namespace roofscope::gui
