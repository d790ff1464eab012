// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/cuda_calls.h"

#include <algorithm>
#include <array>
#include <utility>

namespace roofscope::traces {
namespace {

using NamedKind = std::pair<std::string_view, CallKind>;

/// How a name continues after "cuda" or "cu". The first match counts.
constexpr std::array kBeginnings{
    NamedKind{"LaunchHostFunc", CallKind::Other},
    NamedKind{"Launch", CallKind::Launch},
    NamedKind{"GraphLaunch", CallKind::GraphLaunch},
    NamedKind{"DeviceSynchronize", CallKind::Wait},
    NamedKind{"ThreadSynchronize", CallKind::Wait},
    NamedKind{"StreamSynchronize", CallKind::Wait},
    NamedKind{"EventSynchronize", CallKind::Wait},
    NamedKind{"CtxSynchronize", CallKind::Wait},
    NamedKind{"Memcpy", CallKind::Transfer},
    NamedKind{"Memset", CallKind::Transfer},
    NamedKind{"MemPrefetchAsync", CallKind::Transfer},
    NamedKind{"Malloc", CallKind::Allocate},
    NamedKind{"HostAlloc", CallKind::Allocate},
    NamedKind{"HostRegister", CallKind::Allocate},
    NamedKind{"HostUnregister", CallKind::Free},
    NamedKind{"MemAlloc", CallKind::Allocate},
    NamedKind{"MemHostAlloc", CallKind::Allocate},
    NamedKind{"MemHostRegister", CallKind::Allocate},
    NamedKind{"MemCreate", CallKind::Allocate},
    NamedKind{"MemMap", CallKind::Allocate},
    NamedKind{"MemSetAccess", CallKind::Allocate},
    NamedKind{"MemAddressReserve", CallKind::Allocate},
    NamedKind{"MemPoolCreate", CallKind::Allocate},
    NamedKind{"Free", CallKind::Free},
    NamedKind{"MemFree", CallKind::Free},
    NamedKind{"MemHostUnregister", CallKind::Free},
    NamedKind{"MemUnmap", CallKind::Free},
    NamedKind{"MemRelease", CallKind::Free},
    NamedKind{"MemAddressFree", CallKind::Free},
    NamedKind{"MemPoolDestroy", CallKind::Free},
    NamedKind{"MemPoolTrimTo", CallKind::Free},
    NamedKind{"ModuleLoad", CallKind::Load},
    NamedKind{"ModuleUnload", CallKind::Load},
    NamedKind{"ModuleGetFunction", CallKind::Load},
    NamedKind{"LibraryLoad", CallKind::Load},
    NamedKind{"LibraryUnload", CallKind::Load},
    NamedKind{"LibraryGetKernel", CallKind::Load},
    NamedKind{"KernelGetFunction", CallKind::Load},
    NamedKind{"FuncLoad", CallKind::Load},
    NamedKind{"LinkAdd", CallKind::Load},
    NamedKind{"LinkComplete", CallKind::Load},
    NamedKind{"GraphInstantiate", CallKind::Graph},
    NamedKind{"GraphUpload", CallKind::Graph},
    NamedKind{"GraphExecUpdate", CallKind::Graph},
    NamedKind{"StreamBeginCapture", CallKind::Graph},
    NamedKind{"StreamEndCapture", CallKind::Graph},
};

MemoryKind memoryNamed(std::string_view name) {
    if (name == "Pageable") return MemoryKind::Pageable;
    if (name == "Pinned") return MemoryKind::Pinned;
    if (name == "Device" || name == "Device Static" || name == "Array") return MemoryKind::Device;
    if (name == "Managed" || name == "Managed Static") return MemoryKind::Managed;
    return MemoryKind::Unknown;
}

}  // namespace

CallKind kindOfCall(std::string_view name) {
    // CUPTI's names for the overhead of loading code.
    for (const std::string_view load :
         {"Runtime Triggered Module Loading", "Lazy Function Loading", "Driver Compiler"})
        if (name == load) return CallKind::Load;
    if (name.starts_with("cuda"))
        name.remove_prefix(4);
    else if (name.starts_with("cu"))
        name.remove_prefix(2);
    else
        return CallKind::Other;
    const auto found = std::ranges::find_if(
        kBeginnings, [&](const NamedKind& entry) { return name.starts_with(entry.first); });
    return found == kBeginnings.end() ? CallKind::Other : found->second;
}

TransferName transferNamed(std::string_view name) {
    if (name.starts_with("Memset")) return {.kind = TransferKind::Memset};
    TransferName result;
    constexpr std::string_view kMemcpy = "Memcpy ";
    if (!name.starts_with(kMemcpy)) return result;
    name.remove_prefix(kMemcpy.size());
    constexpr std::pair<std::string_view, TransferKind> kWays[] = {
        {"HtoD", TransferKind::HostToDevice},   {"HtoA", TransferKind::HostToDevice},
        {"DtoH", TransferKind::DeviceToHost},   {"AtoH", TransferKind::DeviceToHost},
        {"DtoD", TransferKind::OnDevice},       {"AtoA", TransferKind::OnDevice},
        {"AtoD", TransferKind::OnDevice},       {"DtoA", TransferKind::OnDevice},
        {"PtoP", TransferKind::BetweenDevices}, {"HtoH", TransferKind::HostToHost},
    };
    for (const auto& [way, kind] : kWays)
        if (name.starts_with(way)) result.kind = kind;
    const std::size_t open = name.find('('), arrow = name.find(" -> "), close = name.rfind(')');
    if (open == name.npos || arrow == name.npos || close == name.npos || arrow < open ||
        close < arrow + 4)
        return result;
    result.source = memoryNamed(name.substr(open + 1, arrow - open - 1));
    result.target = memoryNamed(name.substr(arrow + 4, close - arrow - 4));
    return result;
}

}  // namespace roofscope::traces
