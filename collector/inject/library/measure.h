/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/** What libroofscope_inject.so does for a program that measures its own functions, while it runs.
 *
 * Each call of a function that is measured is one recording: roofscope_measure_start(), the call,
 * roofscope_measure_stop(). `roofscope measure` says what each is to measure, in a folder with a
 * run configuration, and makes a profile of them (cli/measure_command.cpp). From other languages:
 * python/roofscope/_measure.py.
 *
 * No function throws, ends the process or writes to its output. An error is a text, what happened
 * and what to do, that stays valid until the calling thread calls the same function again. */
#ifdef __cplusplus
extern "C" {
#endif

/** Initialises CUDA if that has not been done and loads CUPTI. NULL, or why nothing can be measured
 * in this process. From then on NVTX ranges are seen, also those of libraries that use NVTX for the
 * first time later, if NVTX_INJECTION64_PATH names this library then. */
const char* roofscope_measure_prepare(void);

/** The file of the CUPTI that was loaded; empty before roofscope_measure_prepare(). */
const char* roofscope_measure_cupti(void);

/** Waits until the GPU has done what it was given, in the current context and the primary context
 * of each device. */
void roofscope_measure_wait(void);

/** Waits for the GPU and begins a recording into `folder`, which holds the run configuration. NULL,
 * or why nothing is recorded. One recording at a time. */
const char* roofscope_measure_start(const char* folder);

/** Waits for the GPU and ends the recording; nothing of it is left in the process. Does nothing
 * without one. */
void roofscope_measure_stop(void);

/** Begins a range of this name on the calling thread, as NVTX does: launches in it bear its name.
 * Does nothing while nothing is recorded. */
void roofscope_measure_push_range(const char* name);

/** Ends the innermost of these ranges of the calling thread. */
void roofscope_measure_pop_range(void);

#ifdef __cplusplus
}
#endif
