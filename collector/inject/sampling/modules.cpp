// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/modules.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace roofscope::inject {
namespace {

std::string pathOfProgram() {
    std::array<char, 4096> path{};
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

/// Matches names like "python3.12" and "libpython3.12.so.1.0".
bool isInterpreter(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with("python") || name.starts_with("libpython");
}

struct LoadedCounts {
    unsigned long long loaded = 0, unloaded = 0;
};

Module moduleOf(const dl_phdr_info& info) {
    Module module{.path = info.dlpi_name ? info.dlpi_name : "", .base = info.dlpi_addr};
    if (module.path.empty()) module.path = pathOfProgram();
    module.interpreter = isInterpreter(module.path);
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info.dlpi_phdr[i];
        const std::uintptr_t from = info.dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_GNU_EH_FRAME) module.unwindHeader = from;
        if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
        module.from = module.from == 0 ? from : std::min(module.from, from);
        module.to = std::max<std::uintptr_t>(module.to, from + part.p_memsz);
    }
    return module;
}

}  // namespace

bool Modules::refresh() {
    LoadedCounts now;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* counts) {
            *static_cast<LoadedCounts*>(counts) = {info->dlpi_adds, info->dlpi_subs};
            return 1;  // every entry has the counts for all, so one is enough
        },
        &now);
    if (!m_modules.empty() && now.loaded == m_loaded && now.unloaded == m_unloaded) return false;
    m_loaded = now.loaded;
    m_unloaded = now.unloaded;
    m_modules.clear();
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* list) {
            if (Module module = moduleOf(*info); module.to > module.from)
                static_cast<std::vector<Module>*>(list)->push_back(std::move(module));
            return 0;
        },
        &m_modules);
    std::ranges::sort(m_modules, {}, &Module::from);
    return true;
}

const Module* Modules::at(std::uintptr_t address) const {
    const auto after = std::ranges::upper_bound(m_modules, address, {}, &Module::from);
    if (after == m_modules.begin()) return nullptr;
    const Module& module = *std::prev(after);
    return address < module.to ? &module : nullptr;
}

}  // namespace roofscope::inject
