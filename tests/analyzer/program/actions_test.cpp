// SPDX-License-Identifier: Apache-2.0
// For each action: where it must be given, where it must not, and where it cannot be told.
#include "analyzer/program/actions/actions.h"

#include <algorithm>
#include <memory>

#include "analyzer/program/account/sites.h"
#include "profile/operations/merge.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

Program judged(const Profile& profile) {
    return analyzeProgram(analyze(std::make_shared<const Profile>(profile)));
}

template <class Step>
Profile repeated(Step step) {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        step(p);
        p.pop();
    }
    return p.build();
}

std::vector<std::string> rulesOf(const Program& program) {
    std::vector<std::string> rules;
    for (const Action& action : program.actions) rules.push_back(action.rule);
    return rules;
}
const Action& actionOf(const Program& program, std::string_view rule) {
    const auto found = std::ranges::find(program.actions, rule, &Action::rule);
    REQUIRE(found != program.actions.end());
    return *found;
}
bool says(const Program& program, std::string_view rule) {
    return std::ranges::find(program.actions, rule, &Action::rule) != program.actions.end();
}

using Rules = std::vector<std::string>;

}  // namespace

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

TEST_CASE("a wait that lets the GPU run dry is said, with its call") {
    const Program program = judged(repeated([](SyntheticProgram& p) {
        for (int i = 0; i < 10; ++i) p.launch("k", 500).sync("cudaStreamSynchronize").work(150);
    }));
    const Action& action = actionOf(program, "sync-stops-queue");
    CHECK(action.bound.value * 1e6 == Approx(10 * 159));
    CHECK(action.args[0].text.in(Language::En) == "cudaStreamSynchronize");
    CHECK_FALSE(says(program, "launch-bound-program"));
    CHECK_FALSE(says(program, "host-bound"));
}

TEST_CASE("a wait is no fault where the CPU is what limits, or the GPU stays busy") {
    // The CPU works 900 of 1000 us, and would do so without the wait.
    const Program cpu =
        judged(repeated([](SyntheticProgram& p) { p.work(900).launch("k", 90).sync(); }));
    CHECK_FALSE(says(cpu, "sync-stops-queue"));
    CHECK(actionOf(cpu, "host-bound").bound.value * 1e6 == Approx(900));
    CHECK(cpu.actions[0].rule == "host-bound");
    CHECK(rulesOf(judged(repeated([](SyntheticProgram& p) { p.launch("k", 20'000).sync(); }))) ==
          Rules{});
}

TEST_CASE("a launch-bound program is told to use graphs, by its origin") {
    const auto tiny = [](const char* kernel) {
        return repeated([&](SyntheticProgram& p) {
            for (int i = 0; i < 200; ++i) p.launch(kernel, 1).work(5);
            p.sync();
        });
    };
    const Program own = judged(tiny("mine"));
    const Action& action = actionOf(own, "launch-bound-program");
    // 8 us between kernels of 1 us, which a graph cuts to 1; plus 2 us after the last kernel.
    CHECK(action.bound.value * 1e6 == Approx(199 * 8 + 2 - 200));
    CHECK(action.edit.in(Language::En).find("torch") == std::string::npos);
    const Program torch = judged(tiny("_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi"));
    CHECK(actionOf(torch, "launch-bound-program").edit.in(Language::En).find("reduce-overhead") !=
          std::string::npos);
    // Kernels longer than their launches hide them.
    CHECK(rulesOf(judged(repeated([](SyntheticProgram& p) {
              for (int i = 0; i < 200; ++i) p.launch("long", 50).work(5);
              p.sync();
          }))) == Rules{});
}

TEST_CASE(
    "before a launch for which the GPU waits for milliseconds, the CPU issues something else") {
    const auto program = [](int calls) {
        return judged(repeated([&](SyntheticProgram& p) {
            for (int k = 0; k < 4; ++k) {
                for (int i = 0; i < calls; ++i) p.call("cuCtxGetCurrent", CallKind::Other, 10);
                p.launch("mine", 20);
            }
            p.sync();
        }));
    };
    CHECK(says(program(10), "launch-bound-program"));
    CHECK_FALSE(says(program(300), "launch-bound-program"));
}

TEST_CASE("a step whose shapes change is not told to use a graph first") {
    const auto edit = [](unsigned shapes) {
        SyntheticProgram p;
        p.launch("init", 1).sync();
        for (int step = 0; step < 12; ++step) {
            p.push("step");
            for (int i = 0; i < 5; ++i)
                p.launch("_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi", 1).work(5);
            p.sync().pop();
        }
        Profile profile = p.build();
        for (std::size_t i = 0; i < profile.launches.size(); ++i)
            profile.launches[i].grid.x = 1000 + static_cast<std::uint32_t>(i % shapes);
        return actionOf(judged(profile), "launch-bound-program").edit.in(Language::En);
    };
    CHECK(edit(60).starts_with("Pad shapes to a fixed size"));
    CHECK(edit(5).starts_with("Use torch.compile"));  // one shape for each launch of a step
}

TEST_CASE("a loop of one small kernel, and repeats on one block, are told to become one launch") {
    const auto edit = [](int rows, std::uint32_t blocks) {
        Profile profile = repeated([&](SyntheticProgram& p) {
            for (int i = 0; i < rows; ++i) p.launch("axpy", 1).work(5);
            for (int i = 0; i < 12; ++i) p.launch("part" + std::to_string(i), 1).work(5);
            p.sync();
        });
        for (Launch& launch : profile.launches) launch.grid = {.x = blocks, .y = 1, .z = 1};
        return actionOf(judged(profile), "launch-bound-program").edit.in(Language::En);
    };
    CHECK(edit(200, 4).starts_with("Make one launch of many: loops launch the same"));
    CHECK(edit(10, 4).starts_with("Capture the launches"));
    CHECK(edit(10, 1).starts_with("Make one kernel of the repeat"));
}

TEST_CASE("only a cache that grows by one entry in each step is told to have a fixed size") {
    const auto edit = [](const char* first, const char* later, bool products = true,
                         const char* op = "aten::cat") {
        constexpr const char* kCat =
            "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::x, 4>(int)";
        Profile profile = repeated([&](SyntheticProgram& p) {
            for (int i = 0; i < 8; ++i) {
                p.launch(kCat, 1).work(5);
                p.launch(
                    products ? "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64" : "max", 1);
                p.work(5);
            }
            p.sync();
        });
        for (std::uint32_t k = 0; k < profile.kernels.size(); ++k)
            if (profile.kernels[k].name == kCat)
                for (const char* sizes : {first, later})
                    profile.callSites.push_back({.kernel = k,
                                                 .file = "/home/me/model.py",
                                                 .line = 20,
                                                 .function = "Attention.forward",
                                                 .op = op,
                                                 .sizes = sizes,
                                                 .count = 4});
        return actionOf(judged(profile), "launch-bound-program").edit.in(Language::En);
    };
    constexpr const char* kFixed = "Use a cache of fixed size";
    CHECK(edit("[1, 12, 16, 64], [1, 12, 1, 64]", "[1, 12, 17, 64], [1, 12, 1, 64]")
              .starts_with(kFixed));
    CHECK(edit("", "").starts_with(kFixed));  // too many sizes to note them
    // Skips of a U-Net, and a list of boxes.
    CHECK_FALSE(edit("[4, 256, 32, 32], [4, 128, 32, 32]", "[4, 384, 32, 32], [4, 128, 32, 32]")
                    .starts_with(kFixed));
    CHECK_FALSE(edit("[16, 4], [16, 4]", "[17, 4], [16, 4]").starts_with(kFixed));
    CHECK_FALSE(edit("", "", false).starts_with(kFixed));
    CHECK_FALSE(edit("", "", true, "").starts_with(kFixed));  // operators were not followed
    // Coordinates that are appended to images.
    CHECK_FALSE(edit("[8, 64, 32, 32], [8, 1, 32, 32]", "[8, 128, 32, 32], [8, 1, 32, 32]")
                    .starts_with(kFixed));
}

TEST_CASE("a Python loop over items is named, a function that is called for each is not") {
    const auto edit = [](std::uint64_t outside, std::uint64_t inLoop, std::uint32_t lines,
                         const char* function = "triplet", std::uint64_t cached = 0) {
        SyntheticProgram p;
        p.launch("init", 1).sync();
        for (int step = 0; step < 6; ++step) {
            p.push("step");
            p.launch("cdist", 20);
            for (int i = 0; i < 64; ++i) p.launch("mask", 1).work(5).launch("max", 1).work(5);
            p.sync().pop();
        }
        Profile profile = p.build();
        const auto site = [&](const char* kernel, std::uint32_t line, std::uint64_t count) {
            for (std::uint32_t k = 0; k < profile.kernels.size(); ++k)
                if (profile.kernels[k].name == kernel)
                    profile.callSites.push_back({.kernel = k,
                                                 .file = "/home/me/losses.py",
                                                 .line = line,
                                                 .function = function,
                                                 .op = "aten::max",
                                                 .count = count});
        };
        site("cdist", 46, outside);
        site("mask", 49, inLoop);
        site("max", 48 + lines, inLoop);
        if (cached > 0) site("cdist", 40, cached);
        return actionOf(judged(profile), "launch-bound-program");
    };
    const Action action = edit(6, 6 * 64, 4);
    CHECK(action.edit.in(Language::En).starts_with("Do the rounds of the loop at {loop} all at"));
    const auto loop = std::ranges::find(action.args, "loop", &Arg::name);
    REQUIRE(loop != action.args.end());
    CHECK(loop->text.in(Language::En) == "losses.py:49–52 (triplet)");
    const auto isLoop = [](const Action& of) {
        return of.edit.in(Language::En).find("{loop}") != std::string::npos;
    };
    CHECK_FALSE(isLoop(edit(6 * 64, 6 * 64, 4)));  // a layer's forward, called 64 times
    CHECK_FALSE(isLoop(edit(6, 6 * 64, 1)));       // one line may call anything
    CHECK_FALSE(isLoop(edit(1, 6, 4)));            // the program's main loop
    CHECK_FALSE(isLoop(edit(6, 6 * 64, 4, "Block.forward")));
    // A line that fills a cache once does not tell how often the function is entered.
    CHECK_FALSE(isLoop(edit(6 * 64, 6 * 64, 4, "mask", 1)));
}

TEST_CASE("allocations, first calls and host work are said where they hold the GPU up") {
    const Program alloc = judged(repeated([](SyntheticProgram& p) {
        p.launch("k", 1000).sync().call("cudaMalloc", CallKind::Allocate, 300);
    }));
    CHECK(actionOf(alloc, "allocation-in-loop").bound.value * 1e6 == Approx(300));
    CHECK(actionOf(alloc, "allocation-in-loop").args[1].text.in(Language::En) == "cudaMalloc");
    // While the GPU is busy, allocations cost nothing.
    CHECK(rulesOf(judged(repeated([](SyntheticProgram& p) {
              p.launch("k", 1000).call("cudaMalloc", CallKind::Allocate, 300).sync();
          }))) == Rules{});

    SyntheticProgram once;
    once.launch("a", 100).sync().call("cuModuleLoadData", CallKind::Load, 5000);
    once.launch("b", 100).sync();
    CHECK(actionOf(judged(once.build()), "first-call-costs").bound.value * 1e6 == Approx(5000));

    const Program host =
        judged(repeated([](SyntheticProgram& p) { p.launch("k", 1000).sync().work(4000); }));
    CHECK(actionOf(host, "host-bound").bound.value * 1e6 == Approx(4000));
}

TEST_CASE("one long call is no fault where it may have loaded code") {
    const auto once = [](CallKind kind, bool loads) {
        SyntheticProgram p;
        p.launch("a", 100).call("cudaCall", kind, 900).launch("b", 100).launch("c", 100).sync();
        p.recorded().loads = loads;
        return judged(p.build());
    };
    CHECK(says(once(CallKind::Allocate, true), "allocation-in-loop"));
    CHECK_FALSE(says(once(CallKind::Allocate, false), "allocation-in-loop"));
    CHECK(says(once(CallKind::Launch, true), "launch-bound-program"));
    CHECK_FALSE(says(once(CallKind::Launch, false), "launch-bound-program"));

    Profile often = repeated([](SyntheticProgram& p) {
        p.launch("k", 1000).sync().call("cudaMalloc", CallKind::Allocate, 300);
    });
    often.processes[0].timeline->loads = false;
    CHECK(actionOf(judged(often), "allocation-in-loop").bound.value * 1e6 == Approx(300));
}

TEST_CASE("host work before a copy to the GPU is told from other host work") {
    constexpr const char* kTorch = "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi";
    const auto step = [&](double bytes, const char* kernel) {
        return judged(repeated([&](SyntheticProgram& p) {
            p.work(4000).copy(TransferKind::HostToDevice, MemoryKind::Pageable, bytes, 100);
            p.launch(kernel, 1000).sync();
        }));
    };
    const auto has = [](const Words& words, std::string_view part) {
        return words.in(Language::En).find(part) != std::string::npos;
    };
    const Program loads = step(1e6, kTorch);
    const Action& data = actionOf(loads, "host-bound");
    CHECK(data.bound.value * 1e6 == Approx(4000));
    CHECK(has(data.title, "The CPU prepares data while the GPU waits"));
    CHECK(has(data.sentence, "right before it copies {bytes}"));
    CHECK(has(data.edit, "num_workers"));
    const auto value = [&](std::string_view name) {
        const auto found = std::ranges::find(data.args, name, &Arg::name);
        REQUIRE(found != data.args.end());
        return found->value;
    };
    CHECK(value("bytes") == Approx(1e6));
    CHECK(value("part") * 1e6 == Approx(4000));
    CHECK(has(actionOf(step(1e6, "k"), "host-bound").edit, "another thread"));

    // One number is not data: its kernel may be launched next as well, but what takes the time is
    // unknown.
    const Program number = step(8, kTorch);
    CHECK_FALSE(has(actionOf(number, "host-bound").title, "copies"));
    CHECK_FALSE(has(actionOf(number, "host-bound").edit, "num_workers"));
    // Data copied faster than memory can be written existed before: something else took the time.
    CHECK_FALSE(has(actionOf(step(100e6, kTorch), "host-bound").title, "copies"));
    // Without a copy the next launch is named.
    const Program launches = judged(repeated(
        [&](SyntheticProgram& p) { p.work(4000).launch("first", 500).launch("k", 500).sync(); }));
    const Action& other = actionOf(launches, "host-bound");
    CHECK(has(other.sentence, "right before it launches {kernel}"));
    CHECK(std::ranges::find(other.args, "kernel", &Arg::name)->text.in(Language::En) == "first");
    // In a range of PyTorch's data loader, whatever follows.
    const Program named = judged(repeated([&](SyntheticProgram& p) {
        p.launch(kTorch, 1000).sync();
        p.push("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__").work(4000).pop();
        p.launch(kTorch, 1000).sync();
    }));
    CHECK(has(actionOf(named, "host-bound").title, "data loading"));
    CHECK(has(actionOf(named, "host-bound").edit, "num_workers"));
}

TEST_CASE("findings of one rule and edit are one action over their kernels") {
    Profile profile = repeated([](SyntheticProgram& p) {
        for (int i = 0; i < 3; ++i) p.launch("a", 100);
        p.launch("b", 200).launch("c", 400).sync();
    });
    Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    REQUIRE(analysis.kernels.size() == 4);  // one of them runs before the steps
    const auto finding = [](const char* rule, double gain) {
        Finding f;
        f.ruleId = rule;
        f.gain = Derived<Seconds>::of({gain}, "test");
        return f;
    };
    for (KernelAnalysis& kernel : analysis.kernels) {
        kernel.findings.clear();
        if (kernel.name == "a") kernel.findings = {finding("global-uncoalesced", 40e-6)};
        if (kernel.name == "b")
            kernel.findings = {finding("global-uncoalesced", 30e-6), finding("wave-tail", 6e-6)};
        if (kernel.name == "c") {
            kernel.findings = {finding("missing-tensor-core", 300e-6)};
            kernel.findings.push_back(finding("global-uncoalesced", 100e-6));
            kernel.findings.back().minor = true;  // blocked by something else
        }
    }
    const Program program = analyzeProgram(analysis);
    CHECK(rulesOf(program) == Rules{"missing-tensor-core", "global-uncoalesced"});
    const Action& action = program.actions[1];
    CHECK(action.bound.value * 1e6 == Approx(3 * 40 + 30));
    REQUIRE(action.kernels.size() == 2);
    CHECK(analysis.kernels[action.kernels[0]].name == "a");
    CHECK(action.finding == 0u);
    REQUIRE(action.sites.size() == 1);
    CHECK(action.sites[0].text == "step");
    CHECK(program.kernels[action.kernels[0]].perWindow == Approx(3));
}

TEST_CASE("launches that were timed and those that were counted") {
    SyntheticProgram p;
    p.launch("a", 10).launch("a", 10).launch("b", 10);
    Profile profile = p.build();
    profile.launches[2].duration.reset();
    profile.counters.set("dram__bytes_read.sum", 0, 5.0);
    const Program program = judged(profile);
    CHECK(program.launchesTimed == 2);
    CHECK(program.launchesCounted == 1);
    CHECK(program.kernels[0].timed + program.kernels[1].timed == 2);
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

TEST_CASE("a program near its floor is told to stop") {
    Profile profile = repeated([](SyntheticProgram& p) { p.launch("k", 1000).sync(); });
    Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    analysis.kernels[0].findings.clear();
    analysis.kernels[0].jointGain = Derived<Seconds>::of({30e-6}, "test");
    const Program done = analyzeProgram(analysis);
    REQUIRE(done.floor.has_value());
    CHECK(done.floor->value * 1e6 == Approx(970));
    CHECK(done.fusedFloor == Seconds{});  // their operations are unknown
    REQUIRE(done.stop.has_value());
    CHECK(done.stop->value == Approx(1009.0 / 970 - 1));

    analysis.kernels[0].jointGain = Derived<Seconds>::of({300e-6}, "test");
    CHECK_FALSE(analyzeProgram(analysis).stop.has_value());
    // A kernel without a bound has no floor.
    analysis.kernels[0].jointGain = Derived<Seconds>::absent("counters");
    CHECK_FALSE(analyzeProgram(analysis).floor.has_value());
    CHECK_FALSE(analyzeProgram(analysis).stop.has_value());
}

namespace {

/// Steps of one rank: a product and its communication, in microseconds.
Profile rankOf(std::uint32_t rank, double product, double communication, double late = 0) {
    Profile profile = repeated([&](SyntheticProgram& p) {
        if (late > 0) p.work(late);
        p.launch("gemm", product).launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", communication);
        p.sync();
    });
    profile.processes[0].rank = rank;
    profile.processes[0].worldSize = 2;
    profile.processes[0].host = "node" + std::to_string(rank);
    return profile;
}

Program ranked(Profile first, Profile second) {
    std::vector<MergeInput> both;
    both.push_back({std::move(first), "rank0"});
    both.push_back({std::move(second), "rank1"});
    auto merged = mergeProfiles(std::move(both));
    REQUIRE(merged);
    return judged(*merged);
}

}  // namespace

TEST_CASE("a rank that waits for another is told for whom, in what and why") {
    const Program program = ranked(rankOf(0, 1000, 1100), rankOf(1, 2000, 100));
    const Action& action = actionOf(program, "uneven-ranks");
    const auto value = [&](std::string_view name) {
        const auto found = std::ranges::find(action.args, name, &Arg::name);
        REQUIRE(found != action.args.end());
        return *found;
    };
    CHECK(value("waiting").value == 0);
    CHECK(value("slow").value == 1);
    CHECK(value("waits").value * 1e6 == Approx(1000));
    CHECK(value("kernel").text.in(Language::En) == "gemm");
    CHECK(value("slowPart").value * 1e6 == Approx(2000));
    CHECK(action.bound.value * 1e6 == Approx(500));  // balanced, both take 1500
    CHECK(action.estimate);
}

TEST_CASE("a rank whose shapes differ launches kernels that the other one does not") {
    const auto rank = [](std::uint32_t number, const char* kernel, double time, double waits) {
        Profile profile = rankOf(number, time, waits);
        for (Kernel& k : profile.kernels)
            if (k.name == "gemm") k.name = k.symbol = kernel;
        return profile;
    };
    const Program program = ranked(rank(0, "small", 1000, 1100), rank(1, "large", 2000, 100));
    const Action& action = actionOf(program, "uneven-ranks");
    CHECK(action.sentence.in(Language::En).find("does not launch") != std::string::npos);
    CHECK(action.sentence.in(test::kZh).find("{waitingPart}") == std::string::npos);
}

TEST_CASE("a rank that gets its work later is not reported as having more work") {
    const Program program = ranked(rankOf(0, 1000, 1100), rankOf(1, 1000, 100, 1000));
    const Action& action = actionOf(program, "uneven-ranks");
    CHECK(std::ranges::find(action.args, "kernel", &Arg::name) == action.args.end());
    CHECK(action.sentence.in(Language::En).find("gets its work later") != std::string::npos);
}

TEST_CASE("one late step does not make a rank slow") {
    // One step of six takes six times as long: on average rank 0 waits for 5 ms of 6.
    int step = 0;
    Profile late = repeated([&](SyntheticProgram& p) {
        const double more = ++step == 4 ? 5000 : 0;
        p.launch("gemm", 1000).launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 100 + more);
        p.sync();
    });
    late.processes[0].rank = 0;
    late.processes[0].worldSize = 2;
    late.processes[0].host = "node0";
    CHECK_FALSE(says(ranked(late, rankOf(1, 1000, 100)), "uneven-ranks"));
}

TEST_CASE("even ranks and unknown ranks give no action") {
    CHECK_FALSE(says(ranked(rankOf(0, 1000, 100), rankOf(1, 1010, 95)), "uneven-ranks"));
    Profile nameless = rankOf(1, 2000, 100);
    nameless.processes[0].rank.reset();
    CHECK_FALSE(says(ranked(rankOf(0, 1000, 1100), nameless), "uneven-ranks"));
    CHECK_FALSE(says(judged(rankOf(0, 1000, 1100)), "uneven-ranks"));
}

TEST_CASE("a place names the operator, and the line of the forward pass") {
    CallSite site{.kernel = 0,
                  .file = "/app/train.py",
                  .line = 12,
                  .function = "forward",
                  .op = "aten::gelu",
                  .sizes = "[2048, 4096]"};
    CHECK(program::siteText(site) == "train.py:12 (forward) aten::gelu [2048, 4096]");
    CHECK(program::lineOf(site).line == 12);
    site = {.kernel = 0,
            .file = "/app/train.py",
            .line = 20,
            .function = "main",
            .indirect = true,
            .op = "aten::gelu_backward",
            .backward = "GeluBackward0",
            .forward = {.file = "/app/net.py", .line = 7, .function = "forward"}};
    CHECK(program::siteText(site) == "net.py:7 (forward) GeluBackward0: aten::gelu_backward");
    CHECK(program::lineOf(site).line == 7);
    site.forward = {};
    CHECK(program::siteText(site) == "train.py:20 (main) GeluBackward0: aten::gelu_backward");
    CHECK(program::siteText({.kernel = 0, .op = "aten::mm"}) == "aten::mm");
    CHECK(program::siteText({.call = "cuMemAlloc", .module = "/app/libx.so", .offset = 16}) ==
          "libx.so+0x10");
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

namespace {

/// A PyTorch kernel that does one operation on the elements of many tensors.
std::string foreachKernel(const std::string& operation) {
    return "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::"
           "(anonymous namespace)::TensorListMetadata<2>, " +
           operation + ">(int)";
}

/// A step of Adam that runs one operation after another; each tensor read or written takes 10 us.
Profile adamStep(std::string_view without = "") {
    const std::vector<std::pair<std::string, double>> operations{
        {"at::native::TernaryOpScalarFunctor<float, 2, 2, 0>, at::native::LerpFunctor<float>", 30},
        {"at::native::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>", 20},
        {"at::native::PointwiseOpScalarFunctor<float, 3, 3, 0>, std::multiplies<float>", 30},
        {"at::native::UnaryOpFunctor<float, 2, 1, 1>, at::native::Sqrt<float>", 20},
        {"at::native::BinaryOpScalarListFunctor<float, 1, 1, 0>, std::divides<float>", 20},
        {"at::native::BinaryOpScalarFunctor<float, 1, 1, 0>, std::plus<float>", 20},
        {"at::native::PointwiseOpScalarListFunctor<float, 3, 3, 0>, std::divides<float>", 40}};
    Profile profile = repeated([&](SyntheticProgram& p) {
        p.launch("forward", 100);
        for (const auto& [operation, us] : operations)
            if (without.empty() || operation.find(without) == operation.npos)
                p.launch(foreachKernel(operation), us);
        // Clips gradients: not part of the optimizer.
        p.launch(foreachKernel("at::native::BinaryOpScalarTensorFunctor<float, 1, 1, 0>, "
                               "std::multiplies<float>"),
                 20);
        p.sync();
    });
    for (Kernel& kernel : profile.kernels)
        if (kernel.name.find("at::native") != std::string::npos)
            kernel.symbol = "_ZN2at6native25multi_tensor_apply_kernel" +
                            std::to_string(&kernel - profile.kernels.data());
    return profile;
}

}  // namespace

TEST_CASE("an optimizer that does one operation after the other can do all in one pass") {
    const Program program = judged(adamStep());
    const Action& action = actionOf(program, "optimizer-passes");
    // 18 tensors read or written; seven in a single pass.
    CHECK(action.bound.value * 1e6 == Approx(180 - 70).epsilon(0.01));
    CHECK(action.estimate);
    CHECK(action.kernels.size() == 7);
    CHECK(action.args[0].value == Approx(7));
    CHECK(action.args[1].value * 1e6 == Approx(180).epsilon(0.01));
}

TEST_CASE("operations on many tensors that are not Adam's give no action") {
    for (const char* missing :
         {"LerpFunctor", "Sqrt", "PointwiseOpScalarFunctor", "ListFunctor<float, 3"}) {
        INFO(missing);
        CHECK_FALSE(says(judged(adamStep(missing)), "optimizer-passes"));
    }
    // NAdam has two quotients and centred RMSprop two products; neither has a fused form.
    for (const char* twice : {"ListFunctor<float, 3", "PointwiseOpScalarFunctor"}) {
        Profile profile = adamStep();
        for (Launch& launch : profile.launches)
            if (profile.kernels[launch.kernel].name.find(twice) != std::string::npos)
                launch.duration = *launch.duration * 2.1;
        CHECK_FALSE(says(judged(profile), "optimizer-passes"));
    }
    // Without the plain product, as in Adam without weight decay: the action is still given.
    CHECK(says(judged(adamStep("ScalarListFunctor<float, 1")), "optimizer-passes"));
}

TEST_CASE("the floor counts one pass of an optimizer") {
    Analysis analysis = analyze(std::make_shared<const Profile>(adamStep()));
    for (KernelAnalysis& kernel : analysis.kernels)
        kernel.jointGain = Derived<Seconds>::of(Seconds{0}, "test");
    CHECK(analyzeProgram(analysis).floor->value * 1e6 == Approx(100 + 70 + 20).epsilon(0.01));
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

TEST_CASE("host work after a copy back is told from other host work") {
    const auto sentence = [](double bytes) {
        const Program program = judged(repeated([&](SyntheticProgram& p) {
            p.launch("gemm", 1000);
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, bytes, 500).work(20'000);
        }));
        return actionOf(program, "host-bound").sentence.in(Language::En);
    };
    CHECK(sentence(1e6).find("right after it copied") != std::string::npos);
    CHECK(sentence(4).find("right after it copied") == std::string::npos);  // .item()
}

TEST_CASE("host work between a copy back and the next copy is not called preparing data") {
    const auto hostBound = [](double after, double before) {
        const Program program = judged(repeated([&](SyntheticProgram& p) {
            p.work(before).copy(TransferKind::HostToDevice, MemoryKind::Pageable, 1e6, 100);
            p.launch("gemm", 1000);
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, 1e6, 500).work(after);
        }));
        return actionOf(program, "host-bound").sentence.in(Language::En);
    };
    // From one repeat to the next all of it is between the copies.
    CHECK(hostBound(10'000, 10'000).find("after a copy from the GPU and before the next") !=
          std::string::npos);
    const Program loads = judged(repeated([&](SyntheticProgram& p) {
        p.work(9000).copy(TransferKind::HostToDevice, MemoryKind::Pageable, 1e6, 100);
        p.launch("gemm", 1000).sync();
    }));
    CHECK(actionOf(loads, "host-bound").sentence.in(Language::En).find("right before it copies") !=
          std::string::npos);
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
