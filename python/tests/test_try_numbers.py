# SPDX-License-Identifier: Apache-2.0
"""Which printed numbers are results, and when they count as the same."""

import math
import time

import pytest

from roofscope._try_numbers import Reference, series


def _values(text: str) -> list[float]:
    return [value for pairs in series(text).values() for value, _ in pairs]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("loss 0.5 acc 93.1%", [0.5, 93.1]),
        ("loss=1.25e-3, lr=1E-4", [0.00125, 0.0001]),
        ("sum -1,234.5", [-1234.5]),
        ("a .5 b +2", [0.5, 2.0]),
        ("took 1.5 s, 3.2 ms per step, 12 it/s, 4.5e3 tokens/s, 2.1x", []),
        ("time: 1.234  elapsed=3.2  throughput: 99.5  peak memory 1.25", []),
        ("at 12:30:05 on GPU 0", [0.0]),
        ("1.5 GiB of 80 GB, 300 W, 1200 MHz, 55.2 TFLOPS", []),
        ("<object at 0x7f00a1>", []),
        (" 45%|████▌     | 45/100 [00:03<00:04, 12.3it/s, loss=0.5]", []),
        ("layer4.weight v2", []),
        ("torch 2.15.0+cu132 on 2026-11-27", []),
        ("it is 0.25.", [0.25]),
        ("1 2 3", [1.0, 2.0, 3.0]),
        ("1.5 times as large", [1.5]),
    ],
)
def test_numbers_of_a_line(text: str, values: list[float]) -> None:
    assert _values(text) == values


def test_not_a_number_is_a_result() -> None:
    nan, infinite = _values("loss nan\ngrad -inf\nnancy information")
    assert math.isnan(nan)
    assert infinite == -math.inf


CURVE = "".join(f"step {i} loss {1 / (i + 1):.5f} ({i * 3.7:.1f} ms)\n" for i in range(0, 50, 10))


def test_a_curve_within_the_tolerance() -> None:
    reference = Reference([CURVE, CURVE])
    assert reference.count == 5
    assert reference.compare(CURVE).largest == 0
    near = reference.compare(CURVE.replace("1.00000", "1.00400"))
    assert near.largest == pytest.approx(0.004)
    assert near.within(0.01) is True
    assert near.within(0.001) is False
    assert near.where == "step # loss # (# ms)"


def test_small_values_of_a_curve_count_beside_its_largest() -> None:
    curve = "loss 10.0\nloss 0.001\n"
    # 0.001 and 0.002 are the same beside 10; 0.001 and 0.5 are not.
    assert Reference([curve, curve]).compare("loss 10.0\nloss 0.002\n").within(0.01)
    assert Reference([curve, curve]).compare("loss 10.0\nloss 0.5\n").within(0.01) is False


def test_only_what_plain_runs_agree_on_is_compared() -> None:
    reference = Reference(["loss 0.50\nnoise 0.1\n", "loss 0.50\nnoise 0.9\n"])
    assert reference.count == 1
    assert reference.compare("loss 0.50\nnoise 0.5\n").within(0.01) is True
    # A sum of floats in another order.
    assert Reference(["loss 0.5000\n", "loss 0.5001\n"]).count == 1


def test_counting_alone_is_no_result() -> None:
    text = "".join(f"step {i} of 3 loss {{}}\n" for i in range(3))
    differing = [text.format(0.1, 0.2, 0.3), text.format(0.4, 0.5, 0.6)]
    reference = Reference(differing)
    assert reference.count == 0
    compared = reference.compare(differing[0])
    assert compared.within(0.01) is None
    # A whole number may be a result.
    assert Reference(["correct: 9834\n"] * 2).count == 1


def test_missing_and_infinite_numbers_are_changes() -> None:
    reference = Reference([CURVE, CURVE])
    short = reference.compare("\n".join(CURVE.splitlines()[:3]))
    assert short.missing > 0
    assert short.within(0.01) is False
    broken = reference.compare(CURVE.replace("0.02439", "nan"))
    assert broken.largest == math.inf
    assert Reference(["loss nan"] * 2).compare("loss nan").within(0.01) is True


def test_further_lines_change_nothing() -> None:
    reference = Reference([CURVE, CURVE])
    assert reference.compare("warning: 3 graph breaks\n" + CURVE).within(0.01) is True


def test_hostile_output_is_read_in_time() -> None:
    begin = time.monotonic()
    output = "1" * 200_000 + "\n" + ("1.5 " * 500 + "\n") * 300 + "," * 100_000
    Reference([output, output]).compare(output)
    assert time.monotonic() - begin < 20
