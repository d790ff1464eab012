// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the files of `roofscope extract`: what a program left of a captured launch, and
// what the driver reads in a launch's folder. Built and run like profile_fuzz.cpp.
#include <elf.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "collector/capture/cubin_symbols.h"
#include "collector/capture/page_reader.h"
#include "extract/driver/byte_flags.h"
#include "extract/driver/launch_description.h"
#include "extract/driver/original_facts.h"
#include "extract/driver/replay_options.h"
#include "extract/folder/candidate_text.h"
#include "extract/folder/kernel_source.h"
#include "extract/folder/page_packer.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using capture::PageReader;
using replay::LaunchDescription;

namespace {

[[noreturn]] void fail(const char* what, const std::string& why) {
    std::fprintf(stderr, "%s: %s\n", what, why.c_str());
    std::abort();
}

/// The first folder is the one that is read; the second gets what is written from it.
std::string folderNumber(int which) {
    static const test::TemporaryFolder folders[2];
    return folders[which].path().string();
}

std::string put(const char* name, std::string_view text) {
    std::string path = folderNumber(0) + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

/// Runs a reader; returns whether it accepts its input. Any error must say something.
template <class Read>
bool accepted(Read read) {
    try {
        return read();
    } catch (const std::runtime_error& error) {
        if (std::string_view(error.what()).empty()) fail("an error without text", "");
    } catch (const std::invalid_argument& error) {
        if (std::string_view(error.what()).empty()) fail("an error without text", "");
    }
    return false;
}

/// launch.json: sizes and addresses are plausible, and texts can be made from it.
void checkDescription(const std::string& text) {
    LaunchDescription launch;
    if (!accepted([&] {
            launch = LaunchDescription::parse(text);
            return true;
        }))
        return;
    if (launch.programNs && !std::isfinite(*launch.programNs)) fail("an infinite time", text);
    for (const std::string& file : launch.modules)
        if (std::filesystem::path(file).filename() != file || file.starts_with('.'))
            fail("a module outside of the folder", file);
    for (const LaunchDescription::Region& region : launch.regions)
        if (region.bytes == 0 || region.address + region.bytes < region.address)
            fail("a region without a size, or beyond the end of memory", text);
    for (const bool python : {false, true}) {
        if (signatureCandidate(launch, python).find("__global__") == std::string::npos)
            fail("a candidate without a kernel", text);
        (void)pythonCandidate(launch, python);
    }
    if (pythonTypes(launch).size() != launch.parameters.size())
        fail("a parameter without a type", text);
    const std::string name = identifierOf(launch.name);
    if (name.empty() || name.find_first_of("/. \n") != std::string::npos)
        fail("no valid name", name);
}

/// original.json: what was read and is written again reads the same.
void checkFacts(const std::string& text) {
    using replay::OriginalFacts;
    const std::string folder = folderNumber(0);
    const auto file = put(OriginalFacts::kFile, text);
    OriginalFacts facts, again;
    if (!accepted([&] { return facts.read(folder); })) return;
    facts.write(folder);
    const std::string once = test::readText(file);
    if (!accepted([&] { return again.read(folder); })) fail("not readable again", once);
    again.write(folder);
    if (test::readText(file) != once) fail("a second round trip changes the text", once);
}

/// written.bin of regions of these sizes.
void checkFlags(const std::string& text) {
    const std::vector<std::uint64_t> sizes{8192, 4, 3 * replay::kChunkBytes + 1};
    const auto read = [&](const std::string& file, std::vector<replay::ByteFlags>& regions) {
        for (const std::uint64_t bytes : sizes) regions.emplace_back(bytes);
        std::vector<replay::ByteFlags*> each;
        for (replay::ByteFlags& region : regions) each.push_back(&region);
        return accepted([&] { return replay::written_file::read(file, each, sizes); });
    };
    const std::string file = put(replay::written_file::kFile, text);
    std::vector<replay::ByteFlags> regions, again;
    if (!read(file, regions)) return;
    replay::written_file::write(file, {&regions[0], &regions[1], &regions[2]});
    if (!read(file, again)) fail("flags are not readable again", text);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (regions[i].chunks() != again[i].chunks()) fail("flags that change", text);
}

/// The contents of a list of chunks; empty if one is damaged.
std::vector<unsigned char> contentsOf(const PageReader& reader,
                                      const std::vector<std::uint32_t>& ids) {
    std::vector<unsigned char> all;
    for (const std::uint32_t id : ids) {
        const std::size_t at = all.size();
        all.resize(at + reader.chunks()[id].raw);
        reader.read(id, all.data() + at);
    }
    return all;
}

/// memory.index and, from kPagesMark on, memory.bin: packing keeps all contents.
void checkPages(std::string_view text) {
    constexpr std::string_view kPagesMark = "\nmemory.bin\n";
    constexpr std::uint64_t kMostCompared = 1 << 20;
    const std::size_t end = text.find(kPagesMark);
    put(capture::kIndexFile, text.substr(0, end));
    put(capture::kPagesFile,
        end == std::string_view::npos ? "" : text.substr(end + kPagesMark.size()));
    const capture::ZlibFunctions zlib{.uncompress = uncompress, .crc32 = crc32};
    const auto packed = packPages(folderNumber(0), folderNumber(1));
    if (!packed.ok()) {
        if (packed.error().code != ErrorCode::BadData || packed.error().what.empty())
            fail("bad error", packed.error().message());
        return;
    }
    if (packed->memoryBytes > kMostCompared) return;
    const PageReader before(folderNumber(0), zlib), after(folderNumber(1), zlib);
    if (before.regions().size() != after.regions().size())
        fail("packing loses a region", std::to_string(before.regions().size()));
    for (std::size_t i = 0; i < before.regions().size(); ++i) {
        const PageReader::Region &was = before.regions()[i], &is = after.regions()[i];
        if (was.bytes != is.bytes ||
            contentsOf(before, was.before) != contentsOf(after, is.before) ||
            contentsOf(before, was.after) != contentsOf(after, is.after))
            fail("packing changes a region", std::to_string(i));
    }
}

void checkCubin(const std::string& text) {
    // A copy of exactly this size, so that the sanitizer sees a read behind it.
    const std::vector<unsigned char> bytes(text.begin(), text.end());
    (void)sourceFilesOf(bytes);
    (void)capture::cubinSymbols(bytes.data(), bytes.size());
}

/// Options in the comments of a candidate's source.
void checkOptions(const std::string& text) {
    const std::string file = put("candidate.cu", text);
    replay::ReplayOptions options;
    if (!accepted([&] {
            options = replay::ReplayOptions::parse({"check", "c.cubin", "--source", file});
            return true;
        }))
        return;
    for (const auto& shape : {options.grid, options.block, options.cluster})
        if (shape && std::ranges::count(*shape, 0U) > 0) fail("a shape has a 0", text);
    if (options.tolerance && !(*options.tolerance >= 0 && *options.tolerance <= 1))
        fail("a tolerance that is no share", text);
}

}  // namespace

/// For any bytes, as the file that their beginning suggests: no crash, and either an error with
/// text, or contents that can be written and read back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    constexpr std::size_t kMagic = sizeof capture::kIndexMagic;
    const auto begins = [&text](std::string_view with) { return text.starts_with(with); };
    if (begins({capture::kIndexMagic, kMagic})) {
        checkPages(text);
    } else if (begins({replay::written_file::kMagic, kMagic})) {
        checkFlags(text);
    } else if (begins(ELFMAG)) {
        checkCubin(text);
    } else if (begins("{")) {
        checkDescription(text);
        checkFacts(text);
    } else {
        checkOptions(text);
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"

int main(int argc, char** argv) {
    std::vector<std::string> pieces = fuzz::kJsonPieces;
    for (const char* piece : {"// roofscope:", "grid 0", "type f16", "0x1ffffffffffffff", "../"})
        pieces.emplace_back(piece);
    for (const char byte : {'\0', '\1', '\x7f'}) pieces.emplace_back(8, byte);
    return fuzz::runDamaged(argc, argv, {}, pieces, {}, 5'000);  // each writes files
}
#endif
