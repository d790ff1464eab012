// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/flow_layout.h"

#include <QPushButton>

#include "gui/views/widgets/name_button.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("items go on the next line where the width ends, and none is wider than it") {
    widgetApp();
    QWidget widget;
    auto* layout = new FlowLayout(5, &widget);
    std::vector<QWidget*> items;
    for (const int width : {60, 60, 60, 400}) {
        items.push_back(new QPushButton(QString(width / 10, QLatin1Char('m'))));
        layout->addWidget(items.back());
    }
    const int one = items[0]->sizeHint().width(), high = items[0]->sizeHint().height();
    REQUIRE(items[3]->sizeHint().width() > 2 * one + 10);
    const int room = 2 * one + 10;  // two short ones
    CHECK(layout->heightForWidth(room) == 3 * high + 10);
    widget.resize(room, layout->heightForWidth(room));
    layout->setGeometry(widget.rect());
    CHECK(items[0]->y() == items[1]->y());
    CHECK(items[1]->x() == items[0]->width() + 5);
    CHECK(items[2]->y() == high + 5);
    CHECK(items[3]->y() == 2 * (high + 5));
    CHECK(items[3]->width() == room);
    CHECK(layout->heightForWidth(10'000) == high);
    delete layout->takeAt(0);
    CHECK(layout->count() == 3);
    CHECK(layout->takeAt(7) == nullptr);
}

TEST_CASE("a kernel's name as a button asks for no width, and shows its markup as it is") {
    widgetApp();
    NameButton button(QStringLiteral("kernel<a & b>") + QString(300, QLatin1Char('x')));
    CHECK(button.sizePolicy().horizontalPolicy() == QSizePolicy::Ignored);
    CHECK(button.accessibleName().contains("kernel<a & b>"));
    button.resize(120, 24);
    CHECK_FALSE(button.grab().isNull());
    CHECK(button.minimumSizeHint().height() <= 40);
}
