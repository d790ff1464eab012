// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax/softmax.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/buffer_sets.h"
#include "kernels/check_output.h"
#include "kernels/counters.h"
#include "kernels/dram_expectation.h"
#include "kernels/patterns/refusals.h"
#include "kernels/random_values.h"

namespace roofscope::kernels::softmax {
namespace {

Case rowsCase(std::int64_t rows, std::int64_t columns) {
    return {.shape = {{"rows", rows}, {"cols", columns}}, .dtype = DType::F32};
}

class SoftmaxInstance final : public Instance {
public:
    SoftmaxInstance(const Case& c, std::uint64_t seed, Launcher launch, bool scratch)
        : m_launch(launch),
          m_rows(static_cast<std::size_t>(c.shape.at("rows"))),
          m_columns(static_cast<std::size_t>(c.shape.at("cols"))),
          m_minimum(8.0 * static_cast<double>(m_rows * m_columns)),
          m_sets(rotationSets(m_minimum)),
          m_x(RandomValues(seed, 1).floats(m_rows * m_columns, -8.0F, 8.0F)),
          m_deviceX(m_x.size(), m_sets),
          m_deviceOut(m_x.size(), m_sets) {
        // Rows at different levels: if the maximum were not subtracted, exp would overflow in some.
        RandomValues levels(seed, 2);
        for (std::size_t r = 0; r < m_rows; ++r) {
            const float level = levels.uniform(-200.0F, 200.0F);
            for (std::size_t i = r * m_columns; i < (r + 1) * m_columns; ++i) m_x[i] += level;
        }
        m_deviceX.upload(m_x);
        for (int i = 0; scratch && i < 2; ++i) {
            m_scratch[i].emplace(m_x.size(), 1);
            m_rowScratch[i].emplace(m_rows, 1);
        }
    }

    void launch(Stream stream) override {
        m_launch({.x = m_deviceX.get(m_set),
                  .out = m_deviceOut.get(m_set),
                  .scratch = {at(m_scratch[0]), at(m_scratch[1])},
                  .rowScratch = {at(m_rowScratch[0]), at(m_rowScratch[1])},
                  .rows = static_cast<std::int64_t>(m_rows),
                  .columns = static_cast<int>(m_columns)},
                 stream);
    }
    void poisonOutputs() override {
        m_deviceOut.poison(m_set);
        for (auto* buffers : {&m_scratch, &m_rowScratch})
            for (auto& buffer : *buffers)
                if (buffer) buffer->poison(0);
    }
    Bytes minimumBytes() const override { return {m_minimum}; }
    void rotate() override { m_set = (m_set + 1) % m_sets; }

    Check verify() override {
        return checkOutput(m_deviceOut, m_set, reference(),
                           {&m_scratch[0], &m_scratch[1], &m_rowScratch[0], &m_rowScratch[1]},
                           [this](std::size_t i) {
                               return "r=" + std::to_string(i / m_columns) +
                                      ",c=" + std::to_string(i % m_columns);
                           });
    }

private:
    using Scratch = std::optional<BufferSets<float>>;
    static float* at(const Scratch& scratch) { return scratch ? scratch->get(0) : nullptr; }

    [[nodiscard]] std::vector<double> reference() const {
        std::vector<double> out(m_x.size());
        for (std::size_t r = 0; r < m_rows; ++r) {
            const std::size_t begin = r * m_columns, end = begin + m_columns;
            const double most = *std::max_element(m_x.data() + begin, m_x.data() + end);
            double sum = 0;
            for (std::size_t i = begin; i < end; ++i) sum += out[i] = std::exp(m_x[i] - most);
            for (std::size_t i = begin; i < end; ++i) out[i] /= sum;
        }
        return out;
    }

    Launcher m_launch;
    std::size_t m_rows, m_columns;
    double m_minimum;
    int m_sets, m_set = 0;
    std::vector<float> m_x;
    BufferSets<float> m_deviceX, m_deviceOut;
    Scratch m_scratch[2], m_rowScratch[2];
};

}  // namespace

std::vector<Case> softmaxCases() { return {rowsCase(16384, 4096), rowsCase(8192, 8192)}; }

std::vector<Case> softmaxVerifyCases() {
    return {rowsCase(65, 4096), rowsCase(33, 8192),  rowsCase(1, 1),     rowsCase(7, 3),
            rowsCase(13, 33),   rowsCase(300, 1000), rowsCase(17, 1023), rowsCase(9, 4097),
            rowsCase(5, 8196),  rowsCase(3, 32768),  rowsCase(2, 32767), rowsCase(1000, 4)};
}

std::string refuseLongRows(const Case& c, std::int64_t maxColumns) {
    return patterns::firstOf(patterns::refuseOtherTypes(c, DType::F32),
                             patterns::refuseOutside(c, "cols", 1, maxColumns),
                             patterns::refuseOutside(c, "rows", 1, std::int64_t{1} << 28));
}

std::string softmaxRefusal(const Case& c) { return refuseLongRows(c, kMaxColumns); }

std::unique_ptr<Instance> makeSoftmaxInstance(const Case& c, std::uint64_t seed, Launcher launch,
                                              bool scratch) {
    return std::make_unique<SoftmaxInstance>(c, seed, launch, scratch);
}

AccessCounts tallyRowOnce(std::int64_t row, int columns, int threads) {
    const int width = rowsAreWide(columns) ? 4 : 1;
    BlockTally block(threads);
    for (int first = 0; first < columns; first += threads * width) {
        const auto cell = [&](int t) {
            const int column = first + t * width;
            return column < columns ? row + std::int64_t{column} * 4 : kInactive;
        };
        block.globalLoad(4 * width, cell);
        block.globalStore(4 * width, cell);
    }
    return block.counts();
}

std::vector<Expectation> expectRows(const Case& c, const RowTally& tally,
                                    const std::string& loadsPerRow, bool streams) {
    const std::int64_t rows = c.shape.at("rows"), columns = c.shape.at("cols");
    // Buffers are 256-byte aligned and rows start at multiples of 4 bytes: their position within a
    // 32-byte sector repeats every 8 rows.
    constexpr std::int64_t kPeriod = 8;
    AccessCounts total;
    for (std::int64_t r = 0; r < std::min(rows, kPeriod); ++r)
        total.add(tally(r * columns * 4, static_cast<int>(columns)),
                  static_cast<double>((rows - r + kPeriod - 1) / kPeriod));
    const std::string aligned = ", for cols a multiple of 8";
    std::vector<Expectation> list{
        {counter::kGlobalLoadBytes, total.globalLoadBytes, 0, loadsPerRow + "4 · rows · cols"},
        {counter::kGlobalStoreBytes, total.globalStoreBytes, 0, "4 · rows · cols"},
        {counter::kGlobalLoadSectors, total.globalLoadSectors, 0,
         loadsPerRow + "rows · cols / 8" + aligned},
        {counter::kGlobalStoreSectors, total.globalStoreSectors, 0, "rows · cols / 8" + aligned},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays"},
    };
    if (total.sharedLoadWavefronts > 0) {
        const std::string text = ", counted by replaying the strided reductions";
        list.push_back({counter::kSharedLoadWavefronts, total.sharedLoadWavefronts, 0,
                        "rows · passes through the banks per row" + text});
        list.push_back({counter::kSharedStoreWavefronts, total.sharedStoreWavefronts, 0,
                        "rows · passes through the banks per row" + text});
    }
    const double bytes = 4.0 * static_cast<double>(rows * columns);
    if (streams) expectDram(list, bytes, bytes, "4 · rows · cols", "4 · rows · cols");
    return list;
}

}  // namespace roofscope::kernels::softmax
