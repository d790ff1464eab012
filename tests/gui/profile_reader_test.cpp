// SPDX-License-Identifier: Apache-2.0
// Files written by Nsight Compute open like profiles.
#include "gui/models/files/profile_reader.h"

#include <QSignalSpy>
#include <cstdlib>
#include <fstream>

#include "gui/models/files/profile_loader.h"
#include "tests/gui/core_app.h"
#include "tests/gui/fake_ncu.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("the CSV of ncu's raw page is a profile") {
    const auto profile = readAnyProfile(kNcuCsv);
    REQUIRE(profile.ok());
    CHECK(profile->capture.origin == "imported");
    CHECK_FALSE(profile->launches.empty());
    CHECK(isFromNcu("/a/run.csv"));
    CHECK(isFromNcu("/a/run.csv.gz"));
    CHECK(isFromNcu("/a/run.ncu-rep"));
    CHECK_FALSE(isFromNcu("/a/run.roofscope.json.gz"));
}

TEST_CASE("a report of ncu is read by ncu, whatever it is called") {
    FakeNcu ncu(
        "[ \"$1\" = --version ] && echo 'Version 2025.3.1 (build 1)' && exit 0\n"
        "[ -f \"$2\" ] || exit 1\n"
        "exec cat '" +
        kNcuCsv.string() + "'\n");
    const auto profile = readAnyProfile(ncu.report());
    REQUIRE(profile.ok());
    CHECK(profile->launches.size() == readAnyProfile(kNcuCsv)->launches.size());
}

TEST_CASE("what ncu says of a report that it cannot read is told") {
    FakeNcu ncu("echo '==ERROR== Failed to open the report'\nexit 1\n");
    const auto profile = readAnyProfile(ncu.report());
    REQUIRE_FALSE(profile.ok());
    CHECK(profile.error().message().find("Failed to open the report") != std::string::npos);
    CHECK(profile.error().message().find("ncu --import") != std::string::npos);
}

TEST_CASE("without ncu the message says what to run where it is") {
    FakeNcu ncu("");
    const auto report = ncu.report();
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    const auto profile = readAnyProfile(report);
    setenv("PATH", path.c_str(), 1);
    REQUIRE_FALSE(profile.ok());
    CHECK(profile.error().code == ErrorCode::Unavailable);
    CHECK(profile.error().message().find("roofscope import report.csv") != std::string::npos);
}

TEST_CASE("a CSV of something else is an error with its line, beside the window's thread") {
    coreApp();
    const TemporaryFolder folder;
    std::ofstream(folder.file("other.csv")) << "a,b\n1,2\n";
    ProfileLoader loader;
    QSignalSpy failed(&loader, &ProfileLoader::failed), loaded(&loader, &ProfileLoader::loaded);
    loader.load(QString::fromStdString(folder.file("other.csv").string()));
    loader.load(QString::fromStdString(kNcuCsv.string()));
    CHECK(failed.count() + loaded.count() == 0);
    REQUIRE(waitFor([&] { return loaded.count() == 1; }));
    REQUIRE(failed.count() == 1);
    const auto document = loaded[0][0].value<ProfileDocument>();
    CHECK(document.title() == "ncu_h200_access_patterns.csv");
    CHECK_FALSE(document.analysis->kernels.empty());
}
