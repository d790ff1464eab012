// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/kept_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "profile/files/file_size_guard.h"

namespace roofscope::inject {
namespace {

/// Limit of the code that is kept. Lines are missing for the rest.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

}  // namespace

std::string cubinName(const SpoolWriter& spool, std::uint32_t kernel) {
    return fmt::format("{}-kernel-{}.cubin", spool.name(), kernel);
}

void KeptCode::moduleLoaded(const void* cubin, std::size_t bytes) {
    const std::lock_guard lock(m_mutex);
    if (m_over || !cubin || bytes == 0 || m_bytes + bytes > kMostBytes) return;
    const auto* first = static_cast<const char*>(cubin);
    m_modules.emplace_back(first, first + bytes);
    m_bytes += bytes;
    m_last.reset();
}

void KeptCode::forget() {
    const std::lock_guard lock(m_mutex);
    m_over = true;
    m_modules.clear();
    m_last.reset();
}

void KeptCode::write(std::uint64_t checksum, const std::string& symbol,
                     SourceRecord& record) const {
    const std::lock_guard lock(m_mutex);
    const Module* const module = find(checksum);
    if (!module) return;
    // Kernel ids are per process, but all processes share the folder.
    const std::string name = cubinName(m_spool, record.kernel);
    const FileSizeGuard guard;
    std::ofstream file(m_folder + "/" + name, std::ios::binary);
    file.write(module->data(), static_cast<std::streamsize>(module->size()));
    if (!file.flush()) return;
    record.cubin = name;
    record.function = symbol;
}

void KeptCode::addLine(std::uint64_t checksum, const std::string& symbol, SourceRecord::Row& row,
                       std::vector<std::string>& files) const {
    const std::lock_guard lock(m_mutex);
    const Module* const module = find(checksum);
    if (!module) return;
    CUpti_GetSassToSourceCorrelationParams p{};
    p.size = CUpti_GetSassToSourceCorrelationParamsSize;
    p.cubin = module->data();
    p.cubinSize = module->size();
    p.functionName = symbol.c_str();
    p.pcOffset = row.offset;
    if (m_cupti.GetSassToSourceCorrelation(&p) == CUPTI_SUCCESS) {
        const std::string folder = p.dirName ? p.dirName : "", name = p.fileName ? p.fileName : "";
        const std::string path =
            folder.empty() || name.starts_with('/') ? name : folder + "/" + name;
        row.line = p.lineNumber;
        if (row.line > 0 && !path.empty()) {
            const auto known = std::ranges::find(files, path);
            row.file = static_cast<std::uint32_t>(known - files.begin());
            if (known == files.end()) files.push_back(path);
        }
    }
    std::free(p.fileName);
    std::free(p.dirName);
}

const KeptCode::Module* KeptCode::find(std::uint64_t checksum) const {
    if (m_last && m_last->first == checksum) return m_last->second;
    const auto has = [&](const Module& module) {
        CUpti_GetCubinCrcParams crc{};
        crc.size = CUpti_GetCubinCrcParamsSize;
        crc.cubin = module.data();
        crc.cubinSize = module.size();
        return m_cupti.GetCubinCrc(&crc) == CUPTI_SUCCESS && crc.cubinCrc == checksum;
    };
    const auto found = std::ranges::find_if(m_modules, has);
    m_last = {checksum, found == m_modules.end() ? nullptr : &*found};
    return m_last->second;
}

}  // namespace roofscope::inject
