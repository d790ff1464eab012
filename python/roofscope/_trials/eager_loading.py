# SPDX-License-Identifier: Apache-2.0
"""Eager loading of CUDA modules."""

TITLE = "Load kernels at the start"
DOES = "CUDA loads all kernels of a module at once, not each at its first launch."
FRAMEWORK = "cuda"
SUGGESTED_BY = ("first-call-costs",)
SETTLES = ("first-call-costs",)
CHANGES = "Nothing but time and memory: the start takes longer, and unused kernels take memory."
KEEP = "CUDA_MODULE_LOADING=EAGER"
ENVIRONMENT = {"CUDA_MODULE_LOADING": "EAGER"}
