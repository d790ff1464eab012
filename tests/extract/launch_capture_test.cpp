// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/capture/launch_capture.h"

#include <elf.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collector/capture/captured_launch.h"
#include "collector/capture/cubin_symbols.h"
#include "collector/capture/page_reader.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::inject;
namespace fs = std::filesystem;

namespace {

/// The memory of a pretended GPU, as a driver would describe it: allocations by address.
struct PretendedGpu {
    std::map<std::uint64_t, std::vector<unsigned char>> memory;
    std::map<std::string, std::uint64_t> variables;
    std::map<std::uint64_t, int> devices;  ///< of allocations on another GPU
    std::vector<std::size_t> parameterBytes;
    CUresult synchronises = CUDA_SUCCESS;
    std::size_t questions = 0;
} g_gpu;

auto allocationAt(std::uint64_t address) {
    auto after = g_gpu.memory.upper_bound(address);
    if (after == g_gpu.memory.begin()) return g_gpu.memory.end();
    --after;
    return address - after->first < after->second.size() ? after : g_gpu.memory.end();
}

CUresult pointerAttributes(unsigned, CUpointer_attribute*, void** values, CUdeviceptr address) {
    ++g_gpu.questions;
    const auto found = allocationAt(address);
    if (found == g_gpu.memory.end()) return CUDA_SUCCESS;
    *static_cast<CUdeviceptr*>(values[0]) = found->first;
    *static_cast<std::size_t*>(values[1]) = found->second.size();
    *static_cast<unsigned*>(values[2]) = CU_MEMORYTYPE_DEVICE;
    const auto device = g_gpu.devices.find(found->first);
    *static_cast<int*>(values[4]) = device == g_gpu.devices.end() ? 0 : device->second;
    return CUDA_SUCCESS;
}

DriverApi pretendedDriver() {
    DriverApi api{};
    api.cuCtxSynchronize = [] { return g_gpu.synchronises; };
    api.cuGetErrorString = [](CUresult, const char** text) {
        *text = "an error";
        return CUDA_SUCCESS;
    };
    api.cuPointerGetAttributes = pointerAttributes;
    api.cuKernelGetFunction = [](CUfunction*, CUkernel) { return CUDA_ERROR_INVALID_HANDLE; };
    api.cuFuncGetModule = [](CUmodule* module, CUfunction) {
        *module = nullptr;
        return CUDA_SUCCESS;
    };
    api.cuModuleGetGlobal = [](CUdeviceptr* address, std::size_t* bytes, CUmodule,
                               const char* name) {
        const auto found = g_gpu.variables.find(name);
        if (found == g_gpu.variables.end()) return CUDA_ERROR_NOT_FOUND;
        *address = found->second;
        *bytes = g_gpu.memory.at(found->second).size();
        return CUDA_SUCCESS;
    };
    api.cuMemcpyDtoH = [](void* to, CUdeviceptr from, std::size_t bytes) {
        const auto found = allocationAt(from);
        if (found == g_gpu.memory.end() || from - found->first + bytes > found->second.size())
            return CUDA_ERROR_INVALID_VALUE;
        std::memcpy(to, found->second.data() + (from - found->first), bytes);
        return CUDA_SUCCESS;
    };
    api.cuFuncGetParamInfo = [](CUfunction, std::size_t index, std::size_t* offset,
                                std::size_t* bytes) {
        if (index >= g_gpu.parameterBytes.size()) return CUDA_ERROR_INVALID_VALUE;
        *offset = index * 8;
        *bytes = g_gpu.parameterBytes[index];
        return CUDA_SUCCESS;
    };
    api.cuFuncGetAttribute = [](int* value, CUfunction_attribute, CUfunction) {
        *value = 7;
        return CUDA_SUCCESS;
    };
    api.cuDeviceGetName = [](char* name, int, CUdevice) {
        std::strcpy(name, "a GPU");
        return CUDA_SUCCESS;
    };
    api.cuDeviceGetAttribute = [](int* value, CUdevice_attribute, CUdevice) {
        *value = 9;
        return CUDA_SUCCESS;
    };
    api.cuDeviceTotalMem = [](std::size_t*, CUdevice) { return CUDA_ERROR_UNKNOWN; };
    return api;
}

/// A module with the kernel `_Z1kPf`, which has this code, a device function, and the variable
/// `total`.
std::vector<unsigned char> cubin(const std::vector<unsigned char>& code = {}) {
    const std::string names("\0.text._Z1kPf\0.nv.global\0.symtab\0.strtab\0.shstrtab\0", 52);
    const std::string texts("\0_Z1kPf\0total\0helper\0", 21);
    const auto name = [&](const char* wanted) {
        return static_cast<unsigned>(names.find(std::string("\0", 1) + wanted) + 1);
    };
    std::vector<Elf64_Sym> symbols(4);
    symbols[1] = {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0x10, 1, 0, 0};
    symbols[2] = {8, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), 0, 2, 0, 4};
    symbols[3] = {14, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 1, 0, 0};
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 6;
    header.e_shstrndx = 5;
    header.e_shoff = sizeof header;
    std::vector<Elf64_Shdr> sections(6);
    std::uint64_t at = sizeof header + 6 * sizeof(Elf64_Shdr);
    const auto place = [&](std::size_t i, const char* text, unsigned type, std::uint64_t bytes) {
        sections[i].sh_name = name(text);
        sections[i].sh_type = type;
        sections[i].sh_offset = at;
        sections[i].sh_size = bytes;
        at += type == SHT_NOBITS ? 0 : bytes;
    };
    place(1, ".text._Z1kPf", SHT_PROGBITS, code.size());
    place(2, ".nv.global", SHT_NOBITS, 4);
    place(3, ".symtab", SHT_SYMTAB, symbols.size() * sizeof(Elf64_Sym));
    place(4, ".strtab", SHT_STRTAB, texts.size());
    place(5, ".shstrtab", SHT_STRTAB, names.size());
    sections[3].sh_link = 4;
    std::vector<unsigned char> bytes;
    const auto put = [&](const void* from, std::size_t size) {
        const auto* first = static_cast<const unsigned char*>(from);
        bytes.insert(bytes.end(), first, first + size);
    };
    put(&header, sizeof header);
    put(sections.data(), sections.size() * sizeof(Elf64_Shdr));
    put(code.data(), code.size());
    put(symbols.data(), symbols.size() * sizeof(Elf64_Sym));
    put(texts.data(), texts.size());
    put(names.data(), names.size());
    return bytes;
}

constexpr std::uint64_t kA = 0x7f0000000000, kB = 0x7f0000200000, kC = 0x7f0000400000,
                        kVariable = 0x7f0000600000, kUnreached = 0x7f0000800000;

/// Argument 0 points into A, A holds a pointer to B, B holds one to C.
struct Captured {
    test::TemporaryFolder folder;
    DriverApi driver = pretendedDriver();
    CaptureMode mode{.limitBytes = 1 << 20, .folder = folder.path().string()};
    std::uint64_t pointer = kA + 16;
    std::uint32_t count = 5;
    void* arguments[2] = {&pointer, &count};
    std::vector<unsigned char> code = cubin();

    Captured() {
        g_gpu = {};
        g_gpu.memory[kA].resize(100'000, 1);
        g_gpu.memory[kB].resize(64, 2);
        g_gpu.memory[kC].resize(64, 3);
        g_gpu.memory[kVariable].resize(4, 4);
        g_gpu.memory[kUnreached].resize(64, 5);
        g_gpu.variables["total"] = kVariable;
        g_gpu.parameterBytes = {8, 4};
        point(kA, 80'000, kB);
        point(kB, 8, kC + 32);
    }
    static void point(std::uint64_t from, std::size_t offset, std::uint64_t to) {
        std::memcpy(g_gpu.memory[from].data() + offset, &to, sizeof to);
    }
    [[nodiscard]] LaunchRequest request() {
        LaunchRequest r;
        r.grid = {4, 1, 1};
        r.block = {32, 1, 1};
        r.parameters.kernelParams = arguments;
        return r;
    }
    [[nodiscard]] std::vector<fs::path> folders() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder.path())) found.push_back(entry);
        return found;
    }
};

}  // namespace

TEST_CASE("kernels and variables are found in a module, and nothing in a damaged one") {
    const auto bytes = cubin();
    const auto symbols = capture::cubinSymbols(bytes.data(), bytes.size());
    CHECK(symbols.kernels == std::vector<std::string>{"_Z1kPf"});
    CHECK(symbols.variables == std::vector<std::string>{"total"});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::vector<unsigned char> cut(bytes.begin(),
                                             bytes.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(capture::cubinSymbols(cut.data(), cut.size()).kernels.empty());
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        auto damaged = bytes;
        damaged[at] ^= 0xFF;
        (void)capture::cubinSymbols(damaged.data(), damaged.size());
    }
}

TEST_CASE("a launch is kept with all memory that it can reach, before and after it") {
    Captured c;
    {
        LaunchCapture capture(c.driver, c.mode);
        const auto code = cubin();
        capture.moduleLoaded(code.data(), code.size());
        REQUIRE(capture.begin(c.request(), "_Z1kPf", 0));
        g_gpu.memory[kC][40] = 99;
        REQUIRE(capture.end());
    }
    REQUIRE(c.folders().size() == 1);
    const fs::path kept = c.folders().front();
    std::ifstream file(kept / capture::kCaptureFile);
    const auto facts = nlohmann::json::parse(file);
    CHECK(facts["symbol"] == "_Z1kPf");
    CHECK(facts["grid"] == nlohmann::json{4, 1, 1});
    CHECK(facts["parameters"][0]["value"] == "10000000007f0000");
    CHECK(facts["parameters"][1]["value"] == "05000000");
    CHECK(facts["variables"][0]["name"] == "total");
    REQUIRE(facts["memory"].size() == 4);
    CHECK(facts["memory"][1]["address"] == "0x7f0000000000");
    CHECK(facts["memory"][2]["address"] == "0x7f0000200000");
    CHECK(facts["memory"][3]["address"] == "0x7f0000400000");
    CHECK(fs::file_size(kept / "module-0.cubin") == cubin().size());
    const capture::PageReader reader(kept.string(), {uncompress, crc32});
    const auto& region = reader.regions().at(3);
    std::vector<unsigned char> before(64), after(64);
    reader.read(region.before[0], before.data());
    reader.read(region.after[0], after.data());
    CHECK(before[40] == 3);
    CHECK(after[40] == 99);
    CHECK(reader.regions().at(1).before == reader.regions().at(1).after);
}

TEST_CASE("of a launch that cannot be kept as a whole nothing is left") {
    Captured c;
    const auto refusal = [&](const std::string& symbol = "_Z1kPf", bool code = true) {
        LaunchCapture capture(c.driver, c.mode);
        if (code) capture.moduleLoaded(c.code.data(), c.code.size());
        auto ok = capture.begin(c.request(), symbol, 0);
        if (ok) ok = capture.end();
        capture.cancel();
        CHECK(c.folders().empty() == !ok);
        return ok ? std::string("none") : ok.error().message();
    };
    SECTION("more memory than the limit") {
        c.mode.limitBytes = 100'000;
        CHECK(refusal().find("--limit") != std::string::npos);
    }
    SECTION("memory of another GPU") {
        g_gpu.devices[kC] = 1;
        CHECK(refusal().find("another GPU") != std::string::npos);
    }
    SECTION("unknown code") {
        CHECK(refusal("_Z1kPf", false).find("code") != std::string::npos);
        CHECK(refusal("_Z5otherv").find("code") != std::string::npos);
    }
    SECTION("a texture") {
        // A multiplication, and a texture fetch.
        std::vector<unsigned char> code(32);
        code[0] = 0x66, code[1] = 0x02, code[16] = 0x66, code[17] = 0x7f;
        c.code = cubin(code);
        CHECK(refusal().find("textures") != std::string::npos);
        code[17] = 0x02;
        c.code = cubin(code);
        CHECK(refusal() == "none");
    }
    SECTION("a kernel that waits for other processes") {
        CHECK(refusal("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)")
                  .find("other processes") != std::string::npos);
    }
    SECTION("a GPU that failed") {
        g_gpu.synchronises = CUDA_ERROR_ILLEGAL_ADDRESS;
        CHECK(refusal().find("an error") != std::string::npos);
    }
    SECTION("an old driver") {
        c.driver.cuMemcpyDtoH = nullptr;
        CHECK(refusal().find("too old") != std::string::npos);
    }
    SECTION("a missing argument") {
        c.arguments[1] = nullptr;
        CHECK(refusal().find("no value") != std::string::npos);
    }
}

TEST_CASE("a launch that fails leaves nothing") {
    Captured c;
    LaunchCapture capture(c.driver, c.mode);
    const auto code = cubin();
    capture.moduleLoaded(code.data(), code.size());
    REQUIRE(capture.begin(c.request(), "_Z1kPf", 0));
    CHECK(c.folders().size() == 1);
    capture.cancel();
    CHECK(c.folders().empty());
}

TEST_CASE("numbers in memory are not asked for unless they are near an allocation") {
    constexpr std::uint64_t kFar = kA + (1ULL << 44);
    std::size_t asked = 0;
    ReachableMemory reachable([&](std::uint64_t at) -> std::optional<ReachedMemory> {
        ++asked;
        for (const std::uint64_t start : {kA, kFar})
            if (at >= start && at < start + 4096)
                return ReachedMemory{.address = start, .bytes = 4096};
        return {};
    });
    std::vector<std::uint64_t> words{kA + 8, 3, 0x3f8000003f800000};
    const auto bytes = [&] {
        return std::span(reinterpret_cast<const unsigned char*>(words.data()), words.size() * 8);
    };
    reachable.arguments(bytes());
    CHECK(asked == 1);
    CHECK(reachable.next()->address == kA);
    CHECK_FALSE(reachable.next());
    words = {kA + 100, 0x0000000500000007, kA + 8192, kA + 8193, 0x00007e0000000000};
    reachable.contents(bytes());
    // Asks only about the word beyond the end, and only once.
    CHECK(asked == 2);
    // Words that lie between two distant allocations are mostly plain numbers, not pointers.
    words = {kFar};
    reachable.arguments(bytes());
    CHECK(asked == 3);
    words = {(kA + kFar) / 2 / 8 * 8};
    reachable.contents(bytes());
    CHECK(asked == 3);
}

TEST_CASE("a way of capturing is passed to the program") {
    const test::TemporaryFolder folder;
    RunConfiguration configuration{
        .mode = CaptureMode{
            .signature = ~0ULL, .ordinal = 3, .limitBytes = 1ULL << 40, .folder = "/a"}};
    REQUIRE(writeRunConfiguration(configuration, folder.path()));
    const auto back = readRunConfiguration(folder.path());
    REQUIRE(back.ok());
    const auto mode = std::get<CaptureMode>(back->mode);
    CHECK(mode.signature == ~0ULL);
    CHECK(mode.ordinal == 3);
    CHECK(mode.limitBytes == 1ULL << 40);
    CHECK(mode.folder == "/a");
}
