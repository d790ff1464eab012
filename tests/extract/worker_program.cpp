// SPDX-License-Identifier: Apache-2.0
// worker_program HOW: starts itself as a worker that ends in this way, and prints what it saw.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "extract/driver/worker.h"

using namespace roofscope::replay;

namespace {

constexpr int kPatience = 1;

int work(const std::string& how) {
    send({.kind = 1, .region = 2, .value = 3, .bytes = {9}});
    if (how == "hangs") pause();
    if (how == "crashes") std::abort();
    if (how == "taken") {
        send({kTakenAddress, 0, 0x1234, {}});
        return kAddressTaken;
    }
    return 5;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 2 && words[0] == "--worker") return work(words[1]);
    try {
        unsigned long long sum = 0;
        const WorkerEnd end = Worker::run(
            words, [&](const Message& m) { sum += m.kind + m.region + m.value + m.bytes.at(0); },
            kPatience);
        std::printf("code %d, sum %llu\n", end.code, sum);
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
    }
}
