// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown_html.h"

#include <algorithm>
#include <limits>

#include "reports/escape.h"

namespace roofscope {

namespace {

constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

bool isPunctuation(char c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

std::size_t runOf(std::string_view text, std::size_t at, char c) {
    std::size_t end = at;
    while (end < text.size() && text[end] == c) ++end;
    return end - at;
}

/// Where a run of exactly `length` backticks begins, or npos.
std::size_t closingFence(std::string_view text, std::size_t at, std::size_t length) {
    while (at < text.size()) {
        at = text.find('`', at);
        if (at == text.npos) return at;
        const std::size_t run = runOf(text, at, '`');
        if (run == length) return at;
        at += run;
    }
    return text.npos;
}

std::string_view withoutPadding(std::string_view code) {
    const bool padded = code.size() > 2 && code.front() == ' ' && code.back() == ' ' &&
                        code.find_first_not_of(' ') != code.npos;
    return padded ? code.substr(1, code.size() - 2) : code;
}

}  // namespace

std::string markdownInlineToHtml(std::string_view markdown) {
    std::string out, plain;
    bool strong = false;
    const auto flush = [&] {
        out += xmlText(plain, kWhole);
        plain.clear();
    };
    for (std::size_t at = 0; at < markdown.size();) {
        const char c = markdown[at];
        if (c == '\\' && at + 1 < markdown.size() && isPunctuation(markdown[at + 1])) {
            plain += markdown[at + 1];
            at += 2;
        } else if (c == '`') {
            const std::size_t length = runOf(markdown, at, '`');
            const std::size_t end = closingFence(markdown, at + length, length);
            if (end == markdown.npos) {
                plain.append(length, '`');
                at += length;
                continue;
            }
            flush();
            const auto code = markdown.substr(at + length, end - at - length);
            out += "<code>" + xmlText(withoutPadding(code), kWhole) + "</code>";
            at = end + length;
        } else if (c == '*' && markdown.substr(at).starts_with("**")) {
            flush();
            out += strong ? "</strong>" : "<strong>";
            strong = !strong;
            at += 2;
        } else {
            plain += c;
            ++at;
        }
    }
    flush();
    return strong ? out + "</strong>" : out;
}

std::string markdownToHtml(std::string_view markdown) {
    std::string out, paragraph, code;
    bool list = false;
    std::size_t fence = 0;  // backticks that opened it; 0 outside
    const auto endParagraph = [&] {
        if (!paragraph.empty()) out += "<p>" + markdownInlineToHtml(paragraph) + "</p>\n";
        paragraph.clear();
    };
    const auto endList = [&] {
        if (list) out += "</ul>\n";
        list = false;
    };
    for (std::size_t from = 0; from < markdown.size();) {
        const std::size_t end = std::min(markdown.find('\n', from), markdown.size());
        const std::string_view line = markdown.substr(from, end - from);
        from = end + 1;
        const std::size_t ticks = runOf(line, 0, '`');
        const bool closes = fence > 0 && ticks >= fence && ticks == line.size();
        if (closes || (fence == 0 && ticks >= 3)) {
            endParagraph();
            endList();
            if (closes) out += "<pre><code>" + code + "</code></pre>\n";
            code.clear();
            fence = closes ? 0 : ticks;
        } else if (fence > 0) {
            code += (code.empty() ? "" : "\n") + xmlText(line, kWhole);
        } else if (line.empty()) {
            endParagraph();
            endList();
        } else if (line.starts_with("- ")) {
            endParagraph();
            if (!list) out += "<ul>\n";
            list = true;
            out += "<li>" + markdownInlineToHtml(line.substr(2)) + "</li>\n";
        } else if (line.starts_with("#")) {
            endParagraph();
            endList();
            const std::size_t level = runOf(line, 0, '#');
            out += "<p class=\"heading\">" +
                   markdownInlineToHtml(line.substr(std::min(level + 1, line.size()))) + "</p>\n";
        } else {
            paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
        }
    }
    endParagraph();
    endList();
    if (fence > 0) out += "<pre><code>" + code + "</code></pre>\n";
    return out;
}

}  // namespace roofscope
