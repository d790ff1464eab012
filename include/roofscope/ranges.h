/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROOFSCOPE_RANGES_H
#define ROOFSCOPE_RANGES_H

/**
 * Names a region of a CUDA program, so that `roofscope record --range NAME -- PROGRAM` measures it
 * as a whole: one set of counters for all GPU work in it, with concurrent kernels.
 *
 *     roofscope_range_push("decode step");
 *     ...                                     // launches, graphs, copies, on any stream
 *     roofscope_range_pop();
 *
 * Header only, for C and C++, nothing to link: these are NVTX ranges in a domain "roofscope", and
 * do nothing without a tool. Needs the CUDA toolkit's nvtx3 headers (and -ldl where dlopen
 * is not in libc). Ranges nest, and a range ends on the thread on which it began. CUDA must be
 * initialised before the first one (cudaFree(0)), or it is not seen.
 */
#include <nvtx3/nvToolsExt.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One domain for all files of a program: a range may be pushed in one and popped in another. */
__attribute__((weak)) nvtxDomainHandle_t roofscope_range_domain_;

static inline nvtxDomainHandle_t roofscope_range_get_domain_(void) {
    nvtxDomainHandle_t domain = __atomic_load_n(&roofscope_range_domain_, __ATOMIC_ACQUIRE);
    if (!domain) {
        nvtxDomainHandle_t none = NULL;
        domain = nvtxDomainCreateA("roofscope");
        /* If two threads get here at the same time, one wins, and both use its domain. */
        if (!__atomic_compare_exchange_n(&roofscope_range_domain_, &none, domain, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            domain = none;
    }
    return domain;
}

/** Begins a range on the calling thread. `name` is copied. */
static inline void roofscope_range_push(const char* name) {
    nvtxEventAttributes_t attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(roofscope_range_get_domain_(), &attributes);
}

/** Ends the innermost range of the calling thread that roofscope_range_push() began. */
static inline void roofscope_range_pop(void) { nvtxDomainRangePop(roofscope_range_get_domain_()); }

#ifdef __cplusplus
}
#endif

#endif /* ROOFSCOPE_RANGES_H */
