// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/program/program.h"
#include "reports/document/text.h"

/// Words for a program's verdict, for reports and the window. They hold no control
/// characters; writers escape them.
namespace roofscope {

/// "6 × `step`, 68.0 ms each (mean of 5; 1 warm-up left out)".
[[nodiscard]] doc::Text windowWords(const Window& window, Language language);
/// "Program: 6 × `step`, 68.0 ms each."
[[nodiscard]] doc::Text windowSentence(const Window& window, Language language);
/// "idle after a synchronisation".
[[nodiscard]] std::string timeClassWords(TimeClass cls, Language language);
/// "Of that: copies, no kernel running 86 %, kernels 8.1 %, the rest 0.6 %." At most `most` parts,
/// largest first.
[[nodiscard]] doc::Text accountSentence(const Account& account, Language language,
                                        std::size_t most = kTimeClasses.size());
/// "Run: 4.90 s: 2.10 s before the first GPU work, 13.0 ms in 1535 repeats, outside of them 2.70 s
/// copies, no kernel running, 0.10 s after the last GPU work." Absent if nothing but the loop was
/// recorded.
[[nodiscard]] std::optional<doc::Text> runSentence(const Program& program, Language language);
/// "Its loop: 50 repeats of 1 launch, 108 µs each. Of that: kernels 92.6 %, …", shown below the
/// account of a judged run.
[[nodiscard]] doc::Text loopSentence(const Program& loop, Language language);
/// For Program::phases[index]: "**Phase** `rollout`: 45 % of the time, 380 ms. Of that: idle in
/// launch calls 62 %, …". If the phase has an action, its first one follows: "First: …".
[[nodiscard]] doc::Text phaseSentence(const Analysis& analysis, const Program& program,
                                      std::size_t index, Language language);
/// "Mean over 8 GPUs."; absent for one GPU.
[[nodiscard]] std::optional<doc::Text> meanSentence(const Program& program, Language language);
/// Notes on the account: overlapped copies, the number of GPUs averaged, communication per rank,
/// tracing overhead.
[[nodiscard]] std::vector<doc::Text> accountNotes(const Program& program, Language language);
/// The hardware lower bound of the time; absent if unknown.
[[nodiscard]] std::optional<doc::Text> floorSentence(const Program& program, Language language);
/// What is not measured but needed to say that nothing is left to do; absent if enough was
/// measured.
[[nodiscard]] std::optional<doc::Text> notMeasuredSentence(const Analysis& analysis,
                                                           const Program& program,
                                                           Language language);
/// The largest kernel without a known action, and what is known about it; absent if none takes far
/// more time than the actions can save.
[[nodiscard]] std::optional<doc::Text> largestWithoutEditSentence(const Analysis& analysis,
                                                                  const Program& program,
                                                                  Language language);
/// Says to stop here, that no known edit is worth it, or that too little was measured; absent if
/// there are actions.
[[nodiscard]] std::optional<doc::Text> stopSentence(const Analysis& analysis,
                                                    const Program& program, Language language);
/// Warns that faster kernels may change nothing; absent if the GPU hardly waits for the CPU.
[[nodiscard]] std::optional<doc::Text> boundsSentence(const Program& program, Language language);

}  // namespace roofscope
