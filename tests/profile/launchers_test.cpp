// SPDX-License-Identifier: Apache-2.0
#include "profile/names/launchers.h"

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

std::string nameOf(const std::string& command) {
    std::istringstream words(command);
    std::vector<std::string> list;
    for (std::string word; words >> word;) list.push_back(word);
    return nameOfCommand(list);
}

}  // namespace

TEST_CASE("a recording is named after what a command runs") {
    const std::vector<std::pair<const char*, const char*>> cases{
        {"./build/app --steps 4", "app"},
        {"app.bin", "app.bin"},
        {"./train.py --lr 1", "train"},
        {"python3 step.py", "step"},
        {"/usr/bin/python3.12 -u -X dev -Wignore examples/step.py in.py", "step"},
        {"python -OO -W ignore step", "step"},
        {"python3 --check-hash-based-pycs always step.py", "step"},
        {"python3 -m pkg.train --model gpt.py", "pkg.train"},
        {"python3 -um pkg.train", "pkg.train"},
        {"python3 -mpytest tests/test_a.py", "pytest"},
        {"python3 -m torch.distributed.run --nproc-per-node 2 train.py", "train"},
        {"python3 tools/", "tools"},
        {"python3 tools/__main__.py", "tools"},
        {"torchrun --nproc-per-node=2 ddp/train.py --epochs 1", "train"},
        {"torchrun --nproc-per-node 2 -m pkg.train", "torchrun"},
        {"mpirun -np 2 python3 -u train.py", "train"},
        {"mpirun -np 2 ./solver", "mpirun"},
        {"accelerate launch --mixed_precision bf16 train.py", "train"},
        {"env CUDA_VISIBLE_DEVICES=1 python3 train.py", "train"},
        {"uv run train.py", "train"},
        // There is no better name than the interpreter's.
        {"python3", "python3"},
        {"python3 -c import_this", "python3"},
        {"python3 - x.py", "python3"},
        {"python3 -m", "python3"},
        {"python3 .", "python3"},
        {"pythonic step.py", "pythonic"},
        {"python3 .py", ".py"},
        {"./app step.py", "app"},
    };
    for (const auto& [command, name] : cases) {
        CAPTURE(command);
        CHECK(nameOf(command) == name);
    }
    CHECK(nameOfCommand({}).empty());
}
