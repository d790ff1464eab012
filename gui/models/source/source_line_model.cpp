// SPDX-License-Identifier: Apache-2.0
#include "gui/models/source/source_line_model.h"

#include <algorithm>
#include <functional>
#include <map>

#include "gui/models/text/shown_text.h"

namespace roofscope::gui {

SourceLineModel::SourceLineModel(QObject* parent) : SourceTableModel(tr("Line"), parent) {}

void SourceLineModel::setFile(std::shared_ptr<const SourceSheet> sheet,
                              std::optional<std::uint32_t> file) {
    beginResetModel();
    if (m_sheet != sheet) m_found.clear();
    m_sheet = std::move(sheet);
    m_file = file;
    m_rows.clear();
    if (m_sheet && m_file) {
        std::vector<Row> known;
        for (const SourceText& text : m_sheet->pass().texts) {
            if (text.file != *m_file) continue;
            for (std::size_t i = 0; i < text.lines.size(); ++i)
                known.push_back({.line = text.firstLine + static_cast<std::uint32_t>(i),
                                 .text = &text.lines[i]});
        }
        if (const auto found = m_found.find(*m_file); found != m_found.end())
            for (std::size_t i = 0; i < found->second.size(); ++i)
                known.push_back(
                    {.line = static_cast<std::uint32_t>(i + 1), .text = &found->second[i]});
        for (std::size_t i = 0; i < m_sheet->lines().size(); ++i)
            if (const SourceSheet::Line& line = m_sheet->lines()[i]; line.file == *m_file)
                known.push_back({.line = line.line, .counted = i});
        std::ranges::stable_sort(known, {}, &Row::line);
        for (const Row& row : known) {
            if (!m_rows.empty() && m_rows.back().line == row.line) {
                Row& same = m_rows.back();
                if (!same.text) same.text = row.text;
                if (row.counted) same.counted = row.counted;
                continue;
            }
            if (!m_rows.empty() && m_rows.back().line + 1 != row.line) m_rows.push_back({});
            m_rows.push_back(row);
        }
    }
    endResetModel();
}

void SourceLineModel::setFound(std::vector<std::string> lines) {
    if (!m_sheet || !m_file) return;
    m_found[*m_file] = std::move(lines);
    setFile(m_sheet, m_file);
}

bool SourceLineModel::hasText() const {
    return std::ranges::any_of(m_rows, [](const Row& row) { return row.text != nullptr; });
}

std::optional<std::size_t> SourceLineModel::lineAt(int row) const {
    return row < 0 || row >= rowCount() ? std::nullopt
                                        : m_rows[static_cast<std::size_t>(row)].counted;
}

int SourceLineModel::rowOf(std::size_t line) const {
    const auto found =
        std::ranges::find_if(m_rows, [line](const Row& row) { return row.counted == line; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

bool SourceLineModel::isSelectable(const At& at) const {
    return m_rows[static_cast<std::size_t>(at.row)].line != 0;  // a gap
}

const SourceEntry* SourceLineModel::entry(int row) const {
    const auto line = lineAt(row);
    return line ? &m_sheet->lines()[*line].entry : nullptr;
}

std::span<const std::size_t> SourceLineModel::instructions(int row) const {
    const auto line = lineAt(row);
    return line ? m_sheet->lines()[*line].rows : std::span<const std::size_t>();
}

QString SourceLineModel::place(int row) const {
    const std::uint32_t line = m_rows[static_cast<std::size_t>(row)].line;
    return line == 0 ? QStringLiteral("⋯") : QString::number(line);
}

QString SourceLineModel::code(int row) const {
    const std::string* text = m_rows[static_cast<std::size_t>(row)].text;
    return text ? cleanCode(*text) : QString();
}

QString SourceLineModel::placeTip(int row) const {
    const Row& at = m_rows[static_cast<std::size_t>(row)];
    if (at.line == 0) return tr("The lines in between were not recorded");
    const auto path = shownText(m_sheet->pass().files[*m_file], 300);
    QString tip = QStringLiteral("%1:%2").arg(path, QString::number(at.line));
    if (m_found.contains(*m_file))
        tip += QLatin1Char('\n') + tr("The text of this line is from a file found later, which may "
                                      "be newer than the recording");
    if (!at.text) tip += QLatin1Char('\n') + tr("The text of this line was not recorded");
    return tip;
}

std::vector<SourceFile> sourceFiles(const SourceSheet& sheet, std::optional<SourceNumber> heat) {
    const SourcePass& pass = sheet.pass();
    std::map<std::uint32_t, double> heats;
    for (const SourceText& text : pass.texts) heats.try_emplace(text.file, 0);
    for (const SourceSheet::Line& line : sheet.lines())
        heats[line.file] += heat ? sheet.share(line.entry, *heat).value_or(0) : 0;
    std::vector<std::pair<std::uint32_t, double>> order(heats.begin(), heats.end());
    std::ranges::stable_sort(order, std::greater(), [](const auto& of) { return of.second; });
    std::vector<SourceFile> files;
    for (const auto& [file, share] : order) {
        if (file >= pass.files.size()) continue;
        const std::string& path = pass.files[file];
        const auto slash = path.find_last_of("/\\");
        const auto name = slash == path.npos ? path : path.substr(slash + 1);
        files.push_back({.file = file, .path = shownText(path, 300), .name = shownText(name, 60)});
    }
    return files;
}

}  // namespace roofscope::gui
