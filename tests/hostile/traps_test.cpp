// SPDX-License-Identifier: Apache-2.0
// The current folder belongs to somebody else: a download, a shared folder, a checkout to look at.
// Nothing in it may run unless it is named by a path.
#include <unistd.h>

#include <map>
#include <sstream>

#include "tests/hostile/recording.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

const std::string kRoofscope = ROOFSCOPE_PROGRAM;
const std::string kPackage = ROOFSCOPE_SOURCE_DIR "/python";

/// Fills folder()/here with traps: modules of Python's library and of the package's imports, tools,
/// and libraries opened by name. Each one that runs adds a line to folder()/sprung. folder()/away
/// has the wheel's layout, its command, and the executable alone.
void setTraps() {
    const auto made = inBash(
        "set -e\n"
        "rm -rf here away sprung; mkdir -p here/bin here/roofscope away/alone away/bin\n"
        "trap=\"open('$PWD/sprung', 'a').write(__file__ + '\\\\n')\"\n"
        "for module in $(python3 -I -c 'import sys; print(*sys.stdlib_module_names)') \\\n"
        "    sitecustomize usercustomize mcp torch triton anyio pydantic __main__ \\\n"
        "    roofscope/__init__ roofscope/__main__ roofscope/_executable; do\n"
        "  echo \"$trap\" > here/$module.py\n"
        "done\n"
        "for tool in ncu nsys python python3 nvdisasm cuobjdump cu++filt c++filt addr2line ssh git "
        "\\\n"
        "    less gzip nvcc nvidia-smi xdg-open roofscope roofscope-gui roofscope-kernels \\\n"
        "    compute-sanitizer c++ cc1plus as ld find mkdir cat sed tr rm mv; do\n"
        "  printf '#!/bin/sh\\necho %s >> \"%s/sprung\"\\n' $tool \"$PWD\" > here/bin/$tool\n"
        "  chmod +x here/bin/$tool; [ -d here/$tool ] || cp here/bin/$tool here/\n"
        "done\n"
        "for library in libcuda.so.1 libcupti.so.13 libcupti.so.12 libcupti.so libnvidia-ml.so.1 "
        "\\\n"
        "    libnvperf_host.so libnvperf_target.so libnvToolsExt.so libroofscope_inject.so; do\n"
        "  cp '" ROOFSCOPE_TRAP_LIBRARY
        "' here/$library\n"
        "done\n"
        "mkdir -p away/site; cp -r '" +
        kPackage +
        "/roofscope' away/site/\n"
        "mkdir -p away/site/roofscope/_native/bin\n"
        "ln '" +
        kRoofscope +
        "' away/site/roofscope/_native/bin/roofscope 2>/dev/null ||\n"
        "  cp '" +
        kRoofscope +
        "' away/site/roofscope/_native/bin/roofscope\n"
        "cp '" +
        kRoofscope +
        "' away/alone/roofscope\n"
        "printf 'import sys\\nfrom roofscope.__main__ import main\\nsys.exit(main())\\n' \\\n"
        "  > away/bin/roofscope\n"
        "cp '" +
        kSample +
        "' here/app.roofscope.json.gz; touch here/r.ncu-rep\n"
        "echo 'NVIDIA Tegra Profiler Report' > here/r.nsys-rep\n"
        "echo 'candidate = baseline = inputs = print' > away/mine.py\n");
    INFO(made.err);
    REQUIRE(made.code == 0);
    // A call site in compiled code, so that its line is looked up.
    makeProgram(
        "away/app",
        R"(say '{"t":"site","k":0,"count":1,"frames":[{"module":"/proc/self/exe","offset":4096}]}')");
}

/// Arguments with which each command gets as far as starting its tools. A command without an entry
/// makes the test fail.
const std::map<std::string, std::vector<std::string>>& commandLines() {
    static const std::map<std::string, std::vector<std::string>> all = {
        {"doctor", {"doctor", "doctor --json", "doctor ../away/app"}},
        {"record",
         {"record --timing-only --out ../o.json -- /bin/sh ../away/app",
          "record --source top:1 --out ../o.json -- /bin/sh ../away/app"}},
        {"measure", {"measure --out ../o.json --name f --timing-only"}},
        {"kernels", {"kernels list", "kernels run --out ../k.json"}},
        {"ceilings", {"ceilings"}},
        {"report",
         {"report app.roofscope.json.gz -f json", "report --for-agent app.roofscope.json.gz",
          "report r.ncu-rep", "report r.nsys-rep"}},
        {"compare", {"compare app.roofscope.json.gz app.roofscope.json.gz"}},
        {"check-loop", {"check-loop -- /bin/sh ../away/app"}},
        {"extract", {"extract --kernel k --out ../one -- /bin/sh ../away/app"}},
        {"arm", {"arm --folder ../sockets -- /bin/sh ../away/app"}},
        {"ps", {"ps", "ps --json --folder ../sockets"}},
        {"snap", {"snap 1 --seconds 1 --out ../s.json"}},
        {"disarm", {"disarm 1"}},
        {"judge-review", {"judge-review ../away"}},
        {"guard", {"guard -- /bin/sh ../away/app"}},
        {"import", {"import r.ncu-rep --out ../i.json", "import r.nsys-rep --out ../i.json"}},
        {"merge", {"merge app.roofscope.json.gz app.roofscope.json.gz --out ../m.json.gz"}},
        {"gate", {"gate app.roofscope.json.gz --baseline ../b --update"}},
        {"rules", {"rules list"}},
        // No window opens, but Qt's plugins are looked up.
        {"view", {"view app.roofscope.json.gz"}},
        {"show", {"show program app.roofscope.json.gz", "show program"}},
        {"loop", {"loop --help", "loop --ledger ../ledger app.roofscope.json.gz"}},
        {"try",
         {"try --help", "try app.roofscope.json.gz",
          "try connections --time-limit 20 -- /bin/sh ../away/app"}},
        {"review", {"review --help", "review ../away/mine.py"}},
        {"mcp", {"mcp --help", "mcp --root ."}},
        {"setup", {"setup --project --dry-run"}},
        {"ci", {"ci --help", "ci init --wheel x.whl --program ../away/app --dry-run"}},
        {"completion", {"completion bash"}},
    };
    return all;
}

/// The commands listed by the help.
std::vector<std::string> listedCommands() {
    std::istringstream help(roofscopeRun("--help").out);
    std::vector<std::string> names;
    bool within = false;
    for (std::string line; std::getline(help, line);) {
        if (!line.empty() && line[0] != ' ') within = line.find("ommands:") != std::string::npos;
        std::istringstream words(line);
        // Continued descriptions are indented further.
        if (std::string name; within && line.starts_with("  ") && line[2] != ' ' && words >> name)
            names.push_back(name);
    }
    return names;
}

/// The traps that ran during this command line in here/.
std::string sprungBy(const std::string& environment, const std::string& command) {
    inBash("rm -f sprung o.json k.json i.json m.json.gz b ledger");
    const auto r = inBash(
        "export ROOFSCOPE_TRAP_MARK=$PWD/sprung ROOFSCOPE_INJECT=$PWD/library.so\n"
        "export QT_QPA_PLATFORM=none HOME=$PWD/away; python=$(command -v python3)\n"
        "cd here; " +
        environment + " timeout 60 " + command + " 3>&- | cat");
    UNSCOPED_INFO(r.out.substr(0, 400) + r.err.substr(0, 400));
    return readText(folder().file("sprung"));
}

/// Puts a captured launch's folder at folder()/away/launch. Its driver only runs Python, as for a
/// candidate there.
void makeLaunchFolder() {
    const auto made = inBash(
        "set -e; mkdir -p away/launch; cd away\n"
        "cp '" ROOFSCOPE_SOURCE_DIR
        "/extract/folder/check.sh' launch/check; echo sm_90 > launch/arch\n"
        "echo 'import json' > launch/replay.py; echo 'import json' > one.py\n"
        "echo '__global__ void k() {}' > one.cu; touch one.cubin\n"
        "cat > launch/replay.cpp <<'END'\n"
        "#include <cstdlib>\n#include <string>\n"
        "int main(int, char** words) {\n"
        "    const std::string self = words[0], folder = self.substr(0, self.rfind(\".build\"));\n"
        "    return std::system((\"exec python3 \" + folder + \"replay.py\").c_str());\n"
        "}\nEND\n");
    INFO(made.err);
    REQUIRE(made.code == 0);
}

/// PATH and PYTHONPATH with all entries that mean the current folder or one below it.
const std::string kCurrentFolderPaths = "PATH=:.:bin:./bin:$PATH: PYTHONPATH=: ";

}  // namespace

TEST_CASE("no command runs anything of the current folder") {
    setTraps();
    const auto listed = listedCommands();
    REQUIRE(listed.size() > 10);
    for (const std::string& name : listed) {
        CAPTURE(name);
        REQUIRE(commandLines().contains(name));
    }
    // Including hidden commands.
    for (const auto& [name, lines] : commandLines()) {
        CAPTURE(name);
        for (const std::string& line : lines)
            for (const std::string& environment : {std::string(), kCurrentFolderPaths}) {
                CAPTURE(line, environment);
                CHECK(sprungBy("env " + environment, "'" + kRoofscope + "' " + line).empty());
            }
    }
    for (const std::string command : {"show program app.roofscope.json.gz", "mcp --root .", "loop"})
        CHECK(sprungBy("env PYTHONPATH=. ", "'" + kRoofscope + "' " + command).empty());
}

TEST_CASE("nor does a wheel's, or an executable without its package") {
    setTraps();
    const auto answer = [](const std::string& program, const std::string& line) {
        const auto r = inBash("cd here; " + program + " " + line);
        return std::pair(r.code, r.out.substr(0, 40));
    };
    const std::string wheel = "../away/site/roofscope/_native/bin/roofscope";
    // The package is found only relative to the executable.
    CHECK(answer(wheel, "report --for-agent app.roofscope.json.gz") ==
          answer("'" + kRoofscope + "'", "report --for-agent app.roofscope.json.gz"));
    for (const auto& [name, lines] : commandLines())
        for (const std::string& line : lines) {
            CAPTURE(line);
            CHECK(sprungBy("env " + kCurrentFolderPaths, wheel + " " + line).empty());
            // As started by pip's script: by an explicit Python with its own packages.
            CHECK(sprungBy("env PATH=:.:bin:$PATH PYTHONPATH='" +
                               folder().file("away/site").string() + "'",
                           "$python ../away/bin/roofscope " + line)
                      .empty());
        }
    CHECK(sprungBy("env " + kCurrentFolderPaths,
                   "../away/alone/roofscope show program app.roofscope.json.gz")
              .empty());
    CHECK(sprungBy("env " + kCurrentFolderPaths + "ROOFSCOPE_PYTHON=python3 ",
                   "'" + kRoofscope + "' show program app.roofscope.json.gz")
              .empty());
}

TEST_CASE("nor does the check in a captured launch's folder") {
    setTraps();
    makeLaunchFolder();
    const std::string own = "env CXX= NVCC= COMPUTE_SANITIZER= ";
    for (const std::string& paths :
         {kCurrentFolderPaths, std::string("PATH=:$PATH PYTHONPATH=.:$PWD/none "),
          std::string("PATH=.:bin ")})
        for (const std::string line : {"", "../away/one.cu", "../away/one.cu --sanitize",
                                       "../away/one.py", "../away/one.cubin --sanitize --json"}) {
            CAPTURE(paths, line);
            inBash("rm -rf away/launch/.build");
            // The commands of this line itself are not the check's.
            CHECK(sprungBy("/usr/bin/env ", "/bin/sh -c '" + own + paths +
                                                "/bin/sh ../away/launch/check " + line + "'")
                      .empty());
            CHECK(exists("away/launch/.build/replay"));
        }
}

TEST_CASE("the traps work: they are noticed if something runs them") {
    setTraps();
    CHECK(contains(sprungBy("", "$python -m json.tool r.ncu-rep"), "here"));
    CHECK(contains(sprungBy("env PATH=.:$PATH", "sh -c ncu"), "ncu"));
    CHECK(contains(sprungBy("env LD_PRELOAD=./libcuda.so.1", "/bin/true"), "a library"));
}
