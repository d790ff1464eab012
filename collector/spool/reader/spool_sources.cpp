// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/reader/spool_sources.h"

#include <stdexcept>

#include "collector/spool/reader/spool_file.h"

namespace roofscope {

using namespace spool;

namespace {

/// Adds the next instruction of a pass.
void addInstruction(SourcePass& pass, Instruction instruction) {
    if (!pass.instructions.empty() && instruction.offset <= pass.instructions.back().offset)
        throw std::invalid_argument("offsets must grow");
    pass.instructions.push_back(std::move(instruction));
}

/// Adds a row of values to the columns.
template <class Number>
void addRow(std::vector<std::vector<double>>& columns, const std::vector<Number>& values) {
    if (values.size() != columns.size()) throw std::invalid_argument("values are missing");
    for (std::size_t c = 0; c < columns.size(); ++c)
        columns[c].push_back(static_cast<double>(values[c]));
}

void setColumns(SourcePass& pass, const std::vector<std::string>& names,
                std::vector<std::vector<double>> columns) {
    pass.counters.resize(pass.instructions.size());
    for (std::size_t c = 0; c < names.size(); ++c)
        pass.counters.addColumn(names[c], std::move(columns[c]));
}

}  // namespace

void SpoolSources::take(const SourceRecord& record) {
    SourcePass pass;
    pass.kernel = m_ids.kernels.at(record.kernel);
    pass.files = record.files;
    std::vector<std::vector<double>> columns(record.metrics.size());
    for (const SourceRecord::Row& row : record.rows) {
        if (row.file && *row.file >= pass.files.size()) throw std::invalid_argument("no such file");
        addInstruction(pass, {.offset = row.offset, .file = row.file, .line = row.line});
        addRow(columns, row.values);
    }
    setColumns(pass, record.metrics, std::move(columns));
    noteCode(record.cubin, record.function);
    add(record.sequence, std::move(pass));
}

void SpoolSources::take(const SampleRecord& record) {
    SourcePass pass;
    pass.kernel = m_ids.kernels.at(record.kernel);
    std::vector<std::vector<double>> columns(record.reasons.size());
    for (const SampleRecord::Row& row : record.rows) {
        addInstruction(pass, {.offset = row.offset});
        addRow(columns, row.samples);
    }
    setColumns(pass, record.reasons, std::move(columns));
    add(record.sequence, std::move(pass));
}

void SpoolSources::add(std::uint64_t sequence, SourcePass pass) {
    m_passes.emplace_back(sequence, m_ids.profile.sources.size());
    m_ids.profile.sources.push_back(std::move(pass));
}

void SpoolSources::noteCode(const std::string& cubin, const std::string& function) {
    // Only a regular file, so that a disassembler cannot block on it.
    if (m_folder.empty() || cubin.empty() || cubin.find('/') != std::string::npos ||
        !SpoolFile::open(m_folder / cubin))
        return;
    m_code.push_back(
        {.source = m_ids.profile.sources.size(), .cubin = m_folder / cubin, .function = function});
}

void SpoolSources::finish(const SpoolLaunches& launches) {
    for (const auto& [sequence, index] : m_passes) {
        SourcePass& pass = m_ids.profile.sources[index];
        pass.launch = launches.rowOf(sequence, pass.kernel);
    }
}

}  // namespace roofscope
