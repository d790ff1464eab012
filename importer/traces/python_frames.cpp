// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/python_frames.h"

#include <algorithm>
#include <array>

namespace roofscope::traces {
namespace {

/// The profiler cuts the folders of sys.path from paths, so packages begin with their names.
constexpr std::array<std::string_view, 19> kPackages{
    "torch/",      "torchvision/",  "torchaudio/", "torchtext/", "triton/",
    "numpy/",      "transformers/", "accelerate/", "lightning/", "pytorch_lightning/",
    "deepspeed/",  "apex/",         "importlib/",  "asyncio/",   "multiprocessing/",
    "concurrent/", "tqdm/",         "unittest/",   "json/"};
constexpr std::array<std::string_view, 14> kLibrary{
    "contextlib.py", "threading.py", "runpy.py",  "functools.py", "queue.py",
    "selectors.py",  "socket.py",    "typing.py", "copy.py",      "random.py",
    "codecs.py",     "weakref.py",   "abc.py",    "enum.py"};

}  // namespace

std::optional<PythonFrame> ownFrame(std::string_view name) {
    const std::size_t close = name.find("): ");
    if (close == name.npos) return std::nullopt;
    const std::size_t open = name.rfind('(', close);
    if (open == name.npos || open + 1 == close) return std::nullopt;
    const std::string_view line = name.substr(open + 1, close - open - 1);
    if (line.find_first_not_of("0123456789") != line.npos) return std::nullopt;
    const std::string_view file = name.substr(0, open), function = name.substr(close + 3);
    if (file.empty() || file.front() == '<') return std::nullopt;
    for (const std::string_view folder :
         {"site-packages/", "dist-packages/", "/lib/python3", "/torch/", "ipykernel"})
        if (file.find(folder) != file.npos) return std::nullopt;
    const auto begins = [&](std::string_view package) { return file.starts_with(package); };
    if (std::ranges::any_of(kPackages, begins) ||
        std::ranges::find(kLibrary, file) != kLibrary.end())
        return std::nullopt;
    return PythonFrame{.file = file, .function = function};
}

}  // namespace roofscope::traces
