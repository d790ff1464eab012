// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "kernels/buffer_sets.h"
#include "kernels/compare.h"
#include "kernels/element.h"
#include "kernels/matmul/matmul.h"
#include "kernels/random_values.h"

namespace roofscope::kernels::matmul {
namespace {

/// Elements from −1 to 1, in the case's type.
std::vector<unsigned char> randomMatrix(std::size_t count, DType dtype, RandomValues random) {
    const std::size_t size = elementBytes(dtype);
    std::vector<unsigned char> stored(count * size);
    for (std::size_t i = 0; i < count; ++i) {
        const float value = random.uniform(-1.0F, 1.0F);
        const std::uint16_t half = toBfloat16(value);
        if (dtype == DType::BF16)
            std::memcpy(stored.data() + i * size, &half, size);
        else
            std::memcpy(stored.data() + i * size, &value, size);
    }
    return stored;
}

struct Values {
    std::vector<double> at;
    std::uint64_t unwritten = 0;  ///< elements with the poison pattern
};

Values read(const std::vector<unsigned char>& stored, DType dtype) {
    const std::size_t size = elementBytes(dtype);
    Values values;
    values.at.resize(stored.size() / size);
    for (std::size_t i = 0; i < values.at.size(); ++i) {
        if (dtype == DType::BF16) {
            std::uint16_t bits = 0;
            std::memcpy(&bits, stored.data() + i * size, size);
            values.unwritten += bits == 0xFFFFu;
            values.at[i] = fromBfloat16(bits);
        } else {
            std::uint32_t bits = 0;
            std::memcpy(&bits, stored.data() + i * size, size);
            values.unwritten += bits == 0xFFFFFFFFu;
            values.at[i] = std::bit_cast<float>(bits);
        }
    }
    return values;
}

class MatmulInstance final : public Instance {
public:
    MatmulInstance(const Case& c, std::uint64_t seed, Launcher launch)
        : m_extents(c),
          m_dtype(c.dtype),
          m_launch(launch),
          m_m(static_cast<std::size_t>(m_extents.m)),
          m_n(static_cast<std::size_t>(m_extents.n)),
          m_k(static_cast<std::size_t>(m_extents.k)),
          m_sets(rotationSets(minimumBytes().value)),
          m_a(randomMatrix(m_m * m_k, c.dtype, RandomValues(seed, 1))),
          m_b(randomMatrix(m_k * m_n, c.dtype, RandomValues(seed, 2))),
          m_deviceA(m_a.size(), m_sets),
          m_deviceB(m_b.size(), m_sets),
          m_deviceC(m_m * m_n * elementBytes(c.dtype), m_sets) {
        m_deviceA.upload(m_a);
        m_deviceB.upload(m_b);
    }

    void launch(Stream stream) override {
        m_launch({.a = m_deviceA.get(m_set),
                  .b = m_deviceB.get(m_set),
                  .c = m_deviceC.get(m_set),
                  .m = static_cast<int>(m_m),
                  .n = static_cast<int>(m_n),
                  .k = static_cast<int>(m_k),
                  .dtype = m_dtype},
                 stream);
    }
    void poisonOutputs() override { m_deviceC.poison(m_set); }
    Bytes minimumBytes() const override {
        return {m_extents.elements() * static_cast<double>(m_extents.elementBytes)};
    }
    void rotate() override { m_set = (m_set + 1) % m_sets; }

    Check verify() override {
        require(cudaDeviceSynchronize(), "running the kernel");
        const Values actual = read(m_deviceC.download(m_set), m_dtype);
        // Sums of K random products have a rounding error of about 2e-8·√K; bf16 rounds C once, by
        // 2e-3.
        constexpr double kFp32Tolerance = 1e-5, kBf16Tolerance = 1e-2;
        return compare({.tensor = "C",
                        .actual = actual.at,
                        .reference = reference(),
                        .tolerance = m_dtype == DType::F32 ? kFp32Tolerance : kBf16Tolerance,
                        .unwritten = actual.unwritten,
                        .outside = m_deviceC.bytesWrittenOutside(m_set),
                        .place = [this](std::size_t i) {
                            return "m=" + std::to_string(i / m_n) + ",n=" + std::to_string(i % m_n);
                        }});
    }

private:
    /// Row by row: a row of C stays in the cache while the rows of B are read.
    std::vector<double> reference() const {
        const std::vector<double> a = read(m_a, m_dtype).at, b = read(m_b, m_dtype).at;
        std::vector<double> c(m_m * m_n);
        for (std::size_t i = 0; i < m_m; ++i) {
            double* const row = c.data() + i * m_n;
            for (std::size_t k = 0; k < m_k; ++k) {
                const double factor = a[i * m_k + k];
                const double* const from = b.data() + k * m_n;
                for (std::size_t j = 0; j < m_n; ++j) row[j] += factor * from[j];
            }
        }
        return c;
    }

    Extents m_extents;
    DType m_dtype;
    Launcher m_launch;
    std::size_t m_m, m_n, m_k;
    int m_sets, m_set = 0;
    std::vector<unsigned char> m_a, m_b;
    BufferSets<unsigned char> m_deviceA, m_deviceB, m_deviceC;
};

}  // namespace

std::unique_ptr<Instance> makeMatmulInstance(const Case& c, std::uint64_t seed, Launcher launch) {
    return std::make_unique<MatmulInstance>(c, seed, launch);
}

}  // namespace roofscope::kernels::matmul
