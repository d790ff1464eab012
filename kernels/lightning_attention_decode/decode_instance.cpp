// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/buffer_sets.h"
#include "kernels/compare.h"
#include "kernels/element.h"
#include "kernels/lightning_attention_decode/decode_step.h"
#include "kernels/random_values.h"

namespace roofscope::kernels::lightning {
namespace {

/// A tensor of the case's element type: its stored bytes and their exact values.
struct Tensor {
    std::vector<unsigned char> stored;
    std::vector<float> values;
};

Tensor randomTensor(std::size_t count, DType dtype, RandomValues random) {
    Tensor tensor{.stored = std::vector<unsigned char>(count * elementBytes(dtype)),
                  .values = random.floats(count, -1.0F, 1.0F)};
    if (dtype == DType::F32) {
        std::memcpy(tensor.stored.data(), tensor.values.data(), tensor.stored.size());
        return tensor;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint16_t bits = toBfloat16(tensor.values[i]);
        std::memcpy(tensor.stored.data() + 2 * i, &bits, 2);
        tensor.values[i] = fromBfloat16(bits);
    }
    return tensor;
}

/// The values of a downloaded tensor; counts elements that still hold the poison pattern.
std::vector<double> decodeTensor(const std::vector<unsigned char>& stored, DType dtype,
                                 std::uint64_t& unwritten) {
    std::vector<double> values(stored.size() / elementBytes(dtype));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (dtype == DType::F32) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, stored.data() + 4 * i, 4);
            unwritten += bits == 0xFFFFFFFFu;
            values[i] = std::bit_cast<float>(bits);
        } else {
            std::uint16_t bits = 0;
            std::memcpy(&bits, stored.data() + 2 * i, 2);
            unwritten += bits == 0xFFFFu;
            values[i] = fromBfloat16(bits);
        }
    }
    return values;
}

std::vector<unsigned char> asBytes(const std::vector<float>& values) {
    std::vector<unsigned char> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

class DecodeInstance final : public Instance {
public:
    DecodeInstance(const Case& c, std::uint64_t seed, Launcher launch)
        : m_case(c),
          m_launch(launch),
          m_b(static_cast<std::size_t>(c.shape.at("B"))),
          m_h(static_cast<std::size_t>(c.shape.at("H"))),
          m_d(static_cast<std::size_t>(c.shape.at("D"))),
          m_e(static_cast<std::size_t>(c.shape.at("E"))),
          m_sets(rotationSets(minimumTraffic(c))),
          m_q(randomTensor(m_b * m_h * m_d, c.dtype, RandomValues(seed, 1))),
          m_k(randomTensor(m_b * m_h * m_d, c.dtype, RandomValues(seed, 2))),
          m_v(randomTensor(m_b * m_h * m_e, c.dtype, RandomValues(seed, 3))),
          m_past(RandomValues(seed, 4).floats(m_b * m_h * m_d * m_e, -1.0F, 1.0F)),
          m_slope(RandomValues(seed, 5).floats(m_h, 0.01F, 1.0F)),
          m_deviceQ(m_q.stored.size(), m_sets),
          m_deviceK(m_k.stored.size(), m_sets),
          m_deviceV(m_v.stored.size(), m_sets),
          m_devicePast(m_past.size() * sizeof(float), m_sets),
          m_deviceSlope(m_slope.size() * sizeof(float), 1),
          m_deviceNew(m_past.size() * sizeof(float), m_sets),
          m_deviceOut(m_v.stored.size(), m_sets) {
        m_deviceQ.upload(m_q.stored);
        m_deviceK.upload(m_k.stored);
        m_deviceV.upload(m_v.stored);
        m_devicePast.upload(asBytes(m_past));
        m_deviceSlope.upload(asBytes(m_slope));
    }

    void launch(Stream stream) override {
        m_launch({.q = m_deviceQ.get(m_set),
                  .k = m_deviceK.get(m_set),
                  .v = m_deviceV.get(m_set),
                  .pastKv = reinterpret_cast<const float*>(m_devicePast.get(m_set)),
                  .slope = reinterpret_cast<const float*>(m_deviceSlope.get(0)),
                  .newKv = reinterpret_cast<float*>(m_deviceNew.get(m_set)),
                  .out = m_deviceOut.get(m_set),
                  .batch = static_cast<int>(m_b),
                  .heads = static_cast<int>(m_h),
                  .keyWidth = static_cast<int>(m_d),
                  .valueWidth = static_cast<int>(m_e),
                  .dtype = m_case.dtype},
                 stream);
    }
    void poisonOutputs() override {
        m_deviceNew.poison(m_set);
        m_deviceOut.poison(m_set);
    }
    Bytes minimumBytes() const override { return {minimumTraffic(m_case)}; }
    void rotate() override { m_set = (m_set + 1) % m_sets; }

    Check verify() override {
        require(cudaDeviceSynchronize(), "running the kernel");
        std::vector<double> newKv(m_past.size()), out(m_v.values.size(), 0.0);
        reference(newKv, out);

        // Products of bf16 values are exact in fp32, so new_kv is equally good for both types. Only
        // rounding `out` to bf16 (2^-9 relative) needs the wider tolerance.
        constexpr double kFp32Tolerance = 1e-5, kBf16Tolerance = 1e-2;
        std::uint64_t newUnwritten = 0, outUnwritten = 0;
        const std::vector<double> actualNew =
            decodeTensor(m_deviceNew.download(m_set), DType::F32, newUnwritten);
        const std::vector<double> actualOut =
            decodeTensor(m_deviceOut.download(m_set), m_case.dtype, outUnwritten);
        return worstOf(
            {compare({.tensor = "new_kv",
                      .actual = actualNew,
                      .reference = newKv,
                      .tolerance = kFp32Tolerance,
                      .unwritten = newUnwritten,
                      .outside = m_deviceNew.bytesWrittenOutside(m_set),
                      .place =
                          [this](std::size_t i) {
                              return place(i / (m_d * m_e)) +
                                     ",d=" + std::to_string(i / m_e % m_d) +
                                     ",e=" + std::to_string(i % m_e);
                          }}),
             compare({.tensor = "out",
                      .actual = actualOut,
                      .reference = out,
                      .tolerance = m_case.dtype == DType::F32 ? kFp32Tolerance : kBf16Tolerance,
                      .unwritten = outUnwritten,
                      .outside = m_deviceOut.bytesWrittenOutside(m_set),
                      .place = [this](std::size_t i) {
                          return place(i / m_e) + ",e=" + std::to_string(i % m_e);
                      }})});
    }

private:
    [[nodiscard]] std::string place(std::size_t matrix) const {
        return "b=" + std::to_string(matrix / m_h) + ",h=" + std::to_string(matrix % m_h);
    }
    void reference(std::vector<double>& newKv, std::vector<double>& out) const {
        for (std::size_t m = 0; m < m_b * m_h; ++m) {
            const double decay = std::exp(-static_cast<double>(m_slope[m % m_h]));
            for (std::size_t d = 0; d < m_d; ++d) {
                const double key = m_k.values[m * m_d + d], query = m_q.values[m * m_d + d];
                for (std::size_t e = 0; e < m_e; ++e) {
                    const std::size_t i = (m * m_d + d) * m_e + e;
                    newKv[i] = decay * m_past[i] + key * m_v.values[m * m_e + e];
                    out[m * m_e + e] += query * newKv[i];
                }
            }
        }
    }

    Case m_case;
    Launcher m_launch;
    std::size_t m_b, m_h, m_d, m_e;
    int m_sets, m_set = 0;
    Tensor m_q, m_k, m_v;
    std::vector<float> m_past, m_slope;
    BufferSets<unsigned char> m_deviceQ, m_deviceK, m_deviceV, m_devicePast, m_deviceSlope,
        m_deviceNew, m_deviceOut;
};

}  // namespace

std::unique_ptr<Instance> makeDecodeInstance(const Case& c, std::uint64_t seed, Launcher launch) {
    return std::make_unique<DecodeInstance>(c, seed, launch);
}

}  // namespace roofscope::kernels::lightning
