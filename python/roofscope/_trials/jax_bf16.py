# SPDX-License-Identifier: Apache-2.0
"""bf16 for float32 products of JAX."""

TITLE = "Multiply in bf16"
DOES = "Sets JAX's default precision of float32 products to bf16, summed in float32."
FRAMEWORK = "jax"
SUGGESTED_BY = ("tf32-product", "missing-tensor-core")
SETTLES = ()
CHANGES = "Products have 7 bits of mantissa."
KEEP = "JAX_DEFAULT_MATMUL_PRECISION=BF16_BF16_F32"
ENVIRONMENT = {"JAX_DEFAULT_MATMUL_PRECISION": "BF16_BF16_F32"}
