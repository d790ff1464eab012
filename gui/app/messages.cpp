// SPDX-License-Identifier: Apache-2.0
#include "gui/app/messages.h"

#include <utility>

#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/status_area.h"

namespace roofscope::gui {

void Messages::follow(MessageBar& bar, StatusArea& status) {
    const MessageBar* before = std::exchange(m_bar, &bar);
    m_status = &status;
    if (!before || before->message().isEmpty()) return;
    if (before->offers())
        offer(m_offer);
    else if (before->isError())
        showError(before->message());
    else
        showInfo(before->message());
}

void Messages::say(const QString& text) {
    hideError();
    m_status->say(text);
}

void Messages::sayBusy(const QString& text) { m_status->sayBusy(text); }

void Messages::endBusy() { m_status->clear(); }

void Messages::showError(const QString& text) { m_bar->showError(text); }

void Messages::showInfo(const QString& text) { m_bar->showInfo(text); }

void Messages::hideError() { m_bar->hideError(); }

void Messages::offer(std::function<std::optional<Offer>()> word) {
    m_offer = std::move(word);
    if (const std::optional<Offer> offered = m_offer())
        m_bar->offer(offered->text, offered->action, offered->call);
}

bool Messages::barIsShown() const { return !m_bar->message().isEmpty(); }

}  // namespace roofscope::gui
