# SPDX-License-Identifier: Apache-2.0
"""Training steps of a small GPT-2 in bf16 autocast."""
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(1)
model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=512, n_head=8, attn_pdrop=0, resid_pdrop=0, embd_pdrop=0)).cuda()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)
ids = torch.randint(0, 50257, (4, 256), device="cuda")
for _ in range(4):
    with torch.cuda.nvtx.range("step"), torch.autocast("cuda", torch.bfloat16):
        loss = model(ids, labels=ids).loss
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
print(f"{loss.item():.2f}")
