// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/source/code_files.h"
#include "gui/models/source/instruction_model.h"
#include "gui/models/source/source_line_model.h"
#include "reports/plot/draw_list.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace roofscope::gui {

class CodeDelegate;
class DataTableView;
class RecordHint;

/// The code of a kernel that was measured per instruction: source lines on the left, SASS on the
/// right, numbers in both margins. Selecting on one side selects on the other. Without counters per
/// instruction it says how to record them.
class SourceView : public QWidget {
    Q_OBJECT
public:
    explicit SourceView(QWidget* parent = nullptr);

    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    void setTheme(plot::Theme theme);
    /// Goes to the next hottest line (1) or back (-1), round and round; to an instruction where
    /// lines are not known.
    void moveHot(int step);
    /// By which number places are hot; nothing happens when the kernel has none of it.
    void setHeat(SourceNumber heat);

    /// Where the search for a file begins.
    void setFolder(const QString& folder) { m_folder = folder; }
    /// Shows a line of a file, by its path as the compiler knew it.
    void goTo(const QString& file, int line);
    /// Shows the text of the present file from a copy on this machine; says whether it is readable.
    bool locate(const QString& path);

    [[nodiscard]] DataTableView* lines() const { return m_lineTable; }
    [[nodiscard]] DataTableView* instructions() const { return m_sassTable; }
    [[nodiscard]] QComboBox* files() const { return m_files; }
    [[nodiscard]] QCheckBox* onlySelected() const { return m_only; }
    [[nodiscard]] RecordHint* hint() const { return m_hint; }
    [[nodiscard]] QString note() const;
    /// Index into SourceSheet::lines() of the selected line.
    [[nodiscard]] std::optional<std::size_t> selectedLine() const;

Q_SIGNALS:
    /// Something was done, for the status line.
    void said(const QString& message);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void showSheet(const KernelAnalysis& kernel);
    void showFiles();
    void showNote(const KernelAnalysis& kernel);
    void showFile(std::uint32_t file);
    void goToLine(std::size_t line);
    void goToInstruction(std::size_t instruction);
    void onLine();
    void onInstruction();
    void selectInstructions(std::size_t line);
    void markFile(std::uint32_t file);
    void askForFile();
    /// The text of the present file from a file of this machine; says whether that can be read.
    bool showTextOf(const QString& path);
    void updateHot();
    void showPlace();
    void fitColumns();
    void fitCode();
    [[nodiscard]] bool hasLines() const;
    /// Where the selection is: an index into lines(), or instructions() without any.
    [[nodiscard]] std::optional<std::size_t> currentPlace() const;

    std::shared_ptr<const SourceSheet> m_sheet;
    SourceLineModel m_lines;
    InstructionModel m_sass;
    QString m_folder;
    CodeFiles m_found;  ///< what the user found for other files tells where these are
    std::optional<SourceNumber> m_heat;
    std::vector<std::size_t> m_hot;  ///< places as in currentPlace(), the hottest first
    bool m_following = false;        ///< one side follows the other: not a choice of its own
    int m_longestLine = 0, m_longestSass = 0;  ///< in letters

    QStackedWidget* m_stack = nullptr;
    RecordHint* m_hint = nullptr;
    QComboBox* m_files = nullptr;
    QComboBox* m_heats = nullptr;
    QPushButton* m_next = nullptr;
    QLabel* m_place = nullptr;
    QPushButton* m_locate = nullptr;  ///< while the text of the file is not known
    QCheckBox* m_only = nullptr;
    QLabel* m_note = nullptr;
    QSplitter* m_splitter = nullptr;
    DataTableView* m_lineTable = nullptr;
    DataTableView* m_sassTable = nullptr;
    CodeDelegate* m_delegate = nullptr;
};

}  // namespace roofscope::gui
