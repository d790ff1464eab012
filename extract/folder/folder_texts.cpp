// SPDX-License-Identifier: Apache-2.0
#include "extract/folder/folder_texts.h"

#include <fmt/format.h>

#include "profile/text/clean_text.h"

namespace roofscope {
namespace {

/// A name as a markdown code span, without characters that would end the span.
std::string code(const std::string& name) {
    std::string text = cleanText(name);
    for (char& c : text)
        if (c == '`') c = '\'';
    return "`" + text + "`";
}

}  // namespace

std::string readmeText(const replay::LaunchDescription& launch,
                       const std::vector<std::string>& notes) {
    std::string text = fmt::format(R"(# One launch of {}

Extracted by `roofscope extract` on an {}. It runs again without its program:

```sh
./check                    # is the result of the original the program's, byte for byte?
cp kernel.cu candidate.cu  # edit the copy
./check candidate.cu       # better, not better, or wrong
```

A candidate may also be a function in Python (Triton, PyTorch, CuPy, …): `cp start.py candidate.py`,
`./check candidate.py`.

It needs Linux, an NVIDIA GPU of the same architecture, `c++` and zlib; for a candidate in CUDA
also `nvcc`, in Python what it imports (`PYTHON` names the interpreter).
`./check --help` lists options and exit codes.

**This folder holds data of the program (the memory that the kernel could reach) and the kernel's
machine code, which may belong to somebody else. Look at both before you pass it on.** Of its files,
only `replay.cpp`, `candidate_runner.py` and `check` run on the CPU, and they are roofscope's.

| file | what it is |
|---|---|
| `check` | replays the launch, or judges a candidate |
| `kernel.cu`, `start.py` | where a candidate begins, in CUDA and in Python |
| `TASK.md`, `report.md` | what is to be made faster, and what limits it |
| `launch.json` | launch, arguments, addresses and sizes of memory |
| `memory.index`, `memory.bin` | memory before and after the launch |
| `module-N.cubin` | the machine code |
| `candidate_runner.py` | runs a candidate in Python |
| `replay.cpp` | the program that `check` builds (in `.build/`) and runs |
| `profile.roofscope.json.gz` | the recording behind `report.md`: `roofscope show`, `roofscope loop .` |
| `verdicts.jsonl` | the candidates that were judged |
| `written.bin`, `original.json` | what `./check` found out about the original |
)",
                                   code(launch.name), cleanText(launch.gpu));
    if (notes.empty()) return text;
    text += "\nNot quite as in the program:\n\n";
    for (const std::string& note : notes) text += "- " + cleanText(note, kMaxMessage) + "\n";
    return text;
}

std::string taskText(const replay::LaunchDescription& launch, SourceKnown source) {
    std::string text = fmt::format("# Make {} faster\n\nThe kernel", code(launch.name));
    if (launch.programNs)
        text += fmt::format(" took {:.2f} µs in its program", *launch.programNs / 1e3);
    else
        text += " was extracted from its program";
    text += fmt::format(
        " on an {}. `report.md` says what limits it, how much can be gained at "
        "most, and which edit to begin with.\n\n",
        cleanText(launch.gpu));
    switch (source) {
        case SourceKnown::Cuda:
            text += "1. Copy `kernel.cu`, its source, to `candidate.cu` and edit the copy.\n";
            break;
        case SourceKnown::Python:
            text +=
                "1. Its source, in Triton, is in `kernel.py`: copy `start.py` to `candidate.py`, "
                "and launch an edited kernel there.\n";
            break;
        case SourceKnown::No:
            text +=
                "1. Copy `kernel.cu` to `candidate.cu` and write the kernel there: its source is "
                "not known, its parameters are.\n";
    }
    text +=
        R"(2. `./check candidate.cu` compiles it, runs it on the captured memory, compares everything it writes
   with the original's result, and times both in turn, in a few seconds. The last line is the
   verdict; `--json` gives the same for programs. It needs a GPU of the same architecture.
3. A function in Python does as well (Triton, PyTorch, CuPy): begin with `start.py`, and
   `./check candidate.py`.
4. Repeat until the verdict is as good as the report's bound allows. `verdicts.jsonl` has what was
   tried; `roofscope loop .` shows it beside the bound.

| exit code | verdict |
|---|---|
| 0 | better: the result is right, and it is faster beyond doubt |
| 1 | not better |
| 2 | not compared: it does not compile, or takes other arguments |
| 3 | wrong: another result, a write outside of what the original writes, or no result |

Rules: the candidate takes the same arguments, writes the same bytes, and keeps nothing from one
launch to the next. Grid, block and shared memory are its own choice (a line
`// roofscope: grid X Y Z block X Y Z shared BYTES`). What it is to write is overwritten with other
values before each run. Results are compared byte by byte, or within a small tolerance where the
kernel's name shows a floating-point type; `./check --help` has the options. Measure with
`--cache cold`, too: a gain may come from the L2 alone. `--sanitize` finds races
and accesses outside of memory.
)";
    return text;
}

}  // namespace roofscope
