// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>
#include <optional>

namespace roofscope::gui {

class MessageBar;
class StatusArea;

/// Messages to the user. What was done is shown in the status line; errors, and events that the
/// user did not cause, in the bar above the content.
class Messages {
public:
    /// A message with a button for the next step.
    struct Offer {
        QString text, action;
        std::function<void()> call;
    };

    /// From now on, shows messages there. Repeats what the earlier bar still shows.
    void follow(MessageBar& bar, StatusArea& status);

    /// Reports what was done, and hides an older error.
    void say(const QString& text);
    /// Reports what is being done, until the next message or endBusy().
    void sayBusy(const QString& text);
    void endBusy();
    void showError(const QString& text);
    void showInfo(const QString& text);
    /// Hides an outdated error.
    void hideError();
    /// Offers a next step. `word` returns its text, or nullopt once the offer is outdated; it is
    /// called again after a language change.
    void offer(std::function<std::optional<Offer>()> word);
    /// Whether the bar shows a message.
    [[nodiscard]] bool barIsShown() const;

private:
    MessageBar* m_bar = nullptr;
    StatusArea* m_status = nullptr;
    std::function<std::optional<Offer>()> m_offer;  ///< the last one
};

}  // namespace roofscope::gui
