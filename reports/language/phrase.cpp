// SPDX-License-Identifier: Apache-2.0
#include "reports/language/phrase.h"

#include <algorithm>

#include "profile/text/clean_text.h"
#include "profile/text/utf8.h"
#include "reports/language/number_format.h"

namespace roofscope {

namespace {

/// The singular or plural word of "copy:copies".
std::string_view wordFor(bool one, std::string_view words) {
    const std::size_t colon = words.find(':');
    return one || colon == words.npos ? words.substr(0, colon) : words.substr(colon + 1);
}

}  // namespace

std::string fillPhrase(std::string_view phrase, std::span<const Arg> args, std::size_t longest,
                       Language language) {
    std::string out;
    for (std::size_t at = 0; at < phrase.size();) {
        const std::string_view rest = phrase.substr(at);
        if (rest.starts_with("{{") || rest.starts_with("}}")) {
            out.push_back(rest.front());
            at += 2;
            continue;
        }
        const std::size_t end = rest.front() == '{' ? rest.find('}') : std::string_view::npos;
        if (end == std::string_view::npos) {
            out.push_back(rest.front());
            ++at;
            continue;
        }
        const std::string_view gap = rest.substr(1, end - 1), name = gap.substr(0, gap.find('?'));
        const auto arg = std::ranges::find_if(
            args, [&](const Arg& candidate) { return candidate.name == name; });
        if (arg == args.end())
            out += rest.substr(0, end + 1);
        else if (name.size() < gap.size())
            out += wordFor(formatNumber(arg->value, arg->unit) == "1", gap.substr(name.size() + 1));
        else
            out += arg->text.empty() ? formatNumber(arg->value, arg->unit)
                                     : cleanText(arg->text.in(language), longest);
        at += end + 1;
    }
    return out;
}

bool mentions(std::string_view phrase, std::string_view name) {
    for (std::size_t at = 0; (at = phrase.find('{', at)) != phrase.npos;) {
        const std::string_view rest = phrase.substr(at);
        if (rest.starts_with("{{")) {
            at += 2;
            continue;
        }
        if (rest.substr(1, rest.find('}') - 1) == name) return true;
        ++at;
    }
    return false;
}

std::string unfilledPhrase(std::string_view phrase) {
    std::string out;
    for (std::size_t at = 0; at < phrase.size();) {
        const std::string_view rest = phrase.substr(at);
        const std::size_t end = rest.front() == '{' ? rest.find('}') : rest.npos;
        const std::size_t choice = rest.substr(0, end).find('?');
        if (end == rest.npos || choice == rest.npos) {
            out.push_back(rest.front());
            ++at;
            continue;
        }
        out += wordFor(false, rest.substr(choice + 1, end - choice - 1));
        at += end + 1;
    }
    return out;
}

std::string spaced(std::string_view text, Language language) {
    if (factsOf(language).spaces) return std::string(text);
    // Chinese punctuation includes its own space, so only ideographs count.
    const auto ideograph = [](char32_t c) { return c >= 0x4E00 && c <= 0x9FFF; };
    const auto latin = [](char32_t c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    std::string out;
    char32_t before = 0;  // the last non-space character
    bool room = false;    // spaces since then
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = utf8::next(text, at).value_or(U'\uFFFD');
        if (c == U' ') {
            room = true;
            continue;
        }
        const bool bothWide = utf8::isWide(before) && utf8::isWide(c);
        const auto punctuation = [&](char32_t x) { return utf8::isWide(x) && !ideograph(x); };
        const bool meet = (ideograph(before) && latin(c)) || (latin(before) && ideograph(c));
        if ((room && !bothWide && !punctuation(before) && !punctuation(c)) || meet)
            out.push_back(' ');
        utf8::append(out, c);
        before = c;
        room = false;
    }
    if (room) out.push_back(' ');
    return out;
}

}  // namespace roofscope
