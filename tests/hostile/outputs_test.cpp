// SPDX-License-Identifier: Apache-2.0
// Output names, folders, links, permissions, disks and memory.
#include <sys/stat.h>

#include "tests/hostile/recording.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

const std::string kProgram = ROOFSCOPE_PROGRAM;

Outcome recordApp(const std::string& options, const std::string& before = "") {
    return roofscopeRun(kRecord + options + " -- sh app", before + kInjected);
}

}  // namespace

TEST_CASE("recordings side by side never take each other's default name") {
    makeProgram("app");
    const auto r = inBash("for i in 1 2 3 4 5 6; do " + std::string(kInjected) + "'" + kProgram +
                          "' " + kRecord + "-- sh app & done; wait");
    INFO(r.err);
    CHECK(countOf(folder().path(), "sh") == 6);
    CHECK(roofscopeRun("report sh.roofscope.json sh-2.roofscope.json sh-6.roofscope.json").code ==
          0);
    CHECK(inBash("rm sh*.roofscope.json").code == 0);
}

TEST_CASE("a failed write leaves no empty file under the name that was taken") {
    makeProgram("app");
    const auto r = inBash("ulimit -f 0; " + std::string(kInjected) + "'" + kProgram + "' " +
                          kRecord + "-- sh app");
    CHECK(r.code != 0);
    CHECK_FALSE(exists("sh.roofscope.json"));
}

TEST_CASE("a name as long as the system allows is written, a longer one refused before the run") {
    makeProgram("app", "touch ran");
    for (const std::size_t length : {236, 250, 255}) {
        const std::string name = std::string(length - 5, 'n') + ".json";
        CAPTURE(length);
        CHECK(recordApp("--out " + name).code == 0);
        CHECK(exists(name));
        CHECK(roofscopeRun("report " + name + " -f json --out r" + name.substr(1)).code == 0);
        inBash("rm -f n* rn*");
    }
    inBash("rm -f ran");
    const auto refused = recordApp("--out " + std::string(256, 'n'));
    CHECK(refused.code == 73);
    CHECK_FALSE(exists("ran"));
    CHECK(contains(refused.err, "too long"));
}

TEST_CASE("a program whose name fills a name") {
    const std::string name = std::string(245, 'p');
    makeProgram(name);
    const auto r = inBash("chmod +x " + name + "; sed -i '1i #!/bin/sh' " + name + "; " +
                          kInjected + "'" + kProgram + "' " + kRecord + "-- ./" + name);
    INFO(r.err);
    CHECK(r.code == 0);
    CHECK(countOf(folder().path(), "ppp") == 2);
    inBash("rm -f ppp*");
}

TEST_CASE("an output keeps the rights that it had") {
    inBash(
        "umask 022; echo old > private.md; chmod 600 private.md; cp private.md p.json; chmod 640 "
        "p.json");
    REQUIRE(roofscopeRun("report '" + kSample + "' --out private.md").code == 0);
    makeProgram("app");
    REQUIRE(recordApp("--out p.json").code == 0);
    struct stat is {};
    REQUIRE(stat(folder().file("private.md").c_str(), &is) == 0);
    CHECK((is.st_mode & 0777) == 0600);
    REQUIRE(stat(folder().file("p.json").c_str(), &is) == 0);
    CHECK((is.st_mode & 0777) == 0640);
    CHECK(readText(folder().file("private.md")).size() > 100);
}

TEST_CASE("a link is written through, also where nothing is there yet") {
    inBash(
        "mkdir -p real; ln -sf real/new.md dangling.md; ln -sf real/new.json dangling.json; ln -sf "
        "loop loop");
    CHECK(roofscopeRun("report '" + kSample + "' --out dangling.md").code == 0);
    CHECK(std::filesystem::is_symlink(folder().file("dangling.md")));
    CHECK(exists("real/new.md"));
    makeProgram("app");
    CHECK(recordApp("--out dangling.json").code == 0);
    CHECK(exists("real/new.json"));
    CHECK(roofscopeRun("report '" + kSample + "' -f json --out loop").code == 73);
    inBash("ln -sf gone/x.json nowhere.json");
    CHECK(recordApp("--out nowhere.json").code == 73);
}

TEST_CASE("TMPDIR that is a file, empty, relative or not set") {
    makeProgram("app");
    inBash("touch file; mkdir -p tmp");
    const auto file = recordApp("--out t.json", "TMPDIR=file ");
    CHECK(file.code == 73);
    CHECK(contains(file.err, "TMPDIR"));
    CHECK(contains(file.err, "is not a folder"));
    CHECK(recordApp("--out t.json", "TMPDIR= ").code == 0);
    CHECK(recordApp("--out t.json", "env -u TMPDIR ").code == 0);
    CHECK(recordApp("--out t.json", "TMPDIR=tmp ").code == 0);
    CHECK(std::filesystem::is_empty(folder().file("tmp")));
}

TEST_CASE("few descriptors, small files, full disks: a documented code, one line, nothing left") {
    makeProgram("app");
    inBash("rm -rf few; mkdir few");
    for (const std::string limit : {"ulimit -n 4", "ulimit -n 5", "ulimit -f 1"}) {
        for (const std::string& arguments : {"report '" + kSample + "' -f json --out few/r.json",
                                             "gate '" + kSample + "' --baseline few/b --update",
                                             std::string(kRecord) + "--out few/p.json -- sh app"}) {
            const auto r =
                inBash(limit + "; " + kInjected + "exec '" + kProgram + "' " + arguments);
            CAPTURE(limit, arguments, r.err);
            CHECK(r.code < 128);
            CHECK(r.code != 70);
            if (r.code != 0) CHECK(contains(r.err, "roofscope: "));
        }
    }
    CHECK(countOf(folder().file("few"), ".roofscope") == 0);
}

TEST_CASE("out of memory while a profile is unpacked is no damage of it") {
    // Small steps around the least memory that the program needs, as zlib allocates memory itself.
    // With less than the program's own size, the kernel ends it before it runs.
    const std::string p = "'" + kSample + "'";
    int refused = 0;
    for (const std::string& arguments : {"report " + p + " -f svg", "compare " + p + " " + p})
        for (int kilobytes = 11'000; kilobytes < 20'000; kilobytes += 250) {
            const auto r = inBash("ulimit -v " + std::to_string(kilobytes) + "; exec '" + kProgram +
                                  "' " + arguments + " > /dev/null");
            CAPTURE(arguments, kilobytes, r.err);
            CHECK((r.code == 127 || r.code == 74 || r.code == 0));
            refused += r.code == 74;
        }
    CHECK(refused > 0);
}

TEST_CASE("out of memory ends with 74 in reports, comparisons and the gate") {
    const std::string p = "'" + kSample + "'";
    for (const std::string& arguments :
         {"report " + p + " -f markdown", "report " + p + " -f json", "report " + p + " -f csv",
          "report " + p + " -f html", "compare " + p + " " + p + " -f json",
          "gate " + p + " --baseline b --update"}) {
        bool reached = false;
        for (int megabytes = 12; megabytes < 400; megabytes += megabytes / 6) {
            const auto r = inBash("ulimit -v " + std::to_string(megabytes * 1024) + "; exec '" +
                                  kProgram + "' " + arguments + " > /dev/null");
            // 127: even the program's libraries do not fit.
            if (r.code == 127) continue;
            if (r.code == 0) {
                reached = true;
                break;
            }
            CAPTURE(arguments, megabytes, r.err);
            CHECK(r.code == 74);
        }
        CAPTURE(arguments);
        CHECK(reached);
    }
}

TEST_CASE("invalid, negative and too long numbers are refused by every option") {
    for (const std::string option :
         {"record --launch-skip", "record --launch-count", "record --timing-repeats",
          "record --device", "record --timeout", "report x --top", "report x --budget",
          "kernels run --repeat", "kernels run --warmup"})
        for (const std::string value : {"-1", "99999999999999999999", "1e400", "nan", "0x", "''"}) {
            const auto r = roofscopeRun(option + " " + value);
            CAPTURE(option, value, r.err);
            CHECK(r.code == 64);
        }
    CHECK(roofscopeRun("record --launch-count 0 -- true").code == 64);
    CHECK(roofscopeRun("record --launch-skip 1.5 -- true").code == 64);
}

TEST_CASE("a packet refuses the options that it would ignore") {
    for (const std::string option :
         {"--redact", "--redact=names", "--convention ncu", "--source-root .", "--theme dark",
          "--plot roofline", "--kernel k", "--lang zh"}) {
        const auto r = roofscopeRun("report --for-agent " + option + " '" + kSample + "'");
        CAPTURE(option, r.out, r.err);
        CHECK(r.code == 64);
        CHECK(r.out.empty());
    }
}

TEST_CASE("what ncu prints is read up to the documented limit") {
    inBash(
        "mkdir -p bin; printf '#!/bin/sh\\nyes 1234567890123456789012345678901234567890' > "
        "bin/ncu; chmod +x bin/ncu; touch r.ncu-rep");
    // Not a gigabyte here: a memory limit shows that this also ends in a documented way.
    const auto r = inBash("ulimit -v 200000; PATH=\"$PWD/bin:$PATH\" exec '" + kProgram +
                          "' import r.ncu-rep --out r.json");
    INFO(r.err);
    CHECK((r.code == 74 || r.code == 65));
}
