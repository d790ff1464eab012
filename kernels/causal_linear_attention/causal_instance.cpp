// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "kernels/buffer_sets.h"
#include "kernels/causal_linear_attention/causal.h"
#include "kernels/check_output.h"
#include "kernels/random_values.h"

namespace roofscope::kernels::causal {
namespace {

/// The extents of a case on the current device, without pointers.
CausalArguments extentsOf(const Case& c) {
    CausalArguments a;
    a.batch = static_cast<int>(c.shape.at("B"));
    a.heads = static_cast<int>(c.shape.at("H"));
    a.length = static_cast<int>(c.shape.at("L"));
    a.keyWidth = static_cast<int>(c.shape.at("E"));
    a.valueWidth = static_cast<int>(c.shape.at("M"));
    int device = 0;
    require(cudaGetDevice(&device), "querying the current GPU");
    require(cudaDeviceGetAttribute(&a.multiprocessors, cudaDevAttrMultiProcessorCount, device),
            "querying the number of SMs");
    return a;
}

class CausalInstance final : public Instance {
public:
    CausalInstance(const Case& c, std::uint64_t seed, Launcher launch, WorkspaceSize workspace)
        : m_launch(launch),
          m_extents(extentsOf(c)),
          m_positions(static_cast<std::size_t>(m_extents.matrices()) * m_extents.length),
          m_minimum(minimumTraffic(c)),
          m_sets(rotationSets(m_minimum)),
          m_q(RandomValues(seed, 1).floats(m_positions * m_extents.keyWidth, -1.0F, 1.0F)),
          m_k(RandomValues(seed, 2).floats(m_positions * m_extents.keyWidth, -1.0F, 1.0F)),
          m_v(RandomValues(seed, 3).floats(m_positions * m_extents.valueWidth, -1.0F, 1.0F)),
          m_deviceQ(m_q.size(), m_sets),
          m_deviceK(m_k.size(), m_sets),
          m_deviceV(m_v.size(), m_sets),
          m_deviceOut(m_v.size(), m_sets) {
        m_deviceQ.upload(m_q);
        m_deviceK.upload(m_k);
        m_deviceV.upload(m_v);
        const std::size_t floats = workspace != nullptr ? workspace(m_extents) : 0;
        if (floats > 0) m_workspace.emplace(floats, 1);
    }

    void launch(Stream stream) override {
        CausalArguments a = m_extents;
        a.q = m_deviceQ.get(m_set);
        a.k = m_deviceK.get(m_set);
        a.v = m_deviceV.get(m_set);
        a.out = m_deviceOut.get(m_set);
        a.workspace = m_workspace ? m_workspace->get(0) : nullptr;
        m_launch(a, stream);
    }
    void poisonOutputs() override {
        m_deviceOut.poison(m_set);
        if (m_workspace) m_workspace->poison(0);
    }
    Bytes minimumBytes() const override { return {m_minimum}; }
    void rotate() override { m_set = (m_set + 1) % m_sets; }

    Check verify() override {
        return checkOutput(m_deviceOut, m_set, reference(), {&m_workspace},
                           [this](std::size_t i) { return place(i); });
    }

private:
    [[nodiscard]] std::string place(std::size_t i) const {
        const std::size_t width = m_extents.valueWidth, length = m_extents.length;
        const std::size_t position = i / width, head = position / length;
        return "b=" + std::to_string(head / m_extents.heads) +
               ",h=" + std::to_string(head % m_extents.heads) +
               ",l=" + std::to_string(position % length) + ",m=" + std::to_string(i % width);
    }

    [[nodiscard]] std::vector<double> reference() const {
        const std::size_t E = m_extents.keyWidth, M = m_extents.valueWidth;
        std::vector<double> out(m_v.size()), state(E * M);
        for (std::size_t p = 0; p < m_positions; ++p) {
            if (p % m_extents.length == 0) std::fill(state.begin(), state.end(), 0.0);
            const float *q = &m_q[p * E], *k = &m_k[p * E], *v = &m_v[p * M];
            double* const o = &out[p * M];
            for (std::size_t e = 0; e < E; ++e)
                for (std::size_t m = 0; m < M; ++m)
                    o[m] += q[e] * (state[e * M + m] += static_cast<double>(k[e]) * v[m]);
        }
        return out;
    }

    Launcher m_launch;
    CausalArguments m_extents;
    std::size_t m_positions;
    double m_minimum;
    int m_sets, m_set = 0;
    std::vector<float> m_q, m_k, m_v;
    BufferSets<float> m_deviceQ, m_deviceK, m_deviceV, m_deviceOut;
    std::optional<BufferSets<float>> m_workspace;
};

}  // namespace

std::unique_ptr<Instance> makeCausalInstance(const Case& c, std::uint64_t seed, Launcher launch,
                                             WorkspaceSize workspace) {
    return std::make_unique<CausalInstance>(c, seed, launch, workspace);
}

}  // namespace roofscope::kernels::causal
