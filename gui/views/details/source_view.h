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
/// right, with numbers. A selection on one side selects on the other side, too. Without counters
/// per instruction it shows how to record them.
class SourceView : public QWidget {
    Q_OBJECT
public:
    explicit SourceView(QWidget* parent = nullptr);

    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    void setTheme(plot::Theme theme);
    /// Goes to the next hottest line (1) or the previous one (-1), and wraps around. Without source
    /// lines, goes through the instructions.
    void moveHot(int step);
    /// Sets the number that decides which places are hot; ignored if the kernel does not have it.
    void setHeat(SourceNumber heat);

    /// Where the file dialog starts.
    void setFolder(const QString& folder) { m_folder = folder; }
    /// Shows a line of a file. `file` is the path in the debug info.
    void goTo(const QString& file, int line);
    /// Shows the text of the current file from a copy here; returns whether that can be read.
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
    /// A message for the status line.
    void said(const QString& message);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void showSheet(const KernelAnalysis& kernel);
    void showFiles();
    void showNote();
    void showFile(std::uint32_t file);
    void goToLine(std::size_t line);
    void goToInstruction(std::size_t instruction);
    void onLine();
    void onInstruction();
    void selectInstructions(std::size_t line);
    void markFile(std::uint32_t file);
    void askForFile();
    /// Shows `path` as the text of the current file; returns whether it can be read.
    bool showTextOf(const QString& path);
    void updateHot();
    void showPlace();
    void fitColumns();
    void fitCode();
    [[nodiscard]] bool hasLines() const;
    /// The selected place: an index into SourceSheet::lines(), or instructions() without lines.
    [[nodiscard]] std::optional<std::size_t> currentPlace() const;

    std::shared_ptr<const SourceSheet> m_sheet;
    SourceLineModel m_lines;
    InstructionModel m_sass;
    QString m_folder;
    CodeFiles m_found;  ///< a file the user has found helps to find others
    KernelOrigin m_origin = KernelOrigin::Own;
    std::size_t m_launches = 0;  ///< of the kernel
    std::optional<SourceNumber> m_heat;
    std::vector<std::size_t> m_hot;  ///< places as in currentPlace(), the hottest first
    bool m_following = false;        ///< one side is updating the other: ignore its signals
    /// In letters; 0 without text.
    int m_usualLine = 0, m_usualSass = 0, m_longestReason = 0;

    QStackedWidget* m_stack = nullptr;
    RecordHint* m_hint = nullptr;
    QComboBox* m_files = nullptr;
    QComboBox* m_heats = nullptr;
    QPushButton* m_next = nullptr;
    QLabel* m_place = nullptr;
    QPushButton* m_locate = nullptr;  ///< shown while the text of the file is unknown
    QCheckBox* m_only = nullptr;
    QLabel* m_note = nullptr;
    QSplitter* m_splitter = nullptr;
    DataTableView* m_lineTable = nullptr;
    DataTableView* m_sassTable = nullptr;
    CodeDelegate* m_delegate = nullptr;
};

}  // namespace roofscope::gui
