// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/empty_view.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QFontDatabase>
#include <QIcon>
#include <QLabel>
#include <QPushButton>

#include "gui/models/text/file_name.h"
#include "gui/models/text/plain_tip.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {
namespace {

constexpr int kShownRecent = 5;

/// Path of a sample recording, in the installation or the source tree; empty if not found.
QString findSample() {
    const QString name = QStringLiteral("h200_bundled.roofscope.json.gz");
    const QDir program(QCoreApplication::applicationDirPath());
    for (const char* folder : {"../share/roofscope/samples", "../profile/samples",
                               "../../profile/samples", "../../../profile/samples"}) {
        const QString path =
            QDir::cleanPath(program.filePath(QLatin1String(folder))) + QLatin1Char('/') + name;
        if (QFileInfo::exists(path)) return path;
    }
    return {};
}

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

    auto* buttons = inRow({stretchSpace()}, {.between = 10});
    const auto add = [&](const QString& text, auto call) {
        auto* button = new QPushButton(text);
        button->setMinimumSize(180, 34);
        connect(button, &QPushButton::clicked, this, call);
        buttons->addWidget(button);
        return button;
    };
    add(tr("Open profile…"), &EmptyView::openClicked)->setObjectName(QStringLiteral("primary"));
    add(tr("Record…"), &EmptyView::recordClicked);
    if (const QString sample = findSample(); !sample.isEmpty())
        add(tr("Open a sample"), [this, sample] { Q_EMIT fileClicked(sample); })
            ->setToolTip(plainTip(tr("Kernels with known problems, recorded on an H200:\n%1")
                                      .arg(QDir::toNativeSeparators(sample))));
    buttons->addStretch(1);

    auto* code = new QLabel(QStringLiteral("roofscope record -- ./your_program"));
    code->setObjectName(QStringLiteral("codeBox"));
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPointSizeF(font().pointSizeF() * 1.05);
    code->setFont(mono);
    code->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    code->setAccessibleName(tr("Command that records a profile"));

    m_recentLayout = inColumn({}, kNoSpaces);
    m_recent = widgetWith(m_recentLayout);
    setLayout(inColumn(
        {stretchSpace(3),
         icon,
         title,
         buttons,
         mutedLabel(
             tr("or drop a .roofscope.json, a trace of PyTorch, a .ncu-rep, .csv, .sqlite or "
                ".nsys-rep file here")),
         gap(14),
         mutedLabel(tr(
             "Record one here or on another machine with an NVIDIA GPU; viewing it needs no GPU:")),
         {code, 0, Qt::AlignHCenter},
         gap(6),
         {m_recent, 0, Qt::AlignHCenter},
         stretchSpace(4)},
        {.between = 14}));
    setRecent({});
}

void EmptyView::setRecent(const QStringList& paths) {
    while (QLayoutItem* item = m_recentLayout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (!paths.isEmpty()) m_recentLayout->addWidget(mutedLabel(tr("Recent profiles")));
    for (const QString& path : paths.mid(0, kShownRecent)) {
        auto* button = new QPushButton(labelText(shownText(QFileInfo(path).fileName())));
        button->setObjectName(QStringLiteral("link"));
        button->setToolTip(plainTip(QDir::toNativeSeparators(path)));
        m_recentLayout->addWidget(button, 0, Qt::AlignHCenter);
        connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT fileClicked(path); });
        if (!fileExists(path)) {
            button->setEnabled(false);
            button->setText(tr("%1 (deleted)").arg(button->text()));
        }
    }
    m_recent->setVisible(!paths.isEmpty());
}

}  // namespace roofscope::gui
