// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A picture as a list of shapes in pixels, y downwards. The SVG writer and the QPainter view draw
/// the same list, so files and GUI show the same picture.
namespace roofscope::plot {

/// The meaning of a shape; a theme gives it a colour. Colour never carries meaning alone: a level
/// also has a marker shape, a precision also a label.
enum class Role {
    Background,
    Axis,
    Grid,
    GridMinor,
    Text,
    TextMuted,
    Dram,
    L2,
    L1,
    Shared,
    Fp64,
    Fp32,
    Fp16,
    TensorFp64,  ///< tensor cores: a colour per type
    TensorTf32,
    TensorBf16,
    TensorFp16,
    TensorFp8,
    TensorInt8,
    TensorFp4,
    Selection,
    Highlight
};

struct Point {
    double x = 0, y = 0;
};
struct Rect {
    double x = 0, y = 0, w = 0, h = 0;
};

enum class MarkerShape { Circle, Square, Triangle, Diamond };
enum class Anchor { Start, Middle, End };

struct LineShape {
    Point from, to;
    Role role;
    double width = 1;
    bool dashed = false;
    double opacity = 1;
};
/// A filled area with these corners. One shape, so that a translucent area has no seams.
struct PolygonShape {
    std::vector<Point> corners;
    Role fill;
    double opacity = 1;
};
struct RectShape {
    Rect rect;
    Role fill;
    double opacity = 1;
    double radius = 0;
};
/// `radius` is that of a circle with the same area, whatever the shape. `outlined` adds a thin line
/// in the background colour, so that overlapping markers stay distinct. `tip` is for mouse hover;
/// it is clean but not escaped. `kernel` is the index into Analysis::kernels, so that a renderer
/// can link it.
struct MarkerShapeItem {
    Point centre;
    double radius;
    MarkerShape shape;
    Role role;
    double opacity = 1;
    bool outlined = false;
    std::string tip = {};
    std::optional<std::size_t> kernel = {};
};
/// `at` is on the baseline; `angle` is in degrees around `at`, clockwise on the screen. The text is
/// clean (reports/escape/escape.h) but not escaped for XML. `halo` draws a 3-pixel line in the
/// background colour around the letters, for text on top of dots.
struct TextShape {
    Point at;
    std::string text;
    double size;
    Role role;
    Anchor anchor = Anchor::Start;
    double angle = 0;
    bool bold = false;
    bool halo = false;
    std::optional<std::size_t> kernel = {};  ///< as in MarkerShapeItem
};

using Shape = std::variant<LineShape, RectShape, PolygonShape, MarkerShapeItem, TextShape>;

struct DrawList {
    double width = 0, height = 0;
    Rect clip;                   ///< plot area, clips the shapes in `clipped`
    std::vector<Shape> clipped;  ///< roofs and dots, clipped
    std::vector<Shape> free;     ///< axes, ticks, labels, legend; drawn on top
};

/// Colour of a role in a theme, "#rrggbb". The palette is colour-blind-safe.
enum class Theme { Light, Dark };
[[nodiscard]] const char* colour(Role role, Theme theme);
/// Name of a role's CSS variable: "--plot-grid-minor".
[[nodiscard]] const char* cssVariable(Role role);
inline constexpr Role kLastRole = Role::Highlight;

/// Corners of a marker; empty for a circle, which uses `radius`. Every shape covers the area of
/// that circle.
[[nodiscard]] std::vector<Point> markerPolygon(const MarkerShapeItem& marker);

/// Estimated width in pixels of a text in the sans-serif font of both renderers. Uses a
/// character-class table, so that label placement is the same everywhere.
[[nodiscard]] double textWidth(std::string_view text, double size);

}  // namespace roofscope::plot
