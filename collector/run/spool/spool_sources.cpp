// SPDX-License-Identifier: Apache-2.0
#include "collector/run/spool/spool_sources.h"

#include <stdexcept>

#include "collector/run/spool/spool_file.h"
#include "collector/run/tools/disassembly.h"

namespace roofscope {

using namespace spool;

namespace {

Instruction instructionAt(const SourcePass& pass, const Json& offset) {
    Instruction i{.offset = whole<std::uint32_t>(offset)};
    if (!pass.instructions.empty() && i.offset <= pass.instructions.back().offset)
        throw std::invalid_argument("offsets must grow");
    return i;
}

/// Adds a row of values to the columns.
template <class Number>
void addRow(std::vector<std::vector<double>>& columns, const Json& values, const Number& number) {
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(number(values.at(c)));
}

void setColumns(SourcePass& pass, const std::vector<std::string>& names,
                std::vector<std::vector<double>> columns) {
    pass.counters.resize(pass.instructions.size());
    for (std::size_t c = 0; c < names.size(); ++c)
        pass.counters.addColumn(names[c], std::move(columns[c]));
}

}  // namespace

bool SpoolSources::apply(std::string_view type, const Json& json) {
    if (type == "source")
        counters(json);
    else if (type == "samples")
        samples(json);
    else
        return false;
    return true;
}

void SpoolSources::counters(const Json& json) {
    SourcePass pass;
    pass.kernel = m_ids.kernels.at(whole<std::uint32_t>(json, "k"));
    pass.files = json.at("files").get<std::vector<std::string>>();
    const auto metrics = json.at("metrics").get<std::vector<std::string>>();
    std::vector<std::vector<double>> columns(metrics.size());
    for (const Json& row : json.at("rows")) {
        Instruction i = instructionAt(pass, row.at(0));
        i.line = whole<std::uint32_t>(row.at(2));
        if (const auto file = integer(row.at(1)); file >= 0) {
            if (static_cast<std::size_t>(file) >= pass.files.size())
                throw std::invalid_argument("no such file");
            i.file = static_cast<std::uint32_t>(file);
        }
        pass.instructions.push_back(std::move(i));
        addRow(columns, row.at(3), numberOrMissing);
    }
    setColumns(pass, metrics, std::move(columns));
    addCode(pass, json.value("cubin", ""), json.value("function", ""));
    addSourceTexts(pass);
    add(json, std::move(pass));
}

void SpoolSources::samples(const Json& json) {
    SourcePass pass;
    pass.kernel = m_ids.kernels.at(whole<std::uint32_t>(json, "k"));
    const auto reasons = json.at("reasons").get<std::vector<std::string>>();
    std::vector<std::vector<double>> columns(reasons.size());
    for (const Json& row : json.at("rows")) {
        pass.instructions.push_back(instructionAt(pass, row.at(0)));
        addRow(columns, row.at(1), [](const Json& samples) {
            return static_cast<double>(whole<std::uint64_t>(samples));
        });
    }
    setColumns(pass, reasons, std::move(columns));
    add(json, std::move(pass));
}

void SpoolSources::add(const Json& json, SourcePass pass) {
    m_passes.emplace_back(count(json, "n"), m_ids.profile.sources.size());
    m_ids.profile.sources.push_back(std::move(pass));
}

void SpoolSources::addCode(SourcePass& pass, const std::string& cubin,
                           const std::string& function) {
    // Only a regular file, so that the disassembler cannot block on it.
    if (m_folder.empty() || cubin.empty() || cubin.find('/') != std::string::npos ||
        !SpoolFile::open(m_folder / cubin))
        return;
    const auto disassembler = findDisassembler();
    std::string why = "nvdisasm was not found";
    if (!disassembler.empty()) {
        auto sass = disassemble(disassembler, m_folder / cubin, function);
        if (sass) return addDisassembly(pass, *sass);
        why = sass.error().message();
    }
    m_ids.profile.issues.push_back(
        {.severity = Severity::Info,
         .source = "record",
         .code = "no-disassembly",
         .message = "instructions are known by offset only: " + why,
         .advice = "install the CUDA toolkit's nvdisasm, or set ROOFSCOPE_NVDISASM to it"});
}

void SpoolSources::finish(const SpoolLaunches& launches) {
    for (const auto& [sequence, index] : m_passes) {
        SourcePass& pass = m_ids.profile.sources[index];
        pass.launch = launches.rowOf(sequence, pass.kernel);
    }
}

}  // namespace roofscope
