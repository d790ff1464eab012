// SPDX-License-Identifier: Apache-2.0
#include "gui/models/overview/overview.h"

#include <QCoreApplication>
#include <algorithm>

#include "analyzer/program/account/sites.h"
#include "analyzer/program/window/range_path.h"
#include "gui/models/files/profile_reader.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/compare/program_nodes.h"
#include "reports/profile/ask_command.h"
#include "reports/program/action_words.h"
#include "reports/program/program_words.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct OverviewText {
    Q_DECLARE_TR_FUNCTIONS(Overview)
};

constexpr std::size_t kLongestPlace = 200;

Overview::Account accountOf(const Account& account, const Window& window, const QString& name) {
    return {.name = name,
            .window = text(window.seconds),
            .shares = sharesOf(account.time, account.total())};
}

/// A place with its full file path, which only Profile::callSites has.
Overview::Place placeOf(const Profile& profile, const ActionSite& site) {
    Overview::Place place{.text = shownText(siteWords(site), kLongestPlace),
                          .time = site.bound.value > 0 ? text(site.bound) : QString(),
                          .file = {}};
    const auto same = std::ranges::find_if(profile.callSites, [&](const CallSite& known) {
        return program::lineOf(known).line > 0 && program::siteText(known) == site.text;
    });
    if (same != profile.callSites.end()) {
        const CodeLine line = program::lineOf(*same);
        place.file = QString::fromStdString(line.file);
        place.line = int(line.line);
    }
    return place;
}

Overview::Action actionOf(const Analysis& analysis, const Program& program, const Action& action) {
    const Language language = shownLanguage();
    Overview::Action shown;
    shown.title = shownText(actionTitle(action, language));
    shown.gain = shownText(actionBound(program, action, language));
    shown.heading =
        plainText(actionHeading(analysis, program, action, KernelNames::InWords, language));
    shown.at = plainText(placesSentence(action, action.sites.size(), language));
    shown.wrong = shownText(actionSentence(analysis, action, language));
    if (const QString functions = plainText(hostSentence(action, language)); !functions.isEmpty())
        shown.wrong +=
            (shown.wrong.isEmpty() ? QString() : shownText(marksOf(language).gap)) + functions;
    shown.edit = shownText(actionEdit(analysis, action, language));
    for (const std::uint32_t kernel : action.kernels)
        shown.kernels.push_back(
            {.name = shownText(analysis.kernels[kernel].wholeName), .index = kernel});
    Action noFile{.rule = {}};
    for (const ActionSite& site : action.sites) {
        shown.places.push_back(placeOf(*analysis.profile, site));
        if (shown.places.back().file.isEmpty()) noFile.sites.push_back(site);
    }
    shown.atUnknownFiles = plainText(placesSentence(noFile, noFile.sites.size(), language));
    return shown;
}

}  // namespace

QString laneName(const Profile& profile, std::uint32_t device,
                 const std::vector<std::uint32_t>& processes, std::optional<std::uint32_t> rank) {
    QString name = OverviewText::tr("GPU %1").arg(device);
    if (rank) return OverviewText::tr("rank %1 · %2").arg(*rank).arg(name);
    if (processes.size() == 1 && profile.processes.size() > 1)
        name += OverviewText::tr(" · process %1").arg(profile.processes[processes[0]].pid);
    return name;
}

std::vector<Overview::Share> sharesOf(const PerTimeClass<Seconds>& time, Seconds whole) {
    std::vector<Overview::Share> shares;
    for (const TimeClass cls : kTimeClasses) {
        if (time[cls].value <= 0) continue;
        const Ratio share{whole.value > 0 ? time[cls] / whole : 0.0};
        shares.push_back({.cls = cls,
                          .name = shownText(timeClassWords(cls, shownLanguage())),
                          .share = share.value,
                          .percent = text(share),
                          .time = text(time[cls])});
    }
    return shares;
}

QString Overview::Action::text() const {
    QStringList said{heading, wrong, edit, at};
    said.removeAll(QString());
    return said.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString phaseName(const WindowPhase& phase) {
    constexpr std::size_t kLongestPhase = 80;
    return phase.name.empty()
               ? OverviewText::tr("%1 × %2 launches").arg(phase.repeats).arg(phase.launches)
               : shownText(program::lastName(phase.name), kLongestPhase);
}

std::optional<Overview> overviewOf(const Analysis& analysis, const Program& program,
                                   const QString& path, const ReportBaseline* since) {
    if (program.lanes.empty()) return std::nullopt;
    const Language language = shownLanguage();
    Overview overview;
    overview.file = path;
    overview.window = plainText(windowWords(program.window, language));
    overview.summary = plainText(accountSentence(program.account, language));
    overview.account = accountOf(program.account, program.window, OverviewText::tr("mean"));
    if (program.lanes.size() > 1)
        for (const Lane& lane : program.lanes)
            overview.lanes.push_back(
                accountOf(lane.account, lane.window,
                          laneName(*analysis.profile, lane.device, lane.processes, lane.rank)));
    overview.functions = shownFunctions(analysis, program.functions, program.window.seconds);
    overview.operators = operatorListOf(analysis, program);
    if (const QString run = plainText(runSentence(program, language)); !run.isEmpty())
        overview.notes << run;
    if (program.loop) {
        overview.notes << plainText(loopSentence(*program.loop, language));
        for (const Action& action : program.loop->actions)
            overview.notes << plainText(
                actionHeading(analysis, *program.loop, action, KernelNames::InWords, language));
    }
    for (std::size_t i = 0; i < program.phases.size(); ++i)
        overview.notes << plainText(phaseSentence(analysis, program, i, language));
    for (const doc::Text& note : accountNotes(program, language)) overview.notes << plainText(note);
    if (const QString floor = plainText(floorSentence(program, language)); !floor.isEmpty())
        overview.notes << floor;
    if (const auto largest = largestWithoutEditSentence(analysis, program, language))
        overview.notes << plainText(*largest);
    for (const Words& unknown : program.unknown)
        overview.unknown << shownText(unknown.in(language));
    if (since && since->comparison.program) {
        overview.since = plainText(sinceBaselineText(*since->comparison.program, language));
        overview.change = accountChange(*since->comparison.program);
    }
    overview.stop = plainText(stopSentence(analysis, program, language));
    overview.bounds = plainText(boundsSentence(program, language));
    overview.noLines = plainText(noLinesSentence(analysis, program, language));
    for (const Action& action : program.actions)
        overview.actions.push_back(actionOf(analysis, program, action));
    overview.open = openQuestions(analysis, program, path);
    overview.afterEdit = recordingAfterEdit(analysis, path);
    ReportOptions options;
    // Only the file name: the program may run in another folder or on another machine.
    if (!isFromNcu(path)) options.profilePath = filePath(path).filename().string();
    options.language = language;
    if (!overview.actions.empty())
        overview.next =
            shownLines(QString::fromStdString(nextCommand(analysis, options))).trimmed();
    const auto addPart = [&](const Program& judged, const QString& name, const QString& share) {
        auto part = overviewOf(analysis, judged, path);
        if (!part) return;
        part->part = name;
        part->partShare = share;
        overview.parts.push_back(std::move(*part));
    };
    if (program.loop) addPart(*program.loop, OverviewText::tr("its loop"), {});
    for (const WindowPhase& phase : program.phases)
        addPart(*phase.program, phaseName(phase), text(Ratio{std::min(1.0, phase.share.value)}));
    return overview;
}

QString partWords(const Overview& part) {
    return part.partShare.isEmpty() ? part.part
                                    : part.part + QStringLiteral(" · ") + part.partShare;
}

}  // namespace roofscope::gui
