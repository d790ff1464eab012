// SPDX-License-Identifier: Apache-2.0
// Back and forward, without a window.
#include "gui/app/history.h"

#include <QSignalSpy>

#include "gui/app/documents.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

struct Visited {
    QApplication& app = widgetApp();
    TemporaryFolder folder;
    Documents documents;
    History history{documents};
    KernelTableView table;

    Visited() {
        history.follow(table);
        open("run.roofscope.json");
    }
    void open(const char* name) {
        const auto path = folder.file(name);
        REQUIRE(writeProfile(sampleProfile(), path).ok());
        QSignalSpy finished(&documents.loader(), &ProfileLoader::finished);
        documents.open({QString::fromStdString(path.string())});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
    }
};

}  // namespace

TEST_CASE("history: a place is a selection with a filter") {
    Visited f;
    QSignalSpy changed(&f.history, &History::changed);
    CHECK_FALSE(f.history.canGo(-1));
    f.documents.selectKernel(2);
    f.table.addToFilter("gelu");
    CHECK(changed.count() == 2);
    f.documents.selectKernel(3);
    f.history.go(-1);
    CHECK(f.documents.selectedKernel() == 2U);
    CHECK(f.table.filterText() == "gelu");
    f.history.go(-1);
    CHECK(f.table.filterText().isEmpty());
    CHECK(f.history.canGo(-1));
    CHECK(f.history.canGo(2));
    CHECK_FALSE(f.history.canGo(3));
    f.history.go(2);
    CHECK(f.documents.selectedKernel() == 3U);
    CHECK_FALSE(f.history.canGo(1));
}

TEST_CASE("history: a new place drops the ones that were ahead, and the same one is no new place") {
    Visited f;
    for (const std::size_t kernel : {1U, 2U, 3U}) f.documents.selectKernel(kernel);
    f.history.go(-2);
    CHECK(f.documents.selectedKernel() == 1U);
    f.documents.selectKernel(4);
    CHECK_FALSE(f.history.canGo(1));
    f.history.go(-1);
    CHECK(f.documents.selectedKernel() == 1U);
    Q_EMIT f.table.filterCommitted();  // nothing was typed
    CHECK(f.history.canGo(1));
}

TEST_CASE("history: another profile begins a new one") {
    Visited f;
    f.documents.selectKernel(2);
    f.open("other.roofscope.json");
    CHECK_FALSE(f.history.canGo(-1));
    f.documents.selectKernel(3);
    f.history.go(-1);
    CHECK(f.documents.selectedKernel() == 0U);
    CHECK(f.documents.document()->title() == "other");
    f.documents.close(1);
    f.documents.close(0);
    CHECK_FALSE(f.history.canGo(-1));
}
