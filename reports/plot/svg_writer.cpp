// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "reports/escape/escape.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::plot {

namespace {

constexpr const char* kFont =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', "
    "sans-serif";

/// Two decimals without trailing zeros. A non-finite coordinate becomes 0, since "nan" is not a
/// number in SVG.
std::string n(double value) {
    if (!std::isfinite(value)) return "0";
    std::string text = fmt::format("{:.2f}", std::clamp(value, -1e7, 1e7));
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string opacityOf(double opacity) {
    return opacity >= 1 ? std::string() : " opacity=\"" + n(opacity) + "\"";
}

std::string pointList(const std::vector<Point>& corners) {
    std::string points;
    for (const Point& corner : corners)
        points += (points.empty() ? "" : " ") + n(corner.x) + "," + n(corner.y);
    return points;
}

struct SvgWriter {
    std::optional<Theme> theme;  ///< absent: CSS variables and links, for HTML
    std::string out;

    [[nodiscard]] std::string paint(Role role) const {
        return theme ? colour(role, *theme) : fmt::format("var({})", cssVariable(role));
    }
    /// The opening tag of a link to a kernel. It is not in the tab order: keyboard users have the
    /// page's table.
    [[nodiscard]] std::string link(const std::optional<std::size_t>& kernel) const {
        if (theme || !kernel) return {};
        return fmt::format(
            "<a href=\"#kernel-{0}\" class=\"dot\" data-kernel=\"{0}\" tabindex=\"-1\">",
            *kernel + 1);
    }

    void operator()(const LineShape& line) {
        out += fmt::format(
            R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="{}"{}{}/>)",
            n(line.from.x), n(line.from.y), n(line.to.x), n(line.to.y), paint(line.role),
            n(line.width), line.dashed ? " stroke-dasharray=\"7 4\"" : "", opacityOf(line.opacity));
        out += "\n";
    }
    void operator()(const RectShape& rect) {
        out += fmt::format(
            R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}"{}{}/>)", n(rect.rect.x),
            n(rect.rect.y), n(rect.rect.w), n(rect.rect.h), paint(rect.fill),
            rect.radius > 0 ? " rx=\"" + n(rect.radius) + "\"" : "", opacityOf(rect.opacity));
        out += "\n";
    }
    void operator()(const PolygonShape& polygon) {
        out += fmt::format(R"(<polygon points="{}" fill="{}"{}/>)", pointList(polygon.corners),
                           paint(polygon.fill), opacityOf(polygon.opacity));
        out += "\n";
    }
    void operator()(const MarkerShapeItem& marker) {
        std::string style = fmt::format(" fill=\"{}\"", paint(marker.role));
        style += marker.opacity < 1 ? " fill-opacity=\"" + n(marker.opacity) + "\"" : "";
        if (marker.outlined)
            style += fmt::format(" stroke=\"{}\" stroke-width=\"1\"", paint(Role::Background));
        std::string shape;
        if (const auto corners = markerPolygon(marker); corners.empty()) {
            shape = fmt::format(R"(circle cx="{}" cy="{}" r="{}")", n(marker.centre.x),
                                n(marker.centre.y), n(marker.radius));
        } else {
            shape = "polygon points=\"" + pointList(corners) + "\"";
        }
        const std::string anchor = link(marker.kernel);
        out += anchor;
        if (marker.tip.empty())
            out += "<" + shape + style + "/>";
        else
            out += "<" + shape + style + "><title>" + xmlText(marker.tip, 400) + "</title></" +
                   shape.substr(0, shape.find(' ')) + ">";
        out += anchor.empty() ? "\n" : "</a>\n";
    }
    void operator()(const TextShape& text) {
        const char* anchor = text.anchor == Anchor::Start    ? ""
                             : text.anchor == Anchor::Middle ? " text-anchor=\"middle\""
                                                             : " text-anchor=\"end\"";
        const std::string turn = text.angle == 0
                                     ? std::string()
                                     : fmt::format(" transform=\"rotate({} {} {})\"", n(text.angle),
                                                   n(text.at.x), n(text.at.y));
        const std::string words = xmlText(text.text, 400);
        const std::string linked = link(text.kernel);
        const auto put = [&](Role role, const std::string& more) {
            out += linked;
            out += fmt::format(R"(<text x="{}" y="{}" font-size="{}" fill="{}"{}{}{}{}>{}</text>)",
                               n(text.at.x), n(text.at.y), n(text.size), paint(role), anchor,
                               text.bold ? " font-weight=\"600\"" : "", more, turn, words);
            out += linked.empty() ? "\n" : "</a>\n";
        };
        if (text.halo)
            put(Role::Background,
                fmt::format(" stroke=\"{}\" stroke-width=\"3\" aria-hidden=\"true\"",
                            paint(Role::Background)));
        put(text.role, "");
    }
};

/// `id` is a prefix for all ids of the document.
std::string write(SvgWriter writer, const DrawList& shapes, const std::string& id,
                  std::string_view title, std::string_view description) {
    const std::string width = n(shapes.width), height = n(shapes.height);
    writer.out += fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"{5}t {5}d\" "
        "width=\"{0}\" "
        "height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"{2}\">\n<title "
        "id=\"{5}t\">{3}</title>\n"
        "<desc id=\"{5}d\">{4}</desc>\n",
        width, height, kFont, xmlText(title.empty() ? "Roofline" : title, 300),
        xmlText(description.empty() ? title : description, 1000), id);
    writer.out += fmt::format(
        "<defs><clipPath id=\"{}area\"><rect x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\"/></clipPath></defs>\n",
        id, n(shapes.clip.x), n(shapes.clip.y), n(shapes.clip.w), n(shapes.clip.h));
    writer.out += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", width, height,
                              writer.paint(Role::Background));
    writer.out += fmt::format("<g clip-path=\"url(#{}area)\">\n", id);
    for (const Shape& shape : shapes.clipped) std::visit(writer, shape);
    writer.out += "</g>\n";
    for (const Shape& shape : shapes.free) std::visit(writer, shape);
    return writer.out + "</svg>\n";
}

}  // namespace

std::string toSvg(const DrawList& shapes, Theme theme, std::string_view title,
                  std::string_view description) {
    return write({.theme = theme}, shapes, {}, title, description);
}

std::string toInlineSvg(const DrawList& shapes, std::string_view id, std::string_view title,
                        std::string_view description) {
    return write({.theme = std::nullopt}, shapes, std::string(id) + "-", title, description);
}

}  // namespace roofscope::plot
