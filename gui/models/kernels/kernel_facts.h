// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

#include "analyzer/model/analysis.h"

/// Facts about a kernel for table, filter and tooltips, other than quantities (shown_quantity.h).
namespace roofscope::gui {

/// Intensity at DRAM in the precision with the most operations; absent without such a point.
[[nodiscard]] std::optional<FlopsPerByte> dramIntensity(const KernelAnalysis& kernel);
/// The point behind dramIntensity(). Its precision gives the unit: integer operations have another.
[[nodiscard]] std::optional<RooflinePoint> dramPoint(const KernelAnalysis& kernel);
[[nodiscard]] std::optional<Seconds> totalTime(const KernelAnalysis& kernel);
/// The verdict in the reports' words: "memory-bound at DRAM".
[[nodiscard]] QString verdictText(const Verdict& verdict);
/// "FP32", "BF16 tensor".
[[nodiscard]] QString arithmeticText(const Arithmetic& arithmetic);
/// "DRAM", "L2", "L1", "shared".
[[nodiscard]] QString levelText(Level level);
/// "1024 × 16 blocks of 256 threads". Distinguishes launch groups of the same kernel.
[[nodiscard]] QString launchShapeText(const LaunchGroup& group);
/// A shorter form: "1024 × 16 · 256".
[[nodiscard]] QString shapeText(const LaunchGroup& group);
/// Distinguishes kernels of the same name: "1024 × 16 · 256 · step > forward".
[[nodiscard]] QString shapeAndRangeText(const KernelAnalysis& kernel);

}  // namespace roofscope::gui
