// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/launch_sites_page.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTextBlock>
#include <utility>

#include "gui/models/text/number_text.h"
#include "gui/models/text/plain_tip.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/widgets/choice_box.h"
#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/plain_label.h"

namespace roofscope::gui {

LaunchSitesPage::LaunchSitesPage(QWidget* parent) : QWidget(parent) {
    m_choice = new ChoiceBox;
    m_choice->setAccessibleName(tr("Launch site"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setMinimumContentsLength(40);
    m_find = new QPushButton(tr("Find the file…"));
    m_find->setToolTip(tr("Show the text of this source file from a copy on this machine"));
    m_note = new ElidedLabel("hint");
    m_code = new QPlainTextEdit;
    m_code->setReadOnly(true);
    m_code->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_code->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_code->setAccessibleName(tr("Code of the program"));
    m_code->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_code->setTabChangesFocus(true);

    auto* controls = inRow({m_choice, m_find, {m_note, 1}}, {.around = {8, 6, 8, 0}});
    m_empty =
        plainLabel(tr("This recording has no launch sites: the source lines that launch kernels. "
                      "roofscope record records them, unless --call-sites off is given."),
                   "hint");
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setContentsMargins(16, 0, 16, 0);
    setLayout(
        inColumn({controls, {m_code, 1}, {m_empty, 1}}, {.around = kNoMargins, .between = 6}));
    connect(m_choice, &QComboBox::activated, this,
            [this](int index) { goTo(m_sites[std::size_t(index)]); });
    connect(m_find, &QPushButton::clicked, this, &LaunchSitesPage::askForFile);
}

QString LaunchSitesPage::note() const { return m_note->text(); }

void LaunchSitesPage::setAnalysis(const std::shared_ptr<const Analysis>& analysis) {
    m_sites =
        analysis && analysis->profile ? launchSites(*analysis->profile) : std::vector<LaunchSite>();
    const QSignalBlocker quiet(m_choice);
    m_choice->clear();
    for (const LaunchSite& site : m_sites) {
        m_choice->addItem(tr("%1 × %2").arg(text(double(site.count)), site.place));
        const QString path = shownText(site.file.isEmpty() ? site.place : site.file);
        m_choice->setItemData(m_choice->count() - 1,
                              plainTip(path + u'\n' + site.calls.join(u'\n')), Qt::ToolTipRole);
    }
    m_code->clear();
    m_file.clear();
    m_note->clear();
    for (QWidget* control : {static_cast<QWidget*>(m_choice), static_cast<QWidget*>(m_find)})
        control->setVisible(!m_sites.empty());
    m_code->setVisible(!m_sites.empty());
    m_empty->setVisible(m_sites.empty());
    if (!m_sites.empty()) goTo(m_sites.front());
}

void LaunchSitesPage::goTo(const LaunchSite& site) {
    if (site.line > 0) return goTo(site.file, site.line);
    m_file.clear();
    m_shown.clear();
    m_line = 0;
    m_code->clear();
    m_code->setExtraSelections({});
    m_code->setPlaceholderText(
        tr("The lines of %1 are not known: host code built with -g has them.").arg(site.place));
    m_find->hide();
    m_note->setText(site.calls.join(u", "));
    m_note->setToolTip(plainTip(site.calls.join(u'\n')));
}

void LaunchSitesPage::goTo(const QString& file, int line) {
    const auto path = m_files.find(file);
    const QString from = path.value_or(QString());
    m_line = line;
    if (std::exchange(m_file, file) != file || std::exchange(m_shown, from) != from) {
        m_shown = from;
        const auto lines = path ? CodeFiles::lines(*path) : std::nullopt;
        QStringList shown;
        if (lines)
            for (const std::string& each : *lines)
                shown << QStringLiteral("%1  %2")
                             .arg(shown.size() + 1, 5)
                             .arg(shownText(QString::fromStdString(each).replace(u'\t', "    ")));
        m_code->setPlainText(shown.join(u'\n'));
    }
    m_find->setVisible(!path);
    markPlace();
}

void LaunchSitesPage::markPlace() {
    QString calls;
    for (std::size_t i = 0; i < m_sites.size(); ++i)
        if (m_sites[i].file == m_file && m_sites[i].line == m_line) {
            m_choice->setCurrentIndex(int(i));
            calls = m_sites[i].calls.join(u", ");
        }
    const QTextBlock block = m_code->document()->findBlockByNumber(m_line - 1);
    const bool here = !m_code->document()->isEmpty() && block.isValid();
    QTextEdit::ExtraSelection mark;
    if (here) {
        mark.cursor = QTextCursor(block);
        mark.format.setBackground(palette().color(QPalette::Highlight));
        mark.format.setForeground(palette().color(QPalette::HighlightedText));
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        m_code->setTextCursor(mark.cursor);
        m_code->centerCursor();
    }
    m_code->setExtraSelections(here ? QList{mark} : QList<QTextEdit::ExtraSelection>());
    const QString path = shownText(m_file);
    m_code->setPlaceholderText(tr("%1 is not on this machine.").arg(path));
    m_note->setText(here || m_code->document()->isEmpty()
                        ? calls
                        : tr("The file on this machine has fewer lines"));
    m_note->setToolTip(plainTip(
        path + u'\n' + QString(calls).replace(QStringLiteral(", "), QStringLiteral("\n"))));
}

void LaunchSitesPage::askForFile() {
    const QString wanted = QFileInfo(m_file).fileName();
    const QString path = QFileDialog::getOpenFileName(this, tr("Find %1").arg(shownText(wanted)),
                                                      QDir(m_folder).filePath(wanted));
    if (!path.isEmpty() && !locate(path)) Q_EMIT said(tr("%1 cannot be read").arg(shownText(path)));
}

bool LaunchSitesPage::locate(const QString& path) {
    if (m_file.isEmpty() || !CodeFiles::lines(path)) return false;
    m_files.found(m_file, path);
    goTo(m_file, m_line);
    Q_EMIT said(tr("Shows the lines of %1").arg(shownText(path)));
    return true;
}

}  // namespace roofscope::gui
