// SPDX-License-Identifier: Apache-2.0
#include "gui/app/export.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>
#include <algorithm>
#include <new>

#include "gui/models/details/memory_chart_layout.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/widgets/draw_list_painter.h"
#include "gui/views/widgets/save_file.h"
#include "profile/files/output_conflict.h"
#include "reports/format_table.h"
#include "reports/plot/over_time_layout.h"
#include "reports/report.h"

namespace roofscope::gui {
namespace {

Error cannotCreate(const QString& path, std::string what) {
    return Error{
        .code = ErrorCode::CannotCreate, .what = std::move(what), .where = filePath(path).string()};
}

Result<void> exportPng(const QString& path, const plot::DrawList& shapes,
                       const ExportOptions& options) {
    QImage image(
        QSizeF(shapes.width * options.pixelRatio, shapes.height * options.pixelRatio).toSize(),
        QImage::Format_RGB32);
    if (image.isNull()) return cannotCreate(path, "the picture is too large to create");
    image.setDevicePixelRatio(options.pixelRatio);
    image.fill(roleColour(plot::Role::Background, options.theme));
    QPainter painter(&image);
    paint(painter, shapes, options.theme);
    painter.end();
    return savePng(path, image);
}

Result<void> exportPdf(const QString& path, const plot::DrawList& shapes,
                       const ExportOptions& options, const std::string& title) {
    QByteArray pdf;
    QBuffer buffer(&pdf);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setTitle(shownText(title));
        writer.setCreator(QStringLiteral("roofscope " ROOFSCOPE_VERSION));
        // One layout unit is 1/96 inch, as in SVG.
        const QSizeF points(shapes.width * 0.75, shapes.height * 0.75);
        writer.setPageLayout(
            QPageLayout(QPageSize(points, QPageSize::Point, {}, QPageSize::ExactMatch),
                        QPageLayout::Portrait, QMarginsF()));
        QPainter painter(&writer);
        if (!painter.isActive()) return cannotCreate(path, "the page cannot be made");
        painter.scale(writer.width() / shapes.width, writer.height() / shapes.height);
        painter.fillRect(QRectF(0, 0, shapes.width, shapes.height),
                         roleColour(plot::Role::Background, options.theme));
        paint(painter, shapes, options.theme);
    }
    return saveFile(path, pdf);
}

struct Drawn {
    plot::DrawList shapes;
    std::string title, description;
};

Result<Drawn> draw(const ProfileDocument& document, const ExportOptions& options) {
    const Analysis& analysis = *document.analysis;
    plot::RooflineOptions layout = options.plot;
    if (options.picture == Picture::MemoryChart) {
        const auto chart = memoryChart(analysis, options.kernel);
        if (!chart)
            return Error{.code = ErrorCode::Usage,
                         .what = "there is no kernel to draw a memory chart of",
                         .where = filePath(document.path).string()};
        const std::string title =
            chart->kernel.toStdString() + " — " +
            plotTitle(document, analysis.kernels[options.kernel].group.device);
        return Drawn{layoutMemoryChart(*chart, layout.width, QString::fromStdString(title)).shapes,
                     title, chart->description.toStdString()};
    }
    if (options.picture == Picture::OverTime) {
        if (options.kernel >= analysis.kernels.size() || !analysis.kernels[options.kernel].overTime)
            return Error{.code = ErrorCode::Usage,
                         .what = "the kernel has no samples over time",
                         .where = filePath(document.path).string(),
                         .advice = "record it with --over-time"};
        plot::OverTimePlot curve = plot::layoutOverTime(
            analysis, options.kernel, {.width = layout.width, .language = shownLanguage()});
        return Drawn{std::move(curve.shapes), std::move(curve.title), std::move(curve.description)};
    }
    layout.language = shownLanguage();
    if (options.kernels) layout.kernels = *options.kernels;
    if (layout.title.empty()) layout.title = plotTitle(document, layout.device);
    plot::RooflinePlot plot = plot::layoutRoofline(analysis, layout);
    return Drawn{std::move(plot.shapes), std::move(plot.title), std::move(plot.description)};
}

}  // namespace

std::size_t firstOverTime(const Analysis& analysis) {
    const auto found = std::ranges::find_if(
        analysis.kernels, [](const KernelAnalysis& kernel) { return kernel.overTime != nullptr; });
    return found == analysis.kernels.end() ? 0 : std::size_t(found - analysis.kernels.begin());
}

std::string plotTitle(const ProfileDocument& document, std::uint32_t device) {
    std::string title = document.title().toStdString();
    const auto& devices = document.analysis->profile->devices;
    if (device < devices.size()) title += " — " + shownText(devices[device].name).toStdString();
    return title;
}

Result<void> exportDocument(const ProfileDocument& document, const QString& path,
                            const ExportOptions& options) try {
    if (auto kept = checkOutputIsNoInput({}, filePath(path), {filePath(document.path)}); !kept)
        return kept.error();
    const QString suffix = QFileInfo(path).suffix().toLower();
    const Analysis& analysis = *document.analysis;
    if (suffix == QLatin1String("svg") || suffix == QLatin1String("png") ||
        suffix == QLatin1String("pdf")) {
        const Result<Drawn> drawn = draw(document, options);
        if (!drawn) return drawn.error();
        if (suffix == QLatin1String("png")) return exportPng(path, drawn->shapes, options);
        if (suffix == QLatin1String("pdf"))
            return exportPdf(path, drawn->shapes, options, drawn->title);
        return saveFile(path, QByteArray::fromStdString(plot::toSvg(
                                  drawn->shapes, options.theme, drawn->title, drawn->description)));
    }
    const ReportFormatEntry* format = findFormat(reportFormats(), suffix.toStdString());
    if (!format)
        return Error{.code = ErrorCode::Usage,
                     .what = "the file extension does not give a known format",
                     .where = filePath(path).string(),
                     .advice = "use .png, .pdf, " + formatList(reportFormats(), true)};
    ReportOptions report;
    report.profilePath = filePath(document.path).string();
    report.language = shownLanguage();
    report.kernels = options.kernels;
    const Result<std::string> content = renderReport(analysis, format->format, report);
    if (!content) return content.error();
    return saveFile(path, QByteArray::fromStdString(*content));
} catch (const std::bad_alloc&) {
    return Error{.code = ErrorCode::Io,
                 .what = "not enough memory for this export",
                 .where = filePath(path).string()};
}

}  // namespace roofscope::gui
