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
    std::size_t kernel = 0;      ///< index, for pictures of one kernel
    plot::RooflineOptions plot;  ///< size, levels and viewport of a plot
    /// Indices of the kernels to write, in the order of the filtered table; absent: all.
    std::optional<std::vector<std::size_t>> kernels = {};
    plot::Theme theme = plot::Theme::Light;
    double pixelRatio = 2;  ///< PNG pixels per layout unit
};

/// Writes a document to `path`. The file extension decides: .svg, .png and .pdf get the picture;
/// extensions of reportFormats(), such as .md or .csv, get the report in that format.
[[nodiscard]] Result<void> exportDocument(const ProfileDocument& document, const QString& path,
                                          const ExportOptions& options);

/// Index of the first kernel that was sampled over time; 0 if there is none.
[[nodiscard]] std::size_t firstOverTime(const Analysis& analysis);

/// The title of a picture: profile and device.
[[nodiscard]] std::string plotTitle(const ProfileDocument& document, std::uint32_t device);

}  // namespace roofscope::gui
