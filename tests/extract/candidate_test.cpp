// SPDX-License-Identifier: Apache-2.0
// The texts and files of a launch's folder.
#include <filesystem>
#include <fstream>

#include "extract/folder/candidate_text.h"
#include "extract/folder/folder_texts.h"
#include "extract/folder/scratch_folder.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

replay::LaunchDescription launch(const std::string& name) {
    replay::LaunchDescription d;
    d.name = name;
    d.grid = {64, 2, 1};
    d.block = {128, 2, 1};
    d.computeMajor = 9;
    d.gpu = "a GPU";
    d.regions.push_back({0x7f0000000000, 4096, {}});
    d.parameters.push_back({0, {0x10, 0, 0, 0, 0, 0x7f, 0, 0}});
    d.parameters.push_back({8, {5, 0, 0, 0}});
    return d;
}

}  // namespace

TEST_CASE("without source, kernel.cu has the parameters of the kernel") {
    const std::string simple =
        signatureCandidate(launch("void ns::scale<4>(float const*, int)"), false);
    CHECK(has(simple, "__launch_bounds__(256) scale(float const* a0, int a1) {"));
    CHECK(has(simple, "// 0: 8 bytes, the address of 4080 bytes"));
    CHECK(has(simple, "// 1: 4 bytes, 5, or "));
    CHECK(has(simple, "grid 64 x 2 x 1, block 128 x 2 x 1"));
    CHECK(has(simple, "-lineinfo"));
    // A type of the program's is not known, but its size is.
    const std::string unknown =
        signatureCandidate(launch("scale(ns::Tensor<float, 4>, Size)"), true);
    CHECK(has(unknown, "scale(void* a0, std::uint32_t a1) {"));
    CHECK(has(unknown, "kernel.py"));
    CHECK(
        has(signatureCandidate(launch("triton_poi"), true), "triton_poi(void* a0, std::uint32_t"));
}

TEST_CASE("a function in Python has the kernel's parameters with their types") {
    CHECK(pythonTypes(launch("void ns::scale<4>(float const*, int)")) ==
          std::vector<std::string>{"f32*", "i32"});
    CHECK(pythonTypes(launch("scale(c10::Half*, unsigned long)")) ==
          std::vector<std::string>{"f16*", "u64"});
    // Types of the program's, and names without types.
    CHECK(pythonTypes(launch("scale(ns::Tensor<float, 4>, Size)")) ==
          std::vector<std::string>{"", ""});
    CHECK(pythonTypes(launch("triton_poi")) == std::vector<std::string>{"", ""});
    const std::string text = pythonCandidate(launch("scale(float const*, int)"), true);
    CHECK(has(text, "# Launch: grid 64 x 2 x 1, block 128 x 2 x 1.\nimport torch\n"));
    CHECK(has(text, "    a0: \"f32[:]\",  # 0: 8 bytes, the address of 4080 bytes\n"));
    CHECK(has(text, "    a1: \"i32\",  # 1: 4 bytes, 5, or "));
    CHECK(has(text, "kernel.py has its source"));
    CHECK(has(pythonCandidate(launch("triton_poi"), false), "    a1,  # 1: 4 bytes"));
}

TEST_CASE("a structure among the parameters has their size and alignment") {
    auto d = launch("k(S, int, T, U)");
    d.parameters = {{0, std::vector<unsigned char>(12)},
                    {12, std::vector<unsigned char>(4)},
                    {16, std::vector<unsigned char>(24)},
                    {128, std::vector<unsigned char>(128)}};
    const std::string text = signatureCandidate(d, false);
    CHECK(has(text, "struct Argument0 {\n    alignas(4) unsigned char bytes[12];"));
    CHECK(has(text, "struct Argument2 {\n    alignas(8) unsigned char bytes[24];"));
    CHECK(has(text, "struct Argument3 {\n    alignas(128) unsigned char bytes[128];"));
    CHECK(has(text, "k(Argument0 a0, int a1, Argument2 a2, Argument3 a3)"));
}

TEST_CASE("the task says where the source is") {
    CHECK(has(taskText(launch("k"), SourceKnown::Cuda), "Copy `kernel.cu`, its source"));
    CHECK(has(taskText(launch("k"), SourceKnown::Python), "in Triton, is in `kernel.py`"));
    CHECK(has(taskText(launch("k"), SourceKnown::No), "source is not known"));
}

TEST_CASE("names of the program end no comment and no code span") {
    const std::string name = "k\n#include \"x\"\n`ls`";
    CHECK_FALSE(has(signatureCandidate(launch(name), false), "\n#include \"x\""));
    CHECK_FALSE(has(pythonCandidate(launch(name), false), "\n#include \"x\""));
    CHECK_FALSE(has(taskText(launch(name), SourceKnown::Cuda), "`ls`"));
    CHECK_FALSE(has(readmeText(launch(name), {"a\nb"}), "a\nb"));
    CHECK(architectureOf(launch("k")) == "sm_90a");
}

TEST_CASE("the headers that lie beside a source are found, and others are named") {
    const test::TemporaryFolder folder;
    fs::create_directories(folder.file("sub"));
    std::ofstream(folder.file("a.h")) << "#  include \"sub/b.h\"\n#include \"a.h\"\n";
    std::ofstream(folder.file("sub/b.h")) << "#include \"c.h\"\n";
    std::ofstream(folder.file("sub/c.h")) << "int c;\n";
    std::ofstream(folder.file("launch.json")) << "{}\n";
    const KernelSource source{.path = folder.file("k.cu"),
                              .text =
                                  "#include \"a.h\"\n#include <vector>\n#include \"../up.h\"\n"
                                  "#include \"launch.json\"\n// \"no.h\"\n"};
    const SourceHeaders headers = headersOf(source);
    CHECK(headers.files.size() == 3);
    CHECK(headers.files.at("sub/c.h") == "int c;\n");
    CHECK(headers.missing == std::vector<std::string>{"../up.h", "launch.json"});
}

TEST_CASE("a folder appears under its name only when it is complete") {
    const test::TemporaryFolder folder;
    const fs::path wanted = folder.file("out/");
    CHECK(checkFolderIsFree(wanted));
    {
        const ScratchFolder scratch(wanted);
        REQUIRE(scratch.path());
        CHECK(scratch.path()->parent_path() == folder.path());
        std::ofstream(*scratch.path() / "file") << "half";
    }
    CHECK(fs::is_empty(folder.path()));
    {
        ScratchFolder scratch(wanted);
        std::ofstream(*scratch.path() / "file") << "whole";
        CHECK(scratch.becomeWanted());
    }
    CHECK(test::readText(folder.file("out/file")) == "whole");
    CHECK(checkFolderIsFree(wanted).error().code == ErrorCode::CannotCreate);
    ScratchFolder late(wanted);
    CHECK_FALSE(late.becomeWanted());
    CHECK(test::readText(folder.file("out/file")) == "whole");
    CHECK_FALSE(checkFolderIsFree(folder.file("out/file")));
    CHECK_FALSE(checkFolderIsFree(folder.file("no/such")));
}
