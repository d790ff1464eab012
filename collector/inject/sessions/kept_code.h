// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/cupti/cupti_api.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// The name of the file for the code of a kernel.
[[nodiscard]] std::string cubinName(const SpoolWriter& spool, std::uint32_t kernel);

/// The modules that a process loads, kept for the source lines and the disassembly of its kernels.
/// May be used from any thread.
class KeptCode {
public:
    /// `folder` is that of the spool, and receives the cubins of kernels.
    KeptCode(const CuptiApi& cupti, SpoolWriter& spool, std::string folder)
        : m_cupti(cupti), m_spool(spool), m_folder(std::move(folder)) {}

    void moduleLoaded(const void* cubin, std::size_t bytes);
    /// Nothing is kept any more.
    void forget();

    /// Writes the module with this checksum into the folder as the code of the kernel `symbol`, and
    /// enters the file's name in the record. Does nothing if the module was not kept or cannot be
    /// written.
    void write(std::uint64_t checksum, const std::string& symbol, SourceRecord& record) const;
    /// Sets a row's source line, found by the row's offset in the kernel `symbol` of that module.
    /// Does nothing if the line is unknown.
    void addLine(std::uint64_t checksum, const std::string& symbol, SourceRecord::Row& row,
                 std::vector<std::string>& files) const;

private:
    using Module = std::vector<char>;
    /// The kept module with this checksum, or nullptr. Call it with m_mutex held.
    [[nodiscard]] const Module* find(std::uint64_t checksum) const;

    const CuptiApi& m_cupti;
    SpoolWriter& m_spool;
    std::string m_folder;
    mutable std::mutex m_mutex;
    std::vector<Module> m_modules;
    std::size_t m_bytes = 0;
    bool m_over = false;
    /// The last checksum that was asked for, and its module or nullptr: all rows of a kernel are in
    /// the same module, and searching takes time.
    mutable std::optional<std::pair<std::uint64_t, const Module*>> m_last;
};

}  // namespace roofscope::inject
