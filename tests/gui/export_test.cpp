// SPDX-License-Identifier: Apache-2.0
#include "gui/app/export.h"

#include <QImage>
#include <filesystem>
#include <fstream>
#include <set>

#include "reports/report.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

Result<void> write(const TemporaryFolder& folder, const char* name,
                   const ExportOptions& options = {}) {
    return exportDocument(sampleDocument(), QString::fromStdString(folder.file(name).string()),
                          options);
}

}  // namespace

TEST_CASE("the SVG is the one that the reports write for this layout") {
    widgetApp();
    const TemporaryFolder folder;
    ExportOptions options;
    options.theme = plot::Theme::Dark;
    REQUIRE(write(folder, "plot.svg", options).ok());
    const ProfileDocument document = sampleDocument();
    plot::RooflineOptions layout;
    layout.title = plotTitle(document, 0);
    const plot::RooflinePlot plot = plot::layoutRoofline(*document.analysis, layout);
    CHECK(readText(folder.file("plot.svg")) ==
          plot::toSvg(plot.shapes, plot::Theme::Dark, plot.title, plot.description));
    CHECK(plot.title.find("sample") != std::string::npos);
    CHECK(plot.title.find("H200") != std::string::npos);
}

TEST_CASE("PNG and PDF hold the picture") {
    widgetApp();
    const TemporaryFolder folder;
    ExportOptions options;
    options.plot.width = 640;
    options.plot.height = 400;
    REQUIRE(write(folder, "plot.png", options).ok());
    const QImage image(QString::fromStdString(folder.file("plot.png").string()));
    CHECK(image.width() == 1280);
    CHECK(image.height() == 800);
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
    CHECK(colours.size() > 30);
    REQUIRE(write(folder, "plot.pdf", options).ok());
    const std::string pdf = readText(folder.file("plot.pdf"));
    CHECK(pdf.rfind("%PDF-", 0) == 0);
    CHECK(pdf.find("/MediaBox [0 0 480") != std::string::npos);
}

TEST_CASE("reports are those of the library") {
    widgetApp();
    const TemporaryFolder folder;
    const ProfileDocument document = sampleDocument();
    ReportOptions options;
    options.profilePath = document.path.toStdString();
    REQUIRE(write(folder, "report.md").ok());
    CHECK(readText(folder.file("report.md")) ==
          renderReport(*document.analysis, ReportFormat::Markdown, options).value());
    REQUIRE(write(folder, "kernels.csv").ok());
    CHECK(readText(folder.file("kernels.csv")) ==
          renderReport(*document.analysis, ReportFormat::Csv, options).value());
}

TEST_CASE("an unknown ending and a folder that is not there are said plainly") {
    widgetApp();
    const TemporaryFolder folder;
    const auto unknown = write(folder, "plot.bmp");
    REQUIRE_FALSE(unknown.ok());
    CHECK(unknown.error().code == ErrorCode::Usage);
    CHECK(unknown.error().message().find(".svg") != std::string::npos);
    for (const char* name : {"absent/plot.svg", "absent/plot.png", "absent/plot.pdf"}) {
        const auto failed = write(folder, name);
        REQUIRE_FALSE(failed.ok());
        CHECK(failed.error().code == ErrorCode::CannotCreate);
    }
}

TEST_CASE("a memory chart is a picture like the roofline") {
    widgetApp();
    const TemporaryFolder folder;
    const ProfileDocument document = sampleDocument();
    ExportOptions options;
    options.picture = Picture::MemoryChart;
    options.kernel = kernelNamed(*document.analysis, "transpose");
    const auto path = [&](const char* name) {
        return QString::fromStdString(folder.file(name).string());
    };
    for (const char* name : {"chart.svg", "chart.png", "chart.pdf"})
        REQUIRE(exportDocument(document, path(name), options).ok());
    const std::string svg = readText(folder.file("chart.svg"));
    CHECK(svg.find("L1/TEX") != std::string::npos);
    CHECK(svg.find("<polygon points=") != std::string::npos);
    CHECK(svg.find("transpose") != std::string::npos);
    CHECK(svg.find("<desc id=\"d\">Memory traffic of one launch.") != std::string::npos);
    CHECK(QImage(path("chart.png")).width() == 2 * 1250);
    CHECK(readText(folder.file("chart.pdf")).rfind("%PDF-", 0) == 0);
    options.kernel = 9999;
    const auto none = exportDocument(document, path("none.svg"), options);
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().code == ErrorCode::Usage);
}

TEST_CASE("a picture or report is never written over the profile that it shows") {
    widgetApp();
    const TemporaryFolder folder;
    ProfileDocument document = sampleDocument();
    const auto profile = folder.file("app.json"), link = folder.file("link.svg");
    std::ofstream(profile) << "the profile";
    std::filesystem::create_symlink("app.json", link);
    document.path = QString::fromStdString(profile.string());
    for (const auto& path : {profile, link}) {
        const auto written = exportDocument(document, QString::fromStdString(path.string()), {});
        REQUIRE_FALSE(written.ok());
        CHECK(written.error().code == ErrorCode::Usage);
    }
    CHECK(readText(profile) == "the profile");
}
