// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/source_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "gui/models/recording/record_again_command.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/recording/record_hint.h"
#include "gui/views/widgets/choice_box.h"
#include "gui/views/widgets/data_table_view.h"
#include "gui/views/widgets/data_view_setup.h"
#include "gui/views/widgets/draw_list_painter.h"
#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/share_bar_delegate.h"

namespace roofscope::gui {

/// Draws code in a fixed-width font, hot places in bold, and a share bar in the heat's column.
class CodeDelegate : public ShareBarDelegate {
public:
    explicit CodeDelegate(QObject* parent)
        : ShareBarDelegate(parent), code(QFontDatabase::systemFont(QFontDatabase::FixedFont)) {}
    const QFont code;

    /// Shades hot rows; hotter rows are darker.
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const QVariant heat = index.data(SourceTableModel::HeatRole);
        if (heat.isValid() && !(option.state & QStyle::State_Selected)) {
            constexpr double kLeast = 0.06, kMost = 0.3;
            QColor shade = roleColour(plot::Role::L2, theme());
            shade.setAlphaF(float(kLeast + (kMost - kLeast) * std::sqrt(heat.toDouble())));
            painter->fillRect(option.rect, shade);
        }
        ShareBarDelegate::paint(painter, option, index);
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        ShareBarDelegate::initStyleOption(option, index);
        if (index.column() == SourceTableModel::kCode || index.column() == SourceTableModel::kPlace)
            option->font = code;
        // Elsewhere missing values are italic. Here most cells are missing, so a muted "–" is
        // enough.
        option->font.setItalic(false);
        option->font.setBold(index.column() == SourceTableModel::kPlace &&
                             index.data(SourceTableModel::HotRole).toBool());
    }
};

namespace {

constexpr int kLongestCode = 400;  // letters, the limit of cleanCode()

/// Most ranges in a selection. Qt compares each range of a selection with each of the next one,
/// which is slow. A line with more ranges is selected in part; "Only its instructions" shows them
/// all.
constexpr qsizetype kMostPieces = 500;

/// Selects a row and moves it to the middle; -1 is no row.
void goToRow(DataTableView& table, int row) {
    if (row < 0) return;
    const QModelIndex index = table.model()->index(row, SourceTableModel::kPlace);
    table.setCurrentIndex(index);
    table.scrollTo(index, QAbstractItemView::PositionAtCenter);
}

/// A length that covers all lines but the few longest.
int usualLength(std::vector<std::size_t> lengths) {
    std::erase(lengths, 0U);
    if (lengths.empty()) return 0;
    const std::size_t few = lengths.size() / 20;
    const auto at = lengths.end() - 1 - std::ptrdiff_t(few);
    std::ranges::nth_element(lengths, at);
    return int(std::min<std::size_t>(*at, kLongestCode));
}

QItemSelection rowsOf(const InstructionModel& model, std::span<const std::size_t> instructions) {
    QItemSelection selection;
    int first = -1, last = -1;
    const auto close = [&] {
        if (first >= 0 && selection.size() < kMostPieces)
            selection.append(
                {model.index(first, 0), model.index(last, SourceTableModel::kColumns - 1)});
    };
    for (const std::size_t instruction : instructions) {
        const int row = model.rowOf(instruction);
        if (row < 0) continue;
        if (first < 0 || row != last + 1) {
            close();
            first = row;
        }
        last = row;
    }
    close();
    return selection;
}

}  // namespace

SourceView::SourceView(QWidget* parent) : QWidget(parent) {
    m_hint = new RecordHint;
    m_delegate = new CodeDelegate(this);
    m_lineTable = new DataTableView;
    m_lineTable->setAccessibleName(tr("Source lines"));
    m_lineTable->setModel(&m_lines);
    m_sassTable = new DataTableView;
    m_sassTable->setAccessibleName(tr("Machine code"));
    m_sassTable->setModel(&m_sass);
    for (DataTableView* table : {m_lineTable, m_sassTable}) {
        table->setItemDelegate(m_delegate);
        // Put the code beside the place, so that many numbers do not push it out of sight.
        QHeaderView* header = table->horizontalHeader();
        header->moveSection(header->visualIndex(SourceTableModel::kCode), 1);
        table->viewport()->installEventFilter(this);
    }
    m_splitter = new QSplitter(Qt::Horizontal);
    m_splitter->addWidget(m_lineTable);
    m_splitter->addWidget(m_sassTable);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(7);

    // Tab order: the code first, then the controls above it.
    auto* controls = inRow({}, {.around = {8, 0, 8, 0}});
    auto* content =
        widgetWith(inColumn({controls, {m_splitter, 1}}, {.around = {0, 6, 0, 0}, .between = 6}));

    m_files = new ChoiceBox;
    m_files->setAccessibleName(tr("Source file"));
    m_files->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_files->setMinimumContentsLength(22);
    m_heats = new ChoiceBox;
    m_heats->setAccessibleName(tr("What makes a line hot"));
    m_heats->setToolTip(tr("What makes a line hot"));
    m_next = new QPushButton(tr("Next hot line"));
    m_next->setToolTip(tr("The next hottest line (F4); Shift+F4 goes back"));
    m_place = new QLabel;
    m_place->setTextFormat(Qt::PlainText);
    m_only = new QCheckBox(tr("Only its instructions"));
    m_only->setToolTip(tr("Show the instructions of the selected line only"));
    m_note = new ElidedLabel("hint");  // the tooltip has the full text
    m_locate = new QPushButton(tr("Find the file…"));
    m_locate->setToolTip(tr("Show the text of this source file from a copy on this machine"));
    connect(m_locate, &QPushButton::clicked, this, &SourceView::askForFile);
    for (QWidget* control :
         std::initializer_list<QWidget*>{m_files, m_heats, m_next, m_place, m_locate, m_only})
        controls->addWidget(control);
    controls->addWidget(m_note, 1);

    m_stack = new QStackedWidget;
    m_stack->addWidget(m_hint);
    m_stack->addWidget(content);
    setLayout(inColumn({m_stack}, kNoSpaces));

    connect(m_lineTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &SourceView::onLine);
    connect(m_sassTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &SourceView::onInstruction);
    connect(m_files, &QComboBox::activated, this, [this](int index) {
        if (index < 0) return;
        const auto file = m_files->itemData(index).toUInt();
        const auto hottest = std::ranges::find_if(
            m_hot, [&](std::size_t line) { return m_sheet->lines()[line].file == file; });
        if (hottest != m_hot.end())
            goToLine(*hottest);
        else
            showFile(file);
    });
    connect(m_heats, &QComboBox::activated, this, [this](int index) {
        if (index >= 0) setHeat(static_cast<SourceNumber>(m_heats->itemData(index).toInt()));
    });
    connect(m_next, &QPushButton::clicked, this, [this] { moveHot(1); });
    connect(m_only, &QCheckBox::toggled, this, [this](bool only) {
        const auto line = selectedLine();
        const QScopedValueRollback following(m_following, true);
        m_sass.setSheet(m_sheet, only ? line : std::nullopt);
        if (line) selectInstructions(*line);
    });
    connect(m_splitter, &QSplitter::splitterMoved, this, &SourceView::fitCode);
}

bool SourceView::hasLines() const { return m_sheet && !m_sheet->lines().empty(); }

QString SourceView::note() const { return m_note->text(); }

void SourceView::setTheme(plot::Theme theme) {
    m_delegate->setTheme(theme);
    m_lineTable->viewport()->update();
    m_sassTable->viewport()->update();
}

void SourceView::setKernel(const std::shared_ptr<const Analysis>& analysis,
                           std::optional<std::size_t> kernel) {
    m_sheet = SourceSheet::make(analysis, kernel);
    if (m_sheet) {
        showSheet(analysis->kernels[*kernel]);
        m_stack->setCurrentIndex(1);
        return;
    }
    const QScopedValueRollback following(m_following, true);
    m_lines.setFile(nullptr, std::nullopt);
    m_sass.setSheet(nullptr);
    m_hot.clear();
    m_heat.reset();
    if (analysis && kernel && *kernel < analysis->kernels.size())
        m_hint->setText(tr("This kernel was not measured per instruction. To see which code causes "
                           "sectors, conflicts and stalls, record it again:"),
                        recordSourceCommand(*analysis, *kernel));
    else
        m_hint->setText(tr("No kernel is selected"));
    m_stack->setCurrentIndex(0);
}

void SourceView::showSheet(const KernelAnalysis& kernel) {
    {
        const QSignalBlocker quiet(m_heats);
        m_heats->clear();
        const std::vector<SourceNumber> heats = m_sheet->heats();
        for (const SourceNumber number : heats)
            m_heats->addItem(tr("Hot: %1").arg(sourceNumberName(number)), int(number));
        m_heat = heats.empty() ? std::nullopt : std::optional(heats.front());
        m_heats->setEnabled(!heats.empty());
    }
    m_lines.setHeat(m_heat);
    m_sass.setHeat(m_heat);
    showFiles();
    m_origin = kernel.origin;
    m_launches = kernel.group.launches.size();
    m_lineTable->setVisible(hasLines());
    m_files->setVisible(hasLines());
    m_only->setVisible(hasLines());
    m_locate->setVisible(false);
    m_next->setText(hasLines() ? tr("Next hot line") : tr("Next hot instruction"));
    std::vector<std::size_t> lengths;
    for (const Instruction& instruction : m_sheet->pass().instructions)
        lengths.push_back(instruction.sass.size());
    m_usualSass = usualLength(std::move(lengths));
    constexpr int kMostLetters = 32;
    m_longestReason = 0;
    for (const std::string& reason : m_sheet->reasons())
        m_longestReason = std::clamp(int(stallName(reason).size()), m_longestReason, kMostLetters);
    {
        const QScopedValueRollback following(m_following, true);
        m_sass.setSheet(m_sheet);
        m_lines.setFile(m_sheet, std::nullopt);
    }
    updateHot();
    fitColumns();
    if (!m_hot.empty())
        hasLines() ? goToLine(m_hot.front()) : goToInstruction(m_hot.front());
    else if (hasLines())
        goToLine(0);
    showNote();
}

void SourceView::showFiles() {
    const QSignalBlocker quiet(m_files);
    m_files->clear();
    if (!hasLines()) return;
    constexpr std::size_t kMostFiles = 500;  // nobody searches a longer list of headers
    std::vector<SourceFile> files = sourceFiles(*m_sheet, m_heat);
    if (files.size() > kMostFiles) files.resize(kMostFiles);
    for (const SourceFile& file : files) {
        m_files->addItem(file.name, file.file);
        m_files->setItemData(
            m_files->count() - 1,
            QStringLiteral("<p style='white-space:pre'>%1</p>").arg(file.path.toHtmlEscaped()),
            Qt::ToolTipRole);
    }
    m_files->setEnabled(files.size() > 1);
}

void SourceView::showNote() {
    const SourceAnalysis& source = m_sheet->source();
    QStringList notes;
    if (!source.hasSass)
        notes << tr("No machine code (nvdisasm was not found or could not read it)");
    if (!hasLines())
        notes << tr("No source lines (no line table: compile with %1)")
                     .arg(QString::fromUtf8(lineTableOption(m_origin)));
    else if (m_sheet->pass().texts.empty() && !m_lines.hasText())
        notes << tr("No source text (not readable when recording)");
    if (!source.agrees)
        notes << tr("The run that counted instructions did different work than the counted launch");
    if (m_launches > 1) notes << tr("One of %1 launches measured").arg(text(double(m_launches)));
    m_note->setText(notes.join(QStringLiteral(" · ")));
    m_note->setToolTip(notes.join(QLatin1Char('\n')));
}

void SourceView::markFile(std::uint32_t file) {
    const QSignalBlocker quiet(m_files);
    m_files->setCurrentIndex(m_files->findData(file));
}

void SourceView::showFile(std::uint32_t file) {
    if (m_lines.file() == file) return;
    {
        const QScopedValueRollback following(m_following, true);
        m_lines.setFile(m_sheet, file);
    }
    std::vector<std::size_t> lengths;
    for (const SourceText& text : m_sheet->pass().texts)
        if (text.file == file)
            for (const std::string& line : text.lines) lengths.push_back(line.size());
    m_usualLine = usualLength(std::move(lengths));
    markFile(file);
    if (!m_lines.hasText())
        if (const auto path = m_found.find(QString::fromStdString(m_sheet->pass().files[file])))
            showTextOf(*path);
    m_locate->setVisible(!m_lines.hasText());
    showNote();
    fitCode();
}

void SourceView::askForFile() {
    const auto file = m_lines.file();
    if (!m_sheet || !file) return;
    const QString wanted =
        QFileInfo(QString::fromStdString(m_sheet->pass().files[*file])).fileName();
    const QString path = QFileDialog::getOpenFileName(this, tr("Find %1").arg(shownText(wanted)),
                                                      QDir(m_folder).filePath(wanted));
    if (!path.isEmpty() && !locate(path)) Q_EMIT said(tr("%1 cannot be read").arg(shownText(path)));
}

bool SourceView::showTextOf(const QString& path) {
    auto lines = CodeFiles::lines(path);
    if (!lines) return false;
    const QScopedValueRollback following(m_following, true);
    m_lines.setFound(*std::move(lines));
    m_usualLine = kLongestCode / 4;
    return true;
}

bool SourceView::locate(const QString& path) {
    const auto file = m_lines.file();
    if (!m_sheet || !file) return false;
    const auto place = selectedLine();
    if (!showTextOf(path)) return false;
    m_found.found(QString::fromStdString(m_sheet->pass().files[*file]), path);
    m_locate->hide();
    showNote();
    fitCode();
    if (place) goToLine(*place);
    Q_EMIT said(tr("Shows the lines of %1").arg(shownText(path)));
    return true;
}

std::optional<std::size_t> SourceView::selectedLine() const {
    return m_lines.lineAt(m_lineTable->currentIndex().row());
}

std::optional<std::size_t> SourceView::currentPlace() const {
    if (hasLines()) return selectedLine();
    const QModelIndex current = m_sassTable->currentIndex();
    return current.isValid() ? std::optional(m_sass.instructionAt(current.row())) : std::nullopt;
}

void SourceView::goToLine(std::size_t line) {
    showFile(m_sheet->lines()[line].file);
    goToRow(*m_lineTable, m_lines.rowOf(line));
}

void SourceView::goToInstruction(std::size_t instruction) {
    goToRow(*m_sassTable, m_sass.rowOf(instruction));
}

void SourceView::selectInstructions(std::size_t line) {
    const auto rows = m_sheet->lines()[line].rows;
    if (rows.empty()) return;
    const QScopedValueRollback following(m_following, true);
    QItemSelectionModel* selection = m_sassTable->selectionModel();
    const auto heat = [&](std::size_t row) {
        return m_heat ? m_sheet->instructions()[row].numbers[*m_heat].value_or(0) : 0;
    };
    const std::size_t hottest = *std::max_element(
        rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return heat(a) < heat(b); });
    const int row = m_sass.rowOf(hottest);
    if (row < 0) return;
    const QModelIndex index = m_sass.index(row, SourceTableModel::kPlace);
    selection->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    selection->select(rowsOf(m_sass, rows), QItemSelectionModel::ClearAndSelect);
    m_sassTable->scrollTo(index, QAbstractItemView::PositionAtCenter);
}

void SourceView::onLine() {
    if (m_following || !m_sheet) return;
    if (const auto line = selectedLine()) {
        if (m_only->isChecked()) {
            const QScopedValueRollback following(m_following, true);
            m_sass.setSheet(m_sheet, line);
        }
        selectInstructions(*line);
    } else {
        m_sassTable->clearSelection();
    }
    showPlace();
}

void SourceView::onInstruction() {
    if (m_following || !m_sheet) return;
    const QModelIndex current = m_sassTable->currentIndex();
    if (current.isValid() && hasLines()) {
        const QScopedValueRollback following(m_following, true);
        if (const auto line = m_sheet->lineOf(m_sass.instructionAt(current.row())))
            goToLine(*line);
        else
            m_lineTable->setCurrentIndex({});
    }
    showPlace();
}

void SourceView::setHeat(SourceNumber heat) {
    const int index = m_heats->findData(int(heat));
    if (!m_sheet || index < 0) return;
    m_heats->setCurrentIndex(index);
    m_heat = heat;
    m_lines.setHeat(heat);
    m_sass.setHeat(heat);
    updateHot();
}

void SourceView::goTo(const QString& file, int line) {
    if (!m_sheet) return;
    const auto& lines = m_sheet->lines();
    const auto& files = m_sheet->pass().files;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (int(lines[i].line) == line && QString::fromStdString(files[lines[i].file]) == file)
            return goToLine(i);
}

void SourceView::moveHot(int step) {
    if (!m_sheet || m_hot.empty()) return;
    const auto count = static_cast<std::ptrdiff_t>(m_hot.size());
    const auto place = currentPlace();
    const auto at = place ? std::ranges::find(m_hot, *place) : m_hot.end();
    // From a place that is not hot, go to the hottest.
    const std::ptrdiff_t next =
        at == m_hot.end() ? 0 : ((at - m_hot.begin() + step) % count + count) % count;
    const std::size_t target = m_hot[static_cast<std::size_t>(next)];
    hasLines() ? goToLine(target) : goToInstruction(target);
}

void SourceView::updateHot() {
    m_hot = !m_heat      ? std::vector<std::size_t>{}
            : hasLines() ? m_sheet->hotLines(*m_heat)
                         : m_sheet->hotInstructions(*m_heat);
    m_next->setEnabled(!m_hot.empty());
    showPlace();
}

void SourceView::showPlace() {
    const auto place = currentPlace();
    const auto at = place ? std::ranges::find(m_hot, *place) : m_hot.end();
    if (at == m_hot.end()) {
        m_place->clear();
        return;
    }
    const SourceEntry& entry =
        hasLines() ? m_sheet->lines()[*at].entry : m_sheet->instructions()[*at];
    m_place->setText(tr("%1 of %2: %3")
                         .arg(text(double(at - m_hot.begin() + 1)), text(double(m_hot.size())),
                              text(Ratio{m_sheet->share(entry, *m_heat).value_or(0)})));
}

void SourceView::fitColumns() {
    const std::pair<DataTableView*, SourceTableModel*> sides[] = {{m_lineTable, &m_lines},
                                                                  {m_sassTable, &m_sass}};
    for (const auto& [table, model] : sides) {
        for (int column = 0; column < SourceTableModel::kCode; ++column) {
            table->setColumnHidden(column, !model->hasColumn(column));
            constexpr int kShareLetters = 8;  // " 47.1 %"
            const int letters = column == SourceTableModel::kStall ? m_longestReason + kShareLetters
                                : column == SourceTableModel::kPlace ? 11
                                                                     : 0;
            const QString name =
                model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
            // The longest number, in the bold of hot rows. Digits are wider than other letters.
            QFont bold = table->font();
            bold.setBold(true);
            const int number = QFontMetrics(bold).horizontalAdvance(QStringLiteral("888,888"));
            constexpr int kCellMargins = 16;
            table->setColumnWidth(
                column, std::max(columnWidth(*table, name, letters), number + kCellMargins));
        }
    }
    fitCode();
}

void SourceView::fitCode() {
    const int letter = QFontMetrics(m_delegate->code).horizontalAdvance(QLatin1Char('0'));
    const std::pair<DataTableView*, int> sides[] = {{m_lineTable, m_usualLine},
                                                    {m_sassTable, m_usualSass}};
    // If no text of the file is known, hide the column.
    m_lineTable->setColumnHidden(SourceTableModel::kCode, m_usualLine == 0);
    for (const auto& [table, usual] : sides) {
        if (usual == 0) continue;
        const int before =
            table->horizontalHeader()->length() - table->columnWidth(SourceTableModel::kCode);
        const int all = table->viewport()->width(), needed = usual * letter + 16;
        // Use the remaining width. If the numbers leave too little, scroll the numbers.
        table->setColumnWidth(SourceTableModel::kCode,
                              std::max(all - before, std::min(needed, all * 55 / 100)));
    }
}

bool SourceView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        fitCode();
        // Keep the current place visible in a smaller pane.
        QTimer::singleShot(0, this, [this] {
            for (DataTableView* table : {m_lineTable, m_sassTable})
                if (table->currentIndex().isValid())
                    table->scrollTo(
                        table->currentIndex().siblingAtColumn(SourceTableModel::kPlace));
        });
    }
    return QWidget::eventFilter(watched, event);
}

void SourceView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    // Before a table was first laid out, scrolling had no effect: scroll again now.
    QTimer::singleShot(0, this, [this] {
        for (DataTableView* table : {m_lineTable, m_sassTable})
            if (table->currentIndex().isValid())
                table->scrollTo(table->currentIndex().siblingAtColumn(SourceTableModel::kPlace),
                                QAbstractItemView::PositionAtCenter);
    });
}

}  // namespace roofscope::gui
