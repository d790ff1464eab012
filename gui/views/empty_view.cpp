// SPDX-License-Identifier: Apache-2.0
#include "gui/views/empty_view.h"

#include <QDir>
#include <QFileInfo>
#include <QFontDatabase>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/models/plain_tip.h"
#include "gui/models/shown_text.h"

namespace roofscope::gui {
namespace {

constexpr int kShownRecent = 5;

QLabel* mutedLabel(const QString& text) {
    auto* label = new QLabel(text);
    label->setObjectName(QStringLiteral("hint"));
    label->setTextFormat(Qt::PlainText);
    label->setAlignment(Qt::AlignHCenter);
    return label;
}

}  // namespace

EmptyView::EmptyView(QWidget* parent) : QWidget(parent) {
    auto* icon = new QLabel;
    icon->setPixmap(QIcon(QStringLiteral(":/roofscope.svg")).pixmap(72, 72));
    icon->setAlignment(Qt::AlignHCenter);
    auto* title = new QLabel(tr("Open a profile to see what limits your kernels"));
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.6);
    large.setWeight(QFont::DemiBold);
    title->setFont(large);
    title->setAlignment(Qt::AlignHCenter);

    auto* open = new QPushButton(tr("Open profile…"));
    open->setObjectName(QStringLiteral("primary"));
    open->setMinimumWidth(180);
    open->setMinimumHeight(34);

    auto* code = new QLabel(QStringLiteral("roofscope record -- ./your_program"));
    code->setObjectName(QStringLiteral("codeBox"));
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPointSizeF(font().pointSizeF() * 1.05);
    code->setFont(mono);
    code->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    code->setAccessibleName(tr("Command that records a profile"));

    m_recent = new QWidget;
    m_recentLayout = new QVBoxLayout(m_recent);
    m_recentLayout->setContentsMargins(0, 0, 0, 0);
    m_recentLayout->setSpacing(0);

    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(14);
    layout->addStretch(3);
    layout->addWidget(icon);
    layout->addWidget(title);
    layout->addWidget(open, 0, Qt::AlignHCenter);
    layout->addWidget(mutedLabel(tr("or drop a .roofscope.json file here")));
    layout->addSpacing(14);
    layout->addWidget(
        mutedLabel(tr("Record one on a machine with an NVIDIA GPU; no GPU is needed here:")));
    layout->addWidget(code, 0, Qt::AlignHCenter);
    layout->addSpacing(6);
    layout->addWidget(m_recent, 0, Qt::AlignHCenter);
    layout->addStretch(4);

    connect(open, &QPushButton::clicked, this, &EmptyView::openClicked);
    setRecent({});
}

void EmptyView::setRecent(const QStringList& paths) {
    while (QLayoutItem* item = m_recentLayout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (!paths.isEmpty()) m_recentLayout->addWidget(mutedLabel(tr("Recent profiles")));
    for (const QString& path : paths.mid(0, kShownRecent)) {
        auto* button = new QPushButton(
            shownText(QFileInfo(path).fileName()).replace(QLatin1Char('&'), QLatin1String("&&")));
        button->setObjectName(QStringLiteral("link"));
        button->setToolTip(plainTip(QDir::toNativeSeparators(path)));
        m_recentLayout->addWidget(button, 0, Qt::AlignHCenter);
        connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT recentClicked(path); });
    }
    m_recent->setVisible(!paths.isEmpty());
}

}  // namespace roofscope::gui
