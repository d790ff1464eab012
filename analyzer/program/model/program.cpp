// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/model/program.h"

namespace roofscope {

const char* toString(Program::Conclusion conclusion) {
    switch (conclusion) {
        case Program::Conclusion::Actions:
            return "actions";
        case Program::Conclusion::Stop:
            return "stop";
        case Program::Conclusion::NothingFound:
            return "nothing-found";
        case Program::Conclusion::CannotTell:
            break;
    }
    return "cannot-tell";
}

Program::KernelCounts Program::launches() const {
    KernelCounts all;
    for (const KernelCounts& kernel : kernels) {
        all.timed += kernel.timed;
        all.counted += kernel.counted;
        all.perWindow += kernel.perWindow;
        all.time += kernel.time;
        all.fromGraphs += kernel.fromGraphs;
    }
    return all;
}

bool Program::measuredTooLittle() const {
    if (stop) return false;
    const double unexplained = account.share(TimeClass::IdleUnknown).value;
    return !undecided || undecided->value + unexplained >= program::kWorthDoing;
}

Program::Conclusion Program::conclusion() const {
    if (!actions.empty()) return Conclusion::Actions;
    if (stop) return Conclusion::Stop;
    return measuredTooLittle() ? Conclusion::CannotTell : Conclusion::NothingFound;
}

}  // namespace roofscope
