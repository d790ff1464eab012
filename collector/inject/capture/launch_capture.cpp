// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/capture/launch_capture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "collector/capture/captured_launch.h"
#include "collector/capture/texture_use.h"
#include "collector/inject/launches/kernel_facts.h"
#include "collector/inject/launches/launch_arguments.h"
#include "profile/files/file_size_guard.h"
#include "profile/names/peer_kernels.h"

namespace roofscope::inject {
namespace {

namespace fs = std::filesystem;

/// Bytes of parameters that a launch may have since CUDA 12.1.
constexpr std::size_t kMostCapturedParameters = 32764;
/// A multiple of kChunkBytes.
constexpr std::size_t kCopiedAtOnce = std::size_t{64} << 20;

Error refused(std::string what, std::string advice = {}) {
    return {.code = ErrorCode::Unavailable, .what = std::move(what), .advice = std::move(advice)};
}

std::string hexOf(std::span<const unsigned char> bytes) {
    std::string text;
    for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}

nlohmann::json shapeOf(const Dim3& d) { return {d.x, d.y, d.z}; }

const char* nameOf(ReachedMemory::Kind kind) {
    switch (kind) {
        case ReachedMemory::Kind::Managed:
            return "managed";
        case ReachedMemory::Kind::Host:
            return "host";
        default:
            return "device";
    }
}

}  // namespace

LaunchCapture::LaunchCapture(const DriverApi& driver, const CaptureMode& mode)
    : m_driver(driver),
      m_mode(mode),
      m_folder(fs::path(mode.folder) / fmt::format("{}{}", capture::kFolderPrefix, getpid())) {}

LaunchCapture::~LaunchCapture() { cancel(); }

void LaunchCapture::cancel() {
    if (!m_writer || m_complete) return;
    m_writer.reset();
    std::error_code ignored;
    fs::remove_all(m_folder, ignored);
}

Result<void> LaunchCapture::synchronise(const char* when) const {
    const CUresult result = m_driver.cuCtxSynchronize();
    if (result == CUDA_SUCCESS) return {};
    return refused(
        fmt::format("the GPU reported an error {}: {}", when, m_driver.describe(result)));
}

Result<void> LaunchCapture::begin(const LaunchRequest& request, const std::string& symbol,
                                  CUdevice device) {
    if (!m_driver.cuMemcpyDtoH || !m_driver.cuFuncGetModule || !m_driver.cuModuleGetGlobal ||
        !m_driver.cuPointerGetAttributes)
        return refused("this driver is too old to capture launches", "update the NVIDIA driver");
    if (waitsForPeers(symbol))
        return refused(
            "the kernel waits for other processes (NCCL, NVSHMEM), which a replay "
            "would not have");
    m_launch = {.function = realFunction(m_driver, request.function),
                .symbol = symbol,
                .grid = request.grid,
                .block = request.block,
                .cluster = request.cluster,
                .dynamicSharedBytes = request.dynamicSharedBytes,
                .cooperative = request.cooperative,
                .device = device};
    if (auto ok = readParameters(request); !ok) return ok;
    if (auto ok = takeImages(); !ok) return ok;
    if (auto ok = synchronise("before the launch"); !ok) return ok;
    std::error_code error;
    fs::create_directory(m_folder, error);
    if (error)
        return Error{
            .code = ErrorCode::CannotCreate, .what = error.message(), .where = m_folder.string()};
    m_writer = std::make_unique<capture::PageWriter>(m_folder);
    m_buffer.resize(kCopiedAtOnce);
    ReachableMemory reachable([this](std::uint64_t at) { return memoryAt(m_driver, at); });
    for (const Parameter& parameter : m_parameters) reachable.arguments(parameter.bytes);
    if (auto ok = readVariables(reachable); !ok) return ok;
    if (auto ok = readMemory(reachable); !ok) return ok;
    if (reachable.gaveUp())
        m_notes.emplace_back(
            "memory held too many numbers that could be addresses: allocations that are reached "
            "only through memory may be missing");
    return {};
}

Result<void> LaunchCapture::readParameters(const LaunchRequest& request) {
    const auto layout = allParameters(m_driver, m_launch.function, kMostCapturedParameters);
    if (!layout)
        return refused("the driver does not tell the kernel's parameters",
                       "CUDA 12.4 or later is needed");
    for (const ParameterPlace& place : *layout) {
        const unsigned char* const from = parameterBytes(request.parameters, place);
        if (!from) return refused("the launch was given no value for one of its parameters");
        m_parameters.push_back({.offset = place.offset, .bytes = {from, from + place.bytes}});
    }
    return {};
}

Result<void> LaunchCapture::takeImages() {
    m_modules = m_images.take(m_launch.symbol);
    if (m_modules.empty())
        return refused("the kernel's code was not seen when it was loaded",
                       "CUPTI does not show modules of this kind");
    for (const ModuleImages::Image& module : m_modules)
        if (capture::usesTextures(module.cubin, m_launch.symbol))
            return refused("the kernel uses textures or surfaces, which are not kept");
    return {};
}

Result<void> LaunchCapture::addRegion(const ReachedMemory& region) {
    m_bytes += region.bytes;
    if (m_bytes > m_mode.limitBytes)
        return refused(
            fmt::format("the launch can reach more than {} bytes of memory: an allocation of {} "
                        "bytes would be the next",
                        m_mode.limitBytes, region.bytes),
            "give a larger --limit");
    m_regions.push_back(region);
    m_writer->addRegion(region.bytes);
    return {};
}

template <class Use>
Result<void> LaunchCapture::read(const ReachedMemory& region, const Use& use) {
    for (std::uint64_t at = 0; at < region.bytes; at += m_buffer.size()) {
        const auto bytes =
            static_cast<std::size_t>(std::min<std::uint64_t>(m_buffer.size(), region.bytes - at));
        // The driver itself finds out whether the memory is on the host or on a GPU.
        const CUresult result = m_driver.cuMemcpyDtoH(
            m_buffer.data(), static_cast<CUdeviceptr>(region.address + at), bytes);
        if (result != CUDA_SUCCESS)
            return refused(fmt::format("memory at {:#x} could not be read: {}", region.address + at,
                                       m_driver.describe(result)));
        use(std::span<const unsigned char>(m_buffer.data(), bytes));
    }
    return {};
}

Result<void> LaunchCapture::readVariables(ReachableMemory& reachable) {
    CUmodule module = nullptr;
    if (const CUresult r = m_driver.cuFuncGetModule(&module, m_launch.function); r != CUDA_SUCCESS)
        return refused("the kernel's module is unknown: " + m_driver.describe(r));
    for (const std::string& name : m_modules.front().variables) {
        CUdeviceptr address = 0;
        std::size_t bytes = 0;
        const CUresult found = m_driver.cuModuleGetGlobal(&address, &bytes, module, name.c_str());
        // Some of these names have no address in this module: they belong to the driver or to
        // another module.
        if (found != CUDA_SUCCESS || bytes == 0) {
            m_notes.push_back(fmt::format("the module's variable {} has no address", name));
            continue;
        }
        const ReachedMemory region{.address = address, .bytes = bytes};
        m_variables.push_back({.name = name, .region = m_regions.size()});
        if (auto ok = addRegion(region); !ok) return ok;
        const std::size_t number = m_regions.size() - 1;
        auto ok = read(region, [&](std::span<const unsigned char> piece) {
            m_writer->before(number, piece);
            reachable.arguments(piece);
        });
        if (!ok) return ok;
    }
    return {};
}

Result<void> LaunchCapture::readMemory(ReachableMemory& reachable) {
    while (const auto region = reachable.next()) {
        // Variables of the module are found by address as well, but their address may change.
        const auto isVariable = [&](const Variable& v) {
            const ReachedMemory& r = m_regions[v.region];
            return r.address >= region->address && r.address - region->address < region->bytes;
        };
        if (const auto v = std::ranges::find_if(m_variables, isVariable); v != m_variables.end()) {
            m_notes.push_back(fmt::format(
                "memory or arguments hold the address of the module's variable {}, which may get "
                "another one in a replay",
                v->name));
            continue;
        }
        if (region->kind == ReachedMemory::Kind::Device && region->device != m_launch.device)
            return refused(
                fmt::format("the launch can reach memory of another GPU ({})", region->device),
                "only memory of the GPU that runs the kernel can be captured");
        if (region->kind == ReachedMemory::Kind::Host)
            m_notes.push_back(fmt::format(
                "memory at {:#x} is the host's; a replay has it on the GPU, so its times differ",
                region->address));
        if (auto ok = addRegion(*region); !ok) return ok;
        const std::size_t number = m_regions.size() - 1;
        auto ok = read(*region, [&](std::span<const unsigned char> piece) {
            m_writer->before(number, piece);
            reachable.contents(piece);
        });
        if (!ok) return ok;
    }
    return {};
}

Result<void> LaunchCapture::end() {
    if (auto ok = synchronise("after the launch"); !ok) return ok;
    for (std::size_t i = 0; i < m_regions.size(); ++i) {
        auto ok = read(m_regions[i],
                       [&](std::span<const unsigned char> piece) { m_writer->after(i, piece); });
        if (!ok) return ok;
    }
    if (auto ok = m_writer->finish(); !ok) return ok;
    const FileSizeGuard guard;
    for (std::size_t i = 0; i < m_modules.size(); ++i) {
        const auto& cubin = m_modules[i].cubin;
        const fs::path path = m_folder / fmt::format("{}{}.cubin", capture::kModulePrefix, i);
        std::ofstream file(path, std::ios::binary);
        file.write(reinterpret_cast<const char*>(cubin.data()),
                   static_cast<std::streamsize>(cubin.size()));
        if (!file.flush())
            return Error{.code = ErrorCode::Io, .what = "cannot be written", .where = path};
    }
    if (auto ok = writeFacts(); !ok) return ok;
    m_complete = true;
    return {};
}

Result<void> LaunchCapture::writeFacts() const {
    using Json = nlohmann::json;
    const auto attribute = [&](CUfunction_attribute which) {
        int value = 0;
        return m_driver.cuFuncGetAttribute(&value, which, m_launch.function) == CUDA_SUCCESS
                   ? Json(value)
                   : Json(nullptr);
    };
    Json parameters = Json::array(), memory = Json::array(), variables = Json::array(),
         modules = Json::array();
    for (const Parameter& p : m_parameters)
        parameters.push_back(
            {{"offset", p.offset}, {"bytes", p.bytes.size()}, {"value", hexOf(p.bytes)}});
    for (const ReachedMemory& r : m_regions)
        memory.push_back({{"address", fmt::format("{:#x}", r.address)},
                          {"bytes", r.bytes},
                          {"kind", nameOf(r.kind)}});
    for (const Variable& v : m_variables)
        variables.push_back({{"name", v.name}, {"region", v.region}});
    for (std::size_t i = 0; i < m_modules.size(); ++i)
        modules.push_back(fmt::format("{}{}.cubin", capture::kModulePrefix, i));
    const Device device = m_driver.deviceFacts(m_launch.device);
    const Json facts{
        {"symbol", m_launch.symbol},
        {"grid", shapeOf(m_launch.grid)},
        {"block", shapeOf(m_launch.block)},
        {"cluster", m_launch.cluster ? shapeOf(*m_launch.cluster) : Json(nullptr)},
        {"dynamic_shared_bytes", m_launch.dynamicSharedBytes},
        {"cooperative", m_launch.cooperative},
        {"gpu", device.name},
        {"compute", {device.computeMajor, device.computeMinor}},
        {"registers", attribute(CU_FUNC_ATTRIBUTE_NUM_REGS)},
        {"static_shared_bytes", attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)},
        {"local_bytes", attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)},
        {"max_dynamic_shared_bytes", attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)},
        {"shared_carveout", attribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)},
        {"nonportable_cluster", attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)},
        {"parameters", parameters},
        {"modules", modules},
        {"variables", variables},
        {"memory", memory},
        {"notes", m_notes}};
    const fs::path path = m_folder / capture::kCaptureFile;
    const fs::path partial = path.string() + ".partial";
    std::ofstream file(partial, std::ios::binary);
    file << facts.dump(1, ' ', false, Json::error_handler_t::replace);
    file.close();
    std::error_code error;
    if (file) fs::rename(partial, path, error);
    if (!file || error)
        return Error{.code = ErrorCode::Io, .what = "cannot be written", .where = path.string()};
    return {};
}

}  // namespace roofscope::inject
