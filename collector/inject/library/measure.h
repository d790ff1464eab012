/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/** Functions of libroofscope_inject.so for a program that measures its own functions while it runs.
 *
 * Each measured call is one recording: roofscope_measure_start(), the call,
 * roofscope_measure_stop(). `roofscope measure` writes what each recording has to measure into a
 * folder (a run configuration), and makes a profile of the recordings (cli/measure_command.cpp).
 * python/roofscope/_measure.py shows how to call these functions from another language.
 *
 * No function throws, ends the process or writes to its output. An error is a text that says what
 * happened and what to do. It stays valid until the calling thread calls the same function again.
 */
#ifdef __cplusplus
extern "C" {
#endif

/** Initialises CUDA if that has not been done, and loads CUPTI. Returns NULL, or why nothing can be
 * measured in this process. From then on NVTX ranges are seen. Those of libraries that use NVTX for
 * the first time later are seen if NVTX_INJECTION64_PATH names this library by then. */
const char* roofscope_measure_prepare(void);

/** The file of the CUPTI that was loaded; empty before roofscope_measure_prepare(). */
const char* roofscope_measure_cupti(void);

/** Waits until all GPU work is done, in the current context and in the primary context of each
 * device. */
void roofscope_measure_wait(void);

/** Waits for the GPU and begins a recording into `folder`, which holds the run configuration.
 * Returns NULL, or why nothing is recorded. Only one recording at a time. */
const char* roofscope_measure_start(const char* folder);

/** Waits for the GPU and ends the recording; nothing of it is left in the process. Does nothing if
 * there is none. */
void roofscope_measure_stop(void);

/** Begins a range of this name on the calling thread, as NVTX does: launches in it get its name.
 * Does nothing while nothing is recorded. */
void roofscope_measure_push_range(const char* name);

/** Ends the innermost of these ranges of the calling thread. */
void roofscope_measure_pop_range(void);

#ifdef __cplusplus
}
#endif
