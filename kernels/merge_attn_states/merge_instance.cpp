// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/buffer_sets.h"
#include "kernels/compare.h"
#include "kernels/element.h"
#include "kernels/merge_attn_states/merge.h"
#include "kernels/random_values.h"

namespace roofscope::kernels::merge {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void storeElement(unsigned char* at, DType dtype, float value) {
    if (dtype == DType::F32) {
        std::memcpy(at, &value, 4);
        return;
    }
    const std::uint16_t bits = dtype == DType::BF16
                                   ? toBfloat16(value)
                                   : static_cast<__half_raw>(__float2half_rn(value)).x;
    std::memcpy(at, &bits, 2);
}

/// The value at `at`; counts elements with the poison pattern.
double loadElement(const unsigned char* at, DType dtype, std::uint64_t* unwritten = nullptr) {
    if (dtype == DType::F32) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, at, 4);
        if (unwritten != nullptr) *unwritten += bits == 0xFFFFFFFFu;
        return std::bit_cast<float>(bits);
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, 2);
    if (unwritten != nullptr) *unwritten += bits == 0xFFFFu;
    if (dtype == DType::BF16) return fromBfloat16(bits);
    __half_raw raw;
    raw.x = bits;
    return __half2float(__half(raw));
}

std::vector<unsigned char> randomBytes(std::size_t count, DType dtype, RandomValues random) {
    const std::size_t size = elementBytes(dtype);
    std::vector<unsigned char> stored(count * size);
    for (std::size_t i = 0; i < count; ++i)
        storeElement(stored.data() + i * size, dtype, random.uniform(-1.0F, 1.0F));
    return stored;
}

/// Log-sum-exps, one in eight of them infinite.
std::vector<float> randomLse(std::size_t count, RandomValues random) {
    std::vector<float> values(count);
    for (float& value : values) {
        const std::uint64_t kind = random.bits() % 16;
        value = kind == 0 ? kInfinity : kind == 1 ? -kInfinity : random.uniform(-10.0F, 10.0F);
    }
    return values;
}

class MergeInstance final : public Instance {
public:
    MergeInstance(const Case& c, std::uint64_t seed, Launcher launch)
        : m_case(c),
          m_launch(launch),
          m_t(static_cast<std::size_t>(c.shape.at("T"))),
          m_h(static_cast<std::size_t>(c.shape.at("H"))),
          m_s(static_cast<std::size_t>(c.shape.at("S"))),
          m_size(elementBytes(c.dtype)),
          m_withLse(c.shape.at("lse") != 0),
          m_sets(rotationSets(minimumBytes().value)),
          m_prefix(randomBytes(m_t * m_h * m_s, c.dtype, RandomValues(seed, 1))),
          m_suffix(randomBytes(m_t * m_h * m_s, c.dtype, RandomValues(seed, 2))),
          m_prefixLse(randomLse(m_t * m_h, RandomValues(seed, 3))),
          m_suffixLse(randomLse(m_t * m_h, RandomValues(seed, 4))),
          m_devicePrefix(m_prefix.size(), m_sets),
          m_deviceSuffix(m_suffix.size(), m_sets),
          m_deviceOut(m_prefix.size(), m_sets),
          m_devicePrefixLse(m_t * m_h, m_sets),
          m_deviceSuffixLse(m_t * m_h, m_sets),
          m_deviceOutLse(m_t * m_h, m_sets) {
        m_devicePrefix.upload(m_prefix);
        m_deviceSuffix.upload(m_suffix);
        m_devicePrefixLse.upload(m_prefixLse);
        m_deviceSuffixLse.upload(m_suffixLse);
    }

    void launch(Stream stream) override {
        m_launch({.prefix = m_devicePrefix.get(m_set),
                  .suffix = m_deviceSuffix.get(m_set),
                  .prefixLse = m_devicePrefixLse.get(m_set),
                  .suffixLse = m_deviceSuffixLse.get(m_set),
                  .out = m_deviceOut.get(m_set),
                  .outLse = m_withLse ? m_deviceOutLse.get(m_set) : nullptr,
                  .tokens = static_cast<std::int64_t>(m_t),
                  .heads = static_cast<int>(m_h),
                  .width = static_cast<int>(m_s),
                  .dtype = m_case.dtype},
                 stream);
    }
    void poisonOutputs() override {
        m_deviceOut.poison(m_set);
        m_deviceOutLse.poison(m_set);
    }
    Bytes minimumBytes() const override {
        const Traffic traffic = minimumTraffic(m_case);
        return {traffic.read + traffic.written};
    }
    void rotate() override { m_set = (m_set + 1) % m_sets; }

    Check verify() override {
        require(cudaDeviceSynchronize(), "running the kernel");
        std::vector<double> out(m_t * m_h * m_s), lse(m_t * m_h);
        reference(out, lse);

        const std::vector<unsigned char> stored = m_deviceOut.download(m_set);
        std::vector<double> actual(out.size());
        std::uint64_t unwritten = 0;
        for (std::size_t i = 0; i < actual.size(); ++i)
            actual[i] = loadElement(stored.data() + i * m_size, m_case.dtype, &unwritten);
        constexpr double kFp32Tolerance = 1e-5, k16BitTolerance = 1e-2;
        std::vector<Check> checks{compare(
            {.tensor = "out",
             .actual = actual,
             .reference = out,
             .tolerance = m_case.dtype == DType::F32 ? kFp32Tolerance : k16BitTolerance,
             .unwritten = unwritten,
             .outside = m_deviceOut.bytesWrittenOutside(m_set),
             .place = [this](std::size_t i) {
                 return "t=" + std::to_string(i / m_s / m_h) +
                        ",h=" + std::to_string(i / m_s % m_h) + ",s=" + std::to_string(i % m_s);
             }})};

        const std::vector<float> storedLse = m_deviceOutLse.download(m_set);
        std::uint64_t lseUnwritten = 0, lseOutside = m_deviceOutLse.bytesWrittenOutside(m_set);
        std::vector<double> actualLse(storedLse.begin(), storedLse.end());
        for (std::size_t i = 0; i < lse.size(); ++i) {
            const bool poisoned = std::bit_cast<std::uint32_t>(storedLse[i]) == 0xFFFFFFFFu;
            if (!m_withLse) {
                lseOutside += poisoned ? 0 : sizeof(float);
                actualLse[i] = lse[i] = 0.0;
                continue;
            }
            lseUnwritten += poisoned;
            // The difference of equal infinities would be NaN.
            if (std::isinf(lse[i]) && actualLse[i] == lse[i]) actualLse[i] = lse[i] = 0.0;
        }
        checks.push_back(compare({.tensor = "out_lse",
                                  .actual = actualLse,
                                  .reference = lse,
                                  .tolerance = kFp32Tolerance,
                                  .unwritten = lseUnwritten,
                                  .outside = lseOutside,
                                  .place = [this](std::size_t i) {
                                      return "h=" + std::to_string(i / m_t) +
                                             ",t=" + std::to_string(i % m_t);
                                  }}));
        return worstOf(checks);
    }

private:
    void reference(std::vector<double>& out, std::vector<double>& lse) const {
        const auto counted = [](double value) { return value == kInfinity ? -kInfinity : value; };
        for (std::size_t t = 0; t < m_t; ++t)
            for (std::size_t h = 0; h < m_h; ++h) {
                const double first = counted(m_prefixLse[h * m_t + t]);
                const double second = counted(m_suffixLse[h * m_t + t]);
                const double most = std::max(first, second);
                const bool none = most == -kInfinity;
                const double p = none ? 0.0 : std::exp(first - most);
                const double s = none ? 0.0 : std::exp(second - most);
                lse[h * m_t + t] = none ? -kInfinity : most + std::log(p + s);
                for (std::size_t i = (t * m_h + h) * m_s; i < (t * m_h + h + 1) * m_s; ++i)
                    out[i] = none ? 0.0
                                  : (p * loadElement(m_prefix.data() + i * m_size, m_case.dtype) +
                                     s * loadElement(m_suffix.data() + i * m_size, m_case.dtype)) /
                                        (p + s);
            }
    }

    Case m_case;
    Launcher m_launch;
    std::size_t m_t, m_h, m_s, m_size;
    bool m_withLse;
    int m_sets, m_set = 0;
    std::vector<unsigned char> m_prefix, m_suffix;
    std::vector<float> m_prefixLse, m_suffixLse;
    BufferSets<unsigned char> m_devicePrefix, m_deviceSuffix, m_deviceOut;
    BufferSets<float> m_devicePrefixLse, m_deviceSuffixLse, m_deviceOutLse;
};

}  // namespace

std::unique_ptr<Instance> makeMergeInstance(const Case& c, std::uint64_t seed, Launcher launch) {
    return std::make_unique<MergeInstance>(c, seed, launch);
}

}  // namespace roofscope::kernels::merge
