// SPDX-License-Identifier: Apache-2.0
// Where measured roofs are stored, and how a recording gets those of its own GPU.
#include "collector/run/tools/stored_ceilings.h"

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "collector/spool/reader/spool_reader.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

Device gpu(const std::string& uuid) {
    Device device;
    device.name = "NVIDIA H200";
    device.uuid = uuid;
    return device;
}

Profile measured(const std::string& uuid, std::vector<Ceiling> ceilings) {
    Profile profile;
    profile.devices.push_back(gpu(uuid));
    profile.devices[0].ceilings = std::move(ceilings);
    return profile;
}

Ceiling ceiling(const char* name, double rate) {
    return {.name = name, .kind = Ceiling::Kind::Bandwidth, .burst = rate};
}

Profile recorded(const std::string& uuid) {
    Profile profile;
    profile.devices.push_back(gpu(uuid));
    return profile;
}

}  // namespace

TEST_CASE("the folder follows the variables in the documented order") {
    test::Environment environment;
    environment.set("HOME", "/h");
    environment.set("XDG_DATA_HOME", nullptr);
    environment.set("ROOFSCOPE_CEILINGS_DIR", nullptr);
    CHECK(ceilingsFolder() == "/h/.local/share/roofscope/ceilings");
    environment.set("XDG_DATA_HOME", "relative");
    CHECK(ceilingsFolder() == "/h/.local/share/roofscope/ceilings");
    environment.set("XDG_DATA_HOME", "/x");
    CHECK(ceilingsFolder() == "/x/roofscope/ceilings");
    environment.set("ROOFSCOPE_CEILINGS_DIR", "/own");
    CHECK(ceilingsFolder() == "/own");
    CHECK(*ceilingsFile(gpu("GPU-0a")) == "/own/NVIDIA_H200-GPU-0a.roofscope.json");
    // A hostile GPU name cannot lead out of the folder.
    CHECK(*ceilingsFile(gpu("../../etc/x")) == "/own/NVIDIA_H200-______etc_x.roofscope.json");
    CHECK_FALSE(ceilingsFile(gpu("")).ok());
}

TEST_CASE("a recording gets the ceilings of its own GPU and of no other") {
    test::TemporaryFolder folder;
    test::Environment environment;
    environment.set("ROOFSCOPE_CEILINGS_DIR", (folder.path() / "deep/er").c_str());
    const auto file = ceilingsFile(gpu("GPU-a"));
    REQUIRE(storeCeilings(measured("GPU-a", {ceiling("dram_read", 4e12)}), *file).ok());

    Profile same = recorded("GPU-a");
    attachCeilings(same);
    REQUIRE(same.devices[0].ceilings.size() == 1);
    CHECK(same.devices[0].ceilings[0].burst == 4e12);
    CHECK(same.issues.empty());
    for (const char* uuid : {"GPU-b", ""}) {
        Profile other = recorded(uuid);
        attachCeilings(other);
        CHECK(other.devices[0].ceilings.empty());
        CHECK(other.issues.empty());
    }
}

TEST_CASE("a second measurement replaces what it measured and keeps the rest") {
    test::TemporaryFolder folder;
    const auto file = folder.path() / "f.roofscope.json";
    REQUIRE(storeCeilings(measured("GPU-a", {ceiling("dram_read", 1), ceiling("l2_read", 2)}), file)
                .ok());
    REQUIRE(storeCeilings(measured("GPU-a", {ceiling("dram_read", 3)}), file).ok());
    auto stored = readProfile(file);
    REQUIRE(stored.ok());
    REQUIRE(stored->devices[0].ceilings.size() == 2);
    CHECK(stored->devices[0].ceilings[0].burst == 3);
    CHECK(stored->devices[0].ceilings[1].name == "l2_read");
    // Roofs of another GPU are not mixed in.
    REQUIRE(storeCeilings(measured("GPU-b", {ceiling("fp32", 5)}), file).ok());
    stored = readProfile(file);
    REQUIRE(stored.ok());
    CHECK(stored->devices[0].ceilings.size() == 1);
}

TEST_CASE("of measurements that end at the same time none is lost") {
    test::TemporaryFolder folder;
    const auto file = folder.path() / "f.roofscope.json";
    constexpr int kWriters = 16;
    std::atomic<int> failed = 0;
    {
        std::vector<std::jthread> writers;
        for (int i = 0; i < kWriters; ++i)
            writers.emplace_back([&, i] {
                const std::string name = "roof_" + std::to_string(i);
                failed += !storeCeilings(measured("GPU-a", {ceiling(name.c_str(), 1)}), file).ok();
            });
    }
    CHECK(failed == 0);
    const auto stored = readProfile(file);
    REQUIRE(stored.ok());
    CHECK(stored->devices[0].ceilings.size() == kWriters);
}

TEST_CASE("a damaged file is an issue for a recording, and is not overwritten") {
    test::TemporaryFolder folder;
    test::Environment environment;
    environment.set("ROOFSCOPE_CEILINGS_DIR", folder.path().c_str());
    const auto file = ceilingsFile(gpu("GPU-a"));
    std::ofstream(*file) << "{\"half\": ";
    Profile profile = recorded("GPU-a");
    attachCeilings(profile);
    CHECK(profile.devices[0].ceilings.empty());
    REQUIRE(profile.issues.size() == 1);
    CHECK(profile.issues[0].code == "ceilings-unreadable");
    CHECK(profile.issues[0].severity == Severity::Info);
    CHECK_FALSE(storeCeilings(measured("GPU-a", {ceiling("fp32", 1)}), *file).ok());
    CHECK(test::readText(*file) == "{\"half\": ");
}

TEST_CASE("the UUID comes through the spool; boards with their own stay apart") {
    const auto spool = [](const char* pid, const char* uuid) {
        return std::string(R"({"t":"process","pid":)") + pid +
               "}\n"
               R"({"t":"device","id":0,"name":"GPU","chip":"GH100",)"
               R"("uuid":")" +
               uuid + "\"}\n{\"t\":\"end\"}\n";
    };
    const std::string first = spool("7", "GPU-a"), same = spool("8", "GPU-a"),
                      other = spool("9", "GPU-b");
    const std::array spools{SpoolText{first, "7.spool"}, SpoolText{same, "8.spool"},
                            SpoolText{other, "9.spool"}};
    const Profile two = parseSpools(std::span(spools).first(2));
    REQUIRE(two.devices.size() == 1);
    CHECK(two.devices[0].uuid == "GPU-a");
    const Profile three = parseSpools(spools);
    REQUIRE(three.devices.size() == 2);
    CHECK(three.devices[1].uuid == "GPU-b");
}
