// SPDX-License-Identifier: Apache-2.0
// The command line as users see it: exit codes, streams, messages.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_roofscope.h"
#include "tests/support/catch.h"
#include "tests/support/made_ncu_report.h"
#include "tests/support/skip.h"

using namespace roofscope;
using namespace roofscope::test;

TEST_CASE("version, help and the bare command go to stdout with exit code 0") {
    const auto version = roofscopeRun("--version");
    CHECK(version.code == 0);
    CHECK(version.out.starts_with("roofscope "));
    for (const char* arguments :
         {"", "--help", "record --help", "report --help", "doctor --help", "kernels --help",
          "kernels run --help", "merge --help", "rules --help", "view --help", "compare --help"}) {
        INFO(arguments);
        const auto r = roofscopeRun(arguments);
        CHECK(r.code == 0);
        CHECK(r.err.empty());
        CHECK(r.out.size() > 100);
    }
}

TEST_CASE("usage errors exit with 64, name the problem on stderr and print nothing on stdout") {
    for (const char* arguments : {"frobnicate",
                                  "record",
                                  "record --kernel k ./app -- ./app",
                                  "record --no-such-option -- true",
                                  "report",
                                  "report x --format nonsense",
                                  "kernels",
                                  "kernels run --repeat 0",
                                  "-- true",
                                  "report --",
                                  "frobnicate -- x",
                                  "kernels run -- naive --out x",
                                  "merge a b --out -",
                                  "import a --out -",
                                  "rules show no-such-rule",
                                  "completion tcsh",
                                  "compare",
                                  "compare a b --format csv",
                                  "compare a b --out x.svg",
                                  "compare a b --top 0",
                                  "compare a b c",
                                  "compare a",
                                  "compare a --kernel k",
                                  "compare a b --kernel k --with l",
                                  "report x --redact=everything",
                                  "report x --convention nsight",
                                  "report x --plot pie -f svg",
                                  "report x --plot over-time -f json",
                                  "report x --budget 900 -f html",
                                  "report x y --format html"}) {
        INFO(arguments);
        const auto r = roofscopeRun(arguments);
        CHECK(r.code == 64);
        CHECK(r.out.empty());
        CHECK(contains(r.err, "roofscope: "));
    }
}

TEST_CASE("what people type is understood: help COMMAND, a file alone, -V") {
    CHECK(roofscopeRun("help record").out == roofscopeRun("record --help").out);
    CHECK(roofscopeRun("help").out == roofscopeRun("--help").out);
    CHECK(roofscopeRun("help no-such-command").code == 64);
    CHECK(roofscopeRun("-V").out == roofscopeRun("--version").out);
    const std::string profile =
        ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_source.roofscope.json.gz";
    const auto alone = roofscopeRun("'" + profile + "'");
    CHECK(alone.code == 0);
    CHECK(alone.out == roofscopeRun("report '" + profile + "'").out);
    CHECK(roofscopeRun("-n 1 -f json '" + profile + "'").out ==
          roofscopeRun("report -n 1 -f json '" + profile + "'").out);
}

TEST_CASE("a misspelled command or option comes with the nearest one, and with no other") {
    for (const auto& [arguments, meant] : {std::pair{"recrod -- x", "record"},
                                           {"kernels rnu", "run"},
                                           {"record --kernle k ./app", "--kernel"},
                                           {"record --time-limt=5 ./app", "--time-limit"},
                                           {"report --fromat json x", "--format"},
                                           {"compar x y", "compare"}}) {
        INFO(arguments);
        const auto r = roofscopeRun(arguments);
        CHECK(r.code == 64);
        CHECK(contains(r.err, std::string("did you mean ") + meant + "?"));
    }
    for (const char* arguments : {"xyzzy", "report --zzz x", "re"})
        CHECK_FALSE(contains(roofscopeRun(arguments).err, "did you mean"));
}

TEST_CASE("help fits into 100 columns, and the options that few need come with --help-all") {
    for (const std::string command :
         {"", "record", "report", "compare", "gate", "kernels run", "check-loop", "extract",
          "import", "arm", "ps", "snap", "disarm"})
        for (const std::string help : {" --help", " --help-all"}) {
            INFO(command + help);
            const auto r = roofscopeRun(command + help);
            std::istringstream lines(r.out);
            for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
        }
    CHECK_FALSE(contains(roofscopeRun("record --help").out, "--cache-control"));
    CHECK(contains(roofscopeRun("record --help-all").out, "--cache-control"));
    CHECK(contains(roofscopeRun("record --help-all").out, "--kernel"));
    const auto all = roofscopeRun("--help-all");
    CHECK(all.code == 0);
    const std::vector<std::string> parts{"roofscope record\n", "--cache-control", "kernels run\n",
                                         "roofscope loop\n", "--top N"};
    for (const std::string& part : parts) CHECK(contains(all.out, part));
    CHECK_FALSE(contains(roofscopeRun("--help").out, "--cache-control"));
}

TEST_CASE("record, check-loop and extract take the program without --", "[needs-collector]") {
    if (!ROOFSCOPE_HAVE_COLLECTOR) SKIP_CASE("the collector was not built");
    const auto r = roofscopeRun("record --device 0 --quiet echo a --help -o b -- c");
    CHECK(r.code == 64);  // which of the two was meant?
    const auto plain = roofscopeRun("record --device 0 --quiet echo a --help -o b");
    CHECK(plain.out == "a --help -o b\n");
    CHECK(plain.code == 91);
    CHECK(contains(roofscopeRun("check-loop ./no-such-program").err, "no-such-program"));
    CHECK(contains(roofscopeRun("extract -k x -o x ./no-such-program").err, "no-such-program"));
}

TEST_CASE("arm starts the program itself, with its words and its exit code", "[needs-collector]") {
    if (!ROOFSCOPE_HAVE_COLLECTOR) SKIP_CASE("the collector was not built");
    const test::TemporaryFolder folder;
    const std::string arm = "arm --folder " + folder.file("s").string();
    const auto r = roofscopeRun(arm + " -- sh -c 'echo $ROOFSCOPE_ARM; exit 5'");
    CHECK(r.out == folder.file("s").string() + "\n");
    CHECK(r.code == 5);
    CHECK(roofscopeRun(arm + " echo a --help -o b").out == "a --help -o b\n");
    CHECK(roofscopeRun(arm + " ./no-such-program").code == 66);
    CHECK(roofscopeRun("arm --folder /proc/1/x -- true").code == 74);
    const auto variables = roofscopeRun(arm + " --environment");
    CHECK(contains(variables.out, "export CUDA_INJECTION64_PATH='/"));
    CHECK(roofscopeRun(arm + " --environment -- true").code == 64);
    const std::string other = roofscopeRun("arm true", "CUDA_INJECTION64_PATH=/x/other.so").err;
    CHECK(contains(other, "another tool is loaded into CUDA programs here"));
}

TEST_CASE("without armed processes ps is empty, and nothing can be snapped") {
    const test::TemporaryFolder folder;
    const std::string where = " --folder " + folder.path().string();
    CHECK(contains(roofscopeRun("ps" + where).out, "No armed process"));
    CHECK(roofscopeRun("ps --json" + where).out == "[]\n");
    const auto snap = roofscopeRun("snap 1 --steps 2" + where);
    CHECK(snap.code == 66);
    CHECK(contains(snap.err, "process 1: is not armed"));
    CHECK(roofscopeRun("disarm 1" + where).code == 66);
}

TEST_CASE("ceilings: the list needs no GPU, mistakes and a missing GPU keep their exit codes",
          "[needs-kernels]") {
    if (!ROOFSCOPE_HAVE_KERNELS) SKIP_CASE("the bundled kernels were not built");
    const auto list = roofscopeRun("ceilings --list");
    CHECK(list.code == 0);
    CHECK(contains(list.out, "dram_copy"));
    CHECK(roofscopeRun("ceilings --only nosuch").code == 64);
    CHECK(roofscopeRun("ceilings --seconds -1").code == 64);
    CHECK(contains(roofscopeRun("ceilings --help").out, "ROOFSCOPE_CEILINGS_DIR"));
    const auto none = roofscopeRun("ceilings --only fp32", "CUDA_VISIBLE_DEVICES=");
    CHECK(none.code == 69);
    CHECK(none.out.empty());
    CHECK(contains(none.err, "no usable NVIDIA GPU"));
}

TEST_CASE("doctor answers on every machine, as text and as JSON") {
    const auto text = roofscopeRun("doctor");
    CHECK((text.code == 0 || text.code == 69 || text.code == 75 || text.code == 77));
    CHECK(contains(text.out, "NVIDIA driver"));
    const auto json = roofscopeRun("doctor --json");
    CHECK(json.code == text.code);
    const auto parsed = nlohmann::json::parse(json.out);
    CHECK(parsed.at("exit_code") == json.code);
    CHECK(parsed.at("counters_readable") == (json.code == 0));
    for (const auto& check : parsed.at("checks")) {
        // Every failure has advice.
        if (check.at("status") == "failed")
            CHECK_FALSE(check.at("advice").get<std::string>().empty());
        CHECK(check.at("cause").is_string());
        CHECK(check.at("commands").is_array());
    }
    const auto program = roofscopeRun("doctor --json /no/such/program");
    CHECK(program.code == json.code);
    CHECK(contains(program.out, "program-not-found"));
}

TEST_CASE("record --out takes marks, and refuses those that mean nothing here") {
    // Each is refused before the program runs.
    for (const char* out : {"x%q", "x%", "x%r"}) {
        INFO(out);
        const auto r = roofscopeRun(std::string("record --out '") + out + "' -- touch ran",
                                    "env -u RANK -u OMPI_COMM_WORLD_RANK -u SLURM_PROCID "
                                    "-u PMI_RANK -u PMIX_RANK -u MV2_COMM_WORLD_RANK");
        CHECK(r.code == 64);
        CHECK(contains(r.err, "--out"));
    }
    CHECK_FALSE(std::filesystem::exists(folder().file("ran")));
    // The folder is checked with the marks filled in.
    const auto r = roofscopeRun("record --out 'no-folder-%r-%%/x' -- true", "RANK=3 WORLD_SIZE=4");
    CHECK(r.code == 73);
    CHECK(contains(r.err, "no-folder-3-%/x"));
}

TEST_CASE("merge joins files, and refuses what it cannot join") {
    const auto write = [](const char* name, int pid) {
        std::ofstream(folder().file(name))
            << R"({"format":"roofscope-profile","schema":[1,2],"capture":{"origin":"synthetic"},)"
            << R"("processes":[{"pid":)" << pid << R"(,"host":"h","rank":)" << pid << "}]}";
    };
    write("r0.json", 0);
    write("r1.json", 1);
    const auto r = roofscopeRun("merge r0.json r1.json --out both.roofscope.json");
    INFO(r.err);
    CHECK(r.code == 0);
    CHECK(r.out.empty());
    CHECK(contains(r.err, "2 processes"));
    const auto both = nlohmann::json::parse(test::readText(folder().file("both.roofscope.json")));
    CHECK(both.at("processes").at(1).at("rank") == 1);
    CHECK(roofscopeRun("merge r0.json --out x.json").code == 64);
    CHECK(roofscopeRun("merge r0.json r1.json").code == 64);
    CHECK(roofscopeRun("merge r0.json r1.json --out r1.json").code == 64);
    CHECK(roofscopeRun("merge r0.json absent.json --out x.json").code == 66);
    CHECK(roofscopeRun("merge r0.json r1.json --out no/such/x.json").code == 73);
    std::ofstream(folder().file("r1.json")) << "{\"format\":";
    CHECK(roofscopeRun("merge r0.json r1.json --out x.json").code == 65);
    CHECK_FALSE(std::filesystem::exists(folder().file("x.json")));
}

TEST_CASE("doctor without a usable libcupti says so and does not crash") {
    const auto r = roofscopeRun("doctor --json", "ROOFSCOPE_CUPTI=/no/such/libcupti.so");
    CHECK((r.code == 69 || r.code == 77));
    const auto parsed = nlohmann::json::parse(r.out);
    bool found = false;
    for (const auto& check : parsed.at("checks"))
        if (check.at("id") == "cupti") found = check.at("status") == "failed";
    CHECK(found);
}

TEST_CASE("record passes the program's output and exit code through", "[needs-collector]") {
    if (!ROOFSCOPE_HAVE_COLLECTOR) SKIP_CASE("built without the collector");
    const auto r = roofscopeRun("record -- sh -c 'echo out; echo err >&2; exit 7'");
    CHECK(r.code == 7);
    CHECK(r.out == "out\n");
    CHECK(contains(r.err, "err\n"));
    const auto none = roofscopeRun("record -- true");
    CHECK(none.code == 91);
    CHECK(contains(none.err, "did not initialise CUDA"));
    CHECK(roofscopeRun("record -- sh -c 'kill -KILL $$'").code == 128 + 9);
    const auto missing = roofscopeRun("record -- /no/such/program");
    CHECK(missing.code == 66);
    CHECK(contains(missing.err, "/no/such/program"));
}

TEST_CASE("record refuses an output that cannot be written before it runs the program") {
    const auto r =
        roofscopeRun("record --out /no/such/folder/p.roofscope.json -- sh -c 'echo ran'");
    CHECK(r.code == 73);
    CHECK(r.out.empty());
    CHECK(contains(r.err, "/no/such/folder"));
}

TEST_CASE("options of the program are never taken for ours", "[needs-collector]") {
    if (!ROOFSCOPE_HAVE_COLLECTOR) SKIP_CASE("built without the collector");
    const auto r = roofscopeRun("record -- echo --help --out x -- --version");
    CHECK(r.out == "--help --out x -- --version\n");
}

TEST_CASE("elsewhere -- ends the options: what follows is a file, whatever its name") {
    const std::string sample =
        "'" ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_atomics.roofscope.json.gz'";
    REQUIRE(inBash("cp " + sample + " ./-odd.json").code == 0);
    for (const std::string& file : {sample, std::string("-odd.json")}) {
        const auto r = roofscopeRun("report -n1 -f csv -- " + file);
        INFO(r.err);
        CHECK(r.code == 0);
        CHECK(contains(r.out, "atomicContention"));
    }
    const auto doctor = roofscopeRun("doctor --json -- /no/such/program");
    CHECK(contains(doctor.out, "program-not-found"));
    CHECK(contains(roofscopeRun("-- ./app").err, "roofscope record PROGRAM"));
    for (const char* command : {"merge a b", "import a"})
        CHECK(contains(roofscopeRun(std::string(command) + " --out -").err, "not to stdout"));
}

TEST_CASE("doctor and record call a folder a folder", "[needs-collector]") {
    if (!ROOFSCOPE_HAVE_COLLECTOR) SKIP_CASE("built without the collector");
    CHECK(contains(roofscopeRun("doctor --json ./").out, "program-is-folder"));
    const auto r = roofscopeRun("record -- ./");
    CHECK(r.code == 77);
    CHECK(contains(r.err, "is a folder"));
}

TEST_CASE("an input that may not be read is 77 for every command, and one that is missing 66") {
    const std::string sample =
        "'" ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_atomics.roofscope.json.gz' ";
    const std::string commands[][2] = {{"report ", ""},
                                       {"compare ", sample},
                                       {"merge ", sample + "--out never.json"},
                                       {"import ", "--out never.json"},
                                       {"gate ", "-b base"},
                                       {"gate " + sample + "-b ", ""},
                                       {"gate " + sample + "-u -b ", ""},
                                       {"gate " + sample + "-b base -r ", ""}};
    REQUIRE(roofscopeRun("gate " + sample + "-b base -u").code == 0);
    std::ofstream(folder().file("locked.ncu-rep")) << "x";
    std::ofstream(folder().file("locked")) << "x";
    for (const char* file : {"locked", "locked.ncu-rep"})
        std::filesystem::permissions(folder().file(file), std::filesystem::perms::none);
    const bool root = std::ifstream(folder().file("locked")).is_open();
    for (const auto& [before, after] : commands) {
        INFO(before << "FILE " << after);
        if (!contains(before, "-u")) CHECK(roofscopeRun(before + "missing " + after).code == 66);
        if (root) continue;  // root may read everything
        const auto r = roofscopeRun(before + "locked " + after);
        CHECK(r.code == 77);
        CHECK(contains(r.err, "no permission to read this file"));
        CHECK_FALSE(contains(r.err, "--update"));
    }
    if (!root) CHECK(roofscopeRun("import locked.ncu-rep").code == 77);
}

TEST_CASE("report says what is wrong with a file and where") {
    for (const char* content : {"", "{", "[]", "not json", "{\"format\":\"roofscope-profile\"}"}) {
        INFO(content);
        const auto r =
            roofscopeRun(std::string("report bad.roofscope.json --out never.md"),
                         std::string("printf %s '") + content + "' > bad.roofscope.json;");
        CHECK(r.code == 65);
        CHECK(contains(r.err, "bad.roofscope.json"));
        CHECK_FALSE(contains(roofscopeRun("--version", "ls;").out, "never.md"));
    }
    CHECK(roofscopeRun("report missing.roofscope.json").code == 66);
}

TEST_CASE("report reads pipes: stdin and the shell's process substitution") {
    const std::string sample =
        "'" ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_torch_triton.roofscope.json.gz'";
    const auto rows = [](const std::string& csv) {
        return std::count(csv.begin(), csv.end(), '\n');
    };
    const std::string report = "'" ROOFSCOPE_PROGRAM "' report -f csv -n 3 ";
    for (const std::string& line :
         {"cat " + sample + " | " + report + "/dev/stdin", report + "/dev/stdin < " + sample,
          report + "<(cat " + sample + ")"}) {
        const auto r = inBash(line);
        INFO(line << r.err);
        CHECK(r.code == 0);
        CHECK(rows(r.out) == 4);
    }
}

TEST_CASE("completion lists the commands that exist") {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const auto r = roofscopeRun(std::string("completion ") + shell);
        CHECK(r.code == 0);
        const bool fish = shell == std::string("fish");
        for (const char* word : {"doctor", "record", "report", "kernels", "rules",
                                 fish ? "-l format" : "--format", fish ? "-l out" : "--out"})
            CHECK(contains(r.out, word));
    }
    CHECK(contains(roofscopeRun("completion fish").out,
                   "-n '__fish_seen_subcommand_from record' -l effort -x -a 'quick auto deep'"));
    // A flag takes no value.
    CHECK(contains(roofscopeRun("completion fish").out,
                   "-n '__fish_seen_subcommand_from record' -l timing-only -d 'No counters'"));
    CHECK(contains(roofscopeRun("--help-all").out, "\"roofscope loop --help\" explains them."));
    // The completion script is valid bash.
    CHECK(roofscopeRun("completion bash | bash -n").code == 0);
    // Commands for internal use are not completed.
    for (const char* hidden : {"measure", "judge-review", "guard"}) {
        CHECK_FALSE(contains(roofscopeRun("completion fish").out, std::string("-a ") + hidden));
        CHECK_FALSE(contains(roofscopeRun("completion bash").out, hidden));
        CHECK_FALSE(contains(roofscopeRun("--help").out, std::string("\n  ") + hidden + " "));
    }
}

namespace {

/// The commands listed by help.
std::vector<std::string> commands() {
    std::vector<std::string> names;
    std::istringstream help(roofscopeRun("--help").out);
    std::string line;
    while (std::getline(help, line) && line != "Subcommands:") continue;
    while (std::getline(help, line) && line.starts_with("  "))
        if (line[2] != ' ')  // not the rest of a description
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
    REQUIRE(names.size() >= 18);
    return names;
}

}  // namespace

TEST_CASE("each command that help lists is in the manual page") {
    const std::string page = test::readText(ROOFSCOPE_SOURCE_DIR "/docs/man/roofscope.1");
    for (const std::string& name : commands()) {
        INFO(name);
        // ".B name", alone or with others: "merge\\fR, \\fBimport".
        const bool first =
            contains(page, "\n.B " + name + "\n") || contains(page, "\n.B " + name + "\\fR");
        CHECK((first || contains(page, "\\fB" + name + "\n") ||
               contains(page, "\\fB" + name + "\\fR")));
    }
}

TEST_CASE("each command that help lists has a help of its own and refuses what it does not know") {
    int own = 0;
    for (const std::string& name : commands()) {
        INFO(name);
        const auto help = roofscopeRun(name + " --help");
        if (!contains(help.out, "Usage: roofscope " + name)) continue;  // a Python command
        CHECK(help.code == 0);
        ++own;
        // Without its own examples a command would show the general ones, of which this is one.
        CHECK((name == "doctor" || !contains(help.out, "  roofscope doctor")));
        CHECK(roofscopeRun(name + " --no-such-option").code == 64);
    }
    CHECK(own >= 13);
}

TEST_CASE("kernels list: what help and completion name, the program behind it knows",
          "[needs-kernels]") {
    if (!ROOFSCOPE_HAVE_KERNELS) SKIP_CASE("the bundled kernels were not built");
    CHECK(contains(roofscopeRun("kernels list naive --json").out, "\"rung\""));
    const auto unknown = roofscopeRun("kernels list --all-shapes");
    CHECK(unknown.code == 64);
    CHECK(unknown.err.starts_with("roofscope: "));
    CHECK_FALSE(contains(roofscopeRun("kernels list --help").out, "--all-shapes"));
    CHECK(contains(roofscopeRun("kernels run --help").out, "--all-shapes"));
}

TEST_CASE("a usage error is one line that names the command and its help") {
    for (const auto& [arguments, line] :
         {std::pair{"record --nope",
                    "record: there is no option --nope (see \"roofscope record --help\")"},
          {"kernels run --nope",
           "kernels run: there is no option --nope (see \"roofscope kernels run --help\")"},
          {"check-loop", "check-loop: no program to check (example: roofscope check-loop ./bench)"},
          {"arm", "arm: no program to arm (example: roofscope arm python3 serve.py)"},
          {"snap", "snap: pid is required (see \"roofscope snap --help\")"},
          {"snap 1 --steps 2 --seconds 1",
           "--steps: cannot be combined with --seconds (--limit is the longest that steps are "
           "waited for)"},
          {"snap 1 --seconds 601", "--seconds: must be 600 at most"},
          {"snap 1 --most-bytes 0",
           "--most-bytes 0: must be a number of bytes, 16GiB at most (example: 1GiB)"},
          {"report", "report: PROFILE is required (see \"roofscope report --help\")"},
          {"frobnicate", "there is no command or file \"frobnicate\" (see \"roofscope --help\")"},
          {"rules", "rules: say what: list or show (see \"roofscope rules --help\")"},
          {"kernels",
           "kernels: say what: list, run or check (see \"roofscope kernels --help\")"}}) {
        const auto r = roofscopeRun(arguments);
        CHECK(r.code == 64);
        CHECK(r.err == std::string("roofscope: ") + line + "\n");
    }
}

TEST_CASE("every command has examples of its own in its help") {
    for (const char* command : {"kernels", "kernels list", "kernels check", "view", "check-loop",
                                "extract", "arm", "ps", "snap", "disarm"}) {
        INFO(command);
        const auto r = roofscopeRun(std::string(command) + " --help");
        CHECK(contains(r.out, std::string("  roofscope ") + command));
        CHECK_FALSE(contains(r.out, "  roofscope doctor"));
    }
}

TEST_CASE("an empty name of a file is refused, and not taken for none") {
    for (const auto& [arguments, name] : {std::pair{"report x --out ''", "--out"},
                                          {"report ''", "PROFILE"},
                                          {"report x --baseline ''", "--baseline"},
                                          {"report x --source-root ''", "--source-root"},
                                          {"compare a b -o ''", "--out"},
                                          {"compare a ''", "PROFILES"},
                                          {"gate '' -b base", "PROFILE"},
                                          {"gate x -b ''", "--baseline"},
                                          {"gate x -b base -r ''", "--rules"},
                                          {"gate x -b base -o ''", "--out"},
                                          {"import ''", "FILE"},
                                          {"import x.csv --out ''", "--out"},
                                          {"merge a '' --out c", "PROFILE"},
                                          {"merge a b --out ''", "--out"},
                                          {"record --out '' -- true", "--out"},
                                          {"check-loop --out '' -- true", "--out"},
                                          {"extract -k x --out '' -- true", "--out"},
                                          {"check-loop --program '' -- true", "--program"},
                                          {"snap 1 --out ''", "--out"},
                                          {"ps --folder ''", "--folder"},
                                          {"kernels run --out ''", "--out"},
                                          {"kernels check --profile ''", "--profile"},
                                          {"ceilings --out ''", "--out"},
                                          {"view ''", "PROFILE"}}) {
        INFO(arguments);
        const auto r = roofscopeRun(arguments);
        CHECK(r.code == 64);
        CHECK(contains(r.err, std::string(name) + ": the name is empty"));
    }
}

TEST_CASE("a list with nothing in it is an error, and takes no option for a value") {
    for (const char* arguments :
         {"record --dry-run --chip GH100 --groups , --json",
          "record --dry-run --chip GH100 --metrics ,, --json", "kernels run --groups , --quiet"}) {
        INFO(arguments);
        const auto r = roofscopeRun(arguments);
        CHECK(r.code == 64);
        CHECK(contains(r.err, "\" contains no name"));
    }
}

TEST_CASE("a dry run refuses the output that the recording would refuse") {
    const auto r = roofscopeRun("record --dry-run --chip GH100 --out 'x%q'");
    CHECK(r.code == 64);
    CHECK(r.out.empty());
    CHECK(contains(r.err, "%q is not a placeholder"));
}

TEST_CASE("a lost stdout is said once, with the reason", "[needs-dev-full]") {
    if (!std::ofstream("/dev/full").is_open()) SKIP_CASE("there is no /dev/full");
    const std::string sample =
        "'" ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_atomics.roofscope.json.gz'";
    // Output through the stream, through a report, and through fmt::print.
    for (const std::string& arguments :
         {std::string("rules list"), "report " + sample, "compare " + sample + " " + sample,
          "gate -u -b full.base " + sample + "; '" ROOFSCOPE_PROGRAM "' gate -b full.base " +
              sample}) {
        INFO(arguments);
        const auto r = inBash("'" ROOFSCOPE_PROGRAM "' " + arguments + " > /dev/full");
        CHECK(r.code == 74);
        const std::string line = "roofscope: stdout: cannot write: No space left on device\n";
        CHECK(r.err.ends_with(line));
        CHECK(r.err.find("stdout") == r.err.rfind("stdout"));
    }
}

TEST_CASE(
    "a limit on the size of files is an error as any other, and leaves nothing half written") {
    const std::string sample =
        "'" ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_bundled.roofscope.json.gz' ";
    const std::string run = "ulimit -f 2; '" ROOFSCOPE_PROGRAM "' ";
    const auto entries = [] {
        return std::distance(std::filesystem::directory_iterator(folder().path() / "limited"), {});
    };
    REQUIRE(inBash("mkdir -p limited; '" ROOFSCOPE_PROGRAM "' gate -u -b limited/base " + sample)
                .code == 0);
    for (const std::string& arguments :
         {"report " + sample + "-o new.html", "report " + sample + "-o base -f json",
          "compare " + sample + sample + "-f json -o new", "gate -u -b new " + sample,
          "gate -u -b base " + sample, "gate -b base -f json -o new " + sample}) {
        INFO(arguments);
        const auto r = inBash("cd limited; " + run + arguments);
        CHECK(r.code == 74);
        CHECK(contains(r.err, "File too large"));
        CHECK(entries() == 1);
    }
    const auto shown = inBash(run + "report -f html " + sample + "> limited/shown");
    CHECK(shown.code == 74);
    CHECK(shown.err == "roofscope: stdout: cannot write: File too large\n");
    // The profiled program meets the limit just as without roofscope.
    const auto recorded = inBash(run + "record -q -- sh -c 'head -c 9999 /dev/zero > big'");
    CHECK((recorded.code == 128 + 25 || recorded.code == 69));  // 69: built without the collector
}

TEST_CASE("no command waits for ever for a pipe that nobody writes to") {
    const std::string sample =
        "'" ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_atomics.roofscope.json.gz' ";
    const std::string run = "timeout 30 '" ROOFSCOPE_PROGRAM "' ";
    // In parallel, because each waits the ten seconds that a slow writer gets.
    const auto r = inBash("mkfifo silent; '" ROOFSCOPE_PROGRAM "' gate -u -b silent.base " +
                          sample + "\n(" + run + "gate -b silent " + sample + "; echo $?) &\n(" +
                          run + "gate -b silent.base -r silent " + sample + "; echo $?) &\n(" +
                          run + "import silent -o silent.json; echo $?) &\nwait");
    CHECK(r.out == "66\n66\n66\n");
    CHECK(contains(r.err, "no data came within 10 s"));
}

TEST_CASE("a file of another kind comes with what a profile is") {
    const auto r = inBash("echo '# Title' > readme.md; '" ROOFSCOPE_PROGRAM "' report readme.md");
    CHECK(r.code == 65);
    CHECK(
        contains(r.err, "not valid JSON near \"#\" (a profile is what `roofscope record` writes"));
    CHECK(contains(r.err, "roofscope import"));
}

TEST_CASE("a kernel that is not in the profile comes with the nearest names") {
    const auto r = roofscopeRun("report '" ROOFSCOPE_SOURCE_DIR
                                "/profile/samples/h200_bundled.roofscope.json.gz' "
                                "-k softmx");
    CHECK(r.code == 64);
    CHECK(contains(r.err, "nearest: \"softmax/"));
    CHECK(contains(r.err, "--format csv"));
    CHECK_FALSE(contains(r.err, "lists all names"));
}

TEST_CASE("no colours outside a terminal") {
    for (const char* arguments : {"doctor", "rules list", "frobnicate"}) {
        const auto r = roofscopeRun(arguments);
        CHECK_FALSE(contains(r.out + r.err, "\033"));
    }
}

TEST_CASE("completion keeps file names with spaces whole and offers the values of options") {
    const std::string setup =
        "mkdir -p words && cd words && touch 'a b.json' && source <('" ROOFSCOPE_PROGRAM
        "' completion bash)\n";
    const auto complete = [&](const std::string& words) {
        return inBash(setup + "COMP_WORDS=(" + words +
                      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_roofscope\n"
                      "printf '%s\\n' \"${COMPREPLY[@]}\"")
            .out;
    };
    CHECK(complete("roofscope report a") == "a b.json\n");
    CHECK(complete("roofscope record -- ./x a\\ ") == "a b.json\n");
    CHECK(complete("roofscope report --format ''").starts_with("markdown\ntext\n"));
    CHECK(complete("roofscope report --format j") == "json\njsonl\n");
    CHECK(complete("roofscope report --convention n") == "ncu\n");
    CHECK(complete("roofscope report --theme d") == "dark\n");
    CHECK(complete("roofscope report --plot o") == "over-time\n");
    CHECK(complete("roofscope rules list --lang z") == "zh\n");
    CHECK(complete("roofscope rep") == "report\n");
    CHECK(complete("roofscope a\\ ") == "a b.json\n");
    CHECK(complete("roofscope help rep") == "report\n");
    CHECK(complete("roofscope ci in") == "init\n");
    CHECK(complete("roofscope ci init --for gith") == "github\n");
    CHECK(complete("roofscope loop un") == "undo\n");
    CHECK(complete("roofscope try tf") == "tf32\n");
    // Values checked by the parser come from the parser.
    CHECK(complete("roofscope record --replay m") == "multiplex\n");
    CHECK(complete("roofscope record --cache-control ''") == "none\nflush\n");
    CHECK(complete("roofscope record --autotuning k") == "keep\n");
    CHECK(complete("roofscope record --profile-from-start o") == "on\noff\n");
    CHECK(complete("roofscope import -f ''") == "ncu-csv\nncu-rep\npytorch\n");
    CHECK(contains(complete("roofscope completion z"), "zsh\n"));
    // Also in a shell that refuses unset variables.
    const auto strict = inBash("set -u\n" + setup +
                               "COMP_WORDS=(roofscope '')\nCOMP_CWORD=1\n_roofscope\n"
                               "echo ${#COMPREPLY[@]}");
    CHECK(strict.code == 0);
    CHECK(strict.err.empty());
    CHECK(strict.out != "0\n");
}

TEST_CASE("output that is lost is an error", "[needs-dev-full]") {
    if (!std::ofstream("/dev/full").is_open()) SKIP_CASE("there is no /dev/full");
    for (const char* arguments : {"completion", "rules list", "--help", "report --help", ""}) {
        INFO(arguments);
        const auto r = inBash(std::string("'" ROOFSCOPE_PROGRAM "' ") + arguments + " >/dev/full");
        CHECK(r.code == 74);
        CHECK(contains(r.err, "cannot write"));
    }
    // Neither a verdict in the exit code nor another kind of stream hides the write error.
    for (const char* arguments : {"doctor", "doctor --json", "record --dry-run --chip GH100",
                                  "kernels list", "ceilings --list"}) {
        INFO(arguments);
        if (roofscopeRun(arguments).out.empty()) continue;  // this part was not built
        const auto r = inBash(std::string("'" ROOFSCOPE_PROGRAM "' ") + arguments + " >/dev/full");
        CHECK(r.code == 74);
        CHECK(contains(r.err, "stdout: cannot write"));
    }
    const auto named =
        roofscopeRun("report '" ROOFSCOPE_SOURCE_DIR
                     "/profile/samples/h200_atomics.roofscope.json.gz' -f csv --out /dev/full");
    CHECK(named.code == 74);
    CHECK(contains(named.err, "/dev/full: cannot be written: No space left on device"));
}

TEST_CASE("formats are known in capitals too") {
    const std::string sample =
        "'" ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_torch_triton.roofscope.json.gz'";
    CHECK(roofscopeRun("report " + sample + " --out x.MD").code == 0);
    CHECK(test::readText(folder().file("x.MD")).starts_with("# GPU profile"));
    const auto svg = roofscopeRun("report " + sample + " -f SVG");
    CHECK(svg.code == 0);
    CHECK(contains(svg.out, "<svg"));
}

TEST_CASE("import reads an export from a file, from stdin, and a report through ncu") {
    const std::string data = ROOFSCOPE_SOURCE_DIR "/tests/data/ncu_h200_access_patterns.csv";
    const auto file = roofscopeRun("import '" + data + "' --out imported.roofscope.json");
    CHECK(file.code == 0);
    CHECK(file.out.empty());
    CHECK(contains(file.err, "7 launches of 7 kernels"));
    const auto report = roofscopeRun("report imported.roofscope.json -f markdown");
    CHECK(report.code == 0);
    CHECK(contains(report.out, "imported from Nsight Compute"));

    const std::string program = "'" ROOFSCOPE_PROGRAM "' ";
    CHECK(inBash(program + "import - -q -o stdin.roofscope.json < '" + data + "'").code == 0);
    CHECK(test::readText(folder().file("stdin.roofscope.json")) ==
          test::readText(folder().file("imported.roofscope.json")));

    // A fake ncu that checks its arguments.
    std::filesystem::create_directories(folder().file("fake"));
    std::ofstream(folder().file("fake/ncu"))
        << "#!/bin/sh\n"
           "[ \"$1\" = --version ] && { echo 'Version 2025.3.1.0 (build 1)'; exit 0; }\n"
           "[ \"$*\" = '--import ./app.ncu-rep --csv --page raw --print-units base' ] || exit 1\n"
           "cat '"
        << data << "'\n";
    std::ofstream(folder().file("app.ncu-rep")) << "x";
    std::ofstream(folder().file("other.ncu-rep")) << "x";
    CHECK(inBash("chmod +x fake/ncu").code == 0);
    const auto through = inBash("PATH=\"$PWD/fake:$PATH\" " + program + "import app.ncu-rep");
    CHECK(through.code == 0);
    CHECK(contains(through.err, "app.roofscope.json"));
    CHECK(contains(test::readText(folder().file("app.roofscope.json")), "2025.3.1.0"));
    CHECK(contains(test::readText(folder().file("app.roofscope.json")), "read-by-ncu"));
    const auto refused = inBash("PATH=\"$PWD/fake:$PATH\" " + program + "import other.ncu-rep");
    CHECK(refused.code == 65);
    CHECK(contains(refused.err, "ncu (version 2025.3.1.0) cannot read it"));
    CHECK(contains(refused.err, "newer versions"));
    // Everything that reads profiles also reads these files directly.
    const auto direct = roofscopeRun("report '" + data + "' -f csv");
    CHECK(direct.code == 0);
    std::string rows = direct.out;  // start with the file's name
    for (std::size_t at = 0; (at = rows.find(data + ",", at)) != rows.npos;)
        rows.replace(at, data.size(), "imported.roofscope.json");
    CHECK(rows == roofscopeRun("report imported.roofscope.json -f csv").out);
    CHECK(
        inBash("PATH=\"$PWD/fake:$PATH\" " + program + "compare app.ncu-rep '" + data + "'").code ==
        roofscopeRun("compare imported.roofscope.json '" + data + "'").code);
    CHECK(inBash("PATH=/nowhere " + program + "report app.ncu-rep").code == 69);
    CHECK(roofscopeRun("report missing.CSV").code == 66);
    const auto without = inBash("PATH=/nowhere " + program + "import app.ncu-rep");
    CHECK(without.code == 69);
    CHECK(contains(without.err, "ncu --import app.ncu-rep --csv --page raw"));
}

TEST_CASE("a report is read without ncu by everything that reads profiles") {
    test::MadeLaunch launch;
    launch.metrics = {{"gpu__time_duration.sum", test::made(198'784.0)},
                      {"smsp__inst_executed.sum", test::made(std::uint64_t{46'137'344})}};
    const auto write = [](const char* name, const std::string& bytes) {
        std::ofstream(folder().file(name), std::ios::binary) << bytes;
    };
    const std::string bytes = test::madeBytes({.launches = {launch}});
    write("whole.ncu-rep", bytes);
    write("WHOLE.NCU-REP", bytes);
    write("cut.ncu-rep", bytes.substr(0, bytes.size() - 1));
    write("newer.ncu-rep", test::madeBytes({.version = 8, .launches = {launch}}));
    const auto withoutNcu = [](const std::string& arguments) {
        return inBash("PATH=/nowhere '" ROOFSCOPE_PROGRAM "' " + arguments);
    };
    const auto imported = withoutNcu("import whole.ncu-rep");
    CHECK(imported.code == 0);
    CHECK(contains(imported.err, "1 launch of 1 kernel with 2 counters"));
    CHECK(contains(test::readText(folder().file("whole.roofscope.json")), "_Z1kPf"));
    for (const char* report : {"whole.ncu-rep", "WHOLE.NCU-REP"}) {
        const std::string file = report;
        CHECK(contains(withoutNcu("report -f markdown " + file).out, "199 µs"));
        CHECK(withoutNcu("compare " + file + " whole.roofscope.json").code == 0);
    }
    CHECK(withoutNcu("merge whole.ncu-rep whole.roofscope.json --out both.roofscope.json").code ==
          withoutNcu("merge whole.roofscope.json whole.roofscope.json --out same.roofscope.json")
              .code);

    // By its content, under another name and on stdin.
    write("whole.report", bytes);
    CHECK(contains(withoutNcu("report -f markdown whole.report").out, "199 µs"));
    CHECK(withoutNcu("import whole.report -o named.roofscope.json").code == 0);
    CHECK(withoutNcu("import - -o piped.roofscope.json < whole.report").code == 0);
    CHECK(test::readText(folder().file("named.roofscope.json")) ==
          test::readText(folder().file("piped.roofscope.json")));

    const auto cut = withoutNcu("report cut.ncu-rep");
    CHECK(cut.code == 65);
    CHECK(contains(cut.err, "cut.ncu-rep: byte"));
    CHECK(contains(cut.err, "copy it again"));
    const auto newer = withoutNcu("report newer.ncu-rep");
    CHECK(newer.code == 69);
    CHECK(contains(newer.err, "version 8 of the format"));
    CHECK(contains(newer.err, "ncu --import newer.ncu-rep --csv --page raw"));
}

TEST_CASE("import says what is wrong, with the documented exit codes") {
    CHECK(roofscopeRun("import").code == 64);
    CHECK(roofscopeRun("import x.csv --format xml").code == 64);
    const auto noReport = roofscopeRun("import - --format ncu-rep");
    CHECK(noReport.code == 69);
    CHECK(contains(noReport.err, "give the report as a file"));
    CHECK(roofscopeRun("import missing.csv").code == 66);
    CHECK(roofscopeRun("import missing.ncu-rep").code == 66);
    CHECK(roofscopeRun("import .").code == 66);
    const auto empty = roofscopeRun("import - -o empty.roofscope.json");
    CHECK(empty.code == 65);
    CHECK(contains(empty.err, "--page raw"));
    CHECK_FALSE(std::filesystem::exists(folder().file("empty.roofscope.json")));
    CHECK(roofscopeRun("import - -o nowhere/x.roofscope.json").code == 73);
}

TEST_CASE("a redacted report keeps neither paths nor arguments, and finds kernels by either name") {
    const std::string sample =
        ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_bundled.roofscope.json.gz";
    REQUIRE(formats().size() >= 6);
    for (const std::string& format : formats()) {
        INFO(format);
        const std::string arguments = "report '" + sample + "' --convention ncu -f " + format;
        const auto plain = roofscopeRun(arguments);
        const auto redacted = roofscopeRun(arguments + " --redact");
        const auto hashed = roofscopeRun(arguments + " -k softmax --redact=names");
        CHECK(plain.code == 0);
        CHECK(redacted.code == 0);
        CHECK(hashed.code == 0);
        CHECK_FALSE(contains(redacted.out, ROOFSCOPE_SOURCE_DIR));
        if (format != "svg") CHECK(contains(redacted.out, "matmulTiledShared"));
        // The program was "roofscope-kernels run …".
        CHECK_FALSE(contains(redacted.out, "kernels run\""));
        CHECK_FALSE(contains(redacted.out, "roofscope-kernels run"));
        CHECK_FALSE(contains(hashed.out, "softmax"));
        CHECK(contains(hashed.out, "kernel_"));
    }
    // The hash in a report selects the kernel again.
    const auto csv = roofscopeRun("report '" + sample + "' -f csv -k softmax --redact=names");
    const auto at = csv.out.find("kernel_");
    REQUIRE(at != std::string::npos);
    const std::string hash = csv.out.substr(at, 17);
    const auto again =
        roofscopeRun("report '" + sample + "' -f csv -k " + hash + " --redact=names");
    CHECK(again.code == 0);
    CHECK(contains(again.out, hash));
    CHECK(roofscopeRun("report '" + sample + "' -f csv -k " + hash).code == 64);
}

TEST_CASE("the language is that of --lang, then of ROOFSCOPE_LANG, and of the locale on request") {
    const auto spoken = [](const std::string& arguments, const std::string& prefix) {
        const auto run = roofscopeRun("rules list" + arguments, prefix);
        CHECK(run.code == 0);
        return contains(run.out, "网格太小") ? "zh" : contains(run.out, "Grid too") ? "en" : "";
    };
    const std::string chinese = "LC_ALL=zh_CN.UTF-8 ", none = "env -u ROOFSCOPE_LANG ";
    CHECK(spoken("", none) == std::string("en"));
    CHECK(spoken("", chinese + none) == std::string("en"));
    CHECK(spoken(" --lang zh", none) == std::string("zh"));
    CHECK(spoken(" --lang en", "ROOFSCOPE_LANG=zh ") == std::string("en"));
    CHECK(spoken("", "ROOFSCOPE_LANG=zh ") == std::string("zh"));
    CHECK(spoken("", chinese + "ROOFSCOPE_LANG=auto ") == std::string("zh"));
    CHECK(spoken("", "LC_ALL=C ROOFSCOPE_LANG=auto ") == std::string("en"));
    CHECK(roofscopeRun("rules list --lang fr").code == 64);
    CHECK(roofscopeRun("rules list", "ROOFSCOPE_LANG=klingon ").code == 64);

    const std::string sample =
        " '" ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_torch_chain.roofscope.json.gz'";
    const auto report = roofscopeRun("report --lang zh -n 1 -f md" + sample);
    CHECK(report.code == 0);
    CHECK(contains(report.out, "**判定**（置信度："));
    CHECK(contains(report.out, " --lang zh\n```\n"));
    const auto shown = roofscopeRun("rules show wave-tail --lang zh");
    CHECK(contains(shown.out, "触发条件"));
    CHECK_FALSE(contains(shown.out, "Fires when"));
}

TEST_CASE("kernels check refuses a profile without bundled kernels, whatever its GPU can run",
          "[needs-kernels]") {
    if (!ROOFSCOPE_HAVE_KERNELS) SKIP_CASE("the bundled kernels were not built");
    for (const int major : {8, 9}) {
        INFO(major);
        std::ofstream(folder().file("other.json"))
            << R"({"format":"roofscope-profile","schema":[1,2],"capture":{"origin":"synthetic"},)"
            << R"("devices":[{"ordinal":0,"name":"a GPU","compute_capability":[)" << major
            << R"(,0]}]})";
        const auto r = roofscopeRun("kernels check --profile other.json");
        CHECK(r.code == 65);
        CHECK(contains(r.err, "no launch of the profile belongs to a bundled kernel"));
    }
}

TEST_CASE("a message is one clean line, whatever the files and options that it names are called") {
    std::ofstream(folder().file("hostile.json"))
        << R"({"format":"roofscope-profile","schema":[1,2],"capture":{"origin":"synthetic"},)"
        << R"("counters":{"\n::error file=x.cu,line=1::pwned\n\u001b]0;title\u0007":[1]}})";
    const std::string oneLine[] = {
        "report hostile.json",
        "report $'no\\n::error::pwned\\x1b[31m'",
        "report x --format $'no\\n::error::pwned\\x1b[31m'",
        "report x --no$'\\n::error::pwned\\x1b[31m'",
        "gate '" ROOFSCOPE_SOURCE_DIR
        "/profile/samples/h200_atomics.roofscope.json.gz' -u -b $'b\\n::error::pwned\\x1b[31m'",
        "record --out /no/such/$'\\n::error::pwned\\x1b[31m' -- true"};
    for (const std::string& arguments : oneLine) {
        INFO(arguments);
        const auto r = inBash("'" ROOFSCOPE_PROGRAM "' " + arguments);
        CHECK(contains(r.err, "::error"));  // the message does quote it
        CHECK_FALSE(contains(r.err, "\n::"));
        CHECK_FALSE(contains(r.err, "\x1b"));
        CHECK(contains(r.err, "pwned"));
    }
    CHECK(roofscopeRun("report hostile.json").code == 65);
}
