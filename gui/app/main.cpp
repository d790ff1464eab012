// SPDX-License-Identifier: Apache-2.0
// roofscope-gui: shows profiles in a window, or writes one picture or report and exits.
#include <QApplication>
#include <QImage>
#include <QSet>
#include <QTimer>
#include <cstdio>
#include <functional>
#include <new>
#include <utility>

#include "gui/app/export.h"
#include "gui/app/main_window.h"
#include "gui/app/options.h"
#include "gui/app/translation.h"
#include "gui/models/files/profile_reader.h"
#include "gui/models/text/file_name.h"
#include "gui/views/widgets/save_file.h"
#include "profile/files/file_size_guard.h"
#include "profile/files/large_blocks.h"
#include "profile/files/output_conflict.h"
#include "profile/text/clean_text.h"
#include "reports/kernels/nearest_kernels.h"

using namespace roofscope;
using namespace roofscope::gui;

namespace {

int fail(const Error& error) {
    std::fprintf(stderr, "roofscope-gui: %s\n", cleanText(error.message(), kMaxMessage).c_str());
    return exitCode(error.code);
}

/// `nearest`: the result of nearestKernels().
Error noSuchKernel(const Options& options, const std::string& nearest) {
    return Error{
        .code = ErrorCode::Usage,
        .what = "no kernel has \"" + options.kernel.toStdString() + "\" in its name or NVTX range",
        .where = options.profiles.isEmpty() ? std::string()
                                            : filePath(options.profiles.front()).string(),
        .advice = nearest + "; \"roofscope report --format csv\" lists all"};
}

/// Qt aborts without a display. Exports and screenshots therefore use the offscreen platform; a
/// window without a display is an error.
Result<void> preparePlatform(const Options& options, const std::vector<std::string>& arguments) {
#ifdef Q_OS_LINUX
    const auto given = [](const char* name) { return !qEnvironmentVariableIsEmpty(name); };
    const bool chosen =
        given("QT_QPA_PLATFORM") || std::ranges::any_of(arguments, [](const std::string& a) {
            return a == "-platform" || a == "--platform";
        });
    const bool display = given("DISPLAY") || given("WAYLAND_DISPLAY");
    if (chosen) return {};
    if (!options.exports.isEmpty() || (!options.screenshot.isEmpty() && !display)) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    } else if (!display) {
        return Error{
            .code = ErrorCode::Unavailable,
            .what = "there is no display to open a window on",
            .advice = "set DISPLAY or WAYLAND_DISPLAY, or use --export FILE, which needs none"};
    }
#else
    Q_UNUSED(options)
    Q_UNUSED(arguments)
#endif
    return {};
}

int runExports(const Options& options) try {
    const QString path = absolutePath(options.profiles.front());
    Result<Profile> profile = readAnyProfile(filePath(options.profiles.front()));
    if (!profile) return fail(profile.error());
    const ProfileDocument document{.path = path,
                                   .analysis = std::make_shared<const Analysis>(analyze(
                                       std::make_shared<const Profile>(*std::move(profile)))),
                                   .loadedAt = QDateTime::currentDateTime()};
    ExportOptions exporting;
    if (options.sizeGiven) {
        exporting.plot.width = options.size.width();
        exporting.plot.height = options.size.height();
    }
    const auto kernel = document.findNamed(options.kernel);
    if (!kernel && !options.kernel.isEmpty())
        return fail(noSuchKernel(options,
                                 nearestKernels(*document.analysis, options.kernel.toStdString())));
    exporting.picture = options.picture;
    exporting.kernel = kernel.value_or(
        options.picture == Picture::OverTime ? firstOverTime(*document.analysis) : 0);
    // Exported pictures end up on paper or in documents: light, unless --theme says otherwise.
    exporting.theme = resolveTheme(options.theme.value_or(ThemeChoice::Light));
    for (const QString& file : options.exports) {
        if (const Result<void> written = exportDocument(document, file, exporting); !written)
            return fail(written.error());
    }
    return 0;
} catch (const std::bad_alloc&) {
    return fail({.code = ErrorCode::Io, .what = "not enough memory"});
}

void openAll(MainWindow& window, const Options& options) {
    window.documents().open(options.profiles);
    if (!options.baseline.isEmpty()) window.documents().open({options.baseline});
}

int runScreenshot(QApplication& app, MainWindow& window, const Options& options) {
    int code = 0;
    window.resize(options.size);
    // --kernel must be in one of the profiles; the baseline does not count.
    bool found = options.kernel.isEmpty();
    std::string nearest;
    QSet<QString> asked;
    std::vector<std::filesystem::path> inputs;
    for (const QString& profile : options.profiles) {
        asked.insert(absolutePath(profile));
        inputs.emplace_back(filePath(profile));
    }
    if (!options.baseline.isEmpty()) inputs.emplace_back(filePath(options.baseline));
    if (const auto kept =
            checkOutputIsNoInput("--screenshot", filePath(options.screenshot), inputs);
        !kept)
        return fail(kept.error());
    QObject::connect(&window.documents().loader(), &ProfileLoader::loaded, &app,
                     [&](const ProfileDocument& document) {
                         if (!asked.contains(document.path)) return;
                         if (document.findNamed(options.kernel))
                             found = true;
                         else
                             nearest =
                                 nearestKernels(*document.analysis, options.kernel.toStdString());
                     });
    QObject::connect(&window.documents().loader(), &ProfileLoader::failed, &app,
                     [&code](const QString&, const Error& error) { code = fail(error); });
    // Layouts settle in several steps, some after a timer: take pictures until two are alike.
    constexpr int kBetween = 100, kMostPictures = 30;  // ms
    QApplication::setCursorFlashTime(0);
    QImage last;
    int pictures = 0;
    const std::function<void()> save = [&] {
        const QImage picture = window.grab().toImage();
        if (picture != std::exchange(last, picture) && ++pictures < kMostPictures) {
            QTimer::singleShot(kBetween, &window, save);
            return;
        }
        if (code == 0 && !found) code = fail(noSuchKernel(options, nearest));
        if (code == 0)
            if (const auto saved = savePng(options.screenshot, picture); !saved)
                code = fail(saved.error());
        app.exit(code);
    };
    const std::function<void()> grab = [&] {
        // The comparison continues after loading.
        if (window.documents().comparing()) {
            QTimer::singleShot(50, &window, grab);
            return;
        }
        // Leave time for layout and painting.
        QTimer::singleShot(200, &window, save);
    };
    QObject::connect(&window.documents().loader(), &ProfileLoader::finished, &app, grab);
    window.show();
    openAll(window, options);
    if (options.profiles.isEmpty()) grab();
    return app.exec();
}

}  // namespace

int main(int argc, char** argv) {
    ignoreFileSizeSignal();
    returnLargeBlocksToSystem();
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const Result<Options> options = parseOptions(arguments);
    if (!options) return fail(options.error());
    if (!options->textAndExit.empty()) {
        std::fputs(options->textAndExit.c_str(), stdout);
        return 0;
    }
    if (const Result<void> ready = preparePlatform(*options, arguments); !ready)
        return fail(ready.error());

    QApplication app(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("roofscope"));
    QApplication::setApplicationName(QStringLiteral("roofscope-gui"));
    QApplication::setApplicationDisplayName(QStringLiteral("roofscope"));
    QApplication::setApplicationVersion(QStringLiteral(ROOFSCOPE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("roofscope-gui"));

    const bool screenshot = !options->screenshot.isEmpty();
    const bool exporting = !options->exports.isEmpty();
    const LanguageChoice chosen =
        exporting || screenshot ? LanguageChoice{exportLanguage()} : Session(true).language();
    const LanguageChoice language = options->language ? options->language : chosen;
    if (const Result<void> ready = useLanguage(language.value_or(systemLanguage())); !ready)
        return fail(ready.error());
    if (exporting) return runExports(*options);
    MainWindow window(
        {.persistent = !screenshot,
         .theme = screenshot ? options->theme.value_or(ThemeChoice::Light) : options->theme,
         .language = language,
         .kernel = options->kernel,
         .baseline = options->baseline,
         .details = options->details});
    if (screenshot) return runScreenshot(app, window, *options);
    window.show();
    if (options->profiles.isEmpty() && options->baseline.isEmpty())
        window.openLastSession();
    else
        openAll(window, *options);
    return QApplication::exec();
}
