// SPDX-License-Identifier: Apache-2.0
// The rule unfused-chain: the bundled chains, PyTorch, and what must not be taken for a chain.
#include <map>
#include <memory>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr double kN = 256.0 * 1024 * 1024;  ///< bytes of one array, four times the L2
constexpr const char* kUnary = "unary(float const*, float*, unsigned long)";
constexpr const char* kBinary = "binary(float const*, float const*, float*, unsigned long)";
constexpr const char* kInPlace = "scale(float*, unsigned long)";

/// A program whose launches name their buffers. Each name is a separate allocation.
struct Program {
    SyntheticProfile p{testDevice()};
    std::map<std::string, std::uint32_t> buffers;
    std::map<std::string, double> sizes;  ///< of buffers that are not kN bytes large

    std::uint32_t buffer(const std::string& name) {
        const auto number = static_cast<std::uint32_t>(buffers.size());
        const auto [it, isNew] = buffers.try_emplace(name, number);
        if (isNew) {
            const double bytes = sizes.contains(name) ? sizes[name] : kN;
            p.profile().buffers.push_back({.allocation = number,
                                           .offsetBytes = 0,
                                           .bytes = static_cast<std::uint64_t>(bytes)});
        }
        return it->second;
    }
    /// Passes the named buffers as parameters 0, 1, …, or all of them in `parameter`.
    LaunchRef given(LaunchRef launch, std::initializer_list<const char*> names,
                    std::optional<std::uint32_t> parameter = {}) {
        std::vector<BufferArgument> list;
        for (const char* name : names)
            list.push_back(
                {.buffer = buffer(name),
                 .parameter = parameter.value_or(static_cast<std::uint32_t>(list.size()))});
        launch.launch().arguments = static_cast<std::uint32_t>(p.profile().argumentLists.size());
        p.profile().argumentLists.add(list);
        return launch;
    }
    /// A launch that loads `inputs` arrays and stores one, at DRAM speed.
    LaunchRef moves(std::string_view kernel, int inputs, double bytes = kN) {
        constexpr double kBytesPerUs = 4.1e6;
        auto launch = copy(p, kernel, bytes, 16, (inputs + 1) * bytes / kBytesPerUs);
        launch.set("dram__bytes_read.sum", inputs * bytes).set(kGlobalLoadBytes, inputs * bytes);
        launch.set(kGlobalLoads, inputs * bytes / 512).set(kGlobalLoadSectors, inputs * bytes / 32);
        return launch;
    }
    LaunchRef unary(const char* from, const char* to, const char* kernel = kUnary) {
        return given(moves(kernel, 1), {from, to});
    }
    LaunchRef binary(const char* a, const char* b, const char* to) {
        return given(moves(kBinary, 2), {a, b, to});
    }
    /// A reduction to one value per row through shared memory.
    LaunchRef reduce(const char* from, const char* to) {
        auto launch = moves("reduce(float const*, float*, int)", 1);
        launch.set("dram__bytes_write.sum", 65536).set(kGlobalStoreBytes, 65536);
        launch.set(kGlobalStoreSectors, 16384).set(kGlobalStores, 16384).counterDurationUs(66);
        sizes[to] = 65536;
        return given(shared(launch), {from, to});
    }
    static LaunchRef shared(LaunchRef launch) {
        launch.set(kSharedLoads, 1e5).set(kSharedStores, 1e5).set(kSharedLoadBytes, 128e5);
        launch.set(kSharedStoreBytes, 128e5).set(kSharedLoadWavefronts, 1e5);
        return launch.set(kSharedStoreWavefronts, 1e5).set(kWidth32, 2e5);
    }

    Analysis analysis() { return analyze(std::make_shared<const Profile>(p.build())); }
    bool silent() {
        for (const auto& kernel : analysis().kernels)
            if (find(kernel, "unfused-chain") || unknown(kernel, "unfused-chain")) return false;
        return true;
    }
    /// Bytes that fusion saves, per launch of the profile, in units of kN.
    std::vector<double> spared() {
        std::vector<double> result(p.profile().launches.size());
        for (const auto& kernel : analysis().kernels)
            if (const Finding* finding = find(kernel, "unfused-chain"))
                for (const Arg& argument : finding->args)
                    for (const auto launch : kernel.group.launches)
                        if (argument.name == "spared") result[launch] = argument.value / kN;
        return result;
    }
};

using Shares = std::vector<double>;

const Finding& finding(const Analysis& analysis, std::uint32_t launch) {
    for (const auto& kernel : analysis.kernels)
        if (kernel.group.launches.front() == launch)
            if (const Finding* found = find(kernel, "unfused-chain")) return *found;
    FAIL("no finding on launch " << launch);
    throw;
}

std::string text(const Finding& finding, const std::string& name) {
    for (const Arg& argument : finding.args)
        if (argument.name == name) return argument.text.in(Language::En);
    return "(missing)";
}

/// x + bias → t, gelu(t) → y: the smallest chain.
Program biasGelu() {
    Program program;
    program.binary("x", "bias", "t");
    program.unary("t", "y");
    return program;
}

}  // namespace

TEST_CASE("unfused-chain names both launches and the bytes of each") {
    Program program = biasGelu();
    CHECK(program.spared() == Shares{1, 1});
    const Analysis analysis = program.analysis();
    const Finding& add = finding(analysis, 0);
    CHECK(text(add, "chain") == "binary → unary");
    CHECK_FALSE(add.minor);
    // Fusion saves one of the three arrays that the kernel moves; the time follows the bytes.
    CHECK(add.gainShare->value == Approx(1.0 / 3));
    CHECK(add.gain->value == Approx(kN / 4.1e12));
    REQUIRE(add.expected.size() == 1);
    CHECK(add.expected[0].counter.in(Language::En) == "DRAM bytes written");
    CHECK(add.expected[0].to == 0.0);
    const Finding& gelu = finding(analysis, 1);
    CHECK(text(gelu, "chain") == "binary → unary");
    CHECK(gelu.gainShare->value == Approx(0.5));
    REQUIRE(gelu.expected.size() == 1);
    CHECK(gelu.expected[0].counter.in(Language::En) == "DRAM bytes read");
    CHECK(gelu.expected[0].from == kN);
    CHECK(gelu.expected[0].to == 0.0);
    REQUIRE(gelu.evidence.size() == 1);
    CHECK(gelu.evidence[0].value == kN);
}

TEST_CASE("unfused-chain: the eight launches of gelu/unfused are one chain") {
    Program g;
    g.unary("x", "s");
    g.unary("s", "t");
    g.binary("x", "t", "s");
    g.unary("s", "t");
    g.unary("t", "s");
    g.unary("s", "t");
    g.unary("x", "s");
    g.binary("s", "t", "out");
    // Seven intermediates, each written once and read once. x and out remain.
    CHECK(g.spared() == Shares{1, 2, 2, 2, 2, 2, 1, 2});
    CHECK(text(finding(g.analysis(), 4), "chain") == "2 × unary → binary → 4 × unary → binary");
    // The same sequence repeated: nothing reads the last result.
    for (int repeat = 0; repeat < 2; ++repeat) {
        g.unary("x", "s");
        g.unary("s", "t");
        g.binary("t", "s", "out");
    }
    const auto spared = g.spared();
    CHECK(Shares(spared.begin(), spared.begin() + 8) == Shares{1, 2, 2, 2, 2, 2, 1, 2});
    CHECK(Shares(spared.begin() + 8, spared.begin() + 11) == Shares{1, 2, 2});
}

TEST_CASE("unfused-chain: softmax/unfused, where a reduction stands between") {
    Program s;
    const auto map = [&](const char* in, const char* perRow, const char* out) {
        auto launch = s.moves("map(float const*, float const*, float*, int)", 1);
        launch.set(kGlobalLoadBytes, kN + 524288).set(kGlobalLoadSectors, kN / 32 + 131072);
        s.given(launch, {in, perRow, out});
    };
    s.reduce("x", "most");
    map("x", "most", "a");
    s.unary("a", "b");
    s.reduce("b", "sum");
    map("b", "sum", "out");
    const auto spared = s.spared();
    CHECK(spared[0] == 0);  // its result is small, and x is not an intermediate
    CHECK(spared[1] == 1);
    CHECK(spared[2] == 2);  // the exponentials: the sum and the division both read them
    CHECK(spared[3] == 1);
    CHECK(spared[4] == 1);
    CHECK(text(finding(s.analysis(), 4), "chain") == "map → unary → reduce → map");
}

TEST_CASE("unfused-chain: rope/tables, with a table that stays in the L2") {
    Program r;
    r.sizes["cos"] = r.sizes["sin"] = 4 << 20;
    const auto multiply = [&](const char* in, const char* table, const char* out) {
        auto launch = r.binary(in, table, out);
        launch.set("dram__bytes_read.sum", kN + (32 << 20)).counterDurationUs(135);
    };
    multiply("q", "cos", "product");
    r.unary("q", "out");
    multiply("out", "sin", "rotated");
    r.binary("product", "rotated", "out");
    CHECK(r.spared() == Shares{1, 1, 2, 2});
}

TEST_CASE("unfused-chain: buffers inside one large allocation") {
    Program a;
    for (const char* name : {"x", "bias", "t", "y"}) a.sizes[name] = 100 * kN;
    a.binary("x", "bias", "t");
    a.binary("t", "bias", "y");
    CHECK(a.spared() == Shares{1, 1});
}

TEST_CASE("unfused-chain: PyTorch's eager kernels") {
    const char* add =
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
        "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, "
        "3ul>)";
    const char* gelu =
        "void at::native::vectorized_elementwise_kernel<4, at::native::Gelu, std::array<char*, "
        "2ul> >(int, at::native::Gelu, std::array<char*, 2ul>)";
    Program t;
    t.given(t.moves(add, 2), {"t", "x", "bias"}, 2);  // the output comes first
    t.given(t.moves(gelu, 1), {"y", "t"}, 2);
    CHECK(t.spared() == Shares{1, 1});
    Program other;  // inputs and outputs swapped: nothing is passed on
    other.given(other.moves(add, 2), {"x", "t", "bias"}, 2);
    other.given(other.moves(gelu, 1), {"t", "y"}, 2);
    CHECK(other.silent());
}

TEST_CASE("unfused-chain: operations in place") {
    Program i;
    i.given(i.moves(kInPlace, 1), {"x"});
    i.given(i.moves(kInPlace, 1), {"x"});
    i.given(i.moves(kInPlace, 1), {"x"});
    CHECK(i.spared() == Shares{1, 2, 1});
}

TEST_CASE("unfused-chain: a write that something else needs stays") {
    Program later = biasGelu();
    for (int i = 0; i < 9; ++i) later.unary("p", "q");  // too far away to be fused
    later.unary("t", "z");
    const auto spared = later.spared();
    CHECK(spared[0] == 0);
    CHECK(spared[1] == 1);
    // Overwritten before the second read, so that read sees other data.
    Program overwritten = biasGelu();
    overwritten.unary("p", "t");
    overwritten.unary("t", "z");
    CHECK(overwritten.spared() == Shares{1, 1, 1, 1});
    // A kernel whose reads are unknown counts as a reader.
    Program unknownReader = biasGelu();
    unknownReader.given(unknownReader.moves("triton_kernel", 1), {"t", "z"});
    CHECK(unknownReader.spared()[0] == 0);
}

TEST_CASE("unfused-chain: the mean over a group's launches, of which only some are in a chain") {
    Program program = biasGelu();
    auto alone = program.unary("p", "q");
    alone.launch().kernel = program.p.profile().launches[1].kernel;
    const Analysis analysis = program.analysis();
    CHECK(finding(analysis, 1).gainShare->value == Approx(0.25));
}

TEST_CASE("unfused-chain: what a benchmark repeats on an unchanged input is no chain") {
    Program p;
    p.binary("x", "bias", "t");
    const auto first = p.unary("t", "y").launch().kernel;
    for (int repeat = 0; repeat < 2; ++repeat) p.unary("t", "y").launch().kernel = first;
    CHECK(p.silent());
    // A second kernel that reads t saves only its read: the write is still needed by the others.
    p.unary("t", "z", "other(float const*, float*, unsigned long)");
    CHECK(p.spared() == Shares{0, 0, 0, 0, 1});
    // If the input is written anew each time, each pair is a chain.
    Program loop;
    const auto made = loop.binary("x", "bias", "t").launch().kernel;
    const auto used = loop.unary("t", "y").launch().kernel;
    loop.binary("x", "bias", "t").launch().kernel = made;
    loop.unary("t", "y").launch().kernel = used;
    CHECK(loop.spared() == Shares{1, 1, 1, 1});
}

TEST_CASE("unfused-chain: the rounds of a loop are not fused with each other") {
    const auto loop = [](int rounds) {
        Program p;
        std::uint32_t scale = 0, shift = 0;
        for (int i = 0; i < rounds; ++i) {
            auto first = p.unary(i % 2 ? "y" : "x", "t");
            auto second = p.unary("t", i % 2 ? "x" : "y");
            if (i == 0) scale = first.launch().kernel, shift = second.launch().kernel;
            first.launch().kernel = scale;
            second.launch().kernel = shift;
        }
        return p.spared();
    };
    CHECK(loop(4) == Shares{1, 1, 1, 1, 1, 1, 1, 1});
    // Two rounds may be one expression: (x · a + b) · a + b.
    CHECK(loop(2) == Shares{1.5, 1.5, 1.5, 1.5});  // means over launches that save 1 and 2
}

TEST_CASE("unfused-chain: a time step is not fused with the next one") {
    const auto steps = [](int count, const char* kernel) {
        Program p;
        std::uint32_t step = 0;
        for (int i = 0; i < count; ++i) {
            auto launch = p.unary(i % 2 ? "y" : "x", i % 2 ? "x" : "y", kernel);
            if (i == 0) step = launch.launch().kernel;
            launch.launch().kernel = step;
        }
        return p;
    };
    // Each launch reads what the last one wrote. Whether a thread reads only its own element is not
    // known: in a lattice, it reads its neighbours' values, each of them once.
    CHECK(steps(9, "collide(float const*, float*, int)").silent());
    CHECK(!steps(4, "collide(float const*, float*, int)").silent());
}

TEST_CASE("unfused-chain does not fire where nothing is handed over") {
    SECTION("unrelated buffers") {
        Program p;
        p.unary("a", "b");
        p.unary("c", "d");
        CHECK(p.silent());
    }
    SECTION("a shared input") {
        Program p;
        p.unary("x", "a");
        p.unary("x", "b");
        CHECK(p.silent());
    }
    SECTION("an output written twice") {
        Program p;
        p.unary("a", "y");
        p.unary("b", "y");
        CHECK(p.silent());
    }
    SECTION("another part of the same allocation") {
        Program p = biasGelu();
        p.p.profile().buffers[p.buffers["t"]].allocation = 7;
        p.unary("elsewhere", "z");
        p.p.profile().buffers[p.buffers["elsewhere"]].allocation = 7;
        CHECK(p.spared()[2] == 0);
    }
    SECTION("overwritten by a launch on another stream in between") {
        Program p;
        p.binary("x", "bias", "t");
        p.unary("z", "t").stream(1);
        p.unary("t", "y");
        CHECK(p.silent());
    }
    SECTION("a copy gave the buffer new contents, and so a new number") {
        Program p;
        p.binary("x", "bias", "t");
        p.unary("t after the copy", "y");
        CHECK(p.silent());
    }
}

TEST_CASE("unfused-chain does not fire where fusing spares no DRAM traffic, or cannot be done") {
    SECTION("arrays that the L2 holds") {
        Program p;
        const double small = 48.0 * 1024 * 1024;
        p.given(p.moves(kBinary, 2, small), {"x", "bias", "t"});
        p.given(p.moves(kUnary, 1, small), {"t", "y"});
        CHECK(p.silent());
    }
    SECTION("a small buffer, however much is stored to it") {
        Program p;
        p.sizes["t"] = 1 << 20;
        p.binary("x", "bias", "t");
        p.unary("t", "y");
        CHECK(p.silent());
    }
    SECTION("a producer that computes") {
        Program p;
        const auto warps = 300e-6 * SyntheticProfile::kSmClockHz * 132 * 128;
        p.binary("x", "bias", "t").counterDurationUs(300).set(kFp32Fma, 0.95 * warps);
        p.unary("t", "y");
        CHECK(p.silent());
    }
    SECTION("different streams") {
        Program p;
        p.binary("x", "bias", "t");
        p.unary("t", "y").stream(1);
        CHECK(p.silent());
    }
    SECTION("different processes") {
        Program p;
        p.p.profile().processes.push_back(p.p.profile().processes.front());
        p.binary("x", "bias", "t");
        p.unary("t", "y").launch().process = 1;
        CHECK(p.silent());
    }
    SECTION("neither is elementwise: both use shared memory") {
        Program p;
        Program::shared(p.unary("a", "b"));
        Program::shared(p.unary("b", "c"));
        CHECK(p.silent());
        // It is enough that one of the two is elementwise.
        p.unary("c", "d");
        CHECK(p.spared() == Shares{0, 1, 1});
    }
    SECTION("neither is elementwise: neighbours are loaded as well") {
        Program p;
        for (const auto& [from, to] : {std::pair{"a", "b"}, {"b", "a"}, {"a", "b"}})
            p.unary(from, to).set(kGlobalLoadBytes, 5 * kN).set(kGlobalLoadSectors, 5 * kN / 32);
        CHECK(p.silent());
    }
    SECTION("neither is elementwise: accesses far apart") {
        Program p;
        for (const auto& [from, to] : {std::pair{"a", "b"}, {"b", "c"}})
            p.unary(from, to).set(kGlobalStoreSectors, kN / 8);
        CHECK(p.silent());
    }
    SECTION("local memory is not elementwise") {
        Program p;
        for (const auto& [from, to] : {std::pair{"a", "b"}, {"b", "c"}})
            p.unary(from, to)
                .set("smsp__sass_data_bytes_mem_local.sum", 1e6)
                .set(kLocalSectors, 1e5);
        CHECK(p.silent());
    }
    SECTION("a launch between them that waits for something else") {
        Program p;
        p.binary("x", "bias", "t");
        p.given(p.moves(kUnary, 1).counterDurationUs(5000), {"p", "q"});
        p.unary("t", "y");
        CHECK(p.silent());
    }
    SECTION("further apart, behind a launch that changes what the first one read") {
        Program p;
        p.unary("a", "t");
        Program::shared(p.unary("b", "a"));
        p.unary("t", "y");
        CHECK(p.silent());
    }
}

TEST_CASE("unfused-chain does not fire where it is not certain who writes what") {
    SECTION("no C++ declaration") {
        Program p;
        p.unary("a", "b", "triton_a");
        p.unary("b", "c");
        CHECK(p.silent());
        Program q;
        q.unary("a", "b");
        q.unary("b", "c", "triton_b");
        CHECK(q.silent());
    }
    SECTION("pointers inside a struct") {
        Program p;
        p.unary("a", "b", "k(float const*, Out)");
        p.unary("b", "c");
        CHECK(p.silent());
    }
    SECTION("an input that is not declared as one") {
        Program p;
        p.unary("a", "b", "k(float*, float*)");
        p.unary("b", "c", "k(float*, float*)");
        CHECK(p.silent());
    }
    SECTION("two outputs that could each have taken all of it") {
        Program p;
        p.given(p.moves("k(float const*, float*, float*)", 1), {"a", "b", "c"});
        p.unary("b", "d");
        CHECK(p.silent());
    }
    SECTION("two inputs that could each account for all of it") {
        Program p;
        p.unary("a", "b");
        p.given(Program::shared(p.moves("k(float const*, float const*, float*)", 1)),
                {"b", "z", "y"});
        CHECK(p.silent());
    }
    SECTION("a launch of which nothing is known in between") {
        Program p;
        p.binary("x", "bias", "t");
        p.moves("graph_node", 1).stream(5);
        p.unary("t", "y");
        for (const auto& kernel : p.analysis().kernels) CHECK_FALSE(find(kernel, "unfused-chain"));
    }
}

TEST_CASE("unfused-chain says that it cannot tell only beside launches that it could judge") {
    // An older profile without arguments: it says nothing.
    Program none = biasGelu();
    for (auto& launch : none.p.profile().launches) launch.arguments.reset();
    none.p.profile().argumentLists = {};
    none.p.profile().buffers = {};
    for (const auto& kernel : none.analysis().kernels) {
        CHECK_FALSE(find(kernel, "unfused-chain"));
        CHECK_FALSE(unknown(kernel, "unfused-chain"));
        CHECK_FALSE(isRuledOut(kernel, "unfused-chain"));
    }
    // One of the two neighbours is a graph node.
    Program half = biasGelu();
    half.p.profile().launches[1].arguments.reset();
    const Analysis analysis = half.analysis();
    for (const auto& kernel : analysis.kernels) {
        CHECK_FALSE(find(kernel, "unfused-chain"));
        const bool node = kernel.group.launches.front() == 1;
        CHECK((unknown(kernel, "unfused-chain") != nullptr) == node);
        CHECK(isRuledOut(kernel, "unfused-chain") == !node);
    }
    // A kernel that is not limited by the DRAM is no candidate.
    Program slow;
    slow.given(slow.moves(kUnary, 1).counterDurationUs(5000), {"a", "b"});
    for (const auto& kernel : slow.analysis().kernels)
        CHECK_FALSE(isRuledOut(kernel, "unfused-chain"));
}

TEST_CASE("unfused-chain leaves a profile alone whose lists point nowhere") {
    Program p = biasGelu();
    p.p.profile().buffers.resize(2);
    CHECK(p.silent());
}

TEST_CASE("unfused-chain: a long program takes linear time and a short sentence") {
    Program p;
    const auto first = p.unary("a", "b").row();
    p.unary("b", "a");
    auto& profile = p.p.profile();
    const Launch even = profile.launches[first], odd = profile.launches[first + 1];
    constexpr std::size_t kLaunches = 20'000;
    for (std::size_t i = 2; i < kLaunches; ++i) profile.launches.push_back(i % 2 ? odd : even);
    profile.counters.resize(kLaunches);
    const Analysis analysis = p.analysis();
    const Finding& found = finding(analysis, 0);
    CHECK(text(found, "chain").size() < 600);
    // In a loop of two launches one saves its write, the other its read.
    CHECK(found.gainShare->value == Approx(0.5));
}
