// SPDX-License-Identifier: Apache-2.0
#include "gui/models/text/names_apart.h"

#include <algorithm>
#include <set>
#include <utility>

namespace roofscope::gui {
namespace {

/// A part of a name: from `begin` to before `end`.
struct NamePart {
    qsizetype begin = 0, end = 0;
};

qsizetype commonLetters(const QString& a, const QString& b) {
    return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

bool isWordLetter(QChar letter) { return letter.isLetterOrNumber(); }

/// The whole word at a place, because half a word says little. What stands in brackets at the end
/// ("k [grid 3x4]") is one word.
NamePart wordAt(const QString& name, qsizetype at) {
    const qsizetype size = name.size();
    if (const qsizetype bracket = name.lastIndexOf(QLatin1String(" ["));
        bracket >= 0 && at > bracket && name.endsWith(u']'))
        return {bracket, size};
    NamePart word{std::min(at, size), std::min(at, size)};
    while (word.begin > 0 && isWordLetter(name[word.begin - 1])) --word.begin;
    while (word.end < size && isWordLetter(name[word.end])) ++word.end;
    // Another name goes on where this one ends, or a separator differs.
    if (word.begin == word.end && word.end < size) ++word.end;
    return word;
}

/// The name's first letters, then the parts behind them, with "…" for what is left out. The last
/// part goes on to the end of the name if `toEnd`.
QString joined(const QString& name, qsizetype head, const std::vector<NamePart>& parts,
               bool toEnd) {
    QString text = name.left(head);
    qsizetype at = head;
    for (const NamePart& part : parts) {
        if (part.end <= at) continue;
        // "…" takes the place of a letter: leave out two at least.
        const bool gap = part.begin > at + 1;
        if (gap) text += u'…';
        const qsizetype from = gap ? part.begin : at;
        text += name.mid(from, part.end - from);
        at = part.end;
    }
    if (at < name.size()) text += toEnd ? name.mid(at) : QStringLiteral("…");
    return text;
}

/// The largest number up to `most` for which `fits` holds; 0 if it holds for none.
template <class Fits>
qsizetype largest(qsizetype most, const Fits& fits) {
    qsizetype low = 0;
    while (low < most) {
        const qsizetype middle = (low + most + 1) / 2;
        if (fits(middle))
            low = middle;
        else
            most = middle - 1;
    }
    return low;
}

QString cutAtEnd(const QString& text, int width, const NamesApart::WidthOf& widthOf) {
    if (widthOf(text) <= width) return text;
    const qsizetype kept = largest(text.size(), [&](qsizetype letters) {
        return widthOf(text.left(letters) + u'…') <= width;
    });
    return text.left(kept) + u'…';
}

}  // namespace

NamesApart::NamesApart(QStringList names) : m_names(std::move(names)) {
    m_names.sort();
    m_names.removeDuplicates();
    for (qsizetype i = 1; i < m_names.size(); ++i)
        m_common.push_back(commonLetters(m_names[i - 1], m_names[i]));
}

std::vector<qsizetype> NamesApart::branches(const QString& name, qsizetype from) const {
    const auto found = std::lower_bound(m_names.begin(), m_names.end(), name);
    if (found == m_names.end() || *found != name) return {};
    const auto at = static_cast<std::size_t>(found - m_names.begin());
    std::set<qsizetype> places;
    const auto look = [&](qsizetype& common, std::size_t neighbour) {
        common = std::min(common, m_common[neighbour]);
        if (common >= from) places.insert(common);
        return common >= from;
    };
    // Names that begin alike stand side by side.
    qsizetype common = name.size();
    for (std::size_t i = at; i < m_common.size() && look(common, i);) ++i;
    common = name.size();
    for (std::size_t i = at; i > 0 && look(common, i - 1);) --i;
    return {places.begin(), places.end()};
}

QString NamesApart::shortened(const QString& name, int width, const WidthOf& widthOf) const {
    QString atEnd = cutAtEnd(name, width, widthOf);
    if (atEnd == name || branches(name, atEnd.size() - 1).empty()) return atEnd;
    // The shorter the head is, the more of what differs stands behind it.
    const auto parts = [&](qsizetype head, bool words) {
        constexpr qsizetype kFewLetters = 3, kShortWord = 4;
        std::vector<NamePart> found;
        for (const qsizetype place : branches(name, head)) {
            const NamePart word = wordAt(name, place);
            const bool whole = words || word.end - word.begin <= kShortWord;
            found.push_back(whole ? word
                                  : NamePart{place, std::min(place + kFewLetters, word.end)});
        }
        return found;
    };
    const auto longestHead = [&](bool words) {
        return largest(atEnd.size() - 1, [&](qsizetype head) {
            return widthOf(joined(name, head, parts(head, words), false)) <= width;
        });
    };
    constexpr qsizetype kGoodHead = 6, kLeastHead = 3;
    const qsizetype withWords = longestHead(true);
    const bool words = withWords >= kGoodHead;
    const qsizetype head = words ? withWords : std::max(kLeastHead, longestHead(false));
    return cutAtEnd(joined(name, head, parts(head, words), true), width, widthOf);
}

}  // namespace roofscope::gui
