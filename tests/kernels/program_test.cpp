// SPDX-License-Identifier: Apache-2.0
//
// roofscope-kernels as users see it: output and exit codes, also on machines without a GPU.
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/measure.h"
#include "kernels/rung.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace roofscope;
using namespace roofscope::kernels;

namespace {

struct Outcome {
    int exitCode = -1;
    std::string out, err;
};

/// Runs the program; `arguments` must already be quoted for the shell.
Outcome run(const std::string& arguments) {
    Outcome outcome;
    const auto capture = [&](const std::string& redirection) {
        const std::string command =
            std::string("'") + ROOFSCOPE_KERNELS_PROGRAM + "' " + arguments + redirection;
        std::string text;
        FILE* const pipe = popen(command.c_str(), "r");
        REQUIRE(pipe != nullptr);
        std::array<char, 4096> buffer{};
        while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
            text.append(buffer.data(), count);
        const int status = pclose(pipe);
        outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return text;
    };
    outcome.out = capture(" 2>/dev/null");
    outcome.err = capture(" 2>&1 >/dev/null");
    return outcome;
}

}  // namespace

TEST_CASE("list --json names every rung with its fault and default case") {
    const Outcome outcome = run("list --json");
    REQUIRE(outcome.exitCode == 0);
    const auto list = nlohmann::json::parse(outcome.out);
    REQUIRE(list.size() == allRungs().size());
    for (const auto& rung : list) {
        CHECK(rung.at("family").is_string());
        CHECK((rung.at("fault").is_string() || rung.at("fault").is_null()));
        CHECK(rung.at("default_case") == rung.at("cases").at(0));
    }
    const auto naive = nlohmann::json::parse(run("list 'lightning*/naive' --json").out);
    REQUIRE(naive.size() == 1);
    CHECK(naive[0].at("rung") == "naive");
    CHECK(naive[0].at("fault") == "global-uncoalesced");
    CHECK(naive[0].at("default_case") == "B=64,H=64,D=96,E=96,bf16");
}

TEST_CASE("output that is lost is an error") {
    for (const char* arguments : {"list", "list --json", "expect --json", "expect --all-shapes",
                                  "ceilings --list", "--help"}) {
        INFO(arguments);
        const std::string command = std::string("'") + ROOFSCOPE_KERNELS_PROGRAM + "' " +
                                    arguments + " 2>/dev/null >/dev/full";
        const int status = std::system(command.c_str());
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 74);
    }
}

TEST_CASE("list and expect say which kernels need a newer GPU") {
    const auto tma = nlohmann::json::parse(run("list tma_copy --json").out);
    CHECK(tma[0].at("min_compute_capability") == nlohmann::json({9, 0}));
    CHECK(nlohmann::json::parse(run("list copy_16b --json").out)[0]
              .at("min_compute_capability")
              .is_null());
    CHECK(nlohmann::json::parse(run("expect tma_copy --json").out)[0].at(
              "min_compute_capability") == nlohmann::json({9, 0}));
    CHECK(run("list tma_copy").out.find("(needs compute capability 9.0)") != std::string::npos);
}

TEST_CASE("expect --json gives ranges and exact whole numbers without a GPU") {
    const Outcome outcome = run("expect transpose_unpadded --json");
    REQUIRE(outcome.exitCode == 0);
    const auto list = nlohmann::json::parse(outcome.out);
    REQUIRE(list.size() == 1);
    CHECK(list[0].at("range") == "patterns/transpose_unpadded/n=8192,f32");
    CHECK(list[0].at("rung") == "patterns/transpose_unpadded");
    CHECK(list[0].at("case") == "n=8192,f32");
    bool found = false;
    for (const auto& counter : list[0].at("counters")) {
        if (counter.at("counter") != "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")
            continue;
        found = true;
        CHECK(counter.at("value").is_number_unsigned());
        CHECK(counter.at("value") == 67108864);
        CHECK(counter.at("tolerance") == 0);
        CHECK(counter.at("formula").is_string());
    }
    CHECK(found);
    CHECK(nlohmann::json::parse(run("expect --json").out).size() == allRungs().size());
    CHECK(nlohmann::json::parse(run("expect 'lightning*/naive' --shape B=1,D=5 --json").out)[0].at(
              "case") == "B=1,H=64,D=5,E=96,bf16");
}

TEST_CASE("a shape takes one argument, and may be given in parts") {
    const auto of = [](const std::string& arguments) {
        const Outcome outcome = run("expect --json " + arguments);
        REQUIRE(outcome.exitCode == 0);
        return nlohmann::json::parse(outcome.out);
    };
    const auto parts = of("--shape B=1 'lightning*/naive' --shape D=5 --repeat 3 --warmup 1");
    REQUIRE(parts.size() == 1);
    CHECK(parts[0].at("case") == "B=1,H=64,D=5,E=96,bf16");
}

TEST_CASE("mistakes on the command line exit with 64 and say what to do") {
    for (const char* arguments :
         {"run nosuchkernel", "verify nosuchkernel", "expect nosuchkernel", "list nosuchkernel",
          "run 'lightning*/naive' --shape D=200", "run 'lightning*/naive' --shape Q=1",
          "run 'lightning*/naive' --shape x", "run 'lightning*/naive' --dtype f31",
          "run 'lightning*/naive' --dtype f16", "run --bogus", "bogus", "",
          "run 'lightning*/naive' --repeat 0", "run 'lightning*/naive' --shape B=1 --all-shapes",
          "verify naive --all", "ceilings --only nosuch", "ceilings --only 'dram_*' --only x",
          "ceilings --seconds 0"}) {
        INFO(arguments);
        const Outcome outcome = run(arguments);
        CHECK(outcome.exitCode == 64);
        CHECK(outcome.err.starts_with("roofscope-kernels: "));
        CHECK(outcome.out.empty());
    }
    CHECK(run("run naiv").err.find("lightning_attention_decode/naive") != std::string::npos);
}

TEST_CASE("--help shows examples and --version the version") {
    const Outcome help = run("--help");
    CHECK(help.exitCode == 0);
    CHECK(help.out.find("roofscope-kernels run '*/copy_*'") != std::string::npos);
    CHECK(run("run --help").exitCode == 0);
    const Outcome version = run("--version");
    CHECK(version.exitCode == 0);
    CHECK(version.out.find("roofscope-kernels ") == 0);
}

TEST_CASE("ceilings --list names what can be measured, without a GPU") {
    const auto all = nlohmann::json::parse(run("ceilings --list --json").out);
    CHECK(all.size() >= 16);
    CHECK(all[0].at("name") == "dram_read");
    CHECK(all[0].at("kind") == "bandwidth");
    const auto some = nlohmann::json::parse(run("ceilings --list --json --only 'dram_*'").out);
    CHECK(some.size() >= 4);
    CHECK(some.size() < all.size());
    for (const auto& one : some) CHECK(one.at("name").get<std::string>().starts_with("dram_"));
    CHECK(run("ceilings --list").out.find("tensor_bf16") != std::string::npos);
}

TEST_CASE("without a GPU run and verify end with one clear error", "[needs-no-gpu]") {
    if (currentGpu().ok()) SKIP_CASE("there is a GPU: tests/gpu does more");
    for (const char* arguments : {"run", "run empty --json", "verify --all", "verify naive",
                                  "ceilings", "ceilings --json --only fp32"}) {
        INFO(arguments);
        const Outcome outcome = run(arguments);
        CHECK(outcome.exitCode == 69);
        CHECK(outcome.out.empty());
        CHECK(outcome.err.find("no usable NVIDIA GPU") != std::string::npos);
        CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }
}

TEST_CASE("a message is one clean line, whatever was asked for") {
    const Outcome outcome = run("list \"$(printf 'no\\n::error::pwned\\033[31m')\"");
    CHECK(outcome.exitCode == 64);
    CHECK(outcome.err.find("no ::error::pwned") != std::string::npos);
    CHECK(outcome.err.find('\x1b') == std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}
