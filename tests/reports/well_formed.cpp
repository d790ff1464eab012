// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/well_formed.h"

#include <set>
#include <stdexcept>
#include <vector>

#include "profile/text/utf8.h"

namespace roofscope::test {

namespace {

class Parser {
public:
    explicit Parser(const std::string& text) : m_text(text) {}

    void run() {
        checkCharacters();
        std::vector<std::string> open;
        bool rootSeen = false;
        while (m_at < m_text.size()) {
            if (m_text[m_at] != '<') {
                const char c = m_text[m_at];
                if (open.empty() && c != '\n' && c != ' ') fail("text outside of the root");
                character();
                continue;
            }
            ++m_at;
            if (take('/')) {
                const std::string name = word();
                if (open.empty() || open.back() != name) fail("closes " + name);
                open.pop_back();
                expect('>');
                continue;
            }
            const std::string name = word();
            if (open.empty() && rootSeen) fail("second root");
            rootSeen = true;
            std::set<std::string> attributes;
            while (take(' ')) {
                const std::string attribute = word();
                if (!attributes.insert(attribute).second) fail("twice " + attribute);
                expect('=');
                expect('"');
                while (m_at < m_text.size() && m_text[m_at] != '"') character();
                expect('"');
            }
            if (take('/'))
                expect('>');
            else
                expect('>'), open.push_back(name);
        }
        if (!open.empty() || !rootSeen) fail("not closed");
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(what + " near: " + m_text.substr(m_at > 20 ? m_at - 20 : 0, 60));
    }
    bool take(char c) {
        if (m_at >= m_text.size() || m_text[m_at] != c) return false;
        ++m_at;
        return true;
    }
    void expect(char c) {
        if (!take(c)) fail(std::string("expected ") + c);
    }
    std::string word() {
        const std::size_t start = m_at;
        while (m_at < m_text.size() &&
               (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '-'))
            ++m_at;
        if (start == m_at) fail("expected a name");
        return m_text.substr(start, m_at - start);
    }
    void character() {
        const char c = m_text[m_at];
        if (c == '<' || c == '>') fail("not escaped");
        if (c == '&') {
            const std::size_t end = m_text.find(';', m_at);
            const std::string entity = m_text.substr(m_at, end - m_at + 1);
            static const std::set<std::string> known{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
            if (!known.contains(entity)) fail("entity");
            m_at = end;
        }
        ++m_at;
    }
    void checkCharacters() const {
        for (std::size_t at = 0; at < m_text.size();) {
            const auto c = utf8::next(m_text, at);
            if (!c || (*c != '\n' && utf8::isHidden(*c))) throw std::runtime_error("bad character");
        }
    }

    const std::string& m_text;
    std::size_t m_at = 0;
};

}  // namespace

std::string wellFormedXml(const std::string& text) {
    try {
        Parser(text).run();
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace roofscope::test
