// SPDX-License-Identifier: Apache-2.0
// What the window tells the user after its widgets were replaced.
#include "gui/app/messages.h"

#include <QPushButton>

#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/status_area.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

struct Told {
    QApplication& app = widgetApp();
    MessageBar bar, newBar;
    StatusArea status;
    Messages messages;

    Told() { messages.follow(bar, status); }
    void renew() { messages.follow(newBar, status); }
};

}  // namespace

TEST_CASE("messages: an error is out of date when something is done, an event is not") {
    Told f;
    f.messages.showError("cannot read");
    CHECK(f.messages.barIsShown());
    f.messages.say("done");
    CHECK_FALSE(f.messages.barIsShown());
    CHECK(f.status.said() == "done");
    f.messages.showInfo("loaded again");
    f.messages.say("done");
    CHECK(f.bar.message() == "loaded again");
}

TEST_CASE("messages: a new bar says what the old one says, with the same weight") {
    Told error, info, nothing;
    error.messages.showError("cannot read");
    error.renew();
    CHECK(error.newBar.message() == "cannot read");
    CHECK(error.newBar.isError());
    info.messages.showInfo("loaded again");
    info.renew();
    CHECK(info.newBar.message() == "loaded again");
    CHECK_FALSE(info.newBar.isError());
    nothing.messages.showError("cannot read");
    nothing.messages.hideError();
    nothing.renew();
    CHECK(nothing.newBar.message().isEmpty());
}

TEST_CASE("messages: an offer is worded again for a new bar, unless it is out of date") {
    Told f;
    int worded = 0, called = 0;
    f.messages.offer([&]() -> std::optional<Messages::Offer> {
        return Messages::Offer{.text = QString("words %1").arg(++worded),
                               .action = "Do It",
                               .call = [&] { ++called; }};
    });
    CHECK(f.bar.message() == "words 1");
    f.renew();
    CHECK(f.newBar.message() == "words 2");
    REQUIRE(f.newBar.offers());
    for (auto* button : f.newBar.findChildren<QPushButton*>())
        if (button->text() == "Do It") button->click();
    CHECK(called == 1);

    Told late;
    bool due = true;
    late.messages.offer([&]() -> std::optional<Messages::Offer> {
        if (!due) return std::nullopt;
        return Messages::Offer{.text = "words", .action = "Do It", .call = [] {}};
    });
    CHECK(late.bar.offers());
    due = false;
    late.renew();
    CHECK_FALSE(late.newBar.offers());
}
