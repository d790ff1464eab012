// SPDX-License-Identifier: Apache-2.0
// The profiled program's source files on this machine, and the lines that launch its kernels.
#include "gui/models/source/code_files.h"

#include <fstream>

#include "gui/models/source/launch_sites.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

QString written(const std::filesystem::path& path, const char* text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return QString::fromStdString(path.string());
}

}  // namespace

TEST_CASE("a file that was found leads to the others of its tree") {
    const TemporaryFolder folder;
    const QString step = written(folder.file("app/train.py"), "one\ntwo\n");
    const QString gemm = written(folder.file("app/ops/gemm.py"), "a\n");
    CodeFiles files;
    CHECK_FALSE(files.find("/build/app/train.py"));
    CHECK(files.find(step) == step);  // where the program had it
    files.found("/build/app/train.py", step);
    CHECK(files.find("/build/app/train.py") == step);
    CHECK(files.find("/build/app/ops/gemm.py") == gemm);
    CHECK_FALSE(files.find("/build/app/ops/other.py"));
    CHECK_FALSE(files.find("/builder/app/train.py"));
    // A match with another file name applies to this file only.
    files.found("/elsewhere/kernel.cu", step);
    CHECK(files.find("/elsewhere/kernel.cu") == step);
    CHECK(CodeFiles::lines(step)->at(1) == "two");
}

TEST_CASE("a file that is not source code is not read") {
    const TemporaryFolder folder;
    CodeFiles files;
    CHECK_FALSE(files.find(QString::fromStdString(folder.path().string())));
    CHECK_FALSE(files.find("/dev/zero"));
    CHECK_FALSE(CodeFiles::lines("/dev/zero"));
    CHECK_FALSE(files.find("train.py"));
    CHECK_FALSE(files.find(""));
}

TEST_CASE("a line has its operators, and what its backward pass launches") {
    Profile profile = programProfile();
    const CodeLine forward{.file = "/app/net.py", .line = 7, .function = "forward"};
    profile.callSites = {{.kernel = 0,
                          .file = forward.file,
                          .line = forward.line,
                          .function = forward.function,
                          .op = "aten::gelu",
                          .sizes = "[8, 8]",
                          .count = 3},
                         {.kernel = 0,
                          .file = "/app/train.py",
                          .line = 20,
                          .indirect = true,
                          .op = "aten::gelu_backward",
                          .backward = "GeluBackward0",
                          .forward = forward,
                          .count = 2}};
    const auto sites = launchSites(profile);
    REQUIRE(sites.size() == 1);
    CHECK(sites[0].place == "net.py:7 (forward)");
    CHECK(sites[0].line == 7);
    CHECK(sites[0].count == 5);
    REQUIRE(sites[0].calls.size() == 2);
    CHECK(sites[0].calls[0].startsWith("aten::gelu [8, 8] · "));
    CHECK(sites[0].calls[1].startsWith("GeluBackward0: aten::gelu_backward · "));
}

TEST_CASE("launch sites are lines, the one that calls most first") {
    const auto sites = launchSites(programProfile());
    REQUIRE(sites.size() == 3);
    CHECK(sites[0].place == "train.py:5 (step)");
    CHECK(sites[0].file == "/build/app/train.py");
    CHECK(sites[0].calls == QStringList{"cudaMemcpyAsync"});
    CHECK(sites[2].place == "gemm.py:3 (forward)");
    CHECK(sites[2].calls == QStringList{"gemm"});
    CHECK(sites[2].count == 6);
    Profile hostile = programProfile();
    hostile.callSites[0].function = "\033[31mstep";
    CHECK(launchSites(hostile)[0].place == "train.py:5 (step)");
    CHECK(launchSites(Profile()).empty());
    Profile numba = programProfile();
    for (Kernel& kernel : numba.kernels)
        kernel.name =
            "__main__::mm[abi:v1][abi:cw51cXTLSUwv1sDUaKthq](Array<float, 2, C, mutable, aligned>)";
    CHECK(launchSites(numba)[2].calls == QStringList{"mm(float32[:,:])"});
}

TEST_CASE("a launch site without lines is listed by its function") {
    Profile profile = programProfile();
    profile.callSites = {{.kernel = 0, .function = "pgain(long, double)", .count = 3},
                         {.kernel = 1, .function = "pgain(long, double)", .count = 4},
                         {.kernel = 0, .count = 9}};
    const auto sites = launchSites(profile);
    REQUIRE(sites.size() == 1);
    CHECK(sites[0].place == "pgain(long, double)");
    CHECK(sites[0].line == 0);
    CHECK(sites[0].file.isEmpty());
    CHECK(sites[0].count == 7);
}
