// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/buffer_sets.h"
#include "kernels/compare.h"
#include "kernels/random_values.h"

namespace roofscope::kernels::patterns {

/// A microkernel with one input and one output array. `In` and `Out` are host element types; inputs
/// must not contain the poison pattern (all bits set).
template <class In, class Out>
struct ArrayJob {
    std::vector<In> input;
    std::size_t outputCount = 0;
    /// Queues the kernel.
    std::function<void(const In* input, Out* output, Stream stream)> launch;
    /// The expected output in double precision, computed lazily.
    std::function<std::vector<double>(const std::vector<In>& input)> reference;
    double tolerance = 0.0;  ///< Relative L2; 0 means equal.
    double minimumBytes = 0.0;
    /// Output index to text; if empty, the plain number.
    std::function<std::string(std::size_t)> place;
    /// Elements that the kernel skips on purpose: they must stay poisoned.
    std::function<bool(std::size_t)> skippedOnPurpose;
};

/// Runs an ArrayJob on rotating copies of its arrays.
template <class In, class Out>
class ArrayInstance final : public Instance {
public:
    explicit ArrayInstance(ArrayJob<In, Out> job)
        : m_job(std::move(job)),
          m_sets(rotationSets(static_cast<double>(m_job.input.size() * sizeof(In) +
                                                  m_job.outputCount * sizeof(Out)))),
          m_input(m_job.input.size(), m_sets),
          m_output(m_job.outputCount, m_sets) {
        if (!m_job.input.empty()) m_input.upload(m_job.input);
    }

    void launch(Stream stream) override {
        m_job.launch(m_input.get(m_set), m_output.get(m_set), stream);
    }
    void poisonOutputs() override { m_output.poison(m_set); }
    Bytes minimumBytes() const override { return {m_job.minimumBytes}; }
    void rotate() override { m_set = (m_set + 1) % m_sets; }

    Check verify() override {
        require(cudaDeviceSynchronize(), "running the kernel");
        std::vector<double> reference = m_job.reference(m_job.input);
        const std::vector<Out> output = m_output.download(m_set);
        std::vector<double> actual(output.begin(), output.end());
        std::uint64_t unwritten = 0, outside = m_output.bytesWrittenOutside(m_set);
        for (std::size_t i = 0; i < output.size(); ++i) {
            const bool poisoned = isPoison(output[i]);
            if (m_job.skippedOnPurpose && m_job.skippedOnPurpose(i)) {
                outside += poisoned ? 0 : sizeof(Out);
                actual[i] = reference[i] = 0.0;
            } else {
                unwritten += poisoned;
            }
        }
        return compare(
            {.tensor = "out",
             .actual = actual,
             .reference = reference,
             .tolerance = m_job.tolerance,
             .unwritten = unwritten,
             .outside = outside,
             .place = m_job.place ? m_job.place : [](std::size_t i) { return std::to_string(i); }});
    }

private:
    static bool isPoison(const Out& value) {
        unsigned char bytes[sizeof(Out)];
        std::memcpy(bytes, &value, sizeof(Out));
        for (const unsigned char byte : bytes)
            if (byte != BufferSets<Out>::kPoison) return false;
        return true;
    }

    ArrayJob<In, Out> m_job;
    int m_sets, m_set = 0;
    BufferSets<In> m_input;
    BufferSets<Out> m_output;
};

/// A job as a rung's Instance.
template <class In, class Out>
[[nodiscard]] std::unique_ptr<Instance> makeArrayInstance(ArrayJob<In, Out> job) {
    return std::make_unique<ArrayInstance<In, Out>>(std::move(job));
}

}  // namespace roofscope::kernels::patterns
