# SPDX-License-Identifier: Apache-2.0
"""Steps of programs limited by the CPU's launches: `steps.py KIND [STEPS] [--profiler]`.

    environments  reinforcement learning, 4,096 environments on the GPU: 20,000 launches per step
    embeddings    26 sparse embedding tables with an optimiser each: 900 launches per step
    training      a small transformer: 320 launches per step

Prints the median time of a step in ms. Between launches the CPU runs as much Python and PyTorch
code as in real programs, so that caches are as cold. --profiler: with PyTorch's own profiler, GPU
activity only."""

import argparse
import contextlib
import math
import statistics
import time

import torch


class Environments:
    """Cart-poles with a policy trained by its returns."""

    def __init__(self):
        layers = [torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh()]
        self.policy = torch.nn.Sequential(*layers, torch.nn.Linear(64, 2)).cuda()
        self.optimizer = torch.optim.Adam(self.policy.parameters(), 1e-3)
        self.state = torch.zeros(4096, 4, device="cuda")

    @torch.no_grad()
    def play(self):
        action = torch.multinomial(torch.softmax(self.policy(self.state), -1), 1).squeeze(1)
        force = torch.where(action == 1, 10.0, -10.0)
        x, speed, angle, turn = self.state.unbind(1)
        cos, sin = torch.cos(angle), torch.sin(angle)
        push = (force + 0.05 * turn * turn * sin) / 1.1
        bend = (9.8 * sin - cos * push) / (0.5 * (4.0 / 3.0 - 0.1 * cos * cos / 1.1))
        gain = push - 0.05 * bend * cos / 1.1
        x, speed, angle, turn = (
            x + 0.02 * speed,
            speed + 0.02 * gain,
            angle + 0.02 * turn,
            turn + 0.02 * bend,
        )
        over = (x.abs() > 2.4) | (angle.abs() > 0.2)
        before, state = self.state, torch.stack([x, speed, angle, turn], 1)
        fresh = torch.rand_like(state) * 0.1 - 0.05
        self.state = torch.where(over[:, None], fresh, state)
        return before, action, 1.0 - over.float()

    def step(self):
        states, actions, rewards = zip(*(self.play() for _ in range(256)), strict=True)
        future, returns = torch.zeros(4096, device="cuda"), []
        for reward in reversed(rewards):
            future = reward + 0.99 * future * reward
            returns.append(future)
        states, actions, returns = torch.cat(states), torch.cat(actions), torch.cat(returns[::-1])
        for _ in range(16):
            chosen = torch.randint(0, len(states), (65536,), device="cuda")
            likely = torch.log_softmax(self.policy(states[chosen]), -1)
            loss = -(likely.gather(1, actions[chosen][:, None]).squeeze(1) * returns[chosen]).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


class Embeddings:
    """Sparse gradients of many tables, coalesced and applied table by table."""

    def __init__(self):
        rows = [10 ** (2 + i % 4) for i in range(26)]
        self.tables = [torch.nn.EmbeddingBag(n, 64, mode="sum", sparse=True).cuda() for n in rows]
        self.indices = [torch.randint(0, n, (8192,)) for n in rows]
        self.offsets = torch.arange(8192)
        self.top = torch.nn.Linear(26 * 64, 1).cuda()
        self.sparse = torch.optim.SparseAdam([t.weight for t in self.tables], 1e-3)
        self.dense = torch.optim.Adam(self.top.parameters(), 1e-3)

    def step(self):
        parts = [
            table(index.cuda(), self.offsets.cuda())
            for table, index in zip(self.tables, self.indices, strict=True)
        ]
        loss = self.top(torch.cat(parts, 1)).square().mean()
        self.sparse.zero_grad()
        self.dense.zero_grad()
        loss.backward()
        self.sparse.step()
        self.dense.step()
        return loss.item()


class Training:
    """A transformer's training step."""

    def __init__(self):
        layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
        self.model = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 1e-4)
        self.inputs = torch.randn(16, 256, 512, device="cuda")

    def step(self):
        self.optimizer.zero_grad()
        loss = self.model(self.inputs).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss.item()


KINDS = {"environments": Environments, "embeddings": Embeddings, "training": Training}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("steps", type=int, nargs="?", default=20)
    parser.add_argument("--profiler", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(0)
    program, seconds = KINDS[args.kind](), []
    gpu = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=gpu) if args.profiler else contextlib.nullcontext():
        for _ in range(args.steps):
            begin = time.perf_counter()
            value = program.step()
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - begin)
            assert not math.isnan(value)
    print(f"step {1e3 * statistics.median(seconds[len(seconds) // 3 :]):.4f} ms")


if __name__ == "__main__":
    main()
