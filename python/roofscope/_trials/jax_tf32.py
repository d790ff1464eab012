# SPDX-License-Identifier: Apache-2.0
"""TF32 for float32 products of JAX."""

TITLE = "Multiply in TF32"
DOES = "Sets JAX's default precision of float32 products to TF32."
FRAMEWORK = "jax"
SUGGESTED_BY = ("missing-tensor-core",)
SETTLES = ("missing-tensor-core",)
CHANGES = "float32 products have a relative error of about 1e-3."
KEEP = "JAX_DEFAULT_MATMUL_PRECISION=tensorfloat32"
ENVIRONMENT = {"JAX_DEFAULT_MATMUL_PRECISION": "tensorfloat32"}
