// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "profile/text/utf8.h"
#include "reports/plot/draw_list.h"

namespace roofscope::plot {

namespace {

/// Advance of a character in units of the font size. Classes follow the widest common sans-serif
/// font (DejaVu Sans), so that labels that do not overlap here do not overlap in narrower fonts
/// either.
double advance(char32_t c) {
    const auto in = [c](std::u32string_view set) {
        return set.find(c) != std::u32string_view::npos;
    };
    if (in(U"ijl'|")) return 0.29;
    if (in(U" .,:;!I[]()`/\\-fJ")) return 0.40;
    if (in(U"rt\"*")) return 0.43;
    if (in(U"sczkvxyJL?_")) return 0.58;
    if (in(U"abdeghnopquFETPSZYBKX0123456789$€µ")) return 0.64;
    if (in(U"ACDRVUG&")) return 0.73;
    if (in(U"HNOQ<>=+~^#×→≤≥")) return 0.84;
    if (in(U"mMwW%@…—")) return 1.0;
    return utf8::isWide(c) ? 1.05 : 0.70;
}

}  // namespace

double textWidth(std::string_view text, double size) {
    double width = 0;
    for (std::size_t at = 0; at < text.size();)
        width += advance(utf8::next(text, at).value_or(U'?'));
    return width * size;
}

}  // namespace roofscope::plot
