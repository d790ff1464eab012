// SPDX-License-Identifier: Apache-2.0
#include "gui/app/options.h"

#include <CLI/CLI.hpp>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <utility>

#include "gui/models/text/file_name.h"
#include "profile/errors/usage_error.h"

namespace roofscope::gui {
namespace {

/// Drops the options that QApplication parses itself: "-platform xcb", "--style fusion".
std::vector<std::string> withoutQtOptions(const std::vector<std::string>& arguments) {
    static constexpr std::array kWithValue{"platform", "style",           "stylesheet",   "display",
                                           "geometry", "qwindowgeometry", "platformtheme"};
    std::vector<std::string> ours;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string name = arguments[i];
        if (name == "--") {
            ours.insert(ours.end(), arguments.begin() + std::ptrdiff_t(i), arguments.end());
            break;
        }
        const std::size_t dashes = std::min(name.find_first_not_of('-'), name.size());
        name.erase(0, dashes);
        if (dashes > 0 && std::ranges::find(kWithValue, name) != kWithValue.end()) {
            ++i;
            continue;
        }
        ours.push_back(arguments[i]);
    }
    return ours;
}

QStringList toQt(const std::vector<std::string>& strings) {
    QStringList list;
    for (const std::string& string : strings) list << fileName(QByteArray::fromStdString(string));
    return list;
}

constexpr const char* kSeeHelp = "see roofscope-gui --help";

/// The command line as typed.
struct GivenOptions {
    std::vector<std::string> profiles, exports;
    std::string screenshot, size, theme, lang, kernel, baseline, picture, details;
    bool version = false;
};

void addOptions(CLI::App& app, GivenOptions& given) {
    // An empty name usually comes from an unset shell variable; do not treat it as "not given".
    const auto named = [](const std::string& name) {
        return std::string(name.empty() ? "the name is empty" : "");
    };
    app.add_option("PROFILE", given.profiles, "Profiles to open (NAME.roofscope.json or .json.gz)")
        ->check(named);
    app.add_option("--export", given.exports,
                   "Write FILE and exit; needs no display. The file extension decides: .svg, .png, "
                   ".pdf (see --plot), .md or .html (report), .csv (kernel table), .json, .txt")
        ->type_name("FILE")
        ->check(named)
        ->allow_extra_args(false)
        ->take_all();
    app.add_option("--plot", given.picture,
                   "What exported pictures show: roofline, or for one kernel (see --kernel): "
                   "memory (its memory chart) or over-time (its activity over time)")
        ->check(CLI::IsMember({"roofline", "memory", "over-time"}));
    app.add_option("--screenshot", given.screenshot, "Grab the window into FILE (PNG) and exit")
        ->type_name("FILE")
        ->check(named);
    app.add_option("--size", given.size,
                   "Size of the screenshot or of the exported plot, e.g. 1280x800")
        ->type_name("WxH");
    app.add_option("--theme", given.theme, "light, dark or system")
        ->check(CLI::IsMember({"light", "dark", "system"}));
    app.add_option(
           "--lang", given.lang,
           languageCodes() +
               ": language of the window and of exported files. Default: the window uses the "
               "menu's choice or the system's language; files and screenshots use ROOFSCOPE_LANG")
        ->type_name("LANG");
    app.add_option("--baseline", given.baseline, "Compare the profiles with this older one")
        ->type_name("FILE")
        ->check(named);
    app.add_option("--kernel", given.kernel, "Select the first kernel whose name contains TEXT")
        ->type_name("TEXT");
    app.add_option("--details", given.details,
                   "Show this tab of the details: counters, launch, source, memory, over-time, "
                   "timeline, sites, ranges or issues")
        ->check(CLI::IsMember({"counters", "launch", "source", "memory", "over-time", "timeline",
                               "sites", "ranges", "issues"}));
    app.add_flag("--version", given.version, "Print the version and exit");
}

Result<QSize> parseSize(const std::string& size) {
    static const QRegularExpression pattern(QStringLiteral("^(\\d{2,5})[x×](\\d{2,5})$"));
    const QRegularExpressionMatch match = pattern.match(QString::fromStdString(size));
    const QSize parsed(match.captured(1).toInt(), match.captured(2).toInt());
    if (!match.hasMatch() || parsed.width() > 16384 || parsed.height() > 16384)
        return usageError("--size " + size + " is no size", {},
                          "write width x height, e.g. 1280x800");
    return parsed;
}

/// Checks and converts the options one by one.
Result<Options> valuesOf(const GivenOptions& given) {
    Options options;
    options.profiles = toQt(given.profiles);
    options.exports = toQt(given.exports);
    options.screenshot = fileName(QByteArray::fromStdString(given.screenshot));
    options.baseline = fileName(QByteArray::fromStdString(given.baseline));
    options.kernel = QString::fromStdString(given.kernel);
    options.details = QString::fromStdString(given.details);
    if (given.picture == "memory") options.picture = Picture::MemoryChart;
    if (given.picture == "over-time") options.picture = Picture::OverTime;
    if (given.theme == "light") options.theme = ThemeChoice::Light;
    if (given.theme == "dark") options.theme = ThemeChoice::Dark;
    if (given.theme == "system") options.theme = ThemeChoice::System;
    options.language = parseLanguage(given.lang);
    if (!given.lang.empty() && !options.language)
        return usageError("unknown language \"" + given.lang.substr(0, 64) + "\"", {},
                          "use --lang " + languageCodes());
    if (given.size.empty()) return options;
    const Result<QSize> size = parseSize(given.size);
    if (!size) return size.error();
    options.size = *size;
    options.sizeGiven = true;
    return options;
}

/// Rejects options that exclude each other or need another one.
Result<void> checkTogether(const GivenOptions& given) {
    const bool exporting = !given.exports.empty(), comparing = !given.baseline.empty();
    const struct {
        bool wrong;
        const char *what, *advice;
    } rules[] = {
        {exporting && given.profiles.size() != 1, "--export needs exactly one profile",
         "roofscope-gui PROFILE --export roofline.svg"},
        {!given.picture.empty() && !exporting, "--plot needs --export",
         "roofscope-gui PROFILE --export memory.svg --plot memory"},
        {comparing && given.profiles.empty(), "--baseline needs a profile to compare with it",
         "roofscope-gui PROFILE --baseline OLDER"},
        {comparing && exporting, "--export writes one profile, without a baseline",
         "use roofscope compare BASELINE CANDIDATE"},
        {exporting && !given.screenshot.empty(),
         "--export and --screenshot cannot be used together", kSeeHelp}};
    for (const auto& [wrong, what, advice] : rules)
        if (wrong) return usageError(what, {}, advice);
    return {};
}

Options printed(std::string text) {
    Options options;
    options.textAndExit = std::move(text);
    return options;
}

}  // namespace

Result<Options> parseOptions(const std::vector<std::string>& arguments) {
    CLI::App app{
        "Shows profiles of CUDA kernels: roofline, kernel table, hints and counters.\n"
        "Without a profile it opens an empty window.",
        "roofscope-gui"};
    GivenOptions given;
    addOptions(app, given);
    std::vector<std::string> ours = withoutQtOptions(arguments);
    std::ranges::reverse(ours);  // CLI11 reads the vector from the back
    try {
        app.parse(ours);
    } catch (const CLI::CallForHelp&) {
        return printed(app.help());
    } catch (const CLI::ParseError& e) {
        return usageError(e.what(), {}, kSeeHelp);
    }
    if (given.version) return printed("roofscope-gui " ROOFSCOPE_VERSION "\n");
    Result<Options> options = valuesOf(given);
    if (!options) return options;
    if (const Result<void> fits = checkTogether(given); !fits) return fits.error();
    return options;
}

}  // namespace roofscope::gui
