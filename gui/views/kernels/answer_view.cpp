// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernels/answer_view.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>

#include "gui/models/text/plain_tip.h"
#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/plain_label.h"
#include "gui/views/widgets/tab_order.h"
#include "gui/views/widgets/theme.h"

namespace roofscope::gui {
namespace {

/// A share drawn as a bar. Labels beside it give name and value.
class Bar : public QWidget {
public:
    Bar(double share, QColor fill, QColor track) : m_share(share), m_fill(fill), m_track(track) {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        setMinimumWidth(40);
    }
    [[nodiscard]] QSize sizeHint() const override {
        return {120, std::max(9, fontMetrics().height() * 11 / 20)};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_track);
        const QRectF all(rect());
        painter.drawRoundedRect(all, 3, 3);
        QRectF filled = all;
        filled.setWidth(all.width() * std::clamp(m_share, 0.0, 1.0));
        painter.setBrush(m_fill);
        painter.drawRoundedRect(filled, 3, 3);
    }

private:
    double m_share;
    QColor m_fill, m_track;
};

}  // namespace

Fold::Fold(const QString& title, QWidget* content, bool open) : m_content(content) {
    m_button = new QToolButton;
    m_button->setObjectName(QStringLiteral("fold"));
    m_button->setText(title);
    m_button->setAccessibleName(title);
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_button->setCheckable(true);
    m_button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setLayout(inColumn({m_button, content}, {.around = kNoMargins, .between = 2}));
    connect(m_button, &QToolButton::toggled, this, [this](bool on) {
        m_button->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        m_content->setVisible(on);
    });
    m_button->setArrowType(Qt::RightArrow);
    m_content->setVisible(false);
    setOpen(open);
}

bool Fold::isOpen() const { return m_button->isChecked(); }

void Fold::setOpen(bool open) { m_button->setChecked(open); }

AnswerView::AnswerView(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("What limits the kernel, and what to edit"));
    render();
}

void AnswerView::setAnswer(const std::optional<KernelAnswerText>& answer) {
    m_answer = answer;
    render();
    verticalScrollBar()->setValue(0);
}

void AnswerView::setTheme(plot::Theme theme) {
    m_theme = theme;
    render();
}

void AnswerView::render() {
    m_layout = inColumn({}, {.around = {12, 10, 12, 10}, .between = 7});
    if (m_answer) {
        addVerdict();
        addBars();
        for (std::size_t i = 0; i < m_answer->fixes.size(); ++i) addFix(m_answer->fixes[i], i + 1);
        addRest();
    } else {
        QLabel* hint = plainLabel(tr("Select a kernel to see what limits it."), "hint");
        hint->setAlignment(Qt::AlignCenter);
        m_layout->addStretch(1);
        m_layout->addWidget(hint);
    }
    m_layout->addStretch(1);
    replaceContent(this, m_layout);
}

void AnswerView::addVerdict() {
    auto* kernel = new ElidedLabel;  // a long name cannot be wrapped
    kernel->setText(m_answer->kernel);
    kernel->setObjectName(QStringLiteral("hint"));
    kernel->setToolTip(plainTip(m_answer->kernel));
    m_layout->addWidget(kernel);
    QLabel* verdict = plainHeading(m_answer->verdict, "verdict", 1.35);
    verdict->setToolTip(plainTip(tr("Confidence: %1").arg(m_answer->confidence)));
    verdict->setAccessibleDescription(tr("Confidence: %1").arg(m_answer->confidence));
    m_layout->addWidget(verdict);
    if (!m_answer->headroom.isEmpty())
        m_layout->addWidget(plainHeading(m_answer->headroom, "headroom"));
}

QWidget* AnswerView::barTable(const std::vector<KernelAnswerText::Bar>& bars) const {
    const ThemeColours& colours = themeColours(m_theme);
    auto* table = new QWidget;
    auto* grid = new QGridLayout(table);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    // Long names wrap; short ones leave more room for the bars.
    const int most = 24 * fontMetrics().averageCharWidth();
    int row = 0;
    for (const KernelAnswerText::Bar& bar : bars) {
        QLabel* name = plainLabel(bar.name);
        QLabel* value = wordLabel(bar.value, Qt::AlignRight | Qt::AlignVCenter);
        auto* drawn = new Bar(bar.share, bar.limits ? colours.error : colours.focus, colours.bar);
        drawn->setAccessibleName(QStringLiteral("%1 %2").arg(bar.name, bar.value));
        if (bar.limits) {
            QFont bold = QApplication::font();
            bold.setWeight(QFont::DemiBold);
            name->setFont(bold);
            value->setFont(bold);
        }
        name->setMinimumWidth(
            std::min(most, QFontMetrics(name->font()).horizontalAdvance(bar.name) + 2));
        for (QWidget* widget : {static_cast<QWidget*>(name), static_cast<QWidget*>(drawn),
                                static_cast<QWidget*>(value)})
            widget->setToolTip(
                plainTip(bar.limits ? tr("%1. It limits this kernel.").arg(bar.tip) : bar.tip));
        grid->addWidget(name, row, 0);
        grid->addWidget(drawn, row, 1);
        grid->addWidget(value, row, 2);
        ++row;
    }
    return table;
}

void AnswerView::addBars() {
    if (!m_answer->bars.empty()) m_layout->addWidget(barTable(m_answer->bars));
    if (!m_answer->reason.isEmpty()) m_layout->addWidget(plainLabel(m_answer->reason));
    if (!m_answer->nothing.isEmpty()) m_layout->addWidget(plainLabel(m_answer->nothing));
    if (m_answer->undecided) addRecord();
    addStalls();
}

void AnswerView::addRecord() {
    if (!m_answer->recording) return;
    auto* button = new QPushButton(tr("Record what is missing…"));
    button->setToolTip(tr("Opens the Record dialog, filled in with this program and kernel"));
    connect(button, &QPushButton::clicked, this,
            [this, request = *m_answer->recording] { Q_EMIT recordRequested(request); });
    m_layout->addLayout(inRow({button, stretchSpace()}));
}

/// The section is open if a stall reason limits the kernel.
void AnswerView::addStalls() {
    if (m_answer->stalls.empty()) return;
    const bool limits = std::ranges::any_of(
        m_answer->stalls, [](const KernelAnswerText::Bar& bar) { return bar.limits; });
    auto* body = inColumn({barTable(m_answer->stalls)}, {.around = kNoMargins});
    if (!m_answer->wait.isEmpty()) body->addWidget(plainLabel(m_answer->wait));
    m_layout->addWidget(new Fold(tr("What warps wait for"), widgetWith(body), limits));
}

void AnswerView::addFix(const KernelAnswerText::Fix& fix, std::size_t number) {
    QLabel* gain = plainHeading(fix.gain, "gain");
    gain->setToolTip(tr("Gain per launch"));
    QLabel* title = plainHeading(QStringLiteral("%1. %2").arg(number).arg(fix.title), "");
    auto* layout = inColumn({inColumn({title, gain}, {.between = 2})},
                            {.around = {10, 8, 10, 8}, .between = 6});
    auto* card = new QFrame;
    card->setObjectName(QStringLiteral("card"));
    card->setLayout(layout);
    card->setAccessibleName(tr("Fix %1: %2").arg(number).arg(fix.title));
    const auto add = [layout](const QString& text, const char* name = "") {
        if (!text.isEmpty()) layout->addWidget(plainLabel(text, name));
    };
    add(fix.fault);
    add(fix.cause);
    add(fix.where, "hint");
    add(fix.edit);
    QStringList lines;
    if (!fix.before.isEmpty())
        lines << QStringLiteral("- ") +
                     QString(fix.before).replace(QLatin1Char('\n'), QStringLiteral("\n- "));
    if (!fix.after.isEmpty())
        lines << QStringLiteral("+ ") +
                     QString(fix.after).replace(QLatin1Char('\n'), QStringLiteral("\n+ "));
    if (!lines.isEmpty()) layout->addWidget(codeLabel(lines.join(QLatin1Char('\n'))));

    auto* copy = new QPushButton(tr("Copy edit"));
    copy->setAccessibleName(tr("Copy the edit of fix %1").arg(number));
    connect(copy, &QPushButton::clicked, this, [this, fix] {
        QApplication::clipboard()->setText(fix.text());
        Q_EMIT copied(fix.title);
    });
    auto* buttons = inRow({copy}, {.between = 6});
    if (!fix.file.isEmpty()) {
        auto* source = new QPushButton(tr("Show line %1").arg(fix.line));
        source->setToolTip(plainTip(fix.place));
        source->setAccessibleName(tr("Show %1 in the source").arg(fix.place));
        connect(source, &QPushButton::clicked, this,
                [this, fix] { Q_EMIT sourceRequested(fix.file, fix.line); });
        buttons->addWidget(source);
    }
    buttons->addStretch(1);
    layout->addLayout(buttons);
    if (const QString why = fix.why(); !why.isEmpty())
        layout->addWidget(new Fold(tr("Why"), plainLabel(why)));
    m_layout->addWidget(card);
}

void AnswerView::addRest() {
    for (const QString& named : std::as_const(m_answer->named))
        m_layout->addWidget(plainLabel(named, "hint"));
    const auto fold = [this](const QString& title, const QString& text) {
        if (!text.isEmpty()) m_layout->addWidget(new Fold(title, plainLabel(text)));
    };
    fold(tr("Between launches"), m_answer->sequence.join(QLatin1Char('\n')));
    fold(tr("Ruled out"), m_answer->ruledOut.join(QStringLiteral(" · ")));
    fold(tr("Not measured"), m_answer->notMeasured.join(QLatin1Char('\n')));
    if (!m_answer->undecided) addRecord();
    QStringList about;
    for (const auto& [name, value] : m_answer->about)
        about << QStringLiteral("%1: %2").arg(name, value);
    fold(tr("About this measurement"), about.join(QLatin1Char('\n')));
}

}  // namespace roofscope::gui
