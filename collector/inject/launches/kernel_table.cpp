// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collector/configuration/run_configuration.h"
#include "profile/names/peer_kernels.h"

namespace roofscope::inject {

const KernelTable::Known& KernelTable::kernel(const LaunchRequest& request) {
    const auto it = m_byHandle.find(request.function);
    if (it != m_byHandle.end()) return it->second;
    // Names are reused (Triton's variants, a reloaded module), so kernels are the same only if both
    // their names and their resources are.
    const Kernel k = kernelFacts(m_driver, request);
    const auto number = [](const std::optional<std::uint32_t>& v) { return v ? *v + 1 : 0; };
    const std::string key = fmt::format("{}|{}|{}|{}|{}|{}", k.symbol, number(k.registersPerThread),
                                        number(k.staticSharedBytes), number(k.localBytesPerThread),
                                        number(k.maxThreadsPerBlock), number(k.binaryVersion));
    const auto [id, isNew] = m_ids.try_emplace(key, static_cast<std::uint32_t>(m_ids.size()));
    if (isNew) m_spool.kernel(id->second, k);
    return m_byHandle[request.function] = {.id = id->second,
                                           .name = k.name,
                                           .symbol = k.symbol,
                                           .signature = kernelSignature(k.symbol),
                                           .cluster = compiledCluster(m_driver, request.function),
                                           .waitsForPeers = waitsForPeers(k.symbol)};
}

std::optional<std::uint32_t> KernelTable::residentBlocks(const Known& kernel,
                                                         const LaunchRequest& request) {
    std::vector<Resident>& shapes = kernel.resident;
    const std::uint64_t threads = request.block.total();
    const auto known = std::ranges::find_if(shapes, [&](const Resident& r) {
        return r.threads == threads && r.sharedBytes == request.dynamicSharedBytes;
    });
    if (known != shapes.end())
        std::swap(*known, shapes.front());
    else
        shapes.insert(shapes.begin(), {.threads = threads,
                                       .sharedBytes = request.dynamicSharedBytes,
                                       .blocks = inject::residentBlocks(m_driver, request)});
    return shapes.front().blocks;
}

void KernelTable::forgetHandles() { m_byHandle.clear(); }

}  // namespace roofscope::inject
