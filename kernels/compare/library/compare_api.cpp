// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/library/compare_api.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>

#include "kernels/selection.h"

struct RoofscopeCase {
    std::unique_ptr<roofscope::kernels::Instance> instance;
};

namespace {

using namespace roofscope::kernels;

/// The job, or an exception with the command line's error message.
Job jobOf(const char* rung, const char* caseText) {
    const auto rungs = selectRungs({rung});
    if (!rungs) throw std::runtime_error(rungs.error().message());
    if (rungs->size() != 1) throw std::runtime_error(std::string(rung) + " names several kernels");
    const auto parsed = parseCase(caseText);
    if (!parsed) throw std::runtime_error(parsed.error().message());
    if (const std::string refusal = rungs->front()->refusal(*parsed); !refusal.empty())
        throw std::runtime_error(refusal);
    return {.rung = rungs->front(), .c = *parsed};
}

/// Returns the result of `work`; if it throws, returns `failure` with the message in `error`.
template <class Work, class Value>
Value guarded(Work work, Value failure, char* error, size_t size) {
    try {
        return work();
    } catch (const std::exception& problem) {
        if (error != nullptr && size > 0) std::snprintf(error, size, "%s", problem.what());
        return failure;
    }
}

}  // namespace

RoofscopeCase* roofscopeCaseOpen(const char* rung, const char* caseText, uint64_t seed, char* error,
                                 size_t size) {
    return guarded(
        [&] {
            const Job job = jobOf(rung, caseText);
            return new RoofscopeCase{.instance = job.rung->make(job.c, seed)};
        },
        static_cast<RoofscopeCase*>(nullptr), error, size);
}

int roofscopeCaseLaunch(RoofscopeCase* opened, void* stream, char* error, size_t size) {
    return guarded(
        [&] {
            opened->instance->launch(static_cast<Stream>(stream));
            opened->instance->rotate();
            return 0;
        },
        1, error, size);
}

double roofscopeCaseMinimumBytes(const RoofscopeCase* opened) {
    return opened->instance->minimumBytes().value;
}

void roofscopeCaseClose(RoofscopeCase* opened) { delete opened; }
