# SPDX-License-Identifier: Apache-2.0
"""Fair times. Every implementation runs from a CUDA graph, so that launch overhead of its language
does not count; over rotating copies of inputs and outputs, so that the L2 does not serve them; and
the implementations of a case take turns, so that clocks and other load affect all of them alike."""
import random
import statistics

import torch

ROTATION_BYTES = 256 * 2**20  # twice the largest L2 of current GPUs
MAX_SETS = 64
GRAPH_SECONDS = 4e-3


def rotation_sets(minimum_bytes):
    """Like kernels/buffer_sets.h: copies of a working set that together are twice the L2."""
    return int(min(max(ROTATION_BYTES / max(minimum_bytes, 1.0), 1.0), MAX_SETS))


def capture(step, count):
    """A graph of step(0) … step(count − 1). The results of steps live as long as the graph, so that
    every launch writes separate memory."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for i in range(2):  # for what is compiled late
            step(i)
    torch.cuda.synchronize()
    graph, kept = torch.cuda.CUDAGraph(), []
    with torch.cuda.graph(graph):
        for i in range(count):
            kept.append(step(i))
    return graph, kept


def graph_seconds(graph):
    """Seconds of one replay, by CUDA events."""
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    graph.replay()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e-3


def launches_per_graph(step, sets):
    """A launch count that takes GRAPH_SECONDS or more and uses every input copy at least once."""
    graph, kept = capture(step, sets)
    graph.replay()
    per_launch = min(graph_seconds(graph) for _ in range(3)) / sets
    return sets * max(1, min(8, round(GRAPH_SECONDS / (per_launch * sets))))


def quartiles(seconds):
    low, middle, high = statistics.quantiles(seconds, n=4)
    return {"median": middle, "spread": (high - low) / middle, "fastest": min(seconds)}


def race(steps, sets, rounds):
    """Seconds per launch of each of `steps` (name → step): median over `rounds` turns in changing
    order, relative distance between the quartiles, and the fastest."""
    graphs = {}
    for name, step in steps.items():
        count = launches_per_graph(step, sets)
        graphs[name] = (*capture(step, count), count)
    seconds = {name: [] for name in steps}
    order = list(steps)
    for turn in range(rounds + 2):
        random.Random(turn).shuffle(order)
        for name in order:
            graph, _, count = graphs[name]
            measured = graph_seconds(graph) / count
            if turn >= 2:  # the first turns warm up
                seconds[name].append(measured)
    return {name: quartiles(values) for name, values in seconds.items()}
