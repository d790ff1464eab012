// SPDX-License-Identifier: Apache-2.0
// Actions about copies: where each must be given, where it must not, where it cannot be told.
#include <algorithm>
#include <set>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionOf;
using roofscope::test::judged;
using roofscope::test::repeated;
using roofscope::test::Rules;
using roofscope::test::rulesOf;
using roofscope::test::says;
using roofscope::test::SyntheticProgram;

namespace {

/// A step of PyTorch, or of a program of its own, that copies to the GPU and back.
Profile copiesBothWays(const std::string& kernel) {
    return repeated([&](SyntheticProgram& p) {
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 20'000);
        p.launch(kernel, 5000);
        p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, 64e6, 30'000);
    });
}
constexpr const char* kOfTorch = "void at::native::gemm<float>(float*)";

}  // namespace

TEST_CASE("pageable copies both ways are one action, but not in PyTorch") {
    const Program own = judged(copiesBothWays("gemm"));
    CHECK(rulesOf(own).front() == "pageable-both-ways");
    CHECK(own.actions.front().bound.value * 1e6 == Approx(50'000).margin(20));
    for (const char* part : {"pageable-copy", "pageable-copy-back"}) CHECK_FALSE(says(own, part));
    CHECK(own.actions.front().edit.in(Language::En).find("keep it on the GPU") !=
          std::string::npos);
    CHECK_FALSE(own.actions.front().edit.in(test::kZh).empty());
    CHECK_FALSE(says(judged(copiesBothWays(kOfTorch)), "pageable-both-ways"));
    // One way only.
    CHECK_FALSE(says(judged(repeated([](SyntheticProgram& p) {
                         p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 20'000);
                         p.launch("gemm", 5000);
                     })),
                     "pageable-both-ways"));
}

TEST_CASE("pageable copies are the first action where they take the time") {
    const Program program = judged(copiesBothWays(kOfTorch));
    REQUIRE_FALSE(program.actions.empty());
    CHECK(rulesOf(program).front() == "pageable-copy-back");
    const Action& action = actionOf(program, "pageable-copy-back");
    CHECK(action.bound.value * 1e6 == Approx(30'000).margin(10));
    CHECK(action.share.value > 0.5);
    CHECK(actionOf(program, "pageable-copy").bound.value * 1e6 == Approx(20'006).margin(10));
    CHECK(action.total.value == Approx(6 * action.bound.value));
    CHECK_FALSE(action.edit.in(Language::En).empty());
    CHECK_FALSE(action.edit.in(test::kZh).empty());
}

TEST_CASE("data that comes back for the CPU and goes again is one action") {
    const auto judgedWith = [](double in, double out, double host) {
        return judged(repeated([&](SyntheticProgram& p) {
            p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, in, 4000);
            p.launch("advance", 20'000);
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, out, 5000).work(host);
        }));
    };
    const Program state = judgedWith(64e6, 64e6, 6000);
    CHECK(rulesOf(state).front() == "data-comes-back");
    CHECK(state.actions.front().bound.value * 1e3 == Approx(15).margin(0.3));
    for (const char* part :
         {"pageable-copy", "pageable-copy-back", "pageable-both-ways", "host-bound"})
        CHECK_FALSE(says(state, part));
    CHECK_FALSE(says(judgedWith(64e6, 64e6, 20), "data-comes-back"));    // frames come and go
    CHECK_FALSE(says(judgedWith(64e6, 40e6, 6000), "data-comes-back"));  // other data
    CHECK_FALSE(says(judgedWith(4096, 4096, 6000), "data-comes-back"));
    CHECK_FALSE(says(judgedWith(64e6, 64e6, 400'000), "data-comes-back"));  // the CPU's work is all
}

TEST_CASE("hundreds of small copies to the GPU are told to become one") {
    const auto judgedWith = [](int copies, double bytes) {
        return judged(repeated([&](SyntheticProgram& p) {
            for (int i = 0; i < copies; ++i)
                p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, bytes, 5);
            p.launch("gemm", 500).sync();
        }));
    };
    const Program many = judgedWith(400, 6);
    const Action& action = actionOf(many, "small-copies");
    CHECK(action.bound.value == Approx(many.account.time[TimeClass::Copies].value));
    CHECK(action.args.at(0).value == Approx(400));
    CHECK(action.args.at(1).value == Approx(6));
    CHECK_FALSE(says(judgedWith(20, 6), "small-copies"));
    CHECK_FALSE(says(judgedWith(400, 8192), "small-copies"));
    CHECK_FALSE(says(judgedWith(400, 1 << 20), "small-copies"));
}

TEST_CASE("a bound of copies leaves what the link needs") {
    // 6.3 GB take 100 ms over the fastest link; the kernel can hide 10 ms of them.
    const Program program = judged(repeated([](SyntheticProgram& p) {
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 6.3e9, 400'000);
        p.launch("gemm", 10'000).sync();
    }));
    CHECK(actionOf(program, "pageable-copy").bound.value * 1e3 == Approx(400 - 90).margin(0.1));
}

TEST_CASE("pinned copies are advised to overlap with kernels, as far as there are kernels") {
    const Program program = judged(repeated([](SyntheticProgram& p) {
        p.copy(TransferKind::HostToDevice, MemoryKind::Pinned, 64e6, 5000);
        p.launch("gemm", 2000).sync();
    }));
    CHECK_FALSE(says(program, "pageable-copy"));
    CHECK(actionOf(program, "copy-not-overlapped").bound.value * 1e6 == Approx(2000));
    CHECK(actionOf(program, "copy-not-overlapped").edit.in(Language::En).find("next batch") !=
          std::string::npos);
}

TEST_CASE("copies beside kernels, and small ones, are no fault") {
    CHECK(rulesOf(judged(repeated([](SyntheticProgram& p) {
              p.launch("gemm", 50'000).copyBeside(TransferKind::HostToDevice, 64e6, 5000).sync();
          }))) == Rules{});
    // Reading one number: the fault is the wait, not the four bytes.
    const Program item = judged(repeated([](SyntheticProgram& p) {
        p.launch("gemm", 100);
        p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, 4, 30);
    }));
    CHECK_FALSE(says(item, "pageable-copy"));
}

TEST_CASE("where copies run all the time, fewer bytes are the edit, not another stream") {
    const auto streaming = [](double copied, double kernel, MemoryKind memory) {
        return judged(repeated([&](SyntheticProgram& p) {
            p.copy(TransferKind::HostToDevice, memory, copied, 10'000);
            p.launch("gemm", kernel).sync();
        }));
    };
    const Program program = streaming(540e6, 500, MemoryKind::Pinned);
    CHECK(actionOf(program, "busy-link").bound.value * 1e3 == Approx(10).margin(0.1));
    CHECK_FALSE(says(program, "copy-not-overlapped"));
    // A longer kernel can hide them; at 5 GB/s, or pageable, it is not the link.
    CHECK(says(streaming(540e6, 9000, MemoryKind::Pinned), "copy-not-overlapped"));
    CHECK_FALSE(says(streaming(540e6, 9000, MemoryKind::Pinned), "busy-link"));
    CHECK_FALSE(says(streaming(50e6, 500, MemoryKind::Pinned), "busy-link"));
    CHECK_FALSE(says(streaming(540e6, 500, MemoryKind::Pageable), "busy-link"));
    // Although there are waits between them, they take most of the time, and no kernel can hide
    // them.
    const Program waiting = judged(repeated([&](SyntheticProgram& p) {
        p.copy(TransferKind::HostToDevice, MemoryKind::Pinned, 540e6, 10'000);
        p.launch("gemm", 500).sync().work(4000);
    }));
    const Action& copies = actionOf(waiting, "busy-link");
    CHECK(copies.bound.value * 1e3 == Approx(10).margin(0.1));
    CHECK(copies.title.in(Language::En) == "Copies to the GPU take most of the time");
}

namespace {

/// Steps that copy an input and run a kernel for the same time; `seen`: what the counter run saw of
/// the copies.
Profile repeatedCopies(const std::vector<HostCopies>& seen) {
    Profile profile = repeated([](SyntheticProgram& p) {
        p.copy(TransferKind::HostToDevice, MemoryKind::Pinned, 64e6, 2000);
        p.launch("gemm", 2000).sync();
    });
    profile.callSites = {{.call = "cuMemcpyHtoDAsync",
                          .file = "/app/train.py",
                          .line = 8,
                          .count = 12,
                          .hostCopies = seen}};
    profile.devices[0].memoryBytes = 80'000'000'000;
    return profile;
}
Program copiesOf(const std::vector<HostCopies>& seen) { return judged(repeatedCopies(seen)); }

}  // namespace

TEST_CASE("copies of contents that the GPU already has are reported as unnecessary") {
    const Program program =
        copiesOf({{.bytes = 64'000'000, .copies = 12, .read = 12, .repeated = 11, .distinct = 1}});
    REQUIRE(rulesOf(program).front() == "repeated-copy");
    const Action& action = program.actions.front();
    CHECK(action.bound.value * 1e6 == Approx(2000));
    CHECK_FALSE(action.estimate);
    CHECK(action.timeClass == TimeClass::Copies);
    REQUIRE(action.sites.size() == 1);
    CHECK(action.sites[0].text == "train.py:8");
    CHECK(action.args[0].value == 12);
    CHECK(action.args[1].value == 12);
    CHECK(action.args[2].value == 64e6);
    CHECK(action.sentence.in(Language::En).find("carry the same") != std::string::npos);
}

TEST_CASE("the floor counts no copies of what the GPU has already") {
    Analysis analysis = analyze(std::make_shared<const Profile>(repeatedCopies(
        {{.bytes = 64'000'000, .copies = 12, .read = 12, .repeated = 11, .distinct = 1}})));
    for (KernelAnalysis& kernel : analysis.kernels)
        kernel.jointGain = Derived<Seconds>::of(kernel.quantities.duration.median, "test");
    CHECK(analyzeProgram(analysis).floor->value == Approx(0).margin(1e-9));
    Profile other = *analysis.profile;
    other.callSites.clear();
    analysis.profile = std::make_shared<const Profile>(std::move(other));
    // 64 MB at the link's 63 GB/s.
    CHECK(analyzeProgram(analysis).floor->value == Approx(64e6 / 63e9));
}

TEST_CASE("of copies that carry several contents in turn it says how many differ") {
    const Program program =
        copiesOf({{.bytes = 64'000'000, .copies = 12, .read = 12, .repeated = 8, .distinct = 4}});
    const Action& action = actionOf(program, "repeated-copy");
    CHECK(action.args[0].value == 8);
    CHECK(action.args[2].value == 4 * 64e6);
    CHECK(action.sentence.in(Language::En).find("distinct contents") != std::string::npos);
    CHECK(action.edit.in(Language::En).find("copy only when the data changed") !=
          std::string::npos);
    CHECK(std::ranges::find(action.args, "new", &Arg::name)->value == 4);
    const Program same =
        copiesOf({{.bytes = 64'000'000, .copies = 12, .read = 12, .repeated = 11, .distinct = 1}});
    CHECK(actionOf(same, "repeated-copy").edit.in(Language::En).find("before the loop") !=
          std::string::npos);
}

TEST_CASE("a few contents that take turns may be test data: how they are copied comes first") {
    const auto seen = [](std::uint64_t distinct, std::uint64_t inTurn, MemoryKind memory) {
        Profile profile = repeatedCopies({{.bytes = 64'000'000,
                                           .copies = 12,
                                           .read = 12,
                                           .repeated = 12 - distinct,
                                           .distinct = distinct,
                                           .inTurn = inTurn}});
        for (Transfer& transfer : profile.timeline.transfers) transfer.source = memory;
        return judged(profile);
    };
    const Program pageable = seen(2, 10, MemoryKind::Pageable);
    CHECK_FALSE(says(pageable, "repeated-copy"));
    const Action& action = actionOf(pageable, "pageable-copy");
    CHECK(action.edit.in(Language::En).find("in turn") != std::string::npos);
    CHECK(std::ranges::find(action.args, "turning", &Arg::name)->value == 128e6);
    CHECK(actionOf(seen(2, 10, MemoryKind::Pinned), "copy-not-overlapped")
              .edit.in(Language::En)
              .find("in turn") != std::string::npos);
    // Three arrays that are copied in each repeat.
    Profile arrays = repeated([](SyntheticProgram& p) {
        for (int i = 0; i < 3; ++i)
            p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 2000);
        p.launch("gemm", 2000).sync();
    });
    arrays.callSites = repeatedCopies({{.bytes = 64'000'000,
                                        .copies = 36,
                                        .read = 36,
                                        .repeated = 33,
                                        .distinct = 3,
                                        .inTurn = 33}})
                           .callSites;
    CHECK(says(judged(arrays), "repeated-copy"));
    // A parameter that changes once, and a data set that comes again in each epoch.
    CHECK(says(seen(2, 1, MemoryKind::Pageable), "repeated-copy"));
    CHECK(says(seen(5, 7, MemoryKind::Pageable), "repeated-copy"));
}

TEST_CASE("copies that need not be made are not told to be made faster") {
    Profile profile = copiesBothWays("gemm");
    const auto seen = [&](std::uint64_t repeated) {
        profile.callSites = {{.call = "cuMemcpyHtoD",
                              .file = "/app/main.cu",
                              .line = 8,
                              .count = 6,
                              .hostCopies = {{.bytes = 64'000'000,
                                              .copies = 6,
                                              .read = 6,
                                              .repeated = repeated,
                                              .distinct = 6 - repeated}}}};
        return judged(profile);
    };
    const Program same = seen(5);
    CHECK(rulesOf(same) == Rules{"pageable-copy-back", "repeated-copy"});
    CHECK(says(seen(0), "pageable-both-ways"));
}

TEST_CASE("where only a part of the copies was compared, nearly all of it must repeat") {
    const auto seen = [](std::uint64_t read, std::uint64_t repeated) {
        return copiesOf({{.bytes = 64'000'000,
                          .copies = 400,
                          .read = read,
                          .repeated = repeated,
                          .distinct = read - repeated}});
    };
    const Program program = seen(60, 59);
    const Action& action = actionOf(program, "repeated-copy");
    CHECK(action.estimate);
    CHECK(action.args[1].value == 60);
    CHECK(action.sentence.in(Language::En).find("were compared") != std::string::npos);
    CHECK_FALSE(says(seen(60, 50), "repeated-copy"));
    CHECK_FALSE(says(seen(12, 11), "repeated-copy"));
}

TEST_CASE("copies of new data, few copies, too much data or unread contents are not repeats") {
    for (const HostCopies& seen :
         {HostCopies{.bytes = 64'000'000, .copies = 12, .read = 12, .repeated = 5, .distinct = 7},
          HostCopies{.bytes = 64'000'000, .copies = 12, .read = 3, .repeated = 2, .distinct = 1},
          HostCopies{.bytes = 64'000'000, .copies = 2, .read = 2, .repeated = 1, .distinct = 1},
          HostCopies{.bytes = 64'000'000, .copies = 12},
          // Not the size that the timing run saw.
          HostCopies{.bytes = 65'000'000, .copies = 12, .read = 12, .repeated = 11, .distinct = 1},
          // 400 contents of 64 MB do not fit into 80 GB together with everything else.
          HostCopies{
              .bytes = 64'000'000, .copies = 1200, .read = 1200, .repeated = 800, .distinct = 400}})
        CHECK_FALSE(says(copiesOf({seen}), "repeated-copy"));
    CHECK_FALSE(says(copiesOf({}), "repeated-copy"));
}

TEST_CASE("only copies of the size that repeats are in the bound") {
    Profile profile = repeated([](SyntheticProgram& p) {
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 2000, 500);
        p.copy(TransferKind::HostToDevice, MemoryKind::Pinned, 32e6, 1000);
        p.launch("gemm", 2000).sync();
    });
    profile.callSites = {
        {.call = "cuMemcpyHtoDAsync",
         .file = "/app/train.py",
         .line = 8,
         .count = 12,
         .hostCopies = {
             {.bytes = 64'000'000, .copies = 6, .read = 6, .repeated = 5, .distinct = 1},
             {.bytes = 32'000'000, .copies = 6, .read = 6, .repeated = 0, .distinct = 6}}}};
    const Program program = judged(profile);
    const Action& action = actionOf(program, "repeated-copy");
    CHECK(action.bound.value * 1e6 == Approx(2500).epsilon(0.01));  // including staging
    CHECK(action.args[0].value == 6);
}

namespace {

constexpr const char* kForeachCopy =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::UnaryOpFunctor<float, "
    "2, "
    "1, 1>, at::native::Copy<float, float> >(int)";

/// A step of torch.compile with CUDA graphs: an input is copied, then a graph of two kernels runs.
Profile compiledStep() {
    Profile profile = repeated([](SyntheticProgram& p) {
        p.launch("copy", 20).launch("triton_red_0", 30).launch("triton_poi_1", 10).sync();
    });
    for (Kernel& kernel : profile.kernels)
        if (kernel.name.find("copy") != std::string::npos) {
            kernel.name = kForeachCopy;
            kernel.symbol = "_ZN2at6native55_GLOBAL__N__d25d856e_22_ForeachBinaryOpList_cu";
        } else {
            kernel.symbol = kernel.name.substr(0, kernel.name.find('('));
        }
    for (Launch& launch : profile.launches)
        launch.fromGraph = profile.kernels[launch.kernel].symbol.starts_with("triton_");
    for (std::uint32_t k = 0; k < profile.kernels.size(); ++k)
        profile.callSites.push_back(
            {.kernel = k, .file = "/app/step.py", .line = 9, .function = "step", .count = 6});
    return profile;
}

}  // namespace

TEST_CASE("inputs that are copied for a graph of torch.compile can be read where they are") {
    const Program program = judged(compiledStep());
    const Action& action = actionOf(program, "graph-input-copy");
    CHECK(action.bound.value * 1e6 == Approx(20));
    CHECK_FALSE(action.estimate);
    CHECK(action.kernels.size() == 1);
    REQUIRE(action.sites.size() == 1);
    CHECK(action.sites[0].text == "step.py:9 (step)");
    CHECK(action.args[0].value == Approx(1));
}

TEST_CASE("the floor counts no inputs that a graph can read where they are") {
    Analysis analysis = analyze(std::make_shared<const Profile>(compiledStep()));
    for (KernelAnalysis& kernel : analysis.kernels)
        kernel.jointGain = Derived<Seconds>::of(Seconds{0}, "test");
    CHECK(analyzeProgram(analysis).floor->value * 1e6 == Approx(40));
}

TEST_CASE("copies of tensors that feed no graph of torch.compile are none of its inputs") {
    const auto saidOf = [](auto change) {
        Profile profile = compiledStep();
        change(profile);
        return says(judged(profile), "graph-input-copy");
    };
    const auto each = [](Profile& profile, bool copies, auto change) {
        for (std::uint32_t k = 0; k < profile.kernels.size(); ++k)
            if ((profile.kernels[k].name == kForeachCopy) == copies) change(k);
    };
    CHECK(saidOf([](Profile&) {}));
    // From a line of its own: averaged weights or gathered shards.
    CHECK_FALSE(saidOf(
        [&](Profile& p) { each(p, true, [&](std::uint32_t k) { p.callSites[k].line = 20; }); }));
    // From autograd's thread, or from an unknown place.
    CHECK_FALSE(saidOf([&](Profile& p) {
        each(p, true, [&](std::uint32_t k) { p.callSites[k].indirect = true; });
    }));
    CHECK_FALSE(saidOf([](Profile& p) { p.callSites.clear(); }));
    // The kernels after it are launched one by one, or are not Inductor's.
    CHECK_FALSE(saidOf([](Profile& p) {
        for (Launch& launch : p.launches) launch.fromGraph = false;
    }));
    CHECK_FALSE(saidOf([&](Profile& p) {
        each(p, false, [&](std::uint32_t k) { p.kernels[k].symbol = "_Z4stepPf"; });
    }));
    // Another operator on tensor lists, or the copy is a node of the graph.
    CHECK_FALSE(saidOf([&](Profile& p) {
        each(p, true, [&](std::uint32_t k) {
            p.kernels[k].name.replace(p.kernels[k].name.find("Copy<"), 5, "Sqrt<");
        });
    }));
    CHECK_FALSE(saidOf([](Profile& p) {
        for (Launch& launch : p.launches) launch.fromGraph = true;
    }));
    // On another stream than the graph.
    CHECK_FALSE(saidOf([&](Profile& p) {
        each(p, true, [&](std::uint32_t k) {
            for (Launch& launch : p.launches)
                if (launch.kernel == k) launch.stream = 7;
        });
    }));
}

TEST_CASE("data that goes to the GPU and comes back in each step may stay there") {
    for (const double back : {64e6, 32e6}) {
        const Profile profile = repeated([&](SyntheticProgram& p) {
            p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 20'000);
            p.launch("move", 5000);
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, back, 20'000);
        });
        const std::string edit =
            actionOf(judged(profile), "pageable-both-ways").edit.in(Language::En);
        INFO(edit);
        CHECK((edit.find("keep it on the GPU") != edit.npos) == (back == 64e6));
        CHECK(edit.find("cudaMallocHost") != edit.npos);
    }
}

TEST_CASE("copies back into memory that is touched for the first time are told from fast ones") {
    const auto edit = [](double bytes, double us) {
        const Program program = judged(repeated([&](SyntheticProgram& p) {
            p.launch("gemm", 1000);
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, bytes, us);
        }));
        return actionOf(program, "pageable-copy-back").sentence.in(Language::En);
    };
    CHECK(edit(64e6, 40'000).find("touches for the first time") != std::string::npos);
    CHECK(edit(64e6, 4'000).find("touches for the first time") == std::string::npos);
    // Small copies are slow for another reason.
    CHECK(edit(100e3, 1'000).find("touches for the first time") == std::string::npos);
}

TEST_CASE("sites of copies are those that can belong to the window") {
    // Set-up copied 400 times, in other sizes; the step copies back once.
    Profile profile = copiesBothWays(kOfTorch);
    const auto call = [&](std::string name, std::uint32_t line, std::uint64_t count,
                          std::vector<HostCopies> sizes = {}) {
        profile.callSites.push_back({.call = std::move(name),
                                     .file = "/a/train.py",
                                     .line = line,
                                     .count = count,
                                     .hostCopies = std::move(sizes)});
    };
    profile.callSites.push_back({.kernel = 1, .file = "/a/train.py", .line = 9, .count = 6});
    std::set<std::string> names;
    for (const CallName& name : profile.timeline.callNames)
        if (name.kind == CallKind::Transfer) names.insert(name.name);
    REQUIRE(!names.empty());
    for (const std::string& name : names) {
        call(name, 3, 400, {{.bytes = 1'000'000, .copies = 400}});
        call(name, 7, 6, {{.bytes = 64'000'000, .copies = 6}});
        call(name, 4, 400);
        call(name, 8, 6);
    }
    const Program program = judged(profile);
    const auto places = [&](const char* rule) {
        std::string all;
        for (const ActionSite& site : actionOf(program, rule).sites) all += site.text + " ";
        return all;
    };
    CHECK(places("pageable-copy") == "train.py:7 train.py:8 ");
    CHECK(places("pageable-copy-back") == "train.py:8 ");
}
