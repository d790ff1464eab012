// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include "kernels/buffer_sets.h"
#include "kernels/check_output.h"
#include "kernels/gelu/gelu.h"
#include "kernels/random_values.h"

namespace roofscope::kernels::gelu {
namespace {

double reference(double x) {
    const double inner = std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1.0 + std::tanh(inner));
}

class GeluInstance final : public Instance {
public:
    GeluInstance(const Case& c, std::uint64_t seed, Launcher launch, Extras extras)
        : m_launch(launch),
          m_n(static_cast<std::size_t>(c.shape.at("n"))),
          m_minimum((extras.bias ? 12.0 : 8.0) * static_cast<double>(m_n)),
          m_sets(rotationSets(m_minimum)),
          m_x(RandomValues(seed, 1).floats(m_n, -4.0F, 4.0F)),
          m_deviceX(m_n, m_sets),
          m_deviceOut(m_n, m_sets) {
        m_deviceX.upload(m_x);
        if (extras.bias) {
            m_bias = RandomValues(seed, 2).floats(m_n, -2.0F, 2.0F);
            m_deviceBias.emplace(m_n, m_sets).upload(m_bias);
        }
        for (int i = 0; i < extras.scratch; ++i) m_scratch[i].emplace(m_n, 1);
    }

    void launch(Stream stream) override {
        m_launch({.x = m_deviceX.get(m_set),
                  .bias = m_deviceBias ? m_deviceBias->get(m_set) : nullptr,
                  .out = m_deviceOut.get(m_set),
                  .scratch = {scratch(0), scratch(1)},
                  .n = static_cast<std::int64_t>(m_n)},
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
        std::vector<double> expected(m_n);
        for (std::size_t i = 0; i < m_n; ++i)
            expected[i] = reference(double{m_x[i]} + (m_bias.empty() ? 0.0 : double{m_bias[i]}));
        return checkOutput(m_deviceOut, m_set, expected, {&m_scratch[0], &m_scratch[1]},
                           [](std::size_t i) { return "i=" + std::to_string(i); });
    }

private:
    [[nodiscard]] float* scratch(int i) const {
        return m_scratch[i] ? m_scratch[i]->get(0) : nullptr;
    }

    Launcher m_launch;
    std::size_t m_n;
    double m_minimum;
    int m_sets, m_set = 0;
    std::vector<float> m_x, m_bias;
    BufferSets<float> m_deviceX, m_deviceOut;
    std::optional<BufferSets<float>> m_deviceBias, m_scratch[2];
};

}  // namespace

std::unique_ptr<Instance> makeGeluInstance(const Case& c, std::uint64_t seed, Launcher launch,
                                           Extras extras) {
    return std::make_unique<GeluInstance>(c, seed, launch, extras);
}

}  // namespace roofscope::kernels::gelu
