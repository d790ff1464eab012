// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/capture/module_images.h"

#include <algorithm>
#include <utility>

#include "collector/capture/cubin_symbols.h"

namespace roofscope::inject {

void ModuleImages::loaded(const void* cubin, std::size_t bytes) {
    const std::lock_guard lock(m_mutex);
    if (m_taken || !cubin || bytes == 0 || bytes > kMostBytes - m_bytes) return;
    const auto* const first = static_cast<const unsigned char*>(cubin);
    m_cubins.emplace_back(first, first + bytes);
    m_bytes += bytes;
}

std::vector<ModuleImages::Image> ModuleImages::take(std::string_view symbol) {
    const std::lock_guard lock(m_mutex);
    m_taken = true;
    std::vector<Image> found;
    for (auto cubin = m_cubins.rbegin(); cubin != m_cubins.rend(); ++cubin) {
        if (std::ranges::find(found, *cubin, &Image::cubin) != found.end()) continue;
        auto symbols = capture::cubinSymbols(cubin->data(), cubin->size());
        if (std::ranges::find(symbols.kernels, symbol) == symbols.kernels.end()) continue;
        found.push_back({std::move(*cubin), std::move(symbols.variables)});
    }
    m_cubins.clear();
    return found;
}

}  // namespace roofscope::inject
