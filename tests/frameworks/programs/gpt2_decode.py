# SPDX-License-Identifier: Apache-2.0
"""Greedy generation with transformers' GPT-2 (random weights, its real vocabulary of 50,257)."""
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(1)
model = GPT2LMHeadModel(GPT2Config(n_layer=6)).cuda().eval()
ids = torch.randint(0, 50257, (1, 16), device="cuda")
with torch.no_grad():
    out = model.generate(ids, max_new_tokens=12, do_sample=False, pad_token_id=0)
print(out[0].tolist())
