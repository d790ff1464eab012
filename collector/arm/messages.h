// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What an armed process and a command say to each other. Each message is one line of JSON.
///
///     command → process   {"do":"state"}
///     process → command   {"version":"0.9","pid":4242,"command":["python3","serve.py"],…}
///
///     command → process {"do":"snap","folder":"/tmp/roofscope-x","seconds":60,"bytes":1000000000,
///                          "around":1}
///     process → command   {"phase":"recording"}            launches are recorded from now on
///     command → process   {"do":"end"}                     enough; also meant by hanging up
///     process → command   {"phase":"ended","recorded":5.1,"age":86400.2,"early":""}
///     or                  {"phase":"refused","why":"…","advice":"…"}
///
///     command → process   {"do":"disarm"}
///     process → command   {"phase":"ended"}                it listens no more
///
/// The command writes what to record into the folder as a run configuration. The process writes its
/// recording there, too.
namespace roofscope::arm {

/// Longer requests are refused without parsing them.
inline constexpr std::size_t kMostRequest = 8192;
inline constexpr std::size_t kMostAnswer = 65536;
/// Limits of a snap; requests beyond them are refused.
inline constexpr double kMostSeconds = 600, kMostAround = 60;
inline constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;

struct Request {
    enum class What { State, Snap, End, Disarm };
    What what = What::State;
    std::string folder;       ///< of a snap: absolute
    double seconds = 0;       ///< of a snap: the time limit; above 0, up to kMostSeconds
    std::uint64_t bytes = 0;  ///< of a snap: the limit of what is written; from 1 to kMostBytes
    double around = 1;        ///< of a snap: launches are only counted for so long before and after
};
[[nodiscard]] std::string toLine(const Request& request);
/// nullopt for anything but a request as described above.
[[nodiscard]] std::optional<Request> requestFrom(std::string_view line);

/// What an armed process reports about itself.
struct State {
    std::string version;  ///< of roofscope
    std::int64_t pid = 0;
    std::vector<std::string> command;
    std::uint64_t armedSince = 0;   ///< seconds since 1970
    std::vector<std::string> gpus;  ///< on which it has a context: "0: NVIDIA H200"
    bool snapped = false;           ///< a snap is in progress
    std::uint64_t snaps = 0;        ///< snaps so far, including the current one
};
[[nodiscard]] std::string toLine(const State& state);
[[nodiscard]] std::optional<State> stateFrom(std::string_view line);

/// Why a snap ended before the command asked for it.
enum class Early { No, Seconds, Bytes, ProgramEnds };

struct News {
    enum class Phase { Recording, Ended, Refused };
    Phase phase = Phase::Ended;
    double recorded = 0;  ///< seconds
    double age = 0;       ///< of the process when the recording began, seconds
    Early early = Early::No;
    bool detached = true;     ///< CUPTI has left the process
    std::string why, advice;  ///< of a refusal
};
[[nodiscard]] std::string toLine(const News& news);
[[nodiscard]] std::optional<News> newsFrom(std::string_view line);

}  // namespace roofscope::arm
