// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/profile_loader.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QThread>
#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <iterator>

#include "gui/models/text/file_name.h"
#include "profile/codec/codec.h"
#include "profile/text/sha256.h"
#include "profile/trials/trial_results.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("a profile is read and analysed off the caller's thread") {
    coreApp();
    const TemporaryFolder folder;
    const auto path = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), path).ok());
    ProfileLoader loader;
    QSignalSpy loaded(&loader, &ProfileLoader::loaded);
    QSignalSpy progress(&loader, &ProfileLoader::progress);
    QSignalSpy finished(&loader, &ProfileLoader::finished);
    loader.load(QString::fromStdString(path.string()));
    CHECK(loader.busy());
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    REQUIRE(loaded.count() == 1);
    CHECK(progress.front()[1].value<ProfileLoader::Stage>() == ProfileLoader::Stage::Reading);
    CHECK(progress.back()[1].value<ProfileLoader::Stage>() == ProfileLoader::Stage::Analysing);
    const auto document = loaded[0][0].value<ProfileDocument>();
    CHECK(document.path == QString::fromStdString(path.string()));
    CHECK(document.analysis->kernels.size() == sampleAnalysis()->kernels.size());
    CHECK_FALSE(loader.busy());
}

TEST_CASE("progress says how much of a file is read") {
    coreApp();
    const TemporaryFolder folder;
    Profile profile = sampleProfile();
    const Launch launch = profile.launches.front();
    profile.launches.resize(60'000, launch);
    profile.counters.resize(profile.launches.size());
    const auto path = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(profile, path).ok());
    ProfileLoader loader;
    QSignalSpy progress(&loader, &ProfileLoader::progress);
    QSignalSpy finished(&loader, &ProfileLoader::finished);
    loader.load(QString::fromStdString(path.string()));
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    std::vector<int> percents;
    for (const auto& said : progress) percents.push_back(said[2].toInt());
    CHECK(percents.size() >= 6);
    CHECK(percents.front() == 0);
    CHECK(std::ranges::is_sorted(percents));
    CHECK(percents.back() > 50);
    // The analysis has steps of its own, after that of reading.
    const auto steps = std::ranges::count_if(progress, [](const auto& said) {
        return said[1].template value<ProfileLoader::Stage>() == ProfileLoader::Stage::Analysing;
    });
    CHECK(steps >= 4);
    CHECK(percents.back() > 80);
    CHECK(percents.back() < 100);
}

TEST_CASE("what was tried on a profile is part of its analysis, as in a report") {
    coreApp();
    const TemporaryFolder folder;
    const auto path = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), path).ok());
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const auto loadedWith = [&](const std::string& recording) {
        std::ofstream(folder.file("run.tried.json"))
            << R"({"format": "roofscope-tried", "schema": [1, 0], "recording_sha256": ")"
            << recording << R"(", "trials": [{"name": "tf32", "title": "Allow TF32",)"
            << R"( "outcome": "within-noise", "why": null, "per": "step", "before_seconds": 0.04,)"
            << R"( "after_seconds": 0.04, "results": {"kept": null, "largest_difference": null,)"
            << R"( "missing": null}, "suggested_by": ["missing-tensor-core"],)"
            << R"( "settles": ["missing-tensor-core"]}]})";
        ProfileLoader loader;
        QSignalSpy loaded(&loader, &ProfileLoader::loaded);
        QSignalSpy finished(&loader, &ProfileLoader::finished);
        loader.load(QString::fromStdString(path.string()));
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
        REQUIRE(loaded.count() == 1);
        return loaded[0][0].value<ProfileDocument>().analysis->trials;
    };
    const auto trials = loadedWith(sha256Hex(bytes));
    REQUIRE(trials);
    CHECK(trials->ruleOut("missing-tensor-core"));
    CHECK(loadedWith(sha256Hex("another recording")) == nullptr);
}

TEST_CASE("a bad file gives an error that names it") {
    coreApp();
    const TemporaryFolder folder;
    const auto bad = folder.file("bad.roofscope.json");
    std::ofstream(bad) << "{\"schema\": ";
    ProfileLoader loader;
    QSignalSpy failed(&loader, &ProfileLoader::failed);
    QSignalSpy loaded(&loader, &ProfileLoader::loaded);
    QSignalSpy finished(&loader, &ProfileLoader::finished);
    loader.load(QString::fromStdString(bad.string()));
    loader.load(QString::fromStdString(folder.file("absent.roofscope.json").string()));
    loader.load(QString::fromStdString(folder.path().string()));
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    REQUIRE(failed.count() == 3);
    CHECK(loaded.count() == 0);
    const auto error = [&](int i) { return failed[i][1].value<Error>(); };
    CHECK(error(0).code == ErrorCode::BadData);
    CHECK(error(0).message().find("bad.roofscope.json") != std::string::npos);
    CHECK(error(1).code == ErrorCode::NoInput);
    CHECK(error(2).code == ErrorCode::NoInput);
    CHECK(error(2).message().find("folder") != std::string::npos);
}

TEST_CASE("an exception while reading is a failure, not a crash") {
    coreApp();
    ProfileLoader loader(
        nullptr, [](const auto&, const auto&) -> Result<Profile> { throw std::bad_alloc(); });
    QSignalSpy failed(&loader, &ProfileLoader::failed);
    loader.load("x");
    REQUIRE(waitFor([&] { return failed.count() > 0; }));
    CHECK(failed[0][1].value<Error>().message().find("memory") != std::string::npos);
}

TEST_CASE("cancel returns at once, nothing arrives afterwards, and the next load works") {
    coreApp();
    std::promise<void> release;
    auto gate = release.get_future().share();
    ProfileLoader loader(nullptr, [gate](const auto& path, const auto&) -> Result<Profile> {
        if (path == "slow") gate.wait();
        return sampleProfile();
    });
    QSignalSpy loaded(&loader, &ProfileLoader::loaded);
    QSignalSpy cancelled(&loader, &ProfileLoader::cancelled);
    QElapsedTimer timer;
    timer.start();
    loader.load("slow");
    loader.load("waiting");
    loader.load("waiting");
    loader.cancel();
    CHECK(timer.elapsed() < 2000);
    CHECK(cancelled.count() == 2);
    CHECK_FALSE(loader.busy());
    loader.load("next");
    REQUIRE(waitFor([&] { return loaded.count() > 0; }));
    release.set_value();
    QThread::msleep(100);
    QCoreApplication::processEvents();
    CHECK(loaded.count() == 1);
    CHECK(loaded[0][0].value<ProfileDocument>().path == "next");
}

TEST_CASE("a slow report of ncu does not delay other files") {
    coreApp();
    std::promise<void> release;
    auto gate = release.get_future().share();
    ProfileLoader loader(nullptr, [gate](const auto& path, const auto&) -> Result<Profile> {
        if (path == "slow.ncu-rep") gate.wait();
        return sampleProfile();
    });
    QSignalSpy loaded(&loader, &ProfileLoader::loaded), finished(&loader, &ProfileLoader::finished);
    QSignalSpy progress(&loader, &ProfileLoader::progress);
    for (const char* file : {"slow.ncu-rep", "later.ncu-rep", "a", "b"}) loader.load(file);
    REQUIRE(waitFor([&] { return loaded.count() == 2; }));
    CHECK(loader.busy());
    CHECK(finished.isEmpty());
    // Progress is reported again for the file that is still being loaded.
    CHECK(progress.back()[0] == "slow.ncu-rep");
    CHECK(progress.back()[1].value<ProfileLoader::Stage>() == ProfileLoader::Stage::Converting);
    CHECK(progress.back()[2] == ProfileLoader::kUnknown);
    release.set_value();
    REQUIRE(waitFor([&] { return finished.count() == 1; }));
    CHECK(loaded.count() == 4);
}

TEST_CASE("one file is cancelled; what waits behind it is loaded") {
    coreApp();
    std::promise<void> stopped;
    ProfileLoader loader(nullptr, [&](const auto& path, const auto& stop) -> Result<Profile> {
        if (path != "slow") return sampleProfile();
        while (!stop.stop_requested()) QThread::msleep(5);
        stopped.set_value();
        return Error{.code = ErrorCode::Io, .what = "stopped"};
    });
    QSignalSpy loaded(&loader, &ProfileLoader::loaded), failed(&loader, &ProfileLoader::failed);
    QSignalSpy cancelled(&loader, &ProfileLoader::cancelled);
    QSignalSpy finished(&loader, &ProfileLoader::finished);
    for (const char* file : {"slow", "unwanted", "next"}) loader.load(file);
    loader.cancel("unwanted");
    loader.cancel("unknown");
    CHECK(cancelled.count() == 1);
    loader.cancel("slow");
    CHECK(cancelled.count() == 2);
    CHECK(stopped.get_future().wait_for(std::chrono::seconds(2)) == std::future_status::ready);
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    REQUIRE(loaded.count() == 1);
    CHECK(loaded[0][0].value<ProfileDocument>().path == "next");
    CHECK(failed.isEmpty());
}

TEST_CASE("a loader that goes away stops what it reads, cancelled or not, and waits for it") {
    coreApp();
    for (const bool cancelled : {false, true}) {
        std::atomic<bool> reading = false, stopped = false;
        auto loader = std::make_unique<ProfileLoader>(
            nullptr, [&](const auto&, const auto& stop) -> Result<Profile> {
                reading = true;
                while (!stop.stop_requested()) QThread::msleep(5);
                QThread::msleep(50);
                stopped = true;
                return Error{.code = ErrorCode::Io, .what = "stopped"};
            });
        loader->load("x");
        REQUIRE(waitFor([&] { return reading.load(); }));
        if (cancelled) loader->cancel();
        loader.reset();
        CHECK(stopped);
    }
}

TEST_CASE("a loader can go away while it loads") {
    coreApp();
    std::promise<void> started;
    auto loader =
        std::make_unique<ProfileLoader>(nullptr, [&](const auto&, const auto&) -> Result<Profile> {
            started.set_value();
            QThread::msleep(50);
            return sampleProfile();
        });
    loader->load("x");
    started.get_future().wait();
    loader.reset();
    QCoreApplication::processEvents();
    SUCCEED();
}

TEST_CASE("a file's name keeps its bytes, whatever they are") {
    for (const char* bytes : {"plain.json", "r\xE9sum\xE9.json", "\xC3\xA9t\xC3\xA9",
                              "\xF0\x9F\x98\x80\xFF", "\xED\xB2\x80", "\xE2\x82", ""}) {
        const QByteArray name(bytes);
        INFO(name.toPercentEncoding().toStdString());
        CHECK(fileBytes(fileName(name)) == name);
    }
    CHECK(fileName("r\xE9").size() == 2);
    CHECK(fileName("\xC3\xA9") == QStringLiteral("é"));
}

TEST_CASE("a profile whose name is not UTF-8 is loaded") {
    coreApp();
    const TemporaryFolder folder;
    const auto path = folder.path() / "r\xE9sum\xE9.roofscope.json";
    REQUIRE(writeProfile(sampleProfile(), path).ok());
    ProfileLoader loader;
    QSignalSpy loaded(&loader, &ProfileLoader::loaded);
    loader.load(fileName(QByteArray::fromStdString(path.string())));
    CHECK(waitFor([&] { return loaded.count() == 1; }));
}
