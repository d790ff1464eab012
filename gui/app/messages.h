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

    /// Shows messages there from now on, and repeats what the earlier bar still shows.
    void follow(MessageBar& bar, StatusArea& status);

    /// Says what was done. That also hides an older error.
    void say(const QString& text);
    /// Says what is being done, until the next message or endBusy().
    void sayBusy(const QString& text);
    void endBusy();
    void showError(const QString& text);
    void showInfo(const QString& text);
    /// Hides an error, which is out of date now.
    void hideError();
    /// Offers a next step. `word` returns the text, and is called again after a change of language;
    /// nullopt if the offer is out of date.
    void offer(std::function<std::optional<Offer>()> word);
    /// Whether the bar shows something.
    [[nodiscard]] bool barIsShown() const;

private:
    MessageBar* m_bar = nullptr;
    StatusArea* m_status = nullptr;
    std::function<std::optional<Offer>()> m_offer;  ///< the last one
};

}  // namespace roofscope::gui
