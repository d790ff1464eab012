// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/python_frames.h"

#include <algorithm>
#include <array>

namespace roofscope::traces {
namespace {

/// Paths of installed packages begin with the package's name, since the profiler removes the
/// folders of sys.path. Servers (vllm, sglang) are not listed: whoever profiles them wants to see
/// their functions.
constexpr std::array kPackages = std::to_array<std::string_view>(
    {"torch/", "torchvision/", "torchaudio/", "torchtext/", "torchmetrics/", "torch_geometric/",
     "triton/", "numpy/", "scipy/", "pandas/", "pyarrow/", "polars/", "sklearn/", "skimage/",
     "PIL/", "cv2/", "matplotlib/", "einops/", "timm/", "transformers/", "tokenizers/", "datasets/",
     "diffusers/", "huggingface_hub/", "safetensors/", "peft/", "accelerate/", "bitsandbytes/",
     "xformers/", "flash_attn/", "transformer_engine/", "lightning/", "pytorch_lightning/",
     "deepspeed/", "apex/", "jax/", "flax/", "numba/", "cupy/", "wandb/", "tensorboard/", "hydra/",
     "omegaconf/", "tqdm/", "ray/",
     // Python's standard library
     "importlib/", "asyncio/", "multiprocessing/", "concurrent/", "unittest/", "json/", "logging/",
     "collections/", "ctypes/", "email/", "http/", "urllib/", "encodings/", "re/"});
constexpr std::array kLibrary =
    std::to_array<std::string_view>({"contextlib.py",  "threading.py",   "runpy.py",
                                     "functools.py",   "queue.py",       "selectors.py",
                                     "socket.py",      "typing.py",      "copy.py",
                                     "random.py",      "codecs.py",      "weakref.py",
                                     "abc.py",         "enum.py",        "inspect.py",
                                     "dataclasses.py", "warnings.py",    "os.py",
                                     "posixpath.py",   "pickle.py",      "struct.py",
                                     "traceback.py",   "linecache.py",   "tempfile.py",
                                     "subprocess.py",  "re.py",          "sre_parse.py",
                                     "sre_compile.py", "string.py",      "shutil.py",
                                     "pathlib.py",     "glob.py",        "types.py",
                                     "operator.py",    "heapq.py",       "bisect.py",
                                     "statistics.py",  "numbers.py",     "signal.py",
                                     "ssl.py",         "gzip.py",        "zipfile.py",
                                     "tarfile.py",     "csv.py",         "datetime.py",
                                     "uuid.py",        "hashlib.py",     "base64.py",
                                     "textwrap.py",    "_weakrefset.py", "_collections_abc.py",
                                     "ast.py",         "argparse.py",    "locale.py",
                                     "fnmatch.py"});

}  // namespace

std::optional<PythonFrame> pythonFrame(std::string_view name) {
    const std::size_t close = name.find("): ");
    if (close == name.npos) return std::nullopt;
    const std::size_t open = name.rfind('(', close);
    if (open == name.npos || open + 1 == close) return std::nullopt;
    const std::string_view line = name.substr(open + 1, close - open - 1);
    if (line.find_first_not_of("0123456789") != line.npos) return std::nullopt;
    if (open == 0) return std::nullopt;
    return PythonFrame{
        .file = name.substr(0, open), .function = name.substr(close + 3), .line = line};
}

std::optional<PythonFrame> ownFrame(std::string_view name) {
    const auto frame = pythonFrame(name);
    if (!frame || frame->file.front() == '<') return std::nullopt;
    const std::string_view file = frame->file;
    for (const std::string_view folder :
         {"site-packages/", "dist-packages/", "/lib/python3", "/torch/", "ipykernel"})
        if (file.find(folder) != file.npos) return std::nullopt;
    const auto begins = [&](std::string_view package) { return file.starts_with(package); };
    if (std::ranges::any_of(kPackages, begins) ||
        std::ranges::find(kLibrary, file) != kLibrary.end())
        return std::nullopt;
    return frame;
}

}  // namespace roofscope::traces
