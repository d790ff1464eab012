# SPDX-License-Identifier: Apache-2.0
"""The same operators in PyTorch and Triton, one module per family, as a careful user of each would
write them."""
from . import (causal_linear_attention, gelu, lightning_attention_decode, matmul,
               merge_attn_states, rope, softmax)

ALL = [*lightning_attention_decode.OPERATORS, *gelu.OPERATORS, *softmax.OPERATORS,
       *merge_attn_states.OPERATORS, *rope.OPERATORS, *causal_linear_attention.OPERATORS,
       *matmul.OPERATORS]
