// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "extract/driver/difference.h"
#include "extract/driver/original_facts.h"
#include "extract/driver/session.h"
#include "extract/driver/stopwatch.h"
#include "extract/driver/verify.h"

namespace roofscope::replay {

/// The verdict on a candidate; the number is the exit code of `check`.
enum class Verdict { Better = 0, NotBetter = 1, NotCompared = 2, Wrong = 3 };

[[nodiscard]] inline const char* nameOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Better:
            return "better";
        case Verdict::NotBetter:
            return "not better";
        case Verdict::Wrong:
            return "wrong";
        default:
            return "not compared";
    }
}

/// The verdict on a candidate and its evidence.
struct Judgement {
    Verdict verdict = Verdict::NotCompared;
    std::string reason;
    std::vector<double> original, candidate;  ///< seconds; the runs are paired
    RatioEstimate ratio;                      ///< candidate to original
    Difference difference;
    std::string gpu;
    std::vector<std::string> changes;  ///< "registers 40 → 32"
};

inline std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return result + '"';
}

inline std::string formatted(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// A duration as text with its unit.
inline std::string timeWords(double seconds) {
    if (seconds >= 1) return formatted("%.3f s", seconds);
    if (seconds >= 1e-3) return formatted("%.3f ms", seconds * 1e3);
    return formatted("%.2f µs", seconds * 1e6);
}

/// The verdict as one readable line.
[[nodiscard]] inline std::string verdictLine(const Judgement& j) {
    std::string line = nameOf(j.verdict);
    if (!j.candidate.empty() && j.verdict != Verdict::Wrong) {
        const double original = medianOf(j.original), candidate = medianOf(j.candidate);
        line += ": " + formatted("%.3f", 1 / j.ratio.ratio) + "× as fast (" + timeWords(original) +
                " → " + timeWords(candidate) + "; 99 % interval " +
                formatted("%.3f", 1 / j.ratio.high) + " to " + formatted("%.3f", 1 / j.ratio.low) +
                ", " + std::to_string(j.candidate.size()) + " pairs)";
    }
    if (!j.reason.empty()) line += (line.find(':') == line.npos ? ": " : "; ") + j.reason;
    for (const std::string& change : j.changes)
        if (j.verdict != Verdict::Wrong) line += "; " + change;
    return line;
}

[[nodiscard]] inline std::string verdictJson(const Judgement& j, const ReplayOptions& options) {
    const bool timed = !j.candidate.empty();
    const auto number = [&](double value) {
        return timed && std::isfinite(value) ? formatted("%.9g", value) : std::string("null");
    };
    std::string changes;
    for (const std::string& change : j.changes)
        changes += (changes.empty() ? "" : ", ") + quoted(change);
    return "{\"verdict\": " + quoted(nameOf(j.verdict)) + ", \"reason\": " + quoted(j.reason) +
           ", \"gpu\": " + quoted(j.gpu) + ", \"cache\": \"" +
           (options.cache == CacheState::Cold ? "cold" : "warm") +
           "\", \"original_seconds\": " + number(medianOf(j.original)) +
           ", \"candidate_seconds\": " + number(medianOf(j.candidate)) +
           ", \"ratio\": " + number(j.ratio.ratio) + ", \"ratio_low\": " + number(j.ratio.low) +
           ", \"ratio_high\": " + number(j.ratio.high) +
           ", \"pairs\": " + std::to_string(j.candidate.size()) +
           ", \"wrong_bytes\": " + std::to_string(j.difference.wrong) +
           ", \"outside_bytes\": " + std::to_string(j.difference.outside) +
           ", \"tolerated_bytes\": " + std::to_string(j.difference.tolerated) +
           ", \"worst_relative\": " + formatted("%.9g", j.difference.worst) + ", \"changes\": [" +
           changes + "]}";
}

/// Loads the candidate that the options name.
inline ReplayedKernel candidateOf(const Session& session, const ReplayOptions& options,
                                  const Launcher& launcher) {
    if (launcher) return ReplayedKernel::function(session.original(), launcher);
    return ReplayedKernel::candidate(session.driver(), session.launch(), options.candidate,
                                     options.kernel, options.shapeFor(session.launch()));
}

/// Compares a candidate with the original on the captured memory.
class Judge {
public:
    /// `launcher`: launches the candidate if it is a function.
    Judge(Session& session, const ReplayOptions& options, const OriginalFacts& facts,
          Launcher launcher = {})
        : m_session(session),
          m_options(options),
          m_written(facts.writtenBytes),
          m_launcher(std::move(launcher)) {
        NumberType type = typeInName(session.launch().name);
        if (type == NumberType::Bytes) type = facts.varyingType;
        m_how.type = options.type.value_or(type);
        m_how.tolerance = usualTolerance(m_how.type);
        if (options.tolerance) m_how.tolerance = {*options.tolerance, m_how.tolerance.absolute};
        m_how.varying = facts.varying;
        m_found.gpu = session.gpu();
    }

    Judgement judge() {
        if (m_written == 0)
            return finish(Verdict::NotCompared,
                          "the original changes no byte of memory, so there is nothing to compare");
        LaunchMemory& memory = m_session.memory();
        memory.poison();
        const ReplayedKernel original = m_session.original();
        const ReplayedKernel candidate = candidateOf(m_session, m_options, m_launcher);
        requireVariables(candidate);
        m_session.run(original);
        Comparison exact = m_how;
        exact.tolerance = {};
        if (!compareMemory(memory, original, false, exact).none())
            return finish(Verdict::NotCompared,
                          "the original itself does not give its result here: run ./check "
                          "without a candidate");
        // From here on, errors are the candidate's fault.
        try {
            if (const std::string fault = runTwice(candidate); !fault.empty())
                return finish(Verdict::Wrong, fault);
            memory.keepOnGpu();
            if (const std::string fault = time(original, candidate); !fault.empty())
                return finish(Verdict::Wrong, fault);
        } catch (const CandidateRaised& error) {
            // The exception may be a consequence of a fault on the GPU.
            const bool fault = m_session.driver().synchronise() != 0;
            return finish(fault ? Verdict::Wrong : Verdict::NotCompared, error.what());
        } catch (const NotComparable&) {
            throw;
        } catch (const std::exception& error) {
            return finish(Verdict::Wrong, std::string("the candidate failed: ") + error.what());
        }
        m_found.ratio = ratioOf(m_found.original, m_found.candidate);
        describe(original, candidate);
        const bool better = m_found.ratio.high > 0 && m_found.ratio.high < 1 - kLeastGain;
        std::string results = "same bytes";
        if (m_found.difference.tolerated > 0)
            results = std::string("results within the tolerance, at most ") +
                      formatted("%.2g", m_found.difference.worst) + " apart (" +
                      nameOf(m_how.type) + ")";
        if (m_waits) results += "; it waits for the GPU, so its time includes the CPU's";
        return finish(better ? Verdict::Better : Verdict::NotBetter, results);
    }

private:
    /// A smaller gain is not worth an edit, even if it is certain.
    static constexpr double kLeastGain = 0.01;
    static constexpr int kPairs = 60, kLeastPairs = 9, kWarmUps = 3;
    static constexpr double kTimeForPairs = 2.0;  ///< seconds
    /// Results up to this size are compared after every timed run.
    static constexpr std::uint64_t kComparedEachTime = 32U << 20;

    Judgement finish(Verdict verdict, std::string reason) {
        m_found.verdict = verdict;
        m_found.reason = std::move(reason);
        return m_found;
    }

    void requireVariables(const ReplayedKernel& candidate) const {
        const auto& regions = m_session.launch().regions;
        for (std::size_t r = 0; r < regions.size(); ++r)
            if (!regions[r].variable.empty() && !m_session.memory().place(r, candidate) &&
                m_session.memory().regions()[r].flags.count(kWritten) > 0)
                throw NotComparable("the original writes the variable " + regions[r].variable +
                                    ", which the candidate does not have");
    }

    std::string faultOf(const Difference& difference) const {
        const auto& launch = m_session.launch();
        LaunchMemory& memory = m_session.memory();
        if (difference.gap)
            return "it writes outside of every allocation, at address " +
                   std::to_string(*difference.gap);
        if (difference.outside > 0)
            return "it writes " + std::to_string(difference.outside) +
                   " bytes that the original does not write, first at " +
                   placeWords(launch, memory, *difference.firstOutside);
        if (difference.wrong > 0)
            return std::to_string(difference.wrong) + " bytes of the result are wrong, first at " +
                   placeWords(launch, memory, *difference.firstWrong) +
                   (difference.nan > 0 ? " (" + std::to_string(difference.nan) + " NaN)" : "");
        return {};
    }

    std::string runTwice(const ReplayedKernel& candidate) {
        for (int run = 0; run < 2; ++run) {
            m_session.run(candidate);
            m_found.difference = compareMemory(m_session.memory(), candidate, false, m_how);
            if (std::string fault = faultOf(m_found.difference); !fault.empty()) return fault;
            sendFact("alive", run);
        }
        return {};
    }

    std::string time(const ReplayedKernel& original, const ReplayedKernel& candidate) {
        LaunchMemory& memory = m_session.memory();
        std::uint64_t written = 0;
        for (const auto& region : memory.regions()) written += region.flags.count(kWritten);
        Stopwatch stopwatch(m_session.driver(), memory, m_session.device(), m_options.cache);
        if (candidate.isFunction()) learn(stopwatch, candidate);
        const auto begun = std::chrono::steady_clock::now();
        for (int i = -kWarmUps; i < kPairs; ++i) {
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
            if (i >= kLeastPairs && took.count() > kTimeForPairs) break;
            double first = 0;
            if (i % 2 == 0) first = stopwatch.time(original);
            const double second = stopwatch.time(candidate);
            // Results of the previous run cannot make this pass: they were poisoned before the run.
            if (written <= kComparedEachTime || i == 0) {
                const auto difference = compareMemory(memory, candidate, true, m_how);
                if (std::string fault = faultOf(difference); !fault.empty())
                    return "after " + std::to_string(i + kWarmUps + 2) + " right results, " + fault;
            }
            if (i % 2 != 0) first = stopwatch.time(original);
            if (i >= 0) {
                m_found.original.push_back(first);
                m_found.candidate.push_back(second);
            }
            sendFact("alive", i);
        }
        m_waits = candidate.isFunction() && stopwatch.waits();
        // The candidate may have written elsewhere during its last timed run.
        m_session.run(candidate);
        return faultOf(compareMemory(memory, candidate, false, m_how));
    }

    /// Lets a function load and compile what it needs, and finds out where it launches and waits.
    void learn(Stopwatch& stopwatch, const ReplayedKernel& function) {
        // The first launch on a stream may wait while code is loaded.
        for (int i = 0; i < 2; ++i) {
            stopwatch.forgetWaits();
            stopwatch.time(function);
            sendFact("alive", i);
        }
        LaunchMemory& memory = m_session.memory();
        const bool elsewhere = stopwatch.runsElsewhere(function, [&] {
            bool changed = false;
            memory.read(
                function, true, [&](std::size_t r, std::uint64_t c, const unsigned char* now) {
                    const LaunchMemory::Region& region = memory.regions()[r];
                    changed = changed || std::memcmp(now, region.start.data() + c * kChunkBytes,
                                                     region.flags.chunkBytes(c)) != 0;
                });
            return changed;
        });
        if (elsewhere)
            throw NotComparable(
                "the candidate works on another stream than the current one, so it cannot be "
                "timed");
    }

    void describe(const ReplayedKernel& original, const ReplayedKernel& candidate) {
        const auto compare = [&](const char* what, int which) {
            const int a = original.attribute(which), b = candidate.attribute(which);
            if (a != b)
                m_found.changes.push_back(std::string(what) + " " + std::to_string(a) + " → " +
                                          std::to_string(b));
        };
        compare("registers", 4);
        compare("static shared bytes", 1);
        compare("local bytes", 3);
    }

    Session& m_session;
    const ReplayOptions& m_options;
    std::uint64_t m_written = 0;  ///< number of bytes that the original writes
    Launcher m_launcher;
    bool m_waits = false;  ///< the candidate is a function that waits for the GPU
    Comparison m_how;
    Judgement m_found;
};

}  // namespace roofscope::replay
