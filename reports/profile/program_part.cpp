// SPDX-License-Identifier: Apache-2.0
#include "reports/profile/program_part.h"

#include <algorithm>

#include "analyzer/rule.h"
#include "profile/clean_text.h"
#include "reports/ask_command.h"
#include "reports/compare/program_nodes.h"
#include "reports/finding_words.h"
#include "reports/language/say.h"
#include "reports/number_format.h"
#include "reports/program_words.h"

namespace roofscope::profile_report {
namespace {

/// Shares below this are together "the rest".
constexpr double kLeastShare = 0.005;
constexpr std::size_t kLongestName = 50;
/// From this share of the window on in which the GPU waits for the CPU, quicker kernels may only
/// make it wait longer.
constexpr double kCpuLimits = 0.3;
/// Bytes for what an action says: the first one, those below.
constexpr std::size_t kRoom = 260, kLaterRoom = 130;
/// Of the actions, those below are dropped one by one when room is short (doc::Node::priority).
constexpr unsigned kVerdict = 0, kFirstAction = 0, kLaterActions = 4, kNext = 15;

std::string percent(double share) { return formatNumber(share, Unit::Share); }

/// "kernels 8.1 %, copies without a kernel beside them 86 %, …", most first.
doc::Text accountText(const Account& account, Language language) {
    std::vector<TimeClass> classes(kTimeClasses.begin(), kTimeClasses.end());
    std::ranges::stable_sort(classes, std::greater{},
                             [&](TimeClass cls) { return account.time[cls]; });
    std::vector<doc::Text> parts;
    double rest = 0;
    for (const TimeClass cls : classes) {
        const double share = account.share(cls).value;
        if (share < kLeastShare) {
            rest += share;
            continue;
        }
        const std::string words = timeClassWords(cls, language), value = percent(share);
        parts.push_back(parts.empty() ? tell(language, "{} **{}**", "{} **{}**", words, value)
                                      : tell(language, "{} {}", "{} {}", words, value));
    }
    if (rest >= kLeastShare)
        parts.push_back(tell(language, "the rest {}", "其余 {}", percent(rest)));
    return doc::joined(parts, std::string(marksOf(language).comma));
}

/// Communication of each rank: with nothing beside it, and behind kernels. Of many ranks the least
/// and the most.
std::optional<doc::Text> communicationText(const Program& program, Language language) {
    constexpr std::size_t kEach = 4;
    struct Rank {
        std::uint32_t rank;
        double exposed, hidden;
    };
    std::vector<Rank> ranks;
    for (const Lane& lane : program.lanes) {
        const double exposed = lane.account.time[TimeClass::Communication].value;
        const double hidden = lane.account.hiddenCommunication.value;
        if (lane.rank && exposed + hidden > 0) ranks.push_back({*lane.rank, exposed, hidden});
    }
    if (ranks.size() < 2) return std::nullopt;
    std::ranges::sort(ranks, {}, &Rank::exposed);
    if (ranks.size() > kEach) ranks = {ranks.front(), ranks.back()};
    std::vector<doc::Text> parts;
    for (const Rank& rank : ranks)
        parts.push_back(tell(language, "rank {} {} exposed, {} behind kernels",
                             "rank {} 暴露 {}，与内核重叠 {}", rank.rank,
                             formatNumber(rank.exposed, Unit::Seconds),
                             formatNumber(rank.hidden, Unit::Seconds)));
    return tell(language, "Communication: {}.", "通信：{}。",
                doc::joined(parts, language == Language::Zh ? "；" : "; "));
}

/// As many whole sentences as have room; at least one.
std::string firstSentences(const std::string& text, std::size_t room) {
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool latin = text[at] == '.' && at + 1 < text.size() && text[at + 1] == ' ';
        const bool chinese = text.compare(at, 3, "。") == 0;
        if (!latin && !chinese) continue;
        const std::size_t after = at + (chinese ? 3 : 1);
        if (end > 0 && after > room) break;
        end = after;
    }
    if (end == 0 || text.size() <= room) end = text.size();
    return cleanText(text.substr(0, end), 2 * kRoom);
}

/// A line outside of functions needs no word beside it.
std::string siteText(const ActionSite& site) {
    constexpr std::string_view kModule = " (<module>)";
    std::string text = site.text;
    if (text.ends_with(kModule)) text.resize(text.size() - kModule.size());
    return text;
}

/// By name in the first action; later ones have the numbers of the table below.
doc::Text kernelsText(const Analysis& analysis, const Action& action, bool byName,
                      Language language) {
    const std::size_t more = action.kernels.size() - 1;
    if (!byName)
        return more == 0 ? tell(language, "no. {}", "第 {} 个", action.kernels.front() + 1)
                         : tell(language, "no. {} and {} more", "第 {} 个及另外 {} 个",
                                action.kernels.front() + 1, more);
    const doc::Text first =
        doc::code(shortKernelName(analysis.kernels[action.kernels.front()].fullName, kLongestName),
                  kLongestName);
    if (more == 0) return first;
    return tell(language, "{} and {} more", "{} 及另外 {} 个", first, more);
}

/// Whether the action's edit is in the code of kernels.
bool editsKernel(const Analysis& analysis, const Action& action) {
    const Rule* rule = findRule(action.rule);
    return rule && rule->editPlace == EditPlace::Kernel &&
           !isForeign(analysis.kernels[action.kernels.front()].origin);
}

/// "1. Pageable copies: at most 40.0 ms of 68.0 ms" and one paragraph.
doc::Node actionNode(const Analysis& analysis, const Program& program, std::size_t index,
                     Language language) {
    const Action& action = program.actions[index];
    const std::string window = formatNumber(program.window.seconds.value, Unit::Seconds);
    doc::Text title = doc::strong(actionTitle(action, language));
    if (!action.kernels.empty())
        title +=
            tell(language, " in {}", "（{}）", kernelsText(analysis, action, index == 0, language));
    const std::string bound = boundWords(action.bound, action.estimate, language);
    title += index == 0
                 ? tell(language, ": {} of {}", "：{} / {}", bound, window)
                 : tell(language, ": {} ({})", "：{}（{}）", bound, percent(action.share.value));
    const std::string_view gap = marksOf(language).gap;
    std::vector<doc::Text> sentences{title + std::string(marksOf(language).stop)};
    // What a rule says of one kernel stands in that kernel's section; what its caller changes is
    // said here. Of later actions the title says what is wrong.
    if (!action.finding && (index == 0 || action.alwaysExplained))
        sentences.emplace_back(firstSentences(actionSentence(analysis, action, language), kRoom));
    if (index == 0 ||
        (!action.alwaysExplained && (!action.finding || !editsKernel(analysis, action))))
        sentences.emplace_back(firstSentences(actionEdit(analysis, action, language),
                                              index == 0 ? kRoom : kLaterRoom));
    std::vector<doc::Text> places;
    const std::size_t most = index == 0 ? 2 : 1;
    for (const ActionSite& site : action.sites)
        if (places.size() < most) places.push_back(doc::code(siteText(site), 60));
    if (!places.empty())
        sentences.push_back(tell(language, "At {}.", "位于 {}。",
                                 doc::joined(places, std::string(marksOf(language).listComma))));
    return doc::paragraph(doc::joined(sentences, std::string(gap)),
                          index == 0 ? kFirstAction : kLaterActions + static_cast<unsigned>(index));
}

/// The last actions in one line, so that nobody looks for them: "Also: **Unfused kernel chain** in
/// no. 1 (about 2.64 ms)".
doc::Node furtherActions(const Analysis& analysis, const Program& program, std::size_t first,
                         Language language) {
    std::vector<doc::Text> parts;
    for (std::size_t i = first; i < program.actions.size(); ++i) {
        const Action& action = program.actions[i];
        doc::Text title = actionTitle(action, language);
        if (!action.kernels.empty())
            title +=
                tell(language, " in {}", "（{}）", kernelsText(analysis, action, false, language));
        parts.push_back(
            bracketed(language, title, boundWords(action.bound, action.estimate, language)));
    }
    return doc::paragraph(tell(language, "Also: {}.", "另外：{}。",
                               doc::joined(parts, std::string(marksOf(language).semicolon))),
                          kLaterActions + static_cast<unsigned>(first));
}

}  // namespace

doc::Nodes programPart(const Analysis& analysis, const Program& program,
                       const ReportOptions& options) {
    const Language language = options.language;
    doc::Nodes nodes;
    if (program.lanes.empty()) return nodes;
    std::vector<doc::Text> verdict{
        tell(language, "**Program**: {}.", "**程序**：{}。", windowWords(program.window, language)),
        tell(language, "Of that: {}.", "其中：{}。", accountText(program.account, language))};
    if (program.account.hiddenCopies.value >= kLeastShare * program.window.seconds.value)
        verdict.push_back(tell(language, "{} of copies ran beside kernels.",
                               "{} 的拷贝与内核重叠。",
                               formatNumber(program.account.hiddenCopies.value, Unit::Seconds)));
    if (program.lanes.size() > 1)
        verdict.push_back(
            tell(language, "Mean over {} GPUs.", "{} 个 GPU 的平均值。", program.lanes.size()));
    if (const auto text = communicationText(program, language)) verdict.push_back(*text);
    if (program.window.traced.value >= kLeastShare * program.window.seconds.value)
        verdict.push_back(tell(language, "{} that tracing added is taken off.",
                               "已扣除跟踪增加的 {}。",
                               formatNumber(program.window.traced.value, Unit::Seconds)));
    if (program.floor)
        verdict.push_back(tell(language, "With the same results this GPU needs at least {}.",
                               "得到同样的结果，此 GPU 至少需要 {}。",
                               formatNumber(program.floor->value, Unit::Seconds)));
    if (options.baseline && options.baseline->comparison.program)
        if (doc::Text since = sinceBaselineText(*options.baseline->comparison.program, language);
            !since.empty())
            verdict.push_back(std::move(since));
    const doc::Text gap = std::string(marksOf(language).gap);
    nodes.push_back(doc::paragraph(doc::joined(verdict, gap), kVerdict));
    for (const Words& unknown : program.unknown)
        nodes.push_back(doc::paragraph(
            doc::toned(doc::Tone::Warning, doc::Text(unknown.in(language))), kVerdict));
    if (program.stop)
        nodes.push_back(doc::paragraph(
            tell(language, "**Stop here**: this program is within {} of what this GPU can do.",
                 "**到此为止**：该程序距此 GPU 的极限不到 {}。",
                 percent(std::max(program.stop->value, 0.01))),
            kVerdict));
    else if (program.actions.empty())
        nodes.push_back(doc::paragraph(
            tell(language, "No single edit that is known here brings 3 % of that time or more.",
                 "此处已知的任何单项修改都不能带来 3 % 或更多的时间。"),
            kVerdict));
    if (program.actions.empty()) return nodes;
    constexpr std::size_t kInFull = 3;
    doc::Nodes items;
    for (std::size_t i = 0; i < std::min(program.actions.size(), kInFull); ++i)
        items.push_back(actionNode(analysis, program, i, language));
    if (program.actions.size() > kInFull)
        items.push_back(furtherActions(analysis, program, kInFull, language));
    doc::Nodes part{doc::list(std::move(items), kFirstAction)};
    const Account& account = program.account;
    const double waits =
        account.share(TimeClass::IdleLaunch).value + account.share(TimeClass::IdleHost).value;
    if (waits >= kCpuLimits && std::ranges::any_of(program.actions, [](const Action& action) {
            return !action.kernels.empty();
        }))
        part.push_back(doc::paragraph(
            tell(language,
                 "These bounds do not add up: as long as the GPU waits for the CPU, quicker "
                 "kernels alone may change nothing.",
                 "这些上界不能相加：只要 GPU 在等待 CPU，仅加快内核可能毫无变化。"),
            kLaterActions));
    part.push_back(doc::forReader(
        doc::Audience::Assistant,
        doc::section({},
                     {doc::paragraph(say(language, "Make one edit, then run exactly this:",
                                         "只做一处修改，然后原样运行：")),
                      doc::codeBlock(nextCommand(analysis, options), "sh")},
                     kNext, say(language, "next command", "下一条命令"))));
    nodes.push_back(doc::section(say(language, "What to do first", "首先做什么"), std::move(part),
                                 kFirstAction));
    return nodes;
}

}  // namespace roofscope::profile_report
