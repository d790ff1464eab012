// SPDX-License-Identifier: Apache-2.0
#include "reports/program_words.h"

#include "analyzer/rule.h"
#include "profile/clean_text.h"
#include "reports/edit_text.h"
#include "reports/kernel_facts.h"
#include "reports/language/say.h"
#include "reports/number_format.h"
#include "reports/phrase.h"

namespace roofscope {
namespace {

constexpr std::size_t kLongestName = 60, kLongestText = 200;

std::string filled(std::string_view phrase, std::span<const Arg> args, Language language) {
    const EscapeText clean = [](std::string_view text) { return cleanText(text, kLongestText); };
    return fillPhrase(phrase, args, clean, language);
}

const Finding* findingOf(const Analysis& analysis, const Action& action) {
    if (!action.finding || action.kernels.empty()) return nullptr;
    const auto& findings = analysis.kernels[action.kernels.front()].findings;
    return *action.finding < findings.size() ? &findings[*action.finding] : nullptr;
}

}  // namespace

std::string windowWords(const Window& window, Language language) {
    const std::string each = formatNumber(window.seconds.value, Unit::Seconds);
    const std::string name = cleanText(window.name, kLongestName);
    std::string words;
    switch (window.kind) {
        case WindowKind::Chosen:
            words = name.empty() ? say(language, "the chosen {}", "选定的 {}", each)
                                 : say(language, "{} × {} (chosen), {} each",
                                       "{} × {}（选定），每次 {}", window.occurrences, name, each);
            break;
        case WindowKind::Range:
            words = say(language, "{} × {}, {} each", "{} × {}，每次 {}", window.occurrences, name,
                        each);
            break;
        case WindowKind::Period:
            words = sayCount(language, window.periodLaunches, "{1} repeats of {0} launch, {2} each",
                             "{1} repeats of {0} launches, {2} each",
                             "{1} 次重复，每次 {0} 次启动、{2}", window.occurrences, each);
            break;
        case WindowKind::Whole:
            words = say(language, "{} from the first to the last GPU activity",
                        "从第一次到最后一次 GPU 活动共 {}", each);
            break;
    }
    if (window.leftOut > 0)
        words += sayCount(language, window.leftOut, " ({1} counted: {0} loads code or warms up)",
                          " ({1} counted: {0} load code or warm up)",
                          "（计入 {1} 次：{0} 次加载代码或预热）", window.counted);
    return words;
}

std::string timeClassWords(TimeClass cls, Language language) {
    switch (cls) {
        case TimeClass::Kernels:
            return say(language, "kernels", "内核");
        case TimeClass::Communication:
            return say(language, "communication", "通信");
        case TimeClass::Copies:
            return say(language, "copies without a kernel beside them", "没有内核重叠的拷贝");
        case TimeClass::IdleLaunch:
            return say(language, "waiting for launches", "等待启动");
        case TimeClass::IdleSync:
            return say(language, "idle after a synchronisation", "同步之后空闲");
        case TimeClass::IdleAlloc:
            return say(language, "idle during allocation", "分配内存期间空闲");
        case TimeClass::IdleLoad:
            return say(language, "idle while code loads", "加载代码期间空闲");
        case TimeClass::IdleHost:
            return say(language, "idle during host work", "主机工作期间空闲");
        case TimeClass::IdleUnknown:
            break;
    }
    return say(language, "no kernel, cause not recorded", "没有内核，原因未记录");
}

std::string actionTitle(const Action& action, Language language) {
    if (!action.title.empty()) return action.title.in(language);
    return cleanText(ruleTitle(action.rule, language), kLongestText);
}

std::string actionSentence(const Analysis& analysis, const Action& action, Language language) {
    if (!action.sentence.empty())
        return filled(action.sentence.in(language), action.args, language);
    const Finding* finding = findingOf(analysis, action);
    const Rule* rule = findRule(action.rule);
    return finding && rule ? filled(rule->text(language).sentence, finding->args, language)
                           : std::string();
}

std::string actionEdit(const Analysis& analysis, const Action& action, Language language) {
    if (!action.edit.empty()) return filled(action.edit.in(language), action.args, language);
    const Finding* finding = findingOf(analysis, action);
    const Rule* rule = findRule(action.rule);
    return finding && rule ? filled(editPhrase(*rule, *finding, language), finding->args, language)
                           : std::string();
}

}  // namespace roofscope
