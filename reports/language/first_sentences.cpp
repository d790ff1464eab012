// SPDX-License-Identifier: Apache-2.0
#include "reports/language/first_sentences.h"

#include <algorithm>

namespace roofscope {

namespace {

bool isLowerCase(char c) { return c >= 'a' && c <= 'z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
/// Characters that appear in names of code but not in words.
bool isOfCode(char c) {
    return isDigit(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '(';
}

/// Whether a sentence can begin like this.
bool beginsSentence(std::string_view text) {
    if (text.empty()) return true;
    if (isDigit(text.front())) return false;
    if (!isLowerCase(text.front())) return true;
    const std::string_view word = text.substr(0, text.find(' '));
    return std::ranges::any_of(word.substr(0, word.find_last_not_of(".,:;") + 1), isOfCode);
}

/// Whether the text ends with an abbreviation that is written with a full stop (already cut off
/// here). What follows may then be a name, not a new sentence.
bool endsAbbreviated(std::string_view text) {
    constexpr std::string_view kAbbreviations[] = {"i.e", "e.g", "vs"};
    return std::ranges::any_of(kAbbreviations, [text](std::string_view word) {
        if (!text.ends_with(word)) return false;
        const std::string_view before = text.substr(0, text.size() - word.size());
        return before.empty() || before.ends_with(' ') || before.ends_with('(');
    });
}

/// Length in bytes of the full stop that ends a sentence at `at`; 0 if there is none.
std::size_t stopAt(std::string_view text, std::size_t at, Language language) {
    constexpr std::string_view kStop = ". ";
    if (text.substr(at).starts_with(kStop))
        return beginsSentence(text.substr(at + kStop.size())) &&
                       !endsAbbreviated(text.substr(0, at))
                   ? 1
                   : 0;
    const Marks& marks = marksOf(language);
    return marks.gap.empty() && text.substr(at).starts_with(marks.stop) ? marks.stop.size() : 0;
}

/// Whether an English sentence only says what something is or does: it has no edit after a colon.
bool explains(std::string_view sentence) {
    constexpr std::string_view kSubjects[] = {"This ", "These ", "It ",  "They ", "One ",      "A ",
                                              "An ",   "The ",   "Each", "There", "torch.cat "};
    return sentence.find(": ") == sentence.npos &&
           std::ranges::any_of(kSubjects, [sentence](std::string_view subject) {
               return sentence.starts_with(subject);
           });
}

}  // namespace

std::string_view firstSentences(std::string_view text, std::size_t room, Language language) {
    if (text.size() <= room) return text;
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t stop = stopAt(text, at, language);
        if (stop == 0) continue;
        const std::size_t after = at + stop;
        if (end > 0 && after > room) break;
        end = after;
    }
    return end == 0 ? text : text.substr(0, end);
}

std::string_view sentencesOfEdit(std::string_view text, std::string_view english, std::size_t room,
                                 Language language) {
    const std::string_view cut = firstSentences(text, room, language);
    const std::string_view first = firstSentences(text, 1, language);
    if (cut.size() > first.size() || first.size() == text.size() ||
        !explains(firstSentences(english, 1, Language::En)))
        return cut;
    text.remove_prefix(first.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return firstSentences(text, room, language);
}

}  // namespace roofscope
