// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope::gui {

/// The texts in the box of one level of the memory hierarchy. Tips are plain text.
struct ChartBox {
    QString title;  ///< "L2"
    QString label;  ///< "hit rate"; may be empty
    QString value;  ///< "63.1 %"; "–" when it is missing
    QString tip;    ///< how it was obtained, or what to record
    bool measured = true;
};

/// A row of the table above a link: "sectors", and how many in each direction.
struct ChartRow {
    QString name, read, write;  ///< `write` is empty if the number is not split by direction
    QString tip;
};

/// The traffic between two levels, per launch (mean). "Read" is towards the kernel.
struct ChartLink {
    QString readName, writeName;  ///< "loads", "stores"
    std::vector<ChartRow> rows;
    QString amount;                      ///< "67.1 MB at 2.13 TB/s"
    QString share;                       ///< "44.3 % of peak"; "–" when it is missing
    std::optional<double> level;         ///< the share, 0 to 1: width and colour of the arrow
    bool reads = false, writes = false;  ///< there is measured traffic in this direction
    QString tip;
};

/// The data paths from the kernel to shared memory and, through L1 and L2, to DRAM. Holds values
/// and texts, no geometry.
struct MemoryChart {
    QString kernel;       ///< short name
    QString description;  ///< the shares as a sentence, for readers who cannot see the picture
    ChartBox shared, sm, l1, l2, dram;
    QString limit;                 ///< "limits: L1 data pipe 98 %"; empty without a limiter
    std::optional<Level> limited;  ///< the link that limits; absent: mark the kernel's box
    PerLevel<ChartLink> links;
};

/// nullopt if the index is out of range.
[[nodiscard]] std::optional<MemoryChart> memoryChart(const Analysis& analysis, std::size_t kernel);

}  // namespace roofscope::gui
