// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collector/inject/sessions/counter_session.h"

namespace roofscope::test {

/// A counter session on a fake GPU: each kernel that runs during the session is one range, and its
/// only counter identifies the kernel. With three groups there are two counters: of the first
/// group, of the second, and both in the third.
class FakeSession final : public inject::CounterSession {
public:
    static constexpr const char* kCounter = "fake__blocks.sum";
    static constexpr const char* kSecond = "fake__blocks_again.sum";

    FakeSession(std::size_t passes, bool cheapPauses, std::size_t groups = 1);
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
    [[nodiscard]] std::size_t groups() const override { return m_groups; }
    void choose(std::size_t group) override { m_next = group; }
    [[nodiscard]] std::size_t room() const override { return m_room - m_handedOver; }
    [[nodiscard]] bool pausesCheaply() const override { return m_cheapPauses; }
    Result<void> reserve(std::size_t ranges) override;
    Result<Batch> drain(bool pause) override;
    Result<void> resume() override;

private:
    [[nodiscard]] std::vector<double> valuesOf(unsigned blocks) const;

    std::size_t m_passes;
    bool m_cheapPauses;
    std::size_t m_groups, m_group = 0, m_next = 0;
    std::vector<std::string> m_counters{kCounter}, m_none;
    std::vector<double> m_noValues;
    std::size_t m_room = 8, m_handedOver = 0;
    bool m_running = true;
    std::vector<std::vector<double>> m_ranges;  ///< not yet handed over
    std::size_t m_dropped = 0;
};

}  // namespace roofscope::test
