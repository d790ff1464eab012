// SPDX-License-Identifier: Apache-2.0
// `roofscope extract` as users see it, without a GPU: a shell script acts as the program, and
// leaves what the injected library would.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "collector/capture/captured_launch.h"
#include "collector/capture/page_writer.h"
#include "tests/cli/workshop.h"
#include "tests/support/catch.h"

using namespace roofscope;
using roofscope::test::contains;
using roofscope::test::RecordSandbox;
namespace fs = std::filesystem;

namespace {

/// The program launches `copy` once. In the run that is to capture the launch, it runs `keeping`.
struct ExtractSandbox : RecordSandbox {
    explicit ExtractSandbox(const std::string& keeping = R"(cp -r kept "$folder/capture-7")",
                            const std::string& more = "")
        : RecordSandbox(more, R"sh(c="$ROOFSCOPE_SPOOL_DIR/configuration.json"
if grep -q '"mode":"capture"' "$c"; then
cp "$c" asked
folder=$(sed 's/.*"folder":"\([^"]*\)".*/\1/' "$c")
)sh" + keeping + "\nfi\n") {
        const fs::path kept = folder.file("kept");
        fs::create_directories(kept);
        capture::PageWriter memory(kept);
        const std::vector<unsigned char> before(4096, 1), after(4096, 2);
        memory.addRegion(4096);
        memory.before(0, before);
        memory.after(0, after);
        REQUIRE(memory.finish());
        std::ofstream(kept / "module-0.cubin") << "code";
        std::ofstream(kept / capture::kCaptureFile) << R"({"symbol":"copy","grid":[1320,1,1],
"block":[256,1,1],"cluster":null,"dynamic_shared_bytes":8,"cooperative":false,"gpu":"a GPU",
"compute":[9,0],"parameters":[{"offset":0,"bytes":8,"value":"00000000007f0000"}],
"modules":["module-0.cubin"],"variables":[],"notes":["a note"],
"memory":[{"address":"0x7f0000000000","bytes":4096,"kind":"device"}]})";
    }
    [[nodiscard]] test::Outcome extract(const std::string& options = "--no-check") const {
        return roofscope("extract --kernel copy --out one " + options + " -- sh app");
    }
    /// Whether neither the folder nor anything that was to become it exists.
    [[nodiscard]] bool nothingLeft() const {
        for (const auto& entry : fs::directory_iterator(folder.path())) {
            const std::string name = entry.path().filename().string();
            if (name == "one" || name.starts_with(".roofscope")) return false;
        }
        return true;
    }
};

}  // namespace

TEST_CASE("extract makes a folder of the launch, and says what is in it") {
    const ExtractSandbox sandbox;
    const auto r = sandbox.extract();
    CHECK(r.code == 0);
    CHECK(contains(r.err, "one more run, to keep copy, 2.00 ms, its only launch"));
    CHECK(contains(r.err, "4.10 kB of memory"));
    CHECK(contains(r.err, "it holds the program's data"));
    CHECK(contains(r.err, "roofscope: a note\n"));
    const auto file = [&](const char* name) {
        return test::readText(sandbox.folder.file(std::string("one/") + name));
    };
    const auto launch = nlohmann::json::parse(file("launch.json"));
    CHECK(launch["format"] == "roofscope-launch");
    CHECK(launch["name"] == "copy");
    CHECK(launch["program_ns"] == 2'000'000);
    CHECK(file("module-0.cubin") == "code");
    CHECK(file("arch") == "sm_90a\n");
    CHECK(contains(file("kernel.cu"), "copy(void* a0) {"));
    CHECK(contains(file("start.py"), "def candidate(\n    a0: \"u8[:]\",  # 0: 8 bytes"));
    CHECK(contains(file("report.md"), "`copy`"));
    CHECK(contains(file("report.md"), "`./check COPY.cu`"));
    CHECK_FALSE(contains(file("report.md"), "roofscope record --out"));
    CHECK(contains(file("TASK.md"), "2000.00 µs"));
    CHECK(contains(file("README.md"), "- a note\n"));
    CHECK(contains(file("replay.cpp"), "int main("));
    CHECK(fs::exists(sandbox.folder.file("one/memory.index")));
    CHECK(contains(roofscopeRun("report '" + sandbox.folder.file("one").string() +
                                "/profile.roofscope.json.gz'")
                       .out,
                   "`copy`"));
    CHECK((fs::status(sandbox.folder.file("one/check")).permissions() & fs::perms::owner_exec) !=
          fs::perms::none);
    // No path of this machine.
    for (const auto& entry : fs::directory_iterator(sandbox.folder.file("one")))
        CHECK_FALSE(contains(test::readText(entry.path()), sandbox.folder.path().string()));
    fs::remove_all(sandbox.folder.file("one"));
    CHECK(sandbox.nothingLeft());
}

TEST_CASE("several kernels have a folder each, and those that cannot be kept are told") {
    const ExtractSandbox top;
    const auto r = top.roofscope("extract --top 3 --out one --no-check -- sh app");
    INFO(r.err);
    CHECK(r.code == 0);
    CHECK(fs::exists(top.folder.file("one/copy/check")));
    CHECK(fs::exists(top.folder.file("one/copy/candidate_runner.py")));
    CHECK(contains(r.err, "in one/copy; it holds"));
    const ExtractSandbox two;
    const auto partly =
        two.roofscope("extract -k copy -k other --out one --no-check --quiet -- sh app");
    CHECK(partly.code == 90);
    CHECK(contains(partly.err, "--kernel other: no matching kernel was launched"));
    CHECK(fs::exists(two.folder.file("one/copy/launch.json")));
    const ExtractSandbox none;
    CHECK(none.roofscope("extract -k any -k other --out one --no-check -- sh app").code == 66);
    CHECK(none.nothingLeft());
}

TEST_CASE("the run that keeps the launch is told which one, and how much it may keep") {
    const ExtractSandbox sandbox;
    CHECK(sandbox.extract("--no-check --quiet --limit 64KiB").err.empty());
    const auto asked = nlohmann::json::parse(test::readText(sandbox.folder.file("asked")));
    CHECK(asked["ordinal"] == 0);
    CHECK(asked["signature"].is_number());
    CHECK(asked["limitBytes"] == 65536);
    CHECK(asked["selection"]["kernel"] == "copy");
}

TEST_CASE("a launch that cannot be kept is refused with its reason, and nothing is left") {
    const auto refused = [](const std::string& keeping, int code, const std::string& why,
                            const std::string& more = "") {
        const ExtractSandbox sandbox(keeping, more);
        const auto r = sandbox.extract();
        INFO(r.err);
        CHECK(r.code == code);
        CHECK(contains(r.err, why));
        CHECK(sandbox.nothingLeft());
    };
    refused(R"(say '{"t":"issue","severity":"error","source":"inject","code":"capture-refused",)"
            R"("message":"memory of another GPU","advice":""}')",
            69, "memory of another GPU");
    refused("true", 69, "did not come again");
    // What the library left is damaged.
    refused(R"(cp -r kept "$folder/capture-7"; echo x > "$folder/capture-7/memory.index")", 65,
            "memory.index");
    refused(R"(cp -r kept "$folder/capture-7"; echo x > "$folder/capture-7/capture.json")", 65,
            "capture.json");
    // It was killed before it was complete.
    refused(R"(cp -r kept "$folder/capture-7"; rm "$folder/capture-7/capture.json")", 69,
            "did not come again");
}

TEST_CASE("a program that fails is not run again to keep a launch") {
    const ExtractSandbox sandbox("true", "exit 5");
    const auto r = sandbox.extract();
    CHECK(r.code == 69);
    CHECK(contains(r.err, "the program ended with 5"));
    CHECK_FALSE(fs::exists(sandbox.folder.file("asked")));
    CHECK(sandbox.nothingLeft());
}

TEST_CASE("what cannot be extracted is refused before the program runs") {
    const ExtractSandbox sandbox;
    fs::create_directories(sandbox.folder.file("full/file"));
    const auto refused = [&](const std::string& arguments, int code, const std::string& why) {
        const auto r = sandbox.roofscope("extract " + arguments);
        INFO(r.err);
        CHECK(r.code == code);
        CHECK(contains(r.err, why));
        CHECK_FALSE(sandbox.ran());
    };
    refused("--kernel copy --out full -- sh app", 73, "full: the folder is not empty");
    refused("--kernel copy --out app -- sh app", 73, "is no folder");
    refused("--kernel copy --out no/such -- sh app", 73, "does not exist");
    refused("--kernel copy --out one --launch last -- sh app", 64, "--launch last");
    refused("--kernel copy --out one --limit much -- sh app", 64, "--limit much");
    refused("--kernel 'copy(' --out one -- sh app", 64, "--kernel");
    refused("--kernel copy --out one", 64, "no program");
    refused("--out one -- sh app", 64, "--kernel");
    refused("--kernel copy -k 'copy(' --out one -- sh app", 64, "--kernel copy(");
    refused("--top 0 --out one -- sh app", 64, "--top");
    refused("--top 2 --launch 3 --out one -- sh app", 64, "--launch 3");
    CHECK(sandbox.nothingLeft());
}

TEST_CASE("a folder whose original cannot be replayed is kept, and told") {
    const ExtractSandbox sandbox;
    // There is no GPU here, or it does not run this code.
    const auto r = sandbox.extract("");
    CHECK(r.code == 90);
    CHECK(contains(r.err, "the folder is written, but"));
    CHECK(fs::exists(sandbox.folder.file("one/.build/replay")));
}

TEST_CASE("a check that hangs is ended, and what can be done is told") {
    const ExtractSandbox sandbox;
    std::ofstream(sandbox.folder.file("hangs"))
        << "#!/bin/sh\necho $$ > \"${0%/*}/pid\"; exec sleep 300\n";
    const auto r =
        test::inBash("cd '" + sandbox.folder.path().string() +
                     "'\nchmod +x hangs; export CXX=$PWD/hangs ROOFSCOPE_TOOL_PATIENCE=1 "
                     "ROOFSCOPE_INJECT=$PWD/library.so; SECONDS=0; "
                     "'" ROOFSCOPE_PROGRAM
                     "' extract --kernel copy --out one -- sh app; "
                     "echo code $? $((SECONDS < 60)); kill -0 $(cat pid) || echo ended");
    INFO(r.err);
    CHECK(contains(r.out, "code 90 1\nended"));
    CHECK(contains(r.err, "the folder is written, but"));
    CHECK(contains(r.err, "printed nothing for 1 s and was ended"));
    CHECK(contains(r.err, "\"--no-check\""));
    CHECK(fs::exists(sandbox.folder.file("one/launch.json")));
}

TEST_CASE("extract runs no compiler of the current folder") {
    const ExtractSandbox sandbox;
    const auto r = test::inBash(
        "cd '" + sandbox.folder.path().string() +
        "'\nfor trap in c++ dirname mkdir find; do printf '#!/bin/sh\\n>sprung\\n' > $trap; "
        "chmod +x $trap; done\nPATH=.:$PATH ROOFSCOPE_INJECT=$PWD/library.so "
        "'" ROOFSCOPE_PROGRAM "' extract --kernel copy --out one -- sh app");
    CHECK(r.code == 90);
    CHECK(fs::exists(sandbox.folder.file("one/.build/replay")));
    CHECK_FALSE(fs::exists(sandbox.folder.file("sprung")));
    CHECK_FALSE(fs::exists(sandbox.folder.file("one/sprung")));
}

TEST_CASE("check says what it needs") {
    const ExtractSandbox sandbox;
    REQUIRE(sandbox.extract().code == 0);
    const auto check = [&](const std::string& line) {
        return test::inBash("cd '" + sandbox.folder.path().string() + "' && " + line);
    };
    CHECK(contains(check("CXX=false one/check").err, "could not be compiled"));
    CHECK(check("CXX=false one/check").code == 2);
    // A replay program that prints its arguments.
    std::ofstream(sandbox.folder.file("one/.build/replay")) << "#!/bin/sh\necho \"$@\"\n";
    REQUIRE(check("chmod +x one/.build/replay && touch -d tomorrow one/.build/replay").code == 0);
    CHECK(contains(check("one/check").out, "verify --folder /"));
    CHECK(contains(check("one/check k.cubin --json").out, "check k.cubin --folder /"));
    REQUIRE(check("cp one/.build/replay one/.build/replay.so && touch -d tomorrow "
                  "one/.build/replay.so")
                .code == 0);
    CHECK(contains(check("one/check one/start.py --json").out, "check one/start.py --folder /"));
    CHECK(contains(check("one/check one/start.py --json").out, "--source one/start.py --json\n"));
    CHECK(contains(check("COMPUTE_SANITIZER=none one/check k.cubin --sanitize").err,
                   "compute-sanitizer was not found"));
    // A sanitizer that finds something, or nothing.
    std::ofstream(sandbox.folder.file("tool")) << "#!/bin/sh\necho \"$@\"\nexit $FOUND\n";
    const std::string sanitize =
        "chmod +x tool && COMPUTE_SANITIZER=$PWD/tool one/check k.cubin --sanitize --json";
    CHECK(contains(check("export FOUND=0; " + sanitize).out, "check k.cubin --folder /"));
    CHECK(contains(check("export FOUND=99; " + sanitize).err, "--tool memcheck"));
    CHECK(check("export FOUND=99; " + sanitize).code == 3);
    CHECK(check("export FOUND=1; " + sanitize).code == 2);
    CHECK(contains(check("one/check no.cu").err, "no.cu: cannot be read"));
    CHECK(check("one/check no.cu").code == 2);
    CHECK(contains(check("NVCC=none one/check one/kernel.cu").err, "nvcc was not found"));
    CHECK(contains(check("NVCC=false one/check one/kernel.cu").err, "does not compile"));
    CHECK(check("one/check what").code == 64);
    CHECK(contains(check("one/check --help").out, "exit code: 0 better"));
}
