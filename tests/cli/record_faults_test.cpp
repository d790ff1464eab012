// SPDX-License-Identifier: Apache-2.0
// `roofscope record` as users see it if something is missing or fails.
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/workshop.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using roofscope::test::contains;
using roofscope::test::RecordSandbox;

TEST_CASE("an output that cannot be written is refused before the program runs") {
    // Nobody, not even root, can create files in /proc.
    for (const char* out : {"/proc/p.roofscope.json", "no/folder/p.roofscope.json", "."}) {
        INFO(out);
        const RecordSandbox workshop;
        const auto r = workshop.roofscope(std::string("record --out ") + out + " -- sh app");
        CHECK(r.code == 73);
        CHECK_FALSE(workshop.ran());
        CHECK(contains(r.err, "--out"));
    }
    const RecordSandbox workshop;
    CHECK(workshop.roofscope("record --timing-only --out p.roofscope.json -- sh app").code == 0);
    for (const auto& entry : std::filesystem::directory_iterator(workshop.folder.path()))
        CHECK_FALSE(entry.path().filename().string().starts_with(".roofscope"));
}

TEST_CASE("a disk that is full when the profile is written: it is kept elsewhere, and told") {
    const RecordSandbox workshop;
    const auto r = workshop.roofscope("record --timing-only --out /dev/full -- sh app");
    CHECK(r.code == 74);
    CHECK(contains(r.err, "/dev/full"));
    CHECK(std::filesystem::is_character_file("/dev/full"));
    const auto report = workshop.roofscope("report full --format json");
    CHECK(report.code == 0);
    CHECK(contains(report.out, "\"copy\""));
    // The program's own failure takes precedence.
    const RecordSandbox failing("exit 5");
    CHECK(failing.roofscope("record --timing-only --out /dev/full -- sh app").code == 5);
}

TEST_CASE("a limit on the size of files ends with the documented code, not with a signal") {
    const RecordSandbox workshop;
    std::ofstream(workshop.folder.file("limited")) << "ulimit -f 1\nexec '" ROOFSCOPE_PROGRAM
                                                      "' record --timing-only --out p.json -- sh "
                                                      "app\n";
    const std::string command = "cd '" + workshop.folder.path().string() +
                                "' && ROOFSCOPE_INJECT=\"$PWD/library.so\" bash limited "
                                "2>err.txt >/dev/null </dev/null";
    const int status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 74);
    CHECK(contains(test::readText(workshop.folder.file("err.txt")), "cannot be written"));
    CHECK_FALSE(std::filesystem::exists(workshop.folder.file("p.json")));
}

TEST_CASE("without the right to read counters: a clear notice, times, shapes and declared bytes") {
    const RecordSandbox workshop(
        "",
        R"(say '{"t":"issue","severity":"error","source":"inject","code":"counters-not-permitted",)"
        R"("message":"counters are restricted to the administrator","advice":"run roofscope doctor"}')");
    const auto r = workshop.roofscope("record --bytes 'cop.=4G' --out p.roofscope.json -- sh app");
    CHECK(r.code == 90);
    CHECK(contains(r.err, "counters are restricted to the administrator (run roofscope doctor)"));
    const auto report =
        nlohmann::json::parse(workshop.roofscope("report p.roofscope.json --format json").out);
    const auto& kernel = report["kernels"][0];
    CHECK(kernel["duration"]["median_ns"] == 2e6);
    CHECK(kernel["quantities"]["effective_bytes_per_s"].get<double>() == Approx(2e12));
    CHECK(kernel["quantities"]["resident_blocks_per_sm"] == 8);
    CHECK(kernel["quantities"]["dram_bytes_per_s"].is_null());
    const auto markdown = workshop.roofscope("report p.roofscope.json --format markdown").out;
    CHECK(contains(markdown, "Effective bandwidth from declared bytes (not measured): 2.00 TB/s"));
    CHECK(contains(markdown, "counters-not-permitted"));
}

TEST_CASE("binary junk of the program passes through as it is; ours stays readable") {
    // The binary output is on stdout in the first run, and on stderr of a later one that fails.
    const RecordSandbox workshop(
        R"(printf 'a\000\033[31m\377b'
grep -q -e '"mode":"timing"' -e '"mode":"count-first"' "$ROOFSCOPE_SPOOL_DIR/configuration.json" || { printf 'x\033[31m\000y\n' >&2; exit 3; })");
    const auto r = workshop.roofscope("record --replay kernel --out p.json -- sh app");
    CHECK(r.out == std::string("a\0\033[31m\377b", 9));
    CHECK(r.code == 90);
    CHECK_FALSE(contains(r.err, "\033"));
    CHECK(r.err.find('\0') == std::string::npos);
}

TEST_CASE("declared bytes and cache control that make no sense are usage errors") {
    const RecordSandbox workshop;
    for (const char* arguments :
         {"--bytes copy", "--bytes copy=0", "--bytes '(=1'", "--cache-control cold",
          "--cache-control flush --replay kernel", "--cache-control flush --timing-repeats 0"}) {
        INFO(arguments);
        const auto r =
            workshop.roofscope("record " + std::string(arguments) + " --out p.json -- sh app");
        CHECK(r.code == 64);
        CHECK_FALSE(r.err.empty());
        CHECK_FALSE(workshop.ran());
    }
    // Each --bytes takes only one word and never part of the program.
    const auto r = workshop.roofscope(
        "record --timing-only --bytes a=1 --bytes copy=2k --out p.json -- sh app");
    CHECK(r.code == 0);
    CHECK(contains(test::readText(workshop.folder.file("p.json")),
                   "\"declared_bytes\":{\"all\":2000}"));
}

TEST_CASE("a dry run refuses what the recording would refuse, with the same words") {
    const RecordSandbox workshop;
    for (const char* arguments :
         {"--kernel '('", "--source '('", "--source top:17", "--groups nonsense",
          "--timing-repeats 0 --replay application", "--timing-repeats 0 --range x"}) {
        INFO(arguments);
        const auto plan =
            workshop.roofscope("record --dry-run --chip GH100 " + std::string(arguments));
        const auto real = workshop.roofscope("record " + std::string(arguments) + " -- sh app");
        CHECK(plan.code == 64);
        CHECK(real.code == 64);
        CHECK(plan.out.empty());
        CHECK(plan.err == real.err);
        CHECK_FALSE(workshop.ran());
    }
    CHECK(contains(workshop.roofscope("record --source top:17 -- sh app").err, "top:1 to top:16,"));
    CHECK(contains(workshop.roofscope("record --help").out, "at most 16"));
}

TEST_CASE("a dry run of times alone says that no counters are read, and needs no GPU") {
    const RecordSandbox workshop;
    const auto text = workshop.roofscope("record --dry-run --timing-only");
    CHECK(text.code == 0);
    CHECK(contains(text.out, "no counters"));
    CHECK_FALSE(contains(text.out, "replay"));
    const auto json = nlohmann::json::parse(
        workshop.roofscope("record --dry-run --timing-only --chip GH100 --json").out);
    CHECK(json.at("timing_only") == true);
    CHECK(json.at("counters").empty());
    CHECK(json.at("kernel_replay").at("passes_per_launch") == 0);
    CHECK(json.at("application_replay").at("runs").empty());
}

TEST_CASE("the name of a chip that is nearly right is put right, another gets the known ones") {
    const RecordSandbox workshop;
    for (const auto& [chip, advice] :
         {std::pair{"gh100", "(did you mean GH100?)"}, {"XY100", "AD102, "}}) {
        const auto r = workshop.roofscope(std::string("record --dry-run --chip ") + chip);
        if (contains(r.err, "libcupti") || contains(r.err, "without the collector")) continue;
        CHECK(r.code == 69);
        CHECK(contains(r.err, advice));
        CHECK_FALSE(contains(r.err, "compute capability"));
    }
}

TEST_CASE("a program that is ended early: a profile is named only where there is one") {
    const char* const kept = "everything measured until then is in this profile";
    const RecordSandbox workshop;
    std::ofstream(workshop.folder.file("idle")) << "exec sleep 20\n";
    const auto nothing = workshop.roofscope("record --timeout 0.5 --out p.json -- sh idle");
    CHECK(nothing.code == 128 + 15);
    CHECK(contains(nothing.err, "was ended after 0.5 s (--timeout)\n"));
    CHECK(contains(nothing.err, "nothing was measured"));
    CHECK_FALSE(contains(nothing.err, kept));
    CHECK_FALSE(std::filesystem::exists(workshop.folder.file("p.json")));

    const RecordSandbox half("exec sleep 20");
    const auto some = half.roofscope("record --timeout 1 --out p.json -- sh app");
    CHECK(contains(some.err, kept));
    CHECK(std::filesystem::exists(half.folder.file("p.json")));
}

TEST_CASE("where the driver is missing, a recording of nothing says so") {
    const RecordSandbox workshop;
    const auto r = workshop.roofscope("record -- true");
    CHECK(r.code == 91);
    const bool noDriver = contains(workshop.roofscope("doctor --json").out, "\"no-driver\"");
    CHECK(contains(r.err, "libcuda.so.1 could not be loaded") == noDriver);
    CHECK(contains(r.err, "run \"roofscope doctor\"") == noDriver);
    CHECK(contains(r.err, "check that it runs on the GPU") != noDriver);
}

TEST_CASE("numbers that make no sense are refused in a line that can be read") {
    const RecordSandbox workshop;
    for (const char* arguments : {"--timeout 0", "--timeout nan", "--timeout inf", "--timeout -1",
                                  "--timeout soon", "--launch-count 0", "--launch-count -3"}) {
        INFO(arguments);
        const auto r = workshop.roofscope("record " + std::string(arguments) + " -- sh app");
        CHECK(r.code == 64);
        CHECK((contains(r.err, "is not a number above 0") ||
               contains(r.err, "is not a whole number from 1 to ")));
        CHECK(r.err.size() < 140);
        CHECK_FALSE(workshop.ran());
    }
    for (const char* arguments : {"kernels run --repeat 0", "kernels run --warmup -1",
                                  "ceilings --seconds nan", "ceilings --seconds 0"}) {
        INFO(arguments);
        const auto r = workshop.roofscope(arguments);
        CHECK(r.code == 64);
        CHECK(r.err.size() < 150);
    }
}
