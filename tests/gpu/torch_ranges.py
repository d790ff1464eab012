# SPDX-License-Identifier: Apache-2.0
"""Steps of two branches that run concurrently on two streams, in nested NVTX ranges:
`torch_ranges.py [STEPS]`. Neither branch fills the GPU, so the counters of the whole range
"branches" differ from those of its serialised launches. 77: a requirement is missing."""
import sys

try:
    import torch
except ImportError as problem:
    print(f"skipped: {problem}", file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU", file=sys.stderr)
    sys.exit(77)


def nvtx(name):
    return torch.cuda.nvtx.range(name)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    torch.manual_seed(1)
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    inputs = torch.randn(512, 1024, device="cuda", dtype=torch.bfloat16)
    weights = [torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16) / 32 for _ in streams]
    table = torch.randn(32768, 1024, device="cuda", dtype=torch.bfloat16)
    for _ in range(steps):
        with nvtx("step"):
            with nvtx("branches"):
                outputs = []
                for stream, weight in zip(streams, weights):
                    stream.wait_stream(torch.cuda.current_stream())
                    with torch.cuda.stream(stream):
                        x = inputs
                        for _ in range(8):
                            x = torch.relu(x @ weight)
                        outputs.append(x)
                for stream in streams:
                    torch.cuda.current_stream().wait_stream(stream)
            with nvtx("head"):
                best = torch.softmax((outputs[0] + outputs[1]) @ table.T, dim=-1)
        torch.cuda.synchronize()
    assert torch.isfinite(best).all()


main()
