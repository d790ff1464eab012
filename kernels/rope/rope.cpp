// SPDX-License-Identifier: Apache-2.0
#include "kernels/rope/rope.h"

#include <cmath>
#include <optional>

#include "kernels/buffer_sets.h"
#include "kernels/check_output.h"
#include "kernels/patterns/refusals.h"
#include "kernels/random_values.h"

namespace roofscope::kernels::rope {
namespace {

Case ropeCase(std::int64_t batch, std::int64_t positions, std::int64_t width) {
    return {.shape = {{"B", batch}, {"N", positions}, {"D", width}}, .dtype = DType::F32};
}

class RopeInstance final : public Instance {
public:
    RopeInstance(const Case& c, std::uint64_t seed, Launcher launch, bool tables)
        : m_launch(launch),
          m_b(static_cast<std::size_t>(c.shape.at("B"))),
          m_n(static_cast<std::size_t>(c.shape.at("N"))),
          m_d(static_cast<std::size_t>(c.shape.at("D"))),
          m_minimum(8.0 * static_cast<double>(m_b * m_n * m_d)),
          m_sets(rotationSets(m_minimum)),
          m_q(RandomValues(seed, 1).floats(m_b * m_n * m_d, -1.0F, 1.0F)),
          m_deviceQ(m_q.size(), m_sets),
          m_deviceOut(m_q.size(), m_sets),
          m_deviceFrequencies(m_d / 2, 1) {
        for (std::size_t i = 0; i < m_d / 2; ++i)
            m_frequencies.push_back(static_cast<float>(
                std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(m_d))));
        m_deviceFrequencies.upload(m_frequencies);
        m_deviceQ.upload(m_q);
        if (!tables) return;
        std::vector<float> cosines(m_n * m_d), sines(m_n * m_d);
        for (std::size_t i = 0; i < cosines.size(); ++i) {
            const double angle = angleOf(i / m_d, i % m_d % (m_d / 2));
            cosines[i] = static_cast<float>(std::cos(angle));
            sines[i] = static_cast<float>(std::sin(angle));
        }
        m_cosines.emplace(cosines.size(), 1).upload(cosines);
        m_sines.emplace(sines.size(), 1).upload(sines);
        for (auto& buffer : m_scratch) buffer.emplace(m_q.size(), 1);
    }

    void launch(Stream stream) override {
        m_launch({.q = m_deviceQ.get(m_set),
                  .frequencies = m_deviceFrequencies.get(0),
                  .cosines = at(m_cosines),
                  .sines = at(m_sines),
                  .out = m_deviceOut.get(m_set),
                  .scratch = {at(m_scratch[0]), at(m_scratch[1])},
                  .batch = static_cast<int>(m_b),
                  .positions = static_cast<int>(m_n),
                  .width = static_cast<int>(m_d)},
                 stream);
    }
    void poisonOutputs() override {
        m_deviceOut.poison(m_set);
        for (auto& buffer : m_scratch)
            if (buffer) buffer->poison(0);
    }
    Bytes minimumBytes() const override { return {m_minimum}; }
    void rotate() override { m_set = (m_set + 1) % m_sets; }

    Check verify() override {
        return checkOutput(
            m_deviceOut, m_set, reference(), {&m_scratch[0], &m_scratch[1]}, [this](std::size_t i) {
                return "b=" + std::to_string(i / m_d / m_n) +
                       ",n=" + std::to_string(i / m_d % m_n) + ",d=" + std::to_string(i % m_d);
            });
    }

private:
    using Table = std::optional<BufferSets<float>>;
    static float* at(const Table& table) { return table ? table->get(0) : nullptr; }

    /// The product in f32, as in the kernels.
    [[nodiscard]] double angleOf(std::size_t position, std::size_t pair) const {
        return static_cast<float>(position) * m_frequencies[pair];
    }
    [[nodiscard]] std::vector<double> reference() const {
        std::vector<double> out(m_q.size());
        const std::size_t half = m_d / 2;
        for (std::size_t n = 0; n < m_n; ++n)
            for (std::size_t i = 0; i < half; ++i) {
                const double angle = angleOf(n, i), c = std::cos(angle), s = std::sin(angle);
                for (std::size_t b = 0; b < m_b; ++b) {
                    const std::size_t first = (b * m_n + n) * m_d + i, second = first + half;
                    out[first] = m_q[first] * c - m_q[second] * s;
                    out[second] = m_q[second] * c + m_q[first] * s;
                }
            }
        return out;
    }

    Launcher m_launch;
    std::size_t m_b, m_n, m_d;
    double m_minimum;
    int m_sets, m_set = 0;
    std::vector<float> m_q, m_frequencies;
    BufferSets<float> m_deviceQ, m_deviceOut, m_deviceFrequencies;
    Table m_cosines, m_sines, m_scratch[2];
};

}  // namespace

std::vector<Case> ropeCases() { return {ropeCase(128, 8192, 128)}; }

std::vector<Case> ropeVerifyCases() {
    return {ropeCase(1, 8192, 128), ropeCase(5, 257, 128), ropeCase(1, 1, 2),
            ropeCase(2, 33, 6),     ropeCase(5, 17, 64),   ropeCase(4, 100, 80),
            ropeCase(7, 5, 24),     ropeCase(9, 3, 1024),  ropeCase(2, 65536, 8),
            ropeCase(3, 300, 10),   ropeCase(12, 64, 256)};
}

std::string ropeRefusal(const Case& c) {
    // Beyond 65536 positions angles are meaningless in f32, and their reduction is no longer exact.
    const std::string refusal = patterns::firstOf(
        patterns::refuseOtherTypes(c, DType::F32), patterns::refuseOutside(c, "B", 1, 65536),
        patterns::refuseOutside(c, "N", 1, 65536), patterns::refuseOutside(c, "D", 2, 1024),
        patterns::refuseUnlessMultiple(c, "D", 2));
    if (!refusal.empty()) return refusal;
    // Pairs have 32-bit indices.
    if (c.shape.at("B") * c.shape.at("N") * c.shape.at("D") > std::int64_t{1} << 32)
        return "B·N·D is more than 2^32 elements";
    return {};
}

std::unique_ptr<Instance> makeRopeInstance(const Case& c, std::uint64_t seed, Launcher launch,
                                           bool tables) {
    return std::make_unique<RopeInstance>(c, seed, launch, tables);
}

}  // namespace roofscope::kernels::rope
