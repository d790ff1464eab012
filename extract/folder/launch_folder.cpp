// SPDX-License-Identifier: Apache-2.0
#include "extract/folder/launch_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "collector/capture/captured_launch.h"
#include "extract/driver/launch_description.h"
#include "extract/folder/candidate_text.h"
#include "extract/folder/driver_source.h"
#include "extract/folder/folder_texts.h"
#include "extract/folder/kernel_source.h"
#include "extract/folder/scratch_folder.h"
#include "profile/codec/codec.h"
#include "profile/files/output_file.h"
#include "profile/names/function_name.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Result<std::string> contentsOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{
            .code = ErrorCode::NoInput, .what = "cannot be opened", .where = path.string()};
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

/// The contents of launch.json: the facts of the capture, and those that only roofscope knows.
Result<Json> factsOf(const ExtractedLaunch& launch) {
    const fs::path path = launch.capture / capture::kCaptureFile;
    const auto text = contentsOf(path);
    if (!text) return text.error();
    Json facts = Json::parse(*text, nullptr, false);
    if (facts.is_discarded() || !facts.is_object())
        return Error{.code = ErrorCode::BadData, .what = "is damaged", .where = path.string()};
    facts["format"] = replay::LaunchDescription::kFormat;
    facts["version"] = replay::LaunchDescription::kVersion;
    facts["name"] = launch.name;
    facts["program_ns"] =
        launch.programTime ? Json(launch.programTime->value * 1e9) : Json(nullptr);
    return facts;
}

/// Writes the files of a folder and remembers the first error.
class FolderWriter {
public:
    explicit FolderWriter(fs::path folder) : m_folder(std::move(folder)) {}

    void write(const std::string& name, std::string_view text, bool executable = false) {
        if (!m_result) return;
        const fs::path path = m_folder / name;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        m_result = writeFileAtomically(path, text);
        if (m_result && executable)
            fs::permissions(path,
                            fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                            fs::perm_options::add, error);
    }
    void copy(const fs::path& from) {
        if (!m_result) return;
        std::error_code error;
        fs::copy_file(from, m_folder / from.filename(), error);
        if (error)
            m_result =
                Error{.code = ErrorCode::Io, .what = error.message(), .where = from.string()};
    }
    [[nodiscard]] const Result<void>& result() const { return m_result; }

private:
    fs::path m_folder;
    Result<void> m_result;
};

/// Writes kernel.cu and the files beside it: the kernel's source if it can be read.
SourceKnown writeKernel(FolderWriter& files, const replay::LaunchDescription& description,
                        const fs::path& capture, std::vector<std::string>& notes) {
    std::vector<std::string> named;
    for (const std::string& module : description.modules)
        if (const auto cubin = contentsOf(capture / module)) {
            const auto* const bytes = reinterpret_cast<const unsigned char*>(cubin->data());
            for (std::string& file : sourceFilesOf({bytes, cubin->size()}))
                named.push_back(std::move(file));
        }
    const auto source = findKernelSource(named, functionBaseName(description.name));
    if (source && source->language == KernelSource::Language::Cuda) {
        files.write("kernel.cu", sourceCandidate(description, *source));
        files.write("start.py", pythonCandidate(description, false));
        const SourceHeaders headers = headersOf(*source);
        for (const auto& [name, text] : headers.files) files.write(name, text);
        for (const std::string& name : headers.missing)
            notes.push_back(fmt::format("kernel.cu includes \"{}\", which was not found", name));
        return SourceKnown::Cuda;
    }
    if (source) files.write("kernel.py", source->text);
    files.write("kernel.cu", signatureCandidate(description, source.has_value()));
    files.write("start.py", pythonCandidate(description, source.has_value()));
    return source ? SourceKnown::Python : SourceKnown::No;
}

}  // namespace

std::optional<fs::path> findCapture(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().filename().string().starts_with(capture::kFolderPrefix) &&
            fs::exists(entry.path() / capture::kCaptureFile, error))
            found.push_back(entry.path());
    if (found.empty()) return {};
    return *std::ranges::min_element(found);
}

Result<WrittenFolder> writeLaunchFolder(const ExtractedLaunch& launch, const fs::path& folder) {
    auto facts = factsOf(launch);
    if (!facts) return facts.error();
    std::string json = facts->dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    replay::LaunchDescription description;
    try {
        description = replay::LaunchDescription::parse(json);
    } catch (const std::exception& error) {
        return Error{.code = ErrorCode::BadData,
                     .what = error.what(),
                     .where = (launch.capture / capture::kCaptureFile).string()};
    }
    // The types are for Python; the driver needs only sizes.
    const auto types = pythonTypes(description);
    for (std::size_t i = 0; i < types.size(); ++i)
        if (!types[i].empty()) (*facts)["parameters"][i]["type"] = types[i];
    json = facts->dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    ScratchFolder partial(folder);
    if (!partial.path()) return partial.path().error();
    auto packed = packPages(launch.capture, *partial.path());
    if (!packed) return packed.error();
    WrittenFolder written{.memory = *packed};
    for (const Json& note : (*facts)["notes"])
        if (note.is_string()) written.notes.push_back(note.get<std::string>());
    FolderWriter files(*partial.path());
    files.write(replay::LaunchDescription::kFile, json);
    files.write("candidate_runner.py", pythonRunner());
    for (const std::string& module : description.modules) files.copy(launch.capture / module);
    files.write("replay.cpp", driverSource());
    files.write("check", checkScript(), true);
    files.write("arch", architectureOf(description) + "\n");
    const SourceKnown source = writeKernel(files, description, launch.capture, written.notes);
    files.write("report.md", launch.report);
    files.write("TASK.md", taskText(description, source));
    files.write("README.md", readmeText(description, written.notes));
    if (!files.result()) return files.result().error();
    if (launch.profile)
        if (auto ok = writeProfile(*launch.profile, *partial.path() / kFolderProfile); !ok)
            return ok.error();
    if (auto ok = partial.becomeWanted(); !ok) return ok.error();
    return written;
}

}  // namespace roofscope
