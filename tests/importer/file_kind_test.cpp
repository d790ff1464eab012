// SPDX-License-Identifier: Apache-2.0
// Files are told by their content.
#include "importer/traces/file_kind.h"

#include <fstream>

#include "importer/any_file/any_profile.h"
#include "profile/codec/codec.h"
#include "tests/importer/trace_text.h"
#include "tests/support/catch.h"
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
    for (const char* text : {"", "S", "SQLite", "N", "{", "{\"a\"", "[", "ID,Process ID", "\"ID\"",
                             "NaN", "<html>", "[{\"a\": "})
        CHECK(folder.kindOf(text) == FileKind::Unknown);
    CHECK(traces::kindOfFile("/nonexistent") == FileKind::Unknown);
    CHECK(traces::kindOfFile("/dev/null") == FileKind::Unknown);
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
}
