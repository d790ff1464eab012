// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A C interface to the bundled kernels, so that a Python process can launch them next to Triton
/// and PyTorch. Functions throw no exceptions; failures fill `error` (cut to `size` bytes, always
/// terminated).
extern "C" {

/// A rung with its buffers on one case.
struct RoofscopeCase;

/// Opens `rung` ("gelu/fused_vec4") on `caseText` ("n=67108864,f32") with fresh random inputs on
/// the current device. Null on failure.
[[gnu::visibility("default")]] RoofscopeCase* roofscopeCaseOpen(const char* rung,
                                                                const char* caseText, uint64_t seed,
                                                                char* error, size_t size);
/// Queues one launch on `stream` (a cudaStream_t) and advances to the next copy of the inputs.
/// Returns 0, or 1 on failure. May be captured into a graph.
[[gnu::visibility("default")]] int roofscopeCaseLaunch(RoofscopeCase* opened, void* stream,
                                                       char* error, size_t size);
/// The bytes that any implementation of the operator must move.
[[gnu::visibility("default")]] double roofscopeCaseMinimumBytes(const RoofscopeCase* opened);
/// Frees the buffers. Null is allowed.
[[gnu::visibility("default")]] void roofscopeCaseClose(RoofscopeCase* opened);
}
