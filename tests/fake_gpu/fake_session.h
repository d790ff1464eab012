// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collector/inject/sessions/counter_session.h"

namespace roofscope::test {

/// A counter session on a fake GPU: each kernel that runs during the session is one range, and its
/// only counter identifies the kernel.
class FakeSession final : public inject::CounterSession {
public:
    static constexpr const char* kCounter = "fake__blocks.sum";

    FakeSession(std::size_t passes, bool cheapPauses);
    ~FakeSession() override;

    /// Whether there is a session and it is running.
    static bool runs();
    /// How many sessions were opened.
    static int opened();
    /// A kernel of `blocks` blocks ran.
    static void kernelRan(unsigned blocks);

    [[nodiscard]] const std::vector<std::string>& counters() const override { return m_counters; }
    [[nodiscard]] const std::vector<std::string>& peakNames() const override { return m_none; }
    [[nodiscard]] const std::vector<double>& peakValues() const override { return m_noValues; }
    [[nodiscard]] std::size_t passes() const override { return m_passes; }
    [[nodiscard]] std::size_t room() const override { return m_room - m_handedOver; }
    [[nodiscard]] bool pausesCheaply() const override { return m_cheapPauses; }
    Result<void> reserve(std::size_t ranges) override;
    Result<Batch> drain(bool pause) override;
    Result<void> resume() override;

private:
    std::size_t m_passes;
    bool m_cheapPauses;
    std::vector<std::string> m_counters{kCounter}, m_none;
    std::vector<double> m_noValues;
    std::size_t m_room = 8, m_handedOver = 0;
    bool m_running = true;
    std::vector<std::vector<double>> m_ranges;  ///< not yet handed over
    std::size_t m_dropped = 0;
};

}  // namespace roofscope::test
