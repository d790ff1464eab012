// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python/frame_lines.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <span>
#include <string>

#include "collector/inject/sampling/python_frames.h"
#include "collector/inject/sampling/python_layout.h"

namespace roofscope::inject::python_lines {
namespace {

/// Deeper stacks are those of frameworks that call themselves.
constexpr std::size_t kMostPythonFrames = 64;

/// The layout of this process's interpreter, determined once.
const std::optional<PythonLayout>& layoutOfProcess() {
    static const std::optional<PythonLayout> layout = [] {
        std::string unknown;
        return pythonLayout(unknown);
    }();
    return layout;
}

}  // namespace

bool isOwnFile(std::string_view file) {
    if (file.empty()) return false;
    if (file.starts_with('<')) return file.starts_with("<ipython-input");
    return std::ranges::none_of(
        std::array<std::string_view, 5>{"/site-packages/", "/dist-packages/", "/lib/python3",
                                        "torchinductor_", "/.triton/"},
        [&](std::string_view part) { return file.find(part) != std::string_view::npos; });
}

std::optional<Place> hereByFrames() {
    const auto& layout = layoutOfProcess();
    if (!layout) return std::nullopt;
    const std::uintptr_t thread = pythonThread(*layout, syscall(SYS_gettid));
    if (thread == 0) return std::nullopt;
    std::array<RawPythonFrame, kMostPythonFrames> frames;
    const std::size_t count = copyPythonFrames(*layout, thread, frames);
    static std::mutex mutex;  // held only briefly, and never while code of the program runs
    static PythonCode known;
    const std::lock_guard lock(mutex);
    for (const RawPythonFrame& frame : std::span(frames).first(count)) {
        if (!frame.shown) continue;
        const auto place = known.place(*layout, frame);
        if (place && isOwnFile(place->file))
            return Place{.code = code(place->file, place->function), .line = place->line};
    }
    return std::nullopt;
}

}  // namespace roofscope::inject::python_lines
