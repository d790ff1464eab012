// SPDX-License-Identifier: Apache-2.0
#include "reports/answer/answer_words.h"

#include "reports/answer/finding_words.h"
#include "reports/findings/kernel_facts.h"
#include "reports/findings/source_window.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"

namespace roofscope {

namespace {

/// What a joint bound does not count: "without fusing or smaller data types".
std::string beyondWords(const std::vector<BeyondJoint>& without, Language l) {
    std::string words;
    for (const BeyondJoint beyond : without) {
        const std::string what = beyond == BeyondJoint::Fusing ? say(l, "fusing", "不融合")
                                 : beyond == BeyondJoint::MoreFusing
                                     ? say(l, "more fusing", "不再多融合")
                                     : say(l, "smaller data types", "不缩小数据类型");
        words += words.empty() ? say(l, "without {}", "{}", what) : say(l, " or {}", "、{}", what);
    }
    return words;
}

/// "fewer shared-memory accesses (…)".
std::string adviceWords(RoofAdvice advice, Language l) {
    switch (advice) {
        case RoofAdvice::FewerDramBytes:
            return say(l,
                       "fewer bytes per launch (fuse it with a neighbour that reads or writes the "
                       "same arrays, smaller types)",
                       "减少每次启动的字节数（与读写相同数组的相邻内核融合，改用更小的类型）");
        case RoofAdvice::FewerL2Bytes:
            return say(
                l,
                "fewer bytes from the L2 (keep what is used again in shared memory or registers)",
                "减少来自 L2 的字节数（重复使用的数据留在共享内存或寄存器中）");
        case RoofAdvice::FewerL1Accesses:
            return say(l, "fewer accesses (wider ones, and registers for what is used again)",
                       "减少访问次数（加宽访问，重复使用的数据留在寄存器中）");
        case RoofAdvice::FewerSharedAccesses:
            return say(l,
                       "fewer shared-memory accesses (several results per thread from operands "
                       "that it keeps in registers)",
                       "减少共享内存访问（每个线程用留在寄存器中的操作数计算多个结果）");
        case RoofAdvice::None:
            break;
    }
    return {};
}

std::string nameOf(const std::string& rule, RuleName name, Language l) {
    return name == RuleName::Title ? ruleTitle(rule, l) : rule;
}

doc::Text mentioned(const std::vector<const Finding*>& findings, Language l) {
    return doc::joined(findings, marksOf(l).semicolon,
                       [l](const Finding* finding) { return findingMention(*finding, l); });
}

}  // namespace

doc::Text headroomSentence(const KernelAnswer& answer, Language l) {
    const Verdict& verdict = answer.kernel->verdict;
    switch (answer.headroom) {
        case Headroom::Unsaid:
            break;
        case Headroom::NotMeasured:
            return tell(l, "Headroom: {}.", "余量：{}。",
                        verdict.headroom.missing == "counters"  // all of them
                            ? say(l, "not measured", "未测量")
                            : formatMissing(verdict.headroom.missing, l));
        case Headroom::AtRoof:
            return say(l, "It is at its roof.", "它已到达屋顶。");
        case Headroom::AsShortAsLaunch:
            return say(l, "It is as short as a launch that does nothing.",
                       "它与什么都不做的启动一样短。");
        case Headroom::Left: {
            const std::string bound =
                say(l, "{} per launch", "每次启动{}", boundWords(*verdict.headroom, false, l));
            return tell(l, "Headroom with the same traffic and instructions: {}.",
                        "在相同访存量和指令下的余量：{}。",
                        verdict.speedupBound.has()
                            ? bracketed(l, bound, formatNumber(*verdict.speedupBound, Unit::Factor))
                            : bound);
        }
    }
    return {};
}

doc::Text jointSentence(const KernelAnswer& answer, Language l) {
    if (!answer.joint) return {};
    const JointAnswer& joint = *answer.joint;
    std::string bound = say(l, "{} per launch", "每次启动{}", boundWords(joint.bound, false, l));
    if (joint.factor) bound = bracketed(l, bound, formatNumber(*joint.factor, Unit::Factor));
    return joint.byWorkAlone ? tell(l, "By its DRAM bytes and operations alone: {}.",
                                    "若只受 DRAM 字节数和运算量限制：{}。", bound)
                             : tell(l, "All edits together, {}: {}.", "全部修改合计，{}：{}。",
                                    beyondWords(joint.without, l), bound);
}

doc::Text nothingSentence(const std::optional<NothingToEdit>& nothing, Language l) {
    if (!nothing) return {};
    // The verdict stands above: its numbers are not said again.
    std::string none = nothing->minorFindings ? say(l,
                                                    "what the rules found is not what costs its "
                                                    "time",
                                                    "规则所发现的并不是耗时所在")
                                              : say(l, "no rule found a fault", "没有规则发现问题");
    if (nothing->advice != RoofAdvice::None)
        none += say(l, "; what would help is {}", "；可做的是{}", adviceWords(nothing->advice, l));
    switch (nothing->why) {
        case NoFindings::NothingToFix:
            return doc::toned(doc::Tone::Good,
                              tell(l, "**Stop here:** {}.", "**到此为止**：{}。", none));
        case NoFindings::LittleToFix:
            return doc::toned(doc::Tone::Good, tell(l, "**Little to fix here:** {}.",
                                                    "**此处可改之处不多**：{}。", none));
        case NoFindings::NoKnownFault:
            return tell(l, "**No known fault:** {}, although the kernel is not at a roof.",
                        "**没有已知问题**：{}，尽管内核并未到达屋顶。", none);
        case NoFindings::Undecided:
            return tell(l,
                        "**No diagnosis yet:** it may be {}; the counters for that were not read.",
                        "**尚无诊断**：可能是 {}；没有读取判断所需的计数器。",
                        doc::joined(nothing->undecided, say(l, " or ", " 或 "),
                                    [](const std::string& rule) { return doc::code(rule, 60); }));
        case NoFindings::OnlyTimed:
            return tell(l, "**No diagnosis:** only timed, since it waits for other GPUs.",
                        "**无法诊断**：它等待其他 GPU，因此仅计时。");
        case NoFindings::CannotTell:
            break;
    }
    // The verdict above says what is missing.
    return tell(l, "**No diagnosis:** {}.", "**无法诊断**：{}。",
                nothing->onlyTimed ? say(l, "it was only timed", "它仅被计时")
                                   : say(l, "counters are missing", "缺少计数器"));
}

std::string nothingLabel(const NothingToEdit& nothing, Language l) {
    switch (nothing.why) {
        case NoFindings::NothingToFix:
            return say(l, "stop here", "到此为止");
        case NoFindings::LittleToFix:
            return say(l, "little to fix", "可改之处不多");
        case NoFindings::NoKnownFault:
            return say(l, "no known fault", "没有已知问题");
        case NoFindings::Undecided:
            return say(l, "no diagnosis yet", "尚无诊断");
        case NoFindings::OnlyTimed:
            return say(l, "only timed", "仅计时");
        case NoFindings::CannotTell:
            break;
    }
    return nothing.onlyTimed ? say(l, "only timed", "仅计时") : say(l, "no diagnosis", "无法诊断");
}

doc::Text furtherSentence(const KernelAnswer& answer, Language l) {
    return tellOf(mentioned(answer.further, l), l, "Also: {}.", "另外：{}。");
}

doc::Text minorSentence(const KernelAnswer& answer, Language l) {
    return tellOf(mentioned(answer.minor, l), l, "Minor, below 3 % of this kernel's time: {}.",
                  "次要（不到此内核时间的 3 %）：{}。");
}

doc::Text blockedSentence(const KernelAnswer& answer, Language l) {
    if (answer.blocked.empty()) return {};
    const std::string& limiter = answer.kernel->verdict.limiter;
    return tell(
        l, "Only after the {} is relieved: {}.", "仅在缓解{}之后才有意义：{}。",
        limiter.empty() ? say(l, "busiest resource", "最忙资源") : resourceWords(limiter, l),
        mentioned(answer.blocked, l));
}

doc::Text undecidedSentence(const KernelAnswer& answer, RuleName name, Language l) {
    return tellOf(doc::joined(answer.undecided, marksOf(l).listComma,
                              [&](const RuledOut* out) {
                                  return doc::fromProfile(nameOf(out->ruleId, name, l), 60);
                              }),
                  l, "**Neither found nor ruled out:** {}.", "**既未发现也未排除**：{}。");
}

std::vector<doc::Text> ruledOutWords(const KernelAnswer& answer, RuleName name, Language l) {
    std::vector<doc::Text> items;
    for (const RuledOut& out : answer.ruledOut) {
        const Rule* rule = name == RuleName::Title ? findRule(out.ruleId) : nullptr;
        items.push_back(rule ? ruleProse(rule->text(l).ruledOut, out.args, l)
                             : doc::fromProfile(out.ruleId, 60));
    }
    return items;
}

std::vector<doc::Text> notMeasuredWords(const Analysis& analysis, const KernelAnswer& answer,
                                        bool byProfile, RuleName name, Language l) {
    std::vector<doc::Text> items;
    if (byProfile || !analysis.profile->sources.empty())
        items = missingSource(analysis, *answer.kernel, l);
    if (byProfile && answer.timingLacks)
        items.emplace_back(say(l, "duration without profiling (no timing run)",
                               "未受剖析影响的耗时（没有计时运行）"));
    const std::string_view between =
        name == RuleName::Title ? marksOf(l).semicolon : marksOf(l).listComma;
    for (const Lack& lack : answer.lacks) {
        std::string what = lack.advice.in(l);
        if (what.empty()) what = namesOfMissing(lack.missing.in(l), l);
        std::string rules;
        for (const SharedText& rule : lack.rules)
            rules += (rules.empty() ? "" : std::string(between)) + nameOf(rule, name, l);
        doc::Text item = doc::fromProfile(rules, 200);
        if (!what.empty()) item += doc::Text(marksOf(l).colon) + doc::fromProfile(what, 200);
        items.push_back(std::move(item));
    }
    return items;
}

}  // namespace roofscope
