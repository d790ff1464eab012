// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QBoxLayout>
#include <QMargins>
#include <initializer_list>

namespace roofscope::gui {

/// An item of a row or column, with its share (stretch) of the remaining space.
struct Placed {
    Placed(QWidget* what, int share = 0, Qt::Alignment at = {})
        : widget(what), stretch(share), alignment(at) {}
    Placed(QLayout* what, int share = 0) : layout(what), stretch(share) {}
    /// Empty space: a number of pixels, or a share of the remaining space.
    Placed(int pixels, int share) : gap(pixels), stretch(share) {}

    QWidget* widget = nullptr;
    QLayout* layout = nullptr;
    int gap = 0, stretch = 0;
    Qt::Alignment alignment = {};
};
[[nodiscard]] inline Placed gap(int pixels) { return {pixels, 0}; }
[[nodiscard]] inline Placed stretchSpace(int share = 1) { return {0, share}; }

/// Margins around and space between items; -1: the style's default.
struct Spaces {
    QMargins around = {-1, -1, -1, -1};
    int between = -1;
};
inline constexpr QMargins kNoMargins(0, 0, 0, 0);
inline constexpr Spaces kNoSpaces{.around = kNoMargins, .between = 0};

/// Places widgets and layouts side by side, or one below the other:
///
///     setLayout(inColumn({title, {table, 1}, inRow({stretchSpace(), copy, save})}, kNoSpaces));
[[nodiscard]] QHBoxLayout* inRow(std::initializer_list<Placed> items, const Spaces& spaces = {});
[[nodiscard]] QVBoxLayout* inColumn(std::initializer_list<Placed> items, const Spaces& spaces = {});

/// A plain widget with this layout.
[[nodiscard]] QWidget* widgetWith(QLayout* layout);

}  // namespace roofscope::gui
