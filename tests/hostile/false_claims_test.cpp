// SPDX-License-Identifier: Apache-2.0
// Files with false contents, and files that lack the data for a claim: reports claim no more than
// was measured, and all formats say the same.
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/hostile/recording.h"
#include "tests/support/catch.h"
#include "tests/support/share_sums.h"

using namespace roofscope;
using namespace roofscope::test;
using nlohmann::json;

namespace {

const std::string kSamples = "profile/samples/", kPrograms = "tests/frameworks/recorded/";

/// A recording with changes, as a file in folder().
std::string changed(const std::string& sample, const std::function<void(json&)>& change,
                    const std::string& name = "changed.json") {
    inBash("gzip -dc '" ROOFSCOPE_SOURCE_DIR "/" + sample + ".roofscope.json.gz' > " + name);
    json profile = json::parse(readText(folder().file(name)));
    change(profile);
    std::ofstream(folder().file(name)) << profile.dump();
    return name;
}

std::string reported(const std::string& file, const std::string& format) {
    const auto r = roofscopeRun("report " + file + " -f " + format);
    INFO(r.err);
    REQUIRE(r.code == 0);
    return r.out;
}

void dropTimes(json& profile) {
    for (const char* column : {"duration_ns", "start_ns"}) profile["launches"].erase(column);
    for (const char* counter : {"gpu__time_duration.sum"}) profile["counters"].erase(counter);
    profile.erase("timeline");
    for (json& process : profile["processes"]) process.erase("timeline");
}

/// Multiplies all values of a column.
void scale(json& profile, const std::string& counter, double factor) {
    json& column = profile["counters"].at(counter);
    for (json& value : column.is_object() ? column.at("values") : column)
        if (value.is_number()) value = value.get<double>() * factor;
}

/// The GPU's clock jumps by 20 minutes before the last third of the launches.
void jumpClock(json& profile) {
    json& starts = profile["launches"]["start_ns"];
    for (std::size_t i = starts.size() * 2 / 3; i < starts.size(); ++i)
        starts[i] = starts[i].get<double>() + 1200e9;
    profile["timeline"].erase("ranges");  // they have their own times
}

}  // namespace

TEST_CASE("without counters, or without times, no format says that nothing is left to do") {
    for (const bool times : {true, false}) {
        const std::string file = changed(kPrograms + "torch_sdpa", [&](json& profile) {
            if (times)
                profile["counters"] = json::object(), profile["sources"] = json::array();
            else
                dropTimes(profile);
        });
        CAPTURE(times);
        const json program = json::parse(reported(file, "json"))["program"];
        CHECK(program["lacking"].is_string());
        CHECK((program["conclusion"] == "cannot-tell" || program["conclusion"] == "actions"));
        for (const char* format : {"markdown", "text", "html"}) {
            const std::string report = reported(file, format);
            CHECK_FALSE(contains(report, "Stop here"));
            CHECK_FALSE(contains(report, "No known single edit"));
            if (program["actions"].empty()) CHECK(contains(report, "Not measured"));
        }
    }
}

TEST_CASE("where one process of several lost a launch, shares still add up") {
    for (const std::uint64_t lost : {0, 1}) {
        const std::string file = changed(kPrograms + "torch_ddp_uneven", [&](json& profile) {
            json& seen = profile["processes"][0]["launches_seen"];
            seen = seen.get<std::uint64_t>() + lost;
        });
        CAPTURE(lost);
        const json report = json::parse(reported(file, "json"));
        CHECK(sharesProblem(report) == "");
        CHECK(report["program"]["shares"]["idle_launch"].is_null() == (lost > 0));
        const auto percents = percentsInText(reported(file, "markdown"));
        REQUIRE(percents.has_value());
        CHECK(*percents == Approx(100).margin(1));
    }
}

TEST_CASE("rates that no GPU reaches are an issue of the recording and no verdict") {
    const std::string file = changed(kSamples + "h200_source", [](json& profile) {
        for (const char* counter : {"dram__bytes_read.sum", "dram__bytes_write.sum"})
            scale(profile, counter, 1e6);
    });
    const std::string text = reported(file, "markdown");
    CAPTURE(text);
    CHECK(contains(text, "beyond 105 % of what the GPU can do (DRAM"));
    for (const json& kernel : json::parse(reported(file, "json"))["kernels"]) {
        CHECK(kernel["quantities"]["dram_utilisation_ratio"].is_null());
        CHECK(kernel["verdict"]["limiter"] != "DRAM");
    }
}

TEST_CASE("times and peaks of another GPU make no share of a roof above 105 %") {
    const std::map<std::string, std::function<void(json&)>> changes = {
        {"times",
         [](json& profile) {
             for (json& value : profile["launches"]["duration_ns"])
                 value = value.get<double>() / 1e3;
         }},
        {"grids",
         [](json& profile) {
             for (json& value : profile["launches"]["grid_x"])
                 value = value.get<std::uint64_t>() * 1000;
         }},
        {"peaks",
         [](json& profile) {
             for (json& value : profile["devices"][0]["peaks"]) value = value.get<double>() / 100;
         }},
        {"predicates",
         [](json& profile) { scale(profile, "smsp__sass_thread_inst_executed_pred_on.sum", 9); }},
        {"stores",
         [](json& profile) { scale(profile, "smsp__sass_data_bytes_mem_global_op_st.sum", 9); }},
    };
    for (const auto& [what, change] : changes) {
        CAPTURE(what);
        const json report =
            json::parse(reported(changed(kSamples + "h200_source", change), "json"));
        CHECK(contains(report["notes"].dump(), "beyond 105 %"));
        for (const json& kernel : report["kernels"]) {
            const json& reached = kernel["verdict"]["utilisation_ratio"];
            CHECK((reached.is_null() || reached.get<double>() <= 1.05));
            for (const auto& [name, value] : kernel["quantities"].items()) {
                // Caches may serve what the author declared.
                if (!value.is_number() || !name.ends_with("_ratio") || name == "effective_ratio")
                    continue;
                CAPTURE(name);
                CHECK(value.get<double>() <= 1.05);
            }
        }
    }
}

TEST_CASE("no device and no counter makes a share infinite or negative") {
    for (const json& warp : {json(1000000), json(0), json(64)})
        for (const json& threads : {json(2048), json(16), json(0)}) {
            const std::string file = changed(kSamples + "h200_source", [&](json& profile) {
                profile["devices"][0]["warp_size"] = warp;
                profile["devices"][0]["max_threads_per_sm"] = threads;
                scale(profile, "sm__cycles_active.min", 1000);
            });
            CAPTURE(warp.dump(), threads.dump());
            const json report = json::parse(reported(file, "json"));
            for (const json& kernel : report["kernels"])
                for (const auto& [name, value] : kernel["quantities"].items()) {
                    if (!value.is_number() || !name.ends_with("_ratio")) continue;
                    CAPTURE(name, value.dump());
                    CHECK(value.get<double>() >= 0);
                }
            for (const char* format : {"markdown", "csv", "html"}) {
                const std::string text = reported(file, format);
                CHECK_FALSE(contains(text, "inf %"));
                CHECK_FALSE(contains(text, ",inf"));
            }
        }
}

TEST_CASE("work long after the end of the program is not believed") {
    const json report = json::parse(reported(changed(kPrograms + "torch_step", jumpClock), "json"));
    CHECK(shareProblem(report["program"]["shares"]) == "");
    CHECK(report["program"]["window"]["seconds"].get<double>() < 1);
    CHECK(contains(report["issues"].dump(), "lie after the end of the program"));
}

TEST_CASE("a GPU that begins nothing of what was issued waits for something unknown") {
    const std::string file = changed(kPrograms + "torch_step", [](json& profile) {
        jumpClock(profile);
        // The program waits as long.
        profile["processes"][0].erase("run");
        json& lasts = profile["timeline"]["calls"]["duration_ns"];
        lasts.back() = lasts.back().get<double>() + 1300e9;
    });
    const json shares = json::parse(reported(file, "json"))["program"]["shares"];
    CHECK(shareProblem(shares) == "");
    CAPTURE(shares.dump());
    CHECK(shares["idle_unknown"].get<double>() > 0.9);
}

TEST_CASE("a small file takes little memory, whatever it unpacks to") {
    inBash(R"(python3 - <<'END'
import gzip
begin = b'{"format":"roofscope-profile","schema":[1,7],"devices":[{"name":"g"}],"processes":[{}],"kernels":[{"name":"k"}],'
def write(name, parts):
    with gzip.open(name, "wb") as out:
        for part in parts: out.write(part)
write("launches.gz", [begin, b'"launches":{"kernel":[0', b",0" * 16000000, b"]}}"])
write("fewer.gz", [begin, b'"launches":{"kernel":[0', b",0" * 7000000, b"]}}"])
zeros = b"[0" + b",0" * 6000000 + b"]"
write("ranges.gz", [begin, b'"ranges":["r"],"launches":{},"range_measurements":{"range":', zeros, b',"counters":{}}}'])
write("devices.gz", [begin.replace(b'[{"name":"g"}', b'[{"name":"g"}' + b',{"name":"g"}' * 100000), b'"launches":{}}'])
def cycle(n): return b"[" + b",".join(b"%d" % (1 + i % n) for i in range(200000)) + b"]"
write("groups.gz", [begin, b'"launches":{"kernel":[0' + b",0" * 199999 + b'],"grid_x":', cycle(499), b',"grid_y":', cycle(503), b"}}"])
write("kernels.gz", [begin[:-14], b'[{"name":"k"}', b',{"name":"k"}' * 1000000, b"]}"])
rows = 100000
write("columns.gz", [begin, b'"launches":{"kernel":[0', b",0" * (rows - 1), b']},"counters":{"a":{"all":1}',
      b"".join(b',"c%d":{"all":1}' % i for i in range(3000)), b"}}"])
END)");
    for (const char* name :
         {"launches", "fewer", "groups", "ranges", "devices", "kernels", "columns"}) {
        const auto r = inBash("ulimit -v 400000 -t 20; exec '" ROOFSCOPE_PROGRAM "' report " +
                              std::string(name) + ".gz -f csv");
        CAPTURE(name, r.err);
        CHECK(r.code == 65);
        CHECK((contains(r.err, "more than ") || contains(r.err, "unpacks to")));
    }
}
