// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "extract/driver/difference.h"
#include "extract/driver/original_facts.h"
#include "extract/driver/session.h"
#include "extract/driver/stopwatch.h"
#include "extract/driver/worker.h"

/// Replays the original to find out what it does to memory: whether it gives the program's result,
/// which bytes it writes, which of those it does not read, and which vary from run to run.
namespace roofscope::replay {

/// Kinds of messages that these workers send.
enum : std::uint32_t {
    kFlagsFound = 1,  ///< region, value: chunk, bytes: flags to add
    kPartBegins = 2,  ///< value: number of the memory part
    kPartTested = 3,  ///< value: number of the part, region: 1 if the kernel only writes it
    kFact = 4         ///< bytes: name, space, number
};

inline void sendFact(const std::string& name, double value) {
    char text[128];
    std::snprintf(text, sizeof text, "%s %.17g", name.c_str(), value);
    send({kFact, 0, 0, {text, text + std::strlen(text)}});
}

/// A part of a region: from one address in the arguments to the next.
struct MemoryPart {
    std::size_t region = 0;
    std::uint64_t offset = 0, bytes = 0;
};

[[nodiscard]] inline std::vector<MemoryPart> partsOf(const LaunchDescription& launch) {
    std::vector<MemoryPart> parts;
    for (std::size_t r = 0; r < launch.regions.size(); ++r) {
        const auto& region = launch.regions[r];
        std::set<std::uint64_t> cuts{0};
        for (const auto& parameter : launch.parameters)
            for (std::size_t at = 0; at + 8 <= parameter.bytes.size(); at += 8) {
                std::uint64_t word = 0;
                std::memcpy(&word, parameter.bytes.data() + at, 8);
                if (region.variable.empty() && word >= region.address &&
                    word - region.address < region.bytes)
                    cuts.insert(word - region.address);
            }
        for (auto cut = cuts.begin(); cut != cuts.end(); ++cut) {
            const auto next = std::next(cut);
            const std::uint64_t end = next == cuts.end() ? region.bytes : *next;
            parts.push_back({r, *cut, end - *cut});
        }
    }
    return parts;
}

/// Worker: replays the original and reports the bytes that differ from the program's result.
class ReplayTest {
public:
    static constexpr int kReplays = 3;

    explicit ReplayTest(Session& session) : m_session(session) {}

    void run() {
        LaunchMemory& memory = m_session.memory();
        const ReplayedKernel kernel = m_session.original();
        for (int replay = 0; replay < kReplays; ++replay) {
            m_session.run(kernel);
            std::set<std::pair<std::size_t, std::uint64_t>> seen;
            memory.read(kernel, false,
                        [&](std::size_t r, std::uint64_t c, const unsigned char* got) {
                            const auto& region = memory.regions()[r];
                            const std::size_t bytes = region.flags.chunkBytes(c);
                            const auto known = m_first.find({r, c});
                            const bool same = std::memcmp(got, region.expected(c), bytes) == 0;
                            if (same && known == m_first.end()) return;
                            if (!same) compare(r, c, got, region.expected(c), bytes);
                            if (replay == 0)
                                m_first[{r, c}].assign(got, got + bytes);
                            else if (known == m_first.end() ||
                                     std::memcmp(known->second.data(), got, bytes) != 0)
                                m_varies = true;
                        });
            if (const auto gap = memory.damagedGap()) sendFact("gap", static_cast<double>(*gap));
        }
        std::uint64_t differing = 0;
        for (const auto& [where, flags] : m_differs) {
            for (const unsigned char f : flags) differing += f != 0;
            send({kFlagsFound, static_cast<std::uint32_t>(where.first), where.second, flags});
        }
        sendFact("differing", static_cast<double>(differing));
        sendFact("varies", m_varies ? 1 : 0);
        for (const auto& [type, worst] : m_worst) {
            sendFact(std::string("relative_") + nameOf(type), worst.relative);
            sendFact(std::string("absolute_") + nameOf(type), worst.absolute);
        }
    }

private:
    void compare(std::size_t r, std::uint64_t c, const unsigned char* got,
                 const unsigned char* expected, std::size_t bytes) {
        auto& flags = m_differs[{r, c}];
        flags.resize(bytes);
        for (std::size_t i = 0; i < bytes; ++i)
            if (got[i] != expected[i]) flags[i] = kWritten | kVaries;
        for (const NumberType type :
             {NumberType::F16, NumberType::BF16, NumberType::F32, NumberType::F64}) {
            Tolerance& worst = m_worst[type];
            const std::size_t size = sizeOf(type);
            for (std::size_t i = 0; i + size <= bytes; i += size) {
                if (std::memcmp(got + i, expected + i, size) == 0) continue;
                const double a = numberAt(type, got + i), b = numberAt(type, expected + i);
                const double apart = std::fabs(a - b);
                const double scale = std::max(std::fabs(a), std::fabs(b));
                // NaN and infinity are never close to anything.
                if (!(apart < HUGE_VAL)) {
                    worst = {HUGE_VAL, HUGE_VAL};
                } else {
                    worst.relative = std::max(worst.relative, scale > 0 ? apart / scale : 0);
                    worst.absolute = std::max(worst.absolute, apart);
                }
            }
        }
    }

    Session& m_session;
    std::map<std::pair<std::size_t, std::uint64_t>, std::vector<unsigned char>> m_first, m_differs;
    std::map<NumberType, Tolerance> m_worst;
    bool m_varies = false;
};

/// Worker: fills one part of memory after the other with random bytes before a replay. The kernel
/// does not read the part if everything else comes out the same and each byte of the part is either
/// unchanged or right. The bytes that changed are those that it writes.
class PartTest {
public:
    PartTest(Session& session, double seconds) : m_session(session), m_seconds(seconds) {}

    /// Tests parts from number `first` on until the time is used up.
    void run(std::size_t first) {
        const ReplayedKernel kernel = m_session.original();
        const std::vector<MemoryPart> parts = partsOf(m_session.launch());
        const auto begun = std::chrono::steady_clock::now();
        for (std::size_t p = first; p < parts.size(); ++p) {
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
            if (took.count() > m_seconds) return;
            send({kPartBegins, 0, p, {}});
            send({kPartTested, test(kernel, parts[p]) ? 1U : 0U, p, {}});
        }
    }

private:
    static constexpr unsigned char kPatterns[2] = {0xA5, 0x3C};

    bool test(const ReplayedKernel& kernel, const MemoryPart& part) {
        LaunchMemory& memory = m_session.memory();
        LaunchMemory::Region& region = memory.regions()[part.region];
        const std::uint64_t firstChunk = part.offset / kChunkBytes;
        const std::uint64_t endChunk = (part.offset + part.bytes + kChunkBytes - 1) / kChunkBytes;
        for (std::uint64_t c = firstChunk; c < endChunk; ++c) LaunchMemory::keepResult(region, c);
        const auto from = region.start.begin() + static_cast<std::ptrdiff_t>(part.offset);
        const std::vector<unsigned char> saved(from,
                                               from + static_cast<std::ptrdiff_t>(part.bytes));
        std::map<std::uint64_t, std::vector<unsigned char>> touched;
        bool right = true;
        for (const unsigned char pattern : kPatterns) {
            std::fill(from, from + static_cast<std::ptrdiff_t>(part.bytes), pattern);
            m_session.run(kernel);
            memory.read(kernel, false,
                        [&](std::size_t r, std::uint64_t c, const unsigned char* got) {
                            right = right && judge(memory, part, pattern, r, c, got, touched);
                        });
            if (!right) break;
        }
        std::copy(saved.begin(), saved.end(), from);
        if (right)
            for (auto& [chunk, flags] : touched)
                if (std::any_of(flags.begin(), flags.end(), [](unsigned char f) { return f != 0; }))
                    send({kFlagsFound, static_cast<std::uint32_t>(part.region), chunk, flags});
        return right;
    }

    static bool judge(const LaunchMemory& memory, const MemoryPart& part, unsigned char pattern,
                      std::size_t r, std::uint64_t c, const unsigned char* got,
                      std::map<std::uint64_t, std::vector<unsigned char>>& touched) {
        const LaunchMemory::Region& region = memory.regions()[r];
        const unsigned char* const expected = region.expected(c);
        const unsigned char* const flags = region.flags.of(c);
        const std::size_t bytes = region.flags.chunkBytes(c);
        const std::uint64_t start = c * kChunkBytes;
        const bool apart =
            r != part.region || start + bytes <= part.offset || start >= part.offset + part.bytes;
        if (apart && std::memcmp(got, expected, bytes) == 0) return true;
        std::vector<unsigned char>* found = nullptr;
        if (!apart) {
            found = &touched[c];
            found->resize(bytes);
        }
        for (std::size_t i = 0; i < bytes; ++i) {
            const std::uint64_t at = start + i;
            const bool inside = !apart && at >= part.offset && at - part.offset < part.bytes;
            if (inside && got[i] == pattern) continue;
            if (got[i] != expected[i] && !(flags && (flags[i] & kVaries))) return false;
            if (inside) (*found)[i] = kWritten | kPoisoned;
        }
        return true;
    }

    Session& m_session;
    double m_seconds;
};

/// Worker: checks that the original is right with poisoned memory, and times it.
inline void confirmOriginal(Session& session, const Comparison& how) {
    LaunchMemory& memory = session.memory();
    memory.poison();
    const ReplayedKernel kernel = session.original();
    session.run(kernel);
    const Difference difference = compareMemory(memory, kernel, false, how);
    sendFact("wrong", static_cast<double>(difference.wrong + difference.outside));
    if (!difference.none()) return;
    memory.keepOnGpu();
    constexpr int kTimes = 15, kFirst = 3;
    for (const CacheState cache : {CacheState::Warm, CacheState::Cold}) {
        Stopwatch stopwatch(session.driver(), memory, session.device(), cache);
        std::vector<double> seconds;
        for (int i = 0; i < kTimes + kFirst; ++i) {
            const double s = stopwatch.time(kernel);
            if (i >= kFirst) seconds.push_back(s);
            sendFact("alive", i);
        }
        sendFact(cache == CacheState::Warm ? "warm" : "cold", medianOf(seconds));
    }
}

/// Runs the workers and writes `written.bin` and `original.json`.
class Verification {
public:
    explicit Verification(std::string folder)
        : m_folder(std::move(folder)), m_launch(LaunchDescription::read(m_folder)) {
        for (const auto& region : m_launch.regions) m_flags.emplace_back(region.bytes);
    }

    /// Throws std::runtime_error if the original cannot be replayed.
    OriginalFacts run() {
        markChanged();
        write();
        replays();
        write();
        parts();
        write();
        confirm();
        m_facts.writtenBytes = m_facts.poisonedBytes = 0;
        for (const ByteFlags& flags : m_flags) {
            m_facts.writtenBytes += flags.count(kWritten);
            m_facts.poisonedBytes += flags.count(kPoisoned);
        }
        m_facts.write(m_folder);
        return m_facts;
    }

private:
    /// In seconds.
    static constexpr int kPatience = 60;
    static constexpr double kTimeForParts = 40;

    WorkerEnd work(const std::vector<std::string>& words, const Worker::Take& also = {}) {
        std::vector<std::string> arguments = words;
        arguments.insert(arguments.end(), {"--folder", m_folder});
        return Worker::run(
            arguments,
            [&](const Message& message) {
                if (message.kind == kFact) {
                    const std::string text(message.bytes.begin(), message.bytes.end());
                    const std::size_t space = text.find(' ');
                    if (space != text.npos)
                        m_told[text.substr(0, space)] = std::strtod(text.c_str() + space, nullptr);
                }
                if (message.kind == kFlagsFound) add(message);
                if (also) also(message);
            },
            kPatience);
    }
    void add(const Message& message) {
        if (message.region >= m_flags.size() ||
            message.value >= capture::chunksOf(m_launch.regions[message.region].bytes) ||
            message.bytes.size() != m_flags[message.region].chunkBytes(message.value))
            return;
        unsigned char* const flags = m_flags[message.region].edit(message.value);
        for (std::size_t i = 0; i < message.bytes.size(); ++i) flags[i] |= message.bytes[i];
    }
    double told(const std::string& name, double otherwise) const {
        const auto it = m_told.find(name);
        return it == m_told.end() ? otherwise : it->second;
    }
    void write() const {
        std::vector<const ByteFlags*> flags;
        for (const ByteFlags& f : m_flags) flags.push_back(&f);
        written_file::write(m_folder + "/" + written_file::kFile, flags);
    }

    /// Uses only the files, no GPU.
    void markChanged() {
        const capture::PageReader reader(m_folder, loadZlib());
        if (reader.regions().size() != m_flags.size())
            throw std::runtime_error("memory.index and launch.json list different regions");
        std::vector<unsigned char> before(kChunkBytes), after(kChunkBytes);
        for (std::size_t r = 0; r < m_flags.size(); ++r) {
            const auto& region = reader.regions()[r];
            if (region.bytes != m_launch.regions[r].bytes)
                throw std::runtime_error("memory.index and launch.json have different sizes");
            for (std::size_t c = 0; c < region.before.size(); ++c) {
                if (region.before[c] == region.after[c]) continue;
                reader.read(region.before[c], before.data());
                reader.read(region.after[c], after.data());
                unsigned char* const flags = m_flags[r].edit(c);
                for (std::size_t i = 0; i < m_flags[r].chunkBytes(c); ++i)
                    if (before[i] != after[i]) flags[i] |= kWritten;
            }
        }
    }

    void replays() {
        if (!work({"replays"}).ok()) throw std::runtime_error("the original could not be replayed");
        m_facts.differingBytes = static_cast<std::uint64_t>(told("differing", 0));
        m_facts.varies = told("varies", 0) > 0;
        if (!m_facts.varies || m_facts.differingBytes == 0) return;
        // Assume the type with which the differing numbers are closest.
        double best = HUGE_VAL;
        for (const NumberType type :
             {NumberType::F16, NumberType::BF16, NumberType::F32, NumberType::F64}) {
            const double relative = told(std::string("relative_") + nameOf(type), HUGE_VAL);
            if (relative >= best) continue;
            best = relative;
            m_facts.varyingType = type;
            // Three replays may not show the largest possible difference.
            constexpr double kRoom = 4;
            m_facts.varying = {kRoom * relative,
                               kRoom * told(std::string("absolute_") + nameOf(type), 0)};
        }
    }

    void parts() {
        const std::size_t count = partsOf(m_launch).size();
        const auto begun = std::chrono::steady_clock::now();
        std::size_t next = 0;
        while (next < count) {
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
            if (took.count() > kTimeForParts) break;
            std::size_t tested = next;
            const WorkerEnd end = work({"parts", "--first", std::to_string(next), "--seconds",
                                        std::to_string(kTimeForParts - took.count())},
                                       [&](const Message& message) {
                                           // The kernel fails in a part that begins but never ends,
                                           // so it reads the part.
                                           if (message.kind == kPartBegins)
                                               tested = static_cast<std::size_t>(message.value) + 1;
                                       });
            const bool idle = tested == next;
            next = tested;
            if (end.ok() || idle) break;
        }
        m_facts.untestedParts = count - next;
    }

    void confirm() {
        const auto once = [&] {
            m_told.clear();
            std::vector<std::string> words{"confirm"};
            return work(words).ok() && told("wrong", 1) == 0;
        };
        m_facts.write(m_folder);  // the worker reads the tolerance from there
        m_facts.poisonHolds = once();
        if (!m_facts.poisonHolds) {
            for (ByteFlags& flags : m_flags) flags.clear(kPoisoned);
            write();
            if (!once())
                throw std::runtime_error(
                    "the original's result is not the same in every replay, nor within the "
                    "tolerance that was derived from them");
        }
        m_facts.warmSeconds = told("warm", 0);
        m_facts.coldSeconds = told("cold", 0);
    }

    std::string m_folder;
    LaunchDescription m_launch;
    std::vector<ByteFlags> m_flags;
    std::map<std::string, double> m_told;
    OriginalFacts m_facts;
};

}  // namespace roofscope::replay
