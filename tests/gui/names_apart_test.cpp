// SPDX-License-Identifier: Apache-2.0
#include "gui/models/text/names_apart.h"

#include <set>
#include <string>

#include "tests/support/catch.h"

using namespace roofscope::gui;

namespace {

int letters(const QString& text) { return int(text.size()); }

/// Four kernels that differ in two places, one that differs early, and others.
QStringList kernels() {
    const QString start = "sm90_xmma_wgrad_implicit_gemm_indexed_f32f32_nhwckrsc_nhwc_tilesize",
                  middle = "_warpgroupsize1x1x1_g1_strided_execute_segment_k_",
                  end = "_kernel__5x_cudnn";
    QStringList names{"gelu", "vectorized_elementwise_kernel<4, add>",
                      "vectorized_elementwise_kernel<4, add> [grid 3]",
                      "vectorized_elementwise_kernel<4, add> [grid 4]"};
    for (const char* tile : {"128x128x32", "64x64x32"})
        for (const char* segment : {"off", "on"}) names << start + tile + middle + segment + end;
    names << QString(names.back()).replace("wgrad", "dgrad");
    return names;
}

}  // namespace

TEST_CASE("names that are cut still differ, and fit their width") {
    const QStringList names = kernels();
    const NamesApart apart(names);
    for (const int width : {22, 30, 40, 60, 100, 120}) {
        std::set<QString> shown;
        for (const QString& name : names) {
            const QString text = apart.shortened(name, width, letters);
            INFO(width << ": " << text.toStdString());
            CHECK(text.size() <= width);
            CHECK(shown.insert(text).second);
        }
    }
}

TEST_CASE("a name is cut at its end, and only if it must be") {
    const QStringList names = kernels();
    const NamesApart apart(names);
    for (const QString& name : names) CHECK(apart.shortened(name, 200, letters) == name);
    CHECK(apart.shortened("gelu", 4, letters) == "gelu");
    const QString early = apart.shortened(names.back(), 40, letters);
    CHECK(early == names.back().left(39) + QString::fromUtf8("…"));
    // Names of other lists, too.
    CHECK(apart.shortened("unknown_kernel", 8, letters) == QString::fromUtf8("unknown…"));
    CHECK(NamesApart().shortened("unknown_kernel", 8, letters) == QString::fromUtf8("unknown…"));
}

TEST_CASE("where the ends of names make them the same, what differs stays") {
    const QStringList names = kernels();
    const NamesApart apart(names);
    CHECK(apart.shortened(names[4], 40, letters) ==
          QString::fromUtf8("sm90_xmma_wgrad_…tilesize128x128x32…off…"));
    CHECK(apart.shortened(names[2], 30, letters) ==
          QString::fromUtf8("vectorized_elementwi… [grid 3]"));
}

TEST_CASE("no width is too small for names, and hostile ones do no harm") {
    const NamesApart apart(QStringList{"", "a", "aa", "aaa", "aaa]", " [", " [x]"});
    for (const char* name : {"", "a", "aa", "aaa", "aaa]", " [", " [x]"})
        for (int width = -1; width < 6; ++width)
            CHECK(apart.shortened(name, width, letters).size() <= 5);
}
