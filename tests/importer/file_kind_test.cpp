// SPDX-License-Identifier: Apache-2.0
// Files are told by their content.
#include "importer/traces/file_kind.h"

#include <zlib.h>

#include <fstream>

#include "importer/any_file/any_profile.h"
#include "profile/codec/codec.h"
#include "tests/importer/trace_text.h"
#include "tests/support/catch.h"
#include "tests/support/made_ncu_report.h"
#include "tests/support/samples.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using traces::FileKind;

namespace {

class Folder {
public:
    FileKind kindOf(const std::string& text) { return traces::kindOfFile(written(text)); }
    Result<Profile> opened(const std::string& text) {
        return readAnyProfile(
            written(text), "1.0",
            [](const std::vector<std::string>&, std::uint64_t) -> Result<std::string> {
                return Error{.what = "no program runs here"};
            },
            "");
    }

private:
    std::filesystem::path written(const std::string& text) {
        const std::filesystem::path file = m_folder.path() / "file.json";
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }
    test::TemporaryFolder m_folder;
};

std::string syntheticTrace() {
    return test::TraceText()
        .call("cudaLaunchKernel", "1", "2", 1)
        .kernel("k", "5.5", "2", 1)
        .text();
}

}  // namespace

TEST_CASE("what a file is, by its content") {
    Folder folder;
    CHECK(folder.kindOf(syntheticTrace()) == FileKind::Trace);
    CHECK(folder.kindOf("\xEF\xBB\xBF " + syntheticTrace()) == FileKind::Trace);
    CHECK(folder.kindOf(R"([{"name": "k", "ph": "X"}])") == FileKind::Trace);
    CHECK(folder.kindOf(R"([null, null, {"name": "k", "ph": "X"}])") == FileKind::Trace);
    CHECK(folder.kindOf("[null]") == FileKind::OtherJson);
    for (const char* format : {R"("chrome")", "1", "{}"})
        CHECK(folder.kindOf(R"({"format": )" + std::string(format) + R"(, "traceEvents": []})") ==
              FileKind::Trace);
    CHECK(folder.kindOf(R"({"x": {"traceEvents": 1}, "traceEvents": [])") == FileKind::Trace);
    CHECK(folder.kindOf(formatProfile(test::sample("h200_torch_chain"))) == FileKind::Profile);
    CHECK(folder.kindOf(R"({"schema": "1.0", "pid": 1, "nodes": []})") == FileKind::ExecutionTrace);
    CHECK(folder.kindOf(R"([{"children": [], "frame": {}}, {}])") == FileKind::Proton);
    CHECK(folder.kindOf(R"({"a": 1})") == FileKind::OtherJson);
    CHECK(folder.kindOf("[]") == FileKind::OtherJson);
    CHECK(folder.kindOf(std::string("SQLite format 3\0", 16)) == FileKind::Sqlite);
    CHECK(folder.kindOf("NVIDIA Tegra Profiler Report 2025") == FileKind::NsysReport);
    CHECK(folder.kindOf(std::string("NVR\0\x05", 5)) == FileKind::NcuReport);
    CHECK(folder.kindOf(std::string("\n\x13\x32\x0D\x08\x01\0\x12", 8)) == FileKind::Perfetto);
    CHECK(folder.kindOf("\n\n " + syntheticTrace()) == FileKind::Trace);
    for (const char* text : {"", "S", "SQLite", "N", "{", "{\"a\"", "[", "ID,Process ID", "\"ID\"",
                             "NaN", "<html>", "[{\"a\": "})
        CHECK(folder.kindOf(text) == FileKind::Unknown);
    CHECK(traces::kindOfFile("/nonexistent") == FileKind::Unknown);
    CHECK(traces::kindOfFile("/dev/null") == FileKind::Unknown);
}

TEST_CASE("a report of Nsight Compute opens under any name, packed or not") {
    test::MadeLaunch launch;
    launch.metrics = {{"gpu__time_duration.sum", test::made(5.0)}};
    const std::string bytes = test::madeBytes({.launches = {launch}});
    test::TemporaryFolder folder;
    const auto opened = [&](const char* name, bool packed) {
        const auto path = folder.path() / name;
        if (packed) {
            gzFile file = gzopen(path.c_str(), "wb");
            gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
            gzclose(file);
        } else {
            std::ofstream(path, std::ios::binary) << bytes;
        }
        return readAnyProfile(path, "1.0", {}, "");
    };
    for (const char* name : {"a.nsight-cuprof-report", "a", "a.json", "a.csv", "a.ncu-rep"})
        for (const bool packed : {false, true}) {
            INFO(name << packed);
            const auto profile = opened(name, packed);
            REQUIRE(profile.ok());
            CHECK(profile->counters.value("gpu__time_duration.sum", 0) == 5.0);
        }
}

TEST_CASE("any file opens, or says what it is") {
    Folder folder;
    const auto trace = folder.opened(syntheticTrace());
    REQUIRE(trace.ok());
    CHECK(trace->launches.size() == 1);
    CHECK(folder.opened(formatProfile(*trace)).ok());
    const auto says = [&](const std::string& text) {
        const auto profile = folder.opened(text);
        REQUIRE_FALSE(profile.ok());
        return profile.error().what;
    };
    CHECK(says(R"([{"frame": 1}])").find("Proton") != std::string::npos);
    CHECK(says(R"({"schema": "1", "nodes": []})").find("execution trace") != std::string::npos);
    CHECK(says(R"({"a": 1})").find("neither a profile") != std::string::npos);
    CHECK(says(std::string("SQLite format 3\0", 16)).find("SQLite") != std::string::npos);
    CHECK(says("NVIDIA Tegra Profiler Report").find("Nsight Systems") != std::string::npos);
    CHECK(says(std::string("\n\x13\x32\x0D\x08\x01\0\x12", 8)).find("Perfetto") !=
          std::string::npos);
}
