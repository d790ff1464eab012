// SPDX-License-Identifier: Apache-2.0
#include "profile/operations/redact.h"

#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;

namespace {

/// The message after redact().
std::string message(const std::string& text, const RedactOptions& options = {},
                    std::vector<std::string> command = {"app"}) {
    Profile profile;
    profile.capture.command = std::move(command);
    profile.issues.push_back({.source = "s", .code = "c", .message = text, .advice = text});
    profile = redact(std::move(profile), options);
    CHECK(profile.issues[0].advice == profile.issues[0].message);
    return profile.issues[0].message;
}

}  // namespace

TEST_CASE("paths, addresses and names of users leave messages") {
    CHECK(message("cannot open /srv/data/x.bin: no such file") == "cannot open …: no such file");
    CHECK(message("cannot open \"/srv/my data/x.bin\" twice") == "cannot open \"…\" twice");
    CHECK(message("in /srv/a.cu:12, see ~/notes") == "in …:12, see …");
    CHECK(message("run ./build/app or ../x.") == "run … or ….");
    CHECK(message("PATH=/opt/a:/opt/b") == "PATH=…");
    CHECK(message("C:\\Users\\eve\\x.exe by eve") == "… by …");
    CHECK(message("https://intern.example.com/a?b=c (file:///x)") == "… (…)");
    CHECK(message("eve@gpu17 says") == "… says");
    CHECK(message("/home/eve/x belongs to eve, not to steve or eve_2") ==
          "… belongs to …, not to steve or …_2");
    CHECK(message("by bob@host or bob.s+x@host, -I/home/bob -L/opt/x") == "by … or …, -I… -L…");
    CHECK(message("on \\\\srv\\bob and ~bob/x, prefix/home/bob/x") == "on … and …, prefix…");
    CHECK(message("\"../bob/my x\" '\\\\srv\\my x' `/home/bob smith/x`") == "\"…\" '…' `…`");
    CHECK(message("/srv/my\\ x/y and C:\\Program Files\\bob\\x.exe end") == "… and … end");
    CHECK(message("host gpu17.example.com, gpu17 and gpu170",
                  {.words = {"gpu17.example.com", "gpu17"}}) == "host …, … and gpu170");
}

TEST_CASE("text that is not a path stays") {
    for (const char* text :
         {"32 bytes/cycle/SM and 1/2", "a / b // c", "operator/(float)", "2 of 3 launches: 5 %",
          "lightning_attention_decode/naive/B=64,H=64", "sm__cycles_elapsed.avg.per_second", "",
          "f(x)->y, a::b::c<d>", "a::~B()", "f(x)-I/J", "a-b/c", "…", "/ ~ . ..",
          "counter-unavailable: see doctor"})
        CHECK(message(text) == text);
}

TEST_CASE("messages do not repeat arguments") {
    const std::vector<std::string> command{"./train/app", "--model=secretmodel", "-k",
                                           "plan.yaml",   "/srv/in/batch.bin",   "3"};
    CHECK(message("no such model: secretmodel (plan.yaml, batch.bin, 3, train/app)", {}, command) ==
          "no such …: … (…, …, 3, …)");
    CHECK(message("./train/app ended, --model=secretmodel", {}, command) == "… ended, --…");
}

TEST_CASE("the command line keeps the name of the program") {
    test::SyntheticProfile p;
    p.profile().capture.command = {"/home/eve/build/app", "--in", "x"};
    p.profile().processes[0].cuptiPath = "/home/eve/cuda/libcupti.so.13";
    const Profile redacted = redact(p.build());
    CHECK(redacted.capture.command == std::vector<std::string>{"app", "…"});
    CHECK(redacted.processes[0].cuptiPath == "libcupti.so.13");
    CHECK(redacted.processes[0].host.empty());  // unknown stays unknown
    p.profile().capture.command = {"/home/eve/eve-app"};
    CHECK(redact(p.build()).capture.command == std::vector<std::string>{"…-app"});
    p.profile().capture.command = {};
    CHECK(redact(p.build()).capture.command.empty());
}

TEST_CASE("names stay unless they are asked to go") {
    test::SyntheticProfile p;
    const auto gemm = p.kernel("void acme::gemm<float>(float const*)");
    const auto loader = p.kernel("load");
    p.launch(gemm, {1, 1, 1}, {32, 1, 1}).range("train > layer/0");
    p.launch(loader, {1, 1, 1}, {32, 1, 1}).range("read /srv/x.bin of eve");
    p.issue(Severity::Info, "c", "acme::gemm in train was not measured", "");
    p.profile().rangeMeasurements = {{.launches = 4, .work = 5}};
    p.profile().rangeCounters.resize(1);
    const RedactOptions options{.words = {"eve"}};
    Profile kept = redact(p.build(), options);
    CHECK(kept.kernels[gemm].name == "void acme::gemm<float>(float const*)");
    CHECK(kept.ranges == std::vector<std::string>{"train > layer/0", "read … of …"});
    CHECK(kept.launches.size() == 2);
    CHECK(kept.rangeMeasurements.at(0).work == 5U);
    CHECK(kept.counters.rows() == p.build().counters.rows());

    RedactOptions names = options;
    names.what = Redaction::Names;
    const Profile hashed = redact(p.build(), names);
    // The first digits of sha256sum.
    CHECK(hashed.kernels[loader].name == "kernel_0cf67fc72b");
    CHECK(hashed.kernels[loader].symbol == hashed.kernels[loader].name);
    CHECK(hashed.kernels[gemm].name != hashed.kernels[loader].name);
    CHECK(hashed.ranges[0].starts_with("range_"));
    CHECK_FALSE(hashed.rangeMeasurements.at(0).work);
    CHECK(hashed.rangeMeasurements.at(0).launches == 4U);
    CHECK(hashed.ranges[0].find(" > range_") == 16);
    CHECK(hashed.ranges[0].find("train") == std::string::npos);
    CHECK(hashed.issues[0].message == "…::… in … was not measured");
    // In another report the same name gets the same hash.
    CHECK(redact(p.build(), names).ranges == hashed.ranges);
}

TEST_CASE("what is private in one place is private in all") {
    test::SyntheticProfile p;
    p.profile().capture.command = {"/usr/bin/python3", "/srv/secret_plan.py", "--lr", "0.5"};
    const auto kernel = p.kernel("copy_of_mallory");
    p.launch(kernel, {1, 1, 1}, {32, 1, 1}).range("oscar's step");
    p.profile().callSites = {{.kernel = 0,
                              .file = "/home/mallory/secret_plan.py",
                              .line = 8,
                              .function = "for_mallory",
                              .sizes = "[8] /srv/data of mallory",
                              .count = 1},
                             {.call = "cudaFree", .file = "net-0.5.py", .line = 1, .count = 1}};
    p.profile().sources.push_back({.files = {"/home/oscar/a.cu", "/srv/secret_plan.py"}});
    const Profile redacted = redact(p.build());
    CHECK(redacted.kernels[0].name == "copy_of_…");
    CHECK(redacted.ranges[0] == "…'s step");  // this name is only in the path of a source
    CHECK(redacted.callSites[0].file == "…");
    CHECK(redacted.callSites[0].function == "for_…");
    CHECK(redacted.callSites[0].sizes == "[8] … of …");
    CHECK(redacted.callSites[1].file == "net-0.5.py");
    CHECK(redacted.sources[0].files == std::vector<std::string>{"a.cu", "…"});
    CHECK(redactPath("out/secret_plan.roofscope.json", p.build(), {}) == "….roofscope.json");
}

TEST_CASE("operators stay, and the files of launch sites lose their folders") {
    test::SyntheticProfile p;
    const auto kernel = p.kernel("k");
    p.launch(kernel, {1, 1, 1}, {32, 1, 1});
    p.profile().callSites = {{.kernel = kernel,
                              .file = "/home/eve/train.py",
                              .line = 20,
                              .function = "main",
                              .op = "aten::mm",
                              .sizes = "[8, 8]",
                              .backward = "MmBackward0",
                              .forward = {.file = "/home/eve/net.py", .line = 7, .function = "f"},
                              .count = 2},
                             {.kernel = kernel, .op = "eve::secret", .count = 1}};
    const Profile kept = redact(p.build(), {.words = {"eve"}});
    CHECK(kept.callSites[0].forward == CodeLine{.file = "net.py", .line = 7, .function = "f"});
    CHECK(kept.callSites[0].op == "aten::mm");
    CHECK(kept.callSites[1].op == "…::secret");
    const Profile hashed = redact(p.build(), {.what = Redaction::Names});
    CHECK(hashed.callSites[0].op == "aten::mm");  // PyTorch's own operator
    CHECK(hashed.callSites[0].backward.starts_with("operator_"));
    CHECK(hashed.callSites[0].forward.file.starts_with("file_"));
    CHECK(hashed.callSites[0].forward.function.starts_with("function_"));
    CHECK(hashed.callSites[1].op.starts_with("operator_"));
}

TEST_CASE("paths of reports and values of the option") {
    CHECK(redactPath("/home/eve/eve-run.roofscope.json", {}) == "…-run.roofscope.json");
    CHECK(redactPath("a.json", {}) == "a.json");
    CHECK(redactPath("", {}) == "");
    CHECK(parseRedaction("names") == Redaction::Names);
    CHECK(parseRedaction("private") == Redaction::Private);
    CHECK_FALSE(parseRedaction("all").has_value());
}

TEST_CASE("names of hosts leave, which processes share one stays") {
    test::SyntheticProfile p;
    auto& processes = p.profile().processes;
    processes[0].host = "gpu17.example.com";
    processes.push_back({.pid = 2, .host = "gpu18"});
    processes.push_back({.pid = 3, .host = "gpu17.example.com", .rank = 2});
    p.profile().issues.push_back({.source = "s",
                                  .code = "c",
                                  .message = "gpu18 was full, GPU17 and gpu19.example.com not",
                                  .advice = "gpu17.example.com, gpu170"});
    p.profile().devices[0].ceilings.push_back(
        {.name = "gpu17", .method = "copy of 1 GiB on gpu17 by /home/eve/x"});
    const Profile redacted = redact(p.build());
    CHECK(redacted.devices[0].ceilings.back().method == "copy of 1 GiB on … by …");
    CHECK(redactPath("run-gpu17.example.com.json", p.build()) == "run-….json");
    CHECK(redactPath("gpu17-run.json", p.build()) == "…-run.json");
    CHECK(redacted.processes[0].host == "host-1");
    CHECK(redacted.processes[1].host == "host-2");
    CHECK(redacted.processes[2].host == "host-1");
    CHECK(redacted.processes[2].rank == 2U);
    CHECK(redacted.issues.back().message == "… was full, … and gpu19.… not");
    CHECK(redacted.issues.back().advice == "…, gpu170");
}

TEST_CASE("other outputs replace the same parts in their own way") {
    const PrivateDataFilter parts({"gpu17"}, {"Eve"});
    const auto brackets = [](std::string_view part) { return "[" + std::string(part) + "]"; };
    CHECK(parts.replaced("copy /a/b on GPU17 by Eve, not eve", brackets) ==
          "copy [/a/b] on [GPU17] by [Eve], not eve");
    CHECK(parts.removedWords("/a/gpu17") == "/a/…");
    CHECK(PrivateDataFilter().removed("a/b of gpu17") == "a/b of gpu17");
    // Overlapping parts are removed as one; of parts with a common start the longest.
    CHECK(PrivateDataFilter({"ab.cd", "cd.ef", "ab"}).removed("x ab.cd.ef ab abc") == "x … … abc");
}

TEST_CASE("a hundred thousand words are looked for at once") {
    PrivateDataFilter::Words words;
    for (int i = 0; i < 100'000; ++i) words.insert("kernel_" + std::to_string(i));
    const PrivateDataFilter parts({}, words);
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += "kernel_" + std::to_string(i) + "x ";
    CHECK(parts.removed(text) == text);
    CHECK(parts.removed("a kernel_99999 b") == "a … b");
}
