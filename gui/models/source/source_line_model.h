// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/models/source/source_table_model.h"

namespace roofscope::gui {

/// The lines of one source file of a kernel: those whose text is known and those with instructions.
/// A row "⋯" marks a gap between them.
class SourceLineModel : public SourceTableModel {
    Q_OBJECT
public:
    explicit SourceLineModel(QObject* parent = nullptr);

    /// `file` is an index into SourcePass::files.
    void setFile(std::shared_ptr<const SourceSheet> sheet, std::optional<std::uint32_t> file);
    [[nodiscard]] std::optional<std::uint32_t> file() const { return m_file; }
    /// Shows these lines as the text of the current file. They are from a copy that was found
    /// later.
    void setFound(std::vector<std::string> lines);
    /// Whether any text of the current file is known, recorded or found.
    [[nodiscard]] bool hasText() const;
    /// Index into SourceSheet::lines(); absent for a row without instructions.
    [[nodiscard]] std::optional<std::size_t> lineAt(int row) const;
    /// The row of a line; -1 if it is in another file.
    [[nodiscard]] int rowOf(std::size_t line) const;

protected:
    [[nodiscard]] int rows() const override { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] bool isSelectable(const At& at) const override;
    [[nodiscard]] const SourceEntry* entry(int row) const override;
    [[nodiscard]] std::span<const std::size_t> instructions(int row) const override;
    [[nodiscard]] QString place(int row) const override;
    [[nodiscard]] QString code(int row) const override;
    [[nodiscard]] QString placeTip(int row) const override;

private:
    struct Row {
        std::uint32_t line = 0;             ///< 0: a gap
        const std::string* text = nullptr;  ///< null: unknown
        std::optional<std::size_t> counted = {};
    };
    std::vector<Row> m_rows;
    std::map<std::uint32_t, std::vector<std::string>> m_found;  ///< by file: all of its lines
    std::optional<std::uint32_t> m_file;
};

/// A source file of a kernel, for a list to choose from.
struct SourceFile {
    std::uint32_t file = 0;  ///< index into SourcePass::files
    QString path;            ///< without control characters
    QString name;            ///< last component of the path
};
/// The files that have lines or text, the one with the largest share of `heat` first.
[[nodiscard]] std::vector<SourceFile> sourceFiles(const SourceSheet& sheet,
                                                  std::optional<SourceNumber> heat);

}  // namespace roofscope::gui
