// SPDX-License-Identifier: Apache-2.0
#include "reports/document/text.h"

#include <limits>
#include <utility>

#include "profile/text/clean_text.h"

namespace roofscope::doc {

namespace {

bool alike(const Span& a, const Span& b) {
    // Adjacent code spans are separate names.
    return !a.code && !b.code && a.strong == b.strong && a.tone == b.tone && a.link == b.link &&
           !a.bar && !b.bar && a.badge == b.badge;
}

}  // namespace

Text::Text(std::string_view words)
    : Text(Span{.text = cleanText(words, std::numeric_limits<std::size_t>::max())}) {}

Text::Text(Span span) {
    if (!span.text.empty()) m_spans.push_back(std::move(span));
}

std::string Text::quoted() const {
    std::string words;
    for (const Span& span : m_spans) {
        if (!span.code) {
            words += span.text;
            continue;
        }
        std::string name = span.text;
        std::ranges::replace(name, '`', '\'');
        words += "`" + name + "`";
    }
    return words;
}

std::string Text::plain() const {
    std::string words;
    for (const Span& span : m_spans) words += span.text;
    return words;
}

Text& Text::operator+=(const Text& more) {
    for (std::size_t i = 0, count = more.m_spans.size(); i < count; ++i) {
        const Span& span = more.m_spans[i];
        if (!m_spans.empty() && alike(m_spans.back(), span))
            m_spans.back().text += span.text;
        else
            m_spans.push_back(span);
    }
    return *this;
}

Text code(std::string_view name, std::size_t maxLength) {
    std::string clean = cleanText(name, maxLength);
    if (clean.find_first_not_of(' ') == std::string::npos) clean = "(no name)";
    return Span{.text = std::move(clean), .code = true};
}

Text fromProfile(std::string_view words, std::size_t maxLength) {
    return Span{.text = cleanText(words, maxLength)};
}

Text strong(const Text& text) {
    return text.with([](Span& span) { span.strong = true; });
}

Text toned(Tone tone, const Text& text) {
    return text.with([tone](Span& span) { span.tone = tone; });
}

Text linked(std::string_view target, const Text& text) {
    return text.with([target](Span& span) { span.link = target; });
}

Text joined(const std::vector<Text>& parts, const Text& separator) {
    Text all;
    for (const Text& part : parts) {
        if (part.empty()) continue;
        if (!all.empty()) all += separator;
        all += part;
    }
    return all;
}

}  // namespace roofscope::doc
