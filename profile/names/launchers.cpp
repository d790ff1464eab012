// SPDX-License-Identifier: Apache-2.0
#include "profile/names/launchers.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace roofscope {

std::string_view programName(std::string_view path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool isLauncher(std::string_view program) {
    program = programName(program);
    constexpr std::string_view kNames[] = {"srun", "torchrun", "orterun", "prterun", "jsrun"};
    return program.starts_with("mpirun") || program.starts_with("mpiexec") ||
           std::ranges::find(kNames, program) != std::end(kNames);
}

namespace {

bool isPython(std::string_view program) {
    constexpr std::string_view kPython = "python";
    program = programName(program);
    return program.starts_with(kPython) &&
           program.find_first_not_of("0123456789.", kPython.size()) == program.npos;
}

/// Programs that start another program named after their options.
bool startsAnotherProgram(std::string_view program) {
    constexpr std::string_view kNames[] = {
        "accelerate", "conda",  "deepspeed", "env",     "horovodrun", "ipython", "nice", "numactl",
        "pipenv",     "poetry", "stdbuf",    "taskset", "time",       "timeout", "uv"};
    return isLauncher(program) ||
           std::ranges::find(kNames, programName(program)) != std::end(kNames);
}

bool isScript(std::string_view word) {
    constexpr std::string_view kSuffix = ".py";
    return word.ends_with(kSuffix) && programName(word).size() > kSuffix.size() &&
           !word.starts_with('-');
}

std::string nameOfScript(std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    std::string_view name = programName(path);
    if (name == "__main__.py" && name.size() < path.size()) {
        path.remove_suffix(name.size() + 1);
        name = programName(path);
    }
    if (isScript(name)) name.remove_suffix(3);
    return std::string(name);
}

std::optional<std::string> firstScript(std::span<const std::string> words) {
    const auto script = std::ranges::find_if(words, isScript);
    return script == words.end() ? std::nullopt : std::optional(nameOfScript(*script));
}

/// A module that starts a script: "torch.distributed.run".
bool isStartingModule(std::string_view module) {
    return module == "torch.distributed.run" || module == "torch.distributed.launch" ||
           module == "accelerate.commands.launch" || module == "deepspeed.launcher.runner";
}

/// What Python runs, from its arguments.
std::optional<std::string> nameOfPython(std::span<const std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word == "-") return std::nullopt;
        if (!word.starts_with('-')) return nameOfScript(word);
        if (word.starts_with("--")) {
            if (word == "--check-hash-based-pycs") ++i;
            continue;
        }
        // Flags may be combined; the last one may take a value, in the same word or the next.
        const std::size_t taking = word.find_first_of("cmWX", 1);
        if (taking == word.npos) continue;
        const bool inNext = taking + 1 == word.size();
        if (inNext) ++i;
        if (word[taking] == 'c') return std::nullopt;
        if (word[taking] != 'm') continue;
        if (i >= words.size()) return std::nullopt;
        const std::string module(inNext ? std::string_view(words[i]) : word.substr(taking + 1));
        const auto script =
            isStartingModule(module) ? firstScript(words.subspan(i + 1)) : std::nullopt;
        return script ? script : module;
    }
    return std::nullopt;
}

}  // namespace

std::string nameOfCommand(std::span<const std::string> command) {
    if (command.empty()) return {};
    const std::string own(programName(command.front()));
    if (isScript(own)) return nameOfScript(own);
    std::optional<std::string> name;
    if (isPython(own)) {
        name = nameOfPython(command.subspan(1));
    } else if (startsAnotherProgram(own)) {
        const auto python = std::ranges::find_if(command, isPython);
        name = python == command.end()
                   ? firstScript(command)
                   : nameOfPython(command.subspan(python - command.begin() + 1));
    }
    // A name like "." or ".." is a folder.
    if (!name || name->find_first_not_of('.') == name->npos) return own;
    return *name;
}

}  // namespace roofscope
