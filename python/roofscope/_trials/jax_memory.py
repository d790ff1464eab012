# SPDX-License-Identifier: Apache-2.0
"""More memory for JAX, taken at once."""

TITLE = "Give JAX the GPU's memory at once"
DOES = "JAX takes 92 % of the GPU's memory when it starts (its default is 75 %)."
FRAMEWORK = "jax"
SUGGESTED_BY = ("allocation-in-loop",)
SETTLES = ("allocation-in-loop",)
CHANGES = "Nothing but memory: other programs find less on the GPU."
KEEP = "XLA_PYTHON_CLIENT_PREALLOCATE=true XLA_PYTHON_CLIENT_MEM_FRACTION=.92"
ENVIRONMENT = {
    "XLA_PYTHON_CLIENT_PREALLOCATE": "true",
    "XLA_PYTHON_CLIENT_MEM_FRACTION": ".92",
    "XLA_PYTHON_CLIENT_ALLOCATOR": "default",
}
