// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope::gui {

/// What a place of the memory hierarchy says inside its box. Tips are plain text.
struct ChartBox {
    QString title;  ///< "L2"
    QString label;  ///< "hit rate"; may be empty
    QString value;  ///< "63.1 %"; "–" when it is missing
    QString tip;    ///< how it was obtained, or what to record
    bool measured = true;
};

/// A line of the table beside a link: "sectors", and how many each way.
struct ChartRow {
    QString name, read, write;  ///< `write` is empty when the number is not known by direction
    QString tip;
};

/// What moves between two places, per launch (mean). "Read" is towards the kernel.
struct ChartLink {
    QString readName, writeName;  ///< "loads", "stores"
    std::vector<ChartRow> rows;
    QString amount;                      ///< "67.1 MB at 2.13 TB/s"
    QString share;                       ///< "44.3 % of peak"; "–" when it is missing
    std::optional<double> level;         ///< the share, 0 to 1: width and colour of the arrow
    bool reads = false, writes = false;  ///< something is known to move this way
    QString tip;
};

/// Ways of data from the kernel to shared memory and, over L1 and L2, to the DRAM: values and
/// words, no geometry.
struct MemoryChart {
    QString kernel;       ///< short name
    QString description;  ///< the shares in a sentence, for readers who cannot see the picture
    ChartBox shared, sm, l1, l2, dram;
    QString limit;                 ///< "limits: L1 data pipe 98 %"; empty: nothing here does
    std::optional<Level> limited;  ///< the link that it is about; absent: the kernel itself
    PerLevel<ChartLink> links;
};

/// Nothing for a kernel that is not there.
[[nodiscard]] std::optional<MemoryChart> memoryChart(const Analysis& analysis, std::size_t kernel);

}  // namespace roofscope::gui
