// SPDX-License-Identifier: Apache-2.0
#include "reports/language/say.h"

#include "reports/language/number_format.h"

namespace roofscope {

namespace {

/// Fills a template: text with its markup and gaps; "{{" and "}}" stand for braces.
class Filling {
public:
    Filling(const doc::Text* gaps, std::size_t count) : m_gaps(gaps), m_count(count) {}

    doc::Text run(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) at += step(text.substr(at));
        flush();
        return std::move(m_text);
    }

private:
    /// Handles the front of the text; returns the number of bytes read.
    std::size_t step(std::string_view rest) {
        if (rest.starts_with("{{") || rest.starts_with("}}")) {
            m_words += rest.front();
            return 2;
        }
        if (rest.front() == '{') return gap(rest);
        if (rest.front() == '`') {
            flush();
            m_code = !m_code;
            return 1;
        }
        if (!m_code && rest.starts_with("**")) {
            flush();
            m_strong = !m_strong;
            return 2;
        }
        m_words += rest.front();
        return 1;
    }

    std::size_t gap(std::string_view rest) {
        const std::size_t end = rest.find('}');
        const std::size_t index = end > 1 ? static_cast<std::size_t>(rest[1] - '0') : m_next++;
        flush();
        if (index < m_count)
            m_text += m_gaps[index].with([this](doc::Span& span) {
                span.code = span.code || m_code;
                span.strong = span.strong || m_strong;
            });
        return end + 1;
    }

    void flush() {
        m_text += doc::Span{.text = m_words, .code = m_code, .strong = m_strong};
        m_words.clear();
    }

    const doc::Text* m_gaps;
    std::size_t m_count, m_next = 0;
    doc::Text m_text;
    std::string m_words;
    bool m_code = false, m_strong = false;
};

}  // namespace

std::string countInWords(std::size_t count) { return formatExact(static_cast<double>(count)); }

doc::Text fillTemplate(std::string_view text, const doc::Text* gaps, std::size_t count) {
    return Filling(gaps, count).run(text);
}

std::string_view translatedCount(Language language, std::size_t count, std::string_view one,
                                 std::string_view many, std::string_view context) {
    if (count != 1) return translated(language, many, context);
    const auto single = findTranslation(language, one, context);
    return single ? *single : findTranslation(language, many, context).value_or(one);
}

doc::Text tellOf(const doc::Text& words, Language language, Template<1> sentence) {
    return words.empty() ? doc::Text() : tell(language, sentence, words);
}

std::string bracketed(Language language, const std::string& words, const std::string& remark) {
    return say(language, "{} ({})", words, remark);
}

doc::Text bracketed(Language language, const doc::Text& words, const doc::Text& remark) {
    return tell(language, "{} ({})", words, remark);
}

}  // namespace roofscope
