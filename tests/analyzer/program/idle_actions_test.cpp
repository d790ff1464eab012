// SPDX-License-Identifier: Apache-2.0
// Actions about time in which the GPU waits for the CPU: where each must be given, and where not.
#include <algorithm>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionOf;
using roofscope::test::judged;
using roofscope::test::repeated;
using roofscope::test::Rules;
using roofscope::test::rulesOf;
using roofscope::test::says;
using roofscope::test::SyntheticProgram;

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
    CHECK(edit("[0], [8, 12, 1, 64]", "[8, 12, 1, 64], [8, 12, 1, 64]").starts_with(kFixed));
    // Two batches side by side, and results that are collected.
    CHECK_FALSE(edit("", "[8, 12, 1, 64], [8, 12, 1, 64]").starts_with(kFixed));
    CHECK_FALSE(edit("[0], [32, 1000]", "[32, 1000], [32, 1000]").starts_with(kFixed));
    CHECK_FALSE(edit("[0], [8, 3, 32, 32]", "[8, 3, 32, 32], [8, 3, 32, 32]").starts_with(kFixed));
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
    const auto step = [&](double bytes, const char* kernel, double time = 1000) {
        return judged(repeated([&](SyntheticProgram& p) {
            p.work(4000).copy(TransferKind::HostToDevice, MemoryKind::Pageable, bytes, 100);
            p.launch(kernel, time).sync();
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
    CHECK(has(actionOf(step(1e6, "k", 2000), "host-bound").edit, "another thread"));
    // Kernels of 1 ms hide little of 4 ms.
    CHECK_FALSE(has(actionOf(step(1e6, "k"), "host-bound").edit, "another thread"));
    CHECK(has(actionOf(step(1e6, "k"), "host-bound").edit, "on the GPU, or spread this work"));

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

TEST_CASE("a small copy after a large one does not hide that the CPU works on the large one") {
    const auto part = [](double first, bool launches) {
        const Program program = judged(repeated([&](SyntheticProgram& p) {
            p.launch("gemm", 1000);
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, first, 500);
            if (launches) p.launch("count", 10);
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, 16e3, 5).work(20'000);
        }));
        return program.account.hostAfterCopy.value * 1e3;
    };
    CHECK(part(1e6, false) == Approx(20).margin(0.5));
    CHECK(part(16e3, false) == 0);
    CHECK(part(1e6, true) == 0);  // a kernel that the copy does not come from
}

TEST_CASE("work that the GPU cannot hide is not told to run beside it") {
    const auto edit = [](double kernel) {
        return actionOf(judged(repeated([&](SyntheticProgram& p) {
                            p.work(20'000).launch("k", kernel).sync();
                        })),
                        "host-bound")
            .edit.in(Language::En);
    };
    CHECK(edit(500).find("spread it over threads, or do it on the GPU") != std::string::npos);
    CHECK(edit(500).find("issue the next launches") == std::string::npos);
    CHECK(edit(10'000).find("issue the next launches first") != std::string::npos);
}

TEST_CASE("copies back for work that belongs on the GPU are no action of their own") {
    const auto judgedWith = [](double host) {
        return judged(repeated([&](SyntheticProgram& p) {
            p.launch("gemm", 1000);
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pinned, 16e6, 500).sync().work(host);
        }));
    };
    const Program works = judgedWith(8000);
    CHECK(actionOf(works, "host-bound").edit.in(Language::En).find("copy only the result back") !=
          std::string::npos);
    CHECK_FALSE(says(works, "copy-not-overlapped"));
    const Program copies = judgedWith(10);
    CHECK(actionOf(copies, "copy-not-overlapped").edit.in(Language::En).find("Copy back less") !=
          std::string::npos);
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
