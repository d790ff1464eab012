// SPDX-License-Identifier: Apache-2.0
#include "gui/views/overview/account_bar.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <utility>

#include "gui/models/text/plain_tip.h"
#include "gui/views/widgets/activity_colours.h"
#include "gui/views/widgets/draw_list_painter.h"

namespace roofscope::gui {

AccountBar::AccountBar(Overview::Account account, plot::Theme theme, QWidget* parent)
    : QWidget(parent), m_account(std::move(account)), m_theme(theme) {
    setObjectName(QStringLiteral("accountBar"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMinimumWidth(80);
    QStringList parts;
    for (const Overview::Share& share : m_account.shares)
        parts << QStringLiteral("%1 %2").arg(share.name, share.percent);
    setAccessibleName(QStringLiteral("%1: %2").arg(m_account.name, parts.join(u", ")));
}

std::vector<double> AccountBar::edges() const {
    std::vector<double> edges{0};
    for (const Overview::Share& share : m_account.shares)
        edges.push_back(edges.back() + share.share * width());
    return edges;
}

std::optional<std::size_t> AccountBar::shareAt(int x) const {
    const std::vector<double> at = edges();
    for (std::size_t i = 0; i + 1 < at.size(); ++i)
        if (x >= at[i] && x < at[i + 1]) return i;
    return std::nullopt;
}

void AccountBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const std::vector<double> at = edges();
    for (std::size_t i = 0; i < m_account.shares.size(); ++i) {
        const Overview::Share& share = m_account.shares[i];
        const double wide = at[i + 1] - at[i];
        // Leave a gap between neighbours if they are wide enough.
        const QRectF piece(at[i], 0, wide - (wide > 3 ? 1 : 0), height());
        painter.fillRect(piece, roleColour(roleOf(share.cls), m_theme));
        if (fontMetrics().horizontalAdvance(share.percent) + 6 > piece.width()) continue;
        painter.setPen(roleColour(plot::Role::Background, m_theme));
        painter.drawText(piece, Qt::AlignCenter, share.percent);
    }
}

bool AccountBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const auto at = shareAt(help->pos().x())) {
        const Overview::Share& share = m_account.shares[*at];
        QToolTip::showText(
            help->globalPos(),
            plainTip(tr("%1: %2 of %3, %4")
                         .arg(share.name, share.time, m_account.window, share.percent)),
            this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

}  // namespace roofscope::gui
