// SPDX-License-Identifier: Apache-2.0
// Window, document and JSON say the same about every recorded kernel and program, in the same
// order: all present one answer (reports/answer/kernel_answer.h).
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gui/models/kernels/kernel_answer_text.h"
#include "gui/models/overview/overview.h"
#include "gui/models/text/shown_language.h"
#include "reports/answer/answer_words.h"
#include "reports/language/say.h"
#include "reports/profile/parts.h"
#include "reports/profile/program_part.h"
#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using nlohmann::json;

namespace {

using Said = std::vector<std::string>;

/// Switches window and reports to a language, and back to English at the end.
struct InLanguage {
    explicit InLanguage(Language language) { gui::setShownLanguage(language); }
    InLanguage(const InLanguage&) = delete;
    InLanguage& operator=(const InLanguage&) = delete;
    ~InLanguage() { gui::setShownLanguage(Language::En); }
};

void add(Said& said, const std::string& text) {
    if (!text.empty()) said.push_back(text);
}
void add(Said& said, const QString& text) { add(said, text.toStdString()); }

std::string trimmed(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

/// The texts of a document, one after the other, without formatting. Leaves out what is only for
/// people, not for assistants.
void flatten(const doc::Nodes& nodes, Said& said) {
    for (const doc::Node& node : nodes) {
        if (node.audience == doc::Audience::Person) continue;
        if (const auto* paragraph = std::get_if<doc::Paragraph>(&node.body))
            add(said, paragraph->text.plain());
        if (const auto* code = std::get_if<doc::Code>(&node.body)) add(said, trimmed(code->lines));
        if (const auto* finding = std::get_if<doc::Finding>(&node.body)) {
            add(said, finding->title.plain());
            add(said, finding->gain.plain());
        }
        if (const doc::Nodes* children = node.children()) flatten(*children, said);
    }
}

/// What the window says about a kernel's findings, in the document's order.
Said ofWindow(const gui::KernelAnswerText& answer, Language language) {
    Said said;
    add(said, answer.nothing);
    for (const gui::KernelAnswerText::Fix& fix : answer.fixes) {
        add(said, fix.title);
        add(said, fix.gain);
        const std::string gap =
            fix.mechanism.isEmpty() ? std::string() : std::string(marksOf(language).gap);
        add(said, fix.fault.toStdString() + gap + fix.mechanism.toStdString());
        for (const QString& piece : {fix.cause, fix.where, fix.edit}) add(said, piece);
        add(said, trimmed(fix.code.toStdString()));
        for (const QString& piece : {fix.evidence, fix.expect}) add(said, piece);
    }
    for (const QString& named : answer.named) add(said, named);
    return said;
}

Said ofDocument(const profile_report::View& view, const KernelAnswer& answer) {
    Said said;
    flatten(profile_report::findingNodes(view, answer, 0), said);
    // Rules that are only named: an assistant gets their ids, a person their titles.
    add(said, undecidedSentence(answer, RuleName::Title, view.language).plain());
    return said;
}

/// Whether a paragraph of the kernel's section equals the window's verdict.
bool saysVerdict(const profile_report::View& view, std::size_t kernel,
                 const gui::KernelAnswerText& answer) {
    Said said;
    const doc::Node section = profile_report::kernelSection(view, {.first = kernel}, 0);
    flatten(*section.children(), said);
    return std::ranges::any_of(said, [&](const std::string& paragraph) {
        return std::ranges::all_of(QStringList{answer.confidence, answer.reason, answer.headroom},
                                   [&](const QString& piece) {
                                       return paragraph.find(piece.toStdString()) != paragraph.npos;
                                   });
    });
}

/// Whether the kernel's section names the same resources and stalls as the window, in its order.
bool saysBars(const profile_report::View& view, std::size_t kernel, const KernelAnswer& decided,
              const gui::KernelAnswerText& answer) {
    Said said;
    const doc::Node section = profile_report::kernelSection(view, {.first = kernel}, 0);
    flatten(*section.children(), said);
    return std::ranges::any_of(said, [&](const std::string& paragraph) {
        std::size_t at = 0;
        const auto next = [&](const std::string& name) {
            at = paragraph.find(name, at);
            return at != paragraph.npos;
        };
        return std::ranges::all_of(answer.bars,
                                   [&](const gui::KernelAnswerText::Bar& bar) {
                                       return next(bar.name.toStdString());
                                   }) &&
               std::ranges::all_of(decided.stalls.reasons,
                                   [&](const Stall& stall) { return next(stall.reason); });
    });
}

std::string textOf(const json& object, const char* key) {
    return object.at(key).is_null() ? std::string() : object.at(key).get<std::string>();
}

void checkJson(const json& kernel, const gui::KernelAnswerText& answer) {
    const json& verdict = kernel.at("verdict");
    CHECK(textOf(verdict, "text") == answer.verdict.toStdString());
    CHECK(answer.reason.startsWith(QString::fromStdString(textOf(verdict, "reason"))));
    for (const char* key : {"headroom_text", "joint_gain_text"})
        CHECK(answer.headroom.contains(QString::fromStdString(textOf(verdict, key))));
    // For an assistant names are in backticks.
    CHECK(QString::fromStdString(textOf(verdict, "nothing_text")).remove('`') == answer.nothing);
    REQUIRE(kernel.at("findings").size() >= answer.fixes.size());
    for (std::size_t i = 0; i < answer.fixes.size(); ++i) {
        const json& finding = kernel.at("findings").at(i);
        const gui::KernelAnswerText::Fix& fix = answer.fixes[i];
        CHECK(textOf(finding, "title") == fix.title.toStdString());
        CHECK(textOf(finding, "gain_text") == fix.gain.toStdString());
        CHECK(textOf(finding, "sentence") == fix.fault.toStdString());
        CHECK(finding.at("blocked_text").is_null());
        CHECK(fix.edit.endsWith(QString::fromStdString(textOf(finding, "edit"))));
        for (const json& move : finding.at("expected"))
            CHECK(fix.expect.contains(QString::fromStdString(textOf(move, "text")).remove('`')));
    }
    for (const json& finding : kernel.at("findings")) {
        // "Only after the DRAM is relieved: Bank conflicts (≈ 24.5 µs).", as in the list of all.
        const std::string blocked = textOf(finding, "blocked_text");
        const std::string start = blocked.substr(0, blocked.find(textOf(finding, "title")));
        const auto listed = [&](const QString& text) {
            return text.startsWith(QString::fromStdString(start)) &&
                   text.contains(QString::fromStdString(textOf(finding, "title")));
        };
        CHECK(blocked.empty() != finding.at("blocked").get<bool>());
        CHECK((blocked.empty() || std::ranges::any_of(answer.named, listed)));
    }
}

/// The length of the common start of two texts.
std::size_t alike(std::string_view a, std::string_view b) {
    auto same = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    // Different multi-byte letters may share their first bytes.
    while (same > 0 && same < a.size() && (static_cast<unsigned char>(a[same]) & 0xC0U) == 0x80U)
        --same;
    return same;
}

/// The same, but only up to the end of a sentence: the next ones may share words by chance.
std::size_t commonSentences(std::string_view a, std::string_view b, std::string_view stop) {
    const std::size_t same = alike(a, b);
    if (same == b.size()) return same;
    const auto end = a.substr(0, same).rfind(stop);
    return end == a.npos ? 0 : end + stop.size();
}

/// Whether the document's paragraph about an action has only words of the window. It may cut the
/// fault and the edit at the end of a sentence, and may name fewer places.
bool saysTheSame(std::string_view paragraph, const gui::Overview::Action& action, Language l) {
    const std::string gap(marksOf(l).gap), stop(marksOf(l).stop);
    const std::string heading = action.heading.toStdString();
    if (!paragraph.starts_with(heading + stop)) return false;
    paragraph.remove_prefix(heading.size() + stop.size());
    const auto next = [&] {
        if (!paragraph.empty() && paragraph.starts_with(gap)) paragraph.remove_prefix(gap.size());
    };
    for (const QString& piece : {action.wrong, action.edit}) {
        next();
        paragraph.remove_prefix(commonSentences(paragraph, piece.toStdString(), stop));
    }
    next();
    paragraph.remove_prefix(alike(paragraph, action.at.toStdString()));
    return paragraph.empty() || paragraph == stop;  // after the last named place
}

}  // namespace

TEST_CASE("window, document and JSON say the same of every kernel that was recorded") {
    std::size_t findings = 0, without = 0, placed = 0, named = 0, bars = 0, stalls = 0;
    for (const std::string& path : test::allRecordings()) {
        const Analysis analysis = test::analysisIn(path);
        for (const Language language : languages()) {
            const InLanguage shown(language);
            const ReportOptions options{.language = language};
            const profile_report::View view{
                .analysis = analysis, .options = options, .language = language, .standalone = true};
            const json report =
                json::parse(renderReport(analysis, ReportFormat::Json, options).value());
            for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
                CAPTURE(path, i, toString(language), analysis.kernels[i].name);
                const KernelAnswer decided = answerOf(analysis, analysis.kernels[i]);
                const gui::KernelAnswerText answer = gui::kernelAnswerText(analysis, i);
                CHECK(ofWindow(answer, language) == ofDocument(view, decided));
                CHECK(std::size_t(answer.ruledOut.size()) == decided.ruledOut.size());
                CHECK(std::size_t(answer.notMeasured.size()) ==
                      notMeasuredWords(analysis, decided, true, RuleName::Id, language).size());
                CHECK(saysVerdict(view, i, answer));
                CHECK(saysBars(view, i, decided, answer));
                CHECK(std::size_t(answer.bars.size()) == decided.resources.size());
                CHECK(std::size_t(answer.stalls.size()) == decided.stalls.reasons.size());
                bars += answer.bars.size();
                stalls += answer.stalls.size();
                checkJson(report.at("kernels").at(i), answer);
                findings += answer.fixes.size();
                without += !answer.nothing.isEmpty();
                named += std::size_t(answer.named.size());
                for (const gui::KernelAnswerText::Fix& fix : answer.fixes)
                    placed += !fix.where.isEmpty();
            }
        }
    }
    // There was something to compare.
    CHECK(findings > 500);
    CHECK(without > 500);
    CHECK(placed > 5);
    CHECK(named > 100);
    CHECK(bars > 2000);
    CHECK(stalls > 40);
}

TEST_CASE("window, document and JSON say the same of every program that was recorded") {
    std::size_t actions = 0, stops = 0;
    for (const std::string& path : test::allRecordings()) {
        const Analysis analysis = test::analysisIn(path);
        const Program program = analyzeProgram(analysis);
        for (const Language language : languages()) {
            CAPTURE(path, toString(language));
            const InLanguage shown(language);
            const ReportOptions options{.language = language};
            const auto overview = gui::overviewOf(analysis, program, {});
            Said said;
            flatten(profile_report::programPart(analysis, program, options), said);
            const json report =
                json::parse(renderReport(analysis, ReportFormat::Json, options).value())
                    .at("program");
            REQUIRE(overview.has_value() == !said.empty());
            if (!overview) continue;
            const auto says = [&](const QString& text) {
                return text.isEmpty() || std::ranges::any_of(said, [&](const std::string& part) {
                           return part.find(text.toStdString()) != part.npos;
                       });
            };
            for (const QString& text : QStringList{overview->window, overview->summary,
                                                   overview->stop, overview->bounds} +
                                           overview->notes + overview->unknown) {
                INFO(text.toStdString());
                CHECK(says(text));
            }
            // For an assistant commands are in backticks.
            CHECK(QString::fromStdString(textOf(report, "stop_text")).remove('`') ==
                  overview->stop);
            stops += !overview->stop.isEmpty();
            const json& listed = report.at("actions");
            REQUIRE(listed.size() == overview->actions.size());
            for (std::size_t i = 0; i < overview->actions.size(); ++i, ++actions) {
                const gui::Overview::Action& action = overview->actions[i];
                CHECK(textOf(listed.at(i), "title") == action.title.toStdString());
                CHECK(textOf(listed.at(i), "bound_text") == action.gain.toStdString());
                std::string wrong = textOf(listed.at(i), "sentence");
                std::string host = textOf(listed.at(i), "host_text");
                std::erase(host, '`');  // the window shows names as they are
                if (!host.empty()) wrong += (wrong.empty() ? "" : marksOf(language).gap) + host;
                CHECK(wrong == action.wrong.toStdString());
                CHECK(textOf(listed.at(i), "edit") == action.edit.toStdString());
            }
            if (overview->actions.empty()) continue;
            const gui::Overview::Action& first = overview->actions.front();
            INFO(first.text().toStdString());
            CHECK(std::ranges::any_of(
                said, [&](const std::string& part) { return saysTheSame(part, first, language); }));
        }
    }
    CHECK(actions > 20);
    CHECK(stops > 2);
}
