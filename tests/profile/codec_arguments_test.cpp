// SPDX-License-Identifier: Apache-2.0
// The buffers passed to launches, in profile files.
#include <nlohmann/json.hpp>

#include "profile/codec/codec.h"
#include "tests/profile/random_profile.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using roofscope::test::SyntheticProfile;

namespace {

/// Two launches with a list each, one with an empty list, and one whose buffers are unknown.
Profile withArguments() {
    SyntheticProfile p;
    const auto kernel = p.kernel("k");
    for (int i = 0; i < 4; ++i) p.launch(kernel, {1}, {64});
    Profile profile = p.build();
    profile.buffers = {{.allocation = 0, .offsetBytes = 0, .bytes = 4096},
                       {.allocation = 0, .offsetBytes = 1024, .bytes = 3072},
                       {.allocation = 1, .offsetBytes = 0, .bytes = 1ULL << 40}};
    profile.argumentLists.add(
        std::vector<BufferArgument>{{.buffer = 0, .parameter = 0}, {.buffer = 2, .parameter = 1}});
    profile.argumentLists.add({});
    profile.argumentLists.add(std::vector<BufferArgument>{
        {.buffer = 2, .parameter = 2}, {.buffer = 1, .parameter = 2}, {.buffer = 2}});
    profile.launches[0].arguments = 0;
    profile.launches[1].arguments = 2;
    profile.launches[2].arguments = 1;
    return profile;
}

void refused(const nlohmann::json& json, const std::string& where, const std::string& what) {
    const auto profile = parseProfile(json.dump(), "f");
    INFO(where);
    REQUIRE_FALSE(profile.ok());
    INFO(profile.error().message());
    CHECK(profile.error().code == ErrorCode::BadData);
    CHECK(profile.error().where == "f: " + where);
    CHECK(profile.error().what.find(what) != std::string::npos);
}

}  // namespace

TEST_CASE("argument lists: every list is found again, an empty one too") {
    const Profile profile = withArguments();
    const ArgumentLists& lists = profile.argumentLists;
    REQUIRE(lists.size() == 3);
    CHECK(lists[0].size() == 2);
    CHECK(lists[0][1] == BufferArgument{.buffer = 2, .parameter = 1});
    CHECK(lists[1].empty());
    CHECK(lists[2].size() == 3);
    CHECK(lists[2][0] == BufferArgument{.buffer = 2, .parameter = 2});
    CHECK(lists.all().size() == 5);
}

TEST_CASE("argument lists and buffers come back as they were") {
    const Profile profile = withArguments();
    const auto back = parseProfile(formatProfile(profile), "p");
    REQUIRE(back.ok());
    CHECK(test::sameProfile(*back, profile));
    CHECK(back->launches[1].arguments == 2U);
    CHECK_FALSE(back->launches[3].arguments);  // unknown, not an empty list
    CHECK(back->buffers == profile.buffers);
    CHECK(back->argumentLists == profile.argumentLists);
}

TEST_CASE("a list that many launches share is stored once") {
    Profile profile = withArguments();
    for (int i = 0; i < 1000; ++i) profile.launches.push_back(profile.launches[1]);
    profile.counters.resize(profile.launches.size());
    const auto json = nlohmann::json::parse(formatProfile(profile));
    CHECK(json["argument_lists"]["buffer"].size() == 5);
    CHECK(json["argument_lists"]["length"] == nlohmann::json({2, 0, 3}));
    CHECK(json["buffers"]["bytes"].size() == 3);
}

TEST_CASE("a profile without buffers has none of their keys") {
    SyntheticProfile p;
    p.launch(p.kernel("k"), {1}, {1});
    const auto json = nlohmann::json::parse(formatProfile(p.build()));
    CHECK_FALSE(json.contains("buffers"));
    CHECK_FALSE(json.contains("argument_lists"));
    CHECK_FALSE(json["launches"].contains("arguments"));
}

TEST_CASE("hostile argument lists end in an error that names the place") {
    const auto good = nlohmann::json::parse(formatProfile(withArguments()));
    REQUIRE(parseProfile(good.dump(), "f").ok());
    const auto with = [&](const char* pointer, const nlohmann::json& value) {
        nlohmann::json bad = good;
        bad[nlohmann::json::json_pointer(pointer)] = value;
        return bad;
    };
    refused(with("/argument_lists/buffer/3", 3), "/argument_lists/buffer/3",
            "refers to entry 3 of \"buffers\", which has 3");
    refused(with("/argument_lists/buffer/0", 4294967295U), "/argument_lists/buffer/0", "refers");
    refused(with("/argument_lists/buffer/0", -1), "/argument_lists/buffer/0", "whole number");
    refused(with("/argument_lists/buffer/0", 0.5), "/argument_lists/buffer/0", "whole number");
    refused(with("/argument_lists/buffer/0", nullptr), "/argument_lists/buffer/0", "whole number");
    refused(with("/argument_lists/parameter/1", -1), "/argument_lists/parameter/1", "whole number");
    refused(with("/argument_lists/length/0", 3), "/argument_lists", "asks for more");
    refused(with("/argument_lists/length/0", 4294967295U), "/argument_lists", "asks for more");
    refused(with("/argument_lists/length/0", 1), "/argument_lists", "accounts for 4 of the 5");
    refused(with("/argument_lists/parameter", nlohmann::json::array({1})), "/argument_lists",
            "\"parameter\" has 1");
    refused(with("/argument_lists", nlohmann::json::object()), "/argument_lists", "missing");
    refused(with("/argument_lists/length", nlohmann::json({{"all", 1}})), "/argument_lists/length",
            "an array of numbers");
    refused(with("/argument_lists", 5), "/argument_lists", "an object");
    refused(with("/launches/arguments", nlohmann::json({0, 3, 1, nullptr})),
            "/launches/arguments/1", "refers to entry 3 of \"argument_lists\", which has 3");
    refused(with("/launches/arguments", nlohmann::json({0, 1})), "/launches/arguments",
            "2 values for 4 rows");
    refused(with("/buffers/bytes/1", 0), "/buffers/bytes/1", "at least 1");
    refused(with("/buffers/bytes", nlohmann::json({{"all", 1}})), "/buffers/bytes",
            "an array of numbers");
    refused(with("/buffers/offset_bytes", nlohmann::json({0, 1})), "/buffers/offset_bytes",
            "2 values");
    refused(with("/buffers/allocation", nlohmann::json({0, 1e300, 0})), "/buffers/allocation/1",
            "whole number");
    auto none = good;
    none.erase("buffers");
    refused(none, "/argument_lists/buffer/0", "which has 0");
}
