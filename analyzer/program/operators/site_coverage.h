// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace roofscope::program {

/// A launch of a function.
struct LaunchInShape {
    std::uint32_t row = 0;      ///< of Profile::launches
    std::uint32_t shape = 0;    ///< any number, one for each launch shape
    std::uint32_t process = 0;  ///< index into Profile::processes
};
/// Launches per window in one shape.
struct ShapePerWindow {
    std::uint32_t shape = 0;
    double launches = 0;
};

/// Whether the launches of a function whose sites were noted stand for those of the window. They
/// are the first `noted` ones of the program: these must be as many as in one or several whole
/// windows, and in the same shapes. Otherwise a site's share of the noted launches may differ from
/// its share of the window's, for instance if a prompt is read before words are generated. `all`:
/// of the whole recording, in the order of rows.
[[nodiscard]] bool sitesCover(std::span<const LaunchInShape> all,
                              std::span<const ShapePerWindow> window, double noted);

}  // namespace roofscope::program
