# SPDX-License-Identifier: Apache-2.0
"""A profile's kernels as a table of Arrow, pandas or polars; each package is imported when used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roofscope._executable import needed

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from roofscope._records import Kernel

#: Columns and what they hold. Quantities follow, all of them numbers.
_COLUMNS = {
    "id": "text",
    "name": "text",
    "range": "text",
    "launches": "count",
    "median_s": "number",
    "total_s": "number",
    "time_share": "number",
    "verdict": "text",
    "limiter": "text",
    "speedup_bound": "number",
    "findings": "texts",
}


def _row(kernel: Kernel) -> dict[str, Any]:
    return {
        "id": kernel.id,
        "name": kernel.name,
        "range": kernel.range,
        "launches": kernel.launches,
        "median_s": kernel.duration.median,
        "total_s": kernel.duration.total,
        "time_share": kernel.time_share,
        "verdict": kernel.verdict.kind,
        "limiter": kernel.verdict.limiter,
        "speedup_bound": kernel.verdict.speedup_bound,
        "findings": [f.rule for f in kernel.findings],
    } | dict(kernel.quantities)


def _columns(kernels: list[Kernel]) -> dict[str, str]:
    quantities = dict.fromkeys(name for kernel in kernels for name in kernel.quantities)
    return _COLUMNS | dict.fromkeys(quantities, "number")


def arrow(kernels: list[Kernel]) -> pyarrow.Table:
    """A row per kernel; what was not measured is null."""
    pa = needed("pyarrow", "scan")
    types = {
        "text": pa.string(),
        "count": pa.int64(),
        "number": pa.float64(),
        "texts": pa.list_(pa.string()),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in _columns(kernels).items()])
    return pa.Table.from_pylist([_row(kernel) for kernel in kernels], schema=schema)


def to_pandas(kernels: list[Kernel]) -> pandas.DataFrame:
    """A row per kernel; numbers that were not measured are NaN."""
    pd = needed("pandas", "pandas")
    columns = _columns(kernels)
    frame = pd.DataFrame([_row(kernel) for kernel in kernels], columns=list(columns))
    return frame.astype({name: "float64" for name, kind in columns.items() if kind == "number"})


def to_polars(kernels: list[Kernel]) -> polars.DataFrame:
    """A row per kernel; what was not measured is null."""
    pl = needed("polars", "polars")
    types = {
        "text": pl.String,
        "count": pl.Int64,
        "number": pl.Float64,
        "texts": pl.List(pl.String),
    }
    schema = {name: types[kind] for name, kind in _columns(kernels).items()}
    return pl.DataFrame([_row(kernel) for kernel in kernels], schema=schema)
