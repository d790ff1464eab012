// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>
#include <optional>

namespace roofscope::gui {

class MessageBar;
class StatusArea;

/// What the window tells the user: what was done, in the status line; errors, and events that the
/// user did not cause, in the bar above the content.
class Messages {
public:
    /// A message with a button for the next step.
    struct Offer {
        QString text, action;
        std::function<void()> call;
    };

    /// Says these messages there from now on, and again what the earlier bar still says.
    void follow(MessageBar& bar, StatusArea& status);

    /// Says what was done. An older error is out of date then.
    void say(const QString& text);
    /// Says what is being done, until the next message or endBusy().
    void sayBusy(const QString& text);
    void endBusy();
    void showError(const QString& text);
    void showInfo(const QString& text);
    /// Hides an error, which is out of date now.
    void hideError();
    /// Offers a next step. `word` words it, once more in another language; nullopt: the offer is
    /// out of date.
    void offer(std::function<std::optional<Offer>()> word);
    /// Whether the bar shows something.
    [[nodiscard]] bool barIsShown() const;

private:
    MessageBar* m_bar = nullptr;
    StatusArea* m_status = nullptr;
    std::function<std::optional<Offer>()> m_offer;  ///< the last one
};

}  // namespace roofscope::gui
