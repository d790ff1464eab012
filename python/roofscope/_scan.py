# SPDX-License-Identifier: Apache-2.0
"""Reads many profiles into one Arrow table, for query engines."""

from __future__ import annotations

import glob as globbing
import hashlib
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofscope import _executable
from roofscope._executable import RoofscopeError
from roofscope._profile import Profile

if TYPE_CHECKING:
    import pyarrow

_KEPT = (
    "dram_bytes",
    "l2_bytes",
    "dram_utilisation_ratio",
    "fp32_flops",
    "global_load_efficiency_ratio",
    "shared_conflict_degree",
    "local_bytes",
    "occupancy_achieved_ratio",
    "sm_clock_hz",
)


def _schema() -> pyarrow.Schema:
    import pyarrow as pa

    text, number, count = pa.string(), pa.float64(), pa.int64()
    columns = {
        "path": text,
        "created": pa.timestamp("s", tz="UTC"),
        "date": text,
        "gpu": text,
        "command": text,
        "tool_version": text,
        # "program": one per profile; "kernel": one per kernel; "action": one per finding or action
        "row": text,
        "id": text,
        "name": text,
        "range": text,
        "rule": text,
        "launches": count,
        "median_s": number,
        "total_s": number,
        "time_share": number,
        "bound_s": number,
        "busy_share": number,
        "verdict": text,
        "limiter": text,
        "findings": pa.list_(text),
    }
    return pa.schema(list((columns | dict.fromkeys(_KEPT, number)).items()))


def rows_of(path: str) -> list[dict[str, Any]]:
    """The rows of one profile; RoofscopeError if the file is not a profile."""
    from datetime import datetime

    profile = Profile(path)
    capture, devices = profile.data["profile"], profile.data["devices"]
    created = datetime.fromisoformat(capture["created_utc"].replace("Z", "+00:00"))
    base: dict[str, Any] = {
        "path": path,
        "created": created,
        "date": created.date().isoformat(),
        "gpu": devices[0]["name"] if devices else None,
        "command": " ".join(capture["command"]),
        "tool_version": capture["tool_version"],
    }
    totals = [k.duration.total for k in profile.kernels if k.duration.total is not None]
    program = profile.program
    whole = base | {
        "row": "program",
        "id": "program",
        "launches": capture["launches_seen"],
        "total_s": sum(totals) if totals else None,
        "busy_share": program.busy_share if program else None,
    }
    rows = [whole]
    for kernel in profile.kernels:
        named = {"id": kernel.id, "name": kernel.name, "range": kernel.range}
        rows.append(
            base
            | named
            | {key: kernel.quantities.get(key) for key in _KEPT}
            | {
                "row": "kernel",
                "launches": kernel.launches,
                "median_s": kernel.duration.median,
                "total_s": kernel.duration.total,
                "time_share": kernel.time_share,
                "verdict": kernel.verdict.kind,
                "limiter": kernel.verdict.limiter,
                "findings": [f.rule for f in kernel.findings],
            }
        )
    if program:
        rows += [
            base | {"row": "action", "id": f"program/{a.rule}", "rule": a.rule, "bound_s": a.bound}
            for a in program.actions
        ]
    for found in profile.findings:
        rows.append(
            base
            | {"row": "action", "id": found.id, "rule": found.rule, "bound_s": found.gain_total}
        )
    return rows


@dataclass(frozen=True)
class ScanResult:
    """The table that `scan` read, and the files that it could not read, with reasons."""

    table: pyarrow.Table
    skipped: dict[str, str]

    def to_parquet(self, folder: str | os.PathLike[str]) -> Path:
        """Writes FOLDER/date=…/gpu=…/*.parquet, the partitions that DuckDB, Spark and Dask read.

        Rows of other recordings that are in the folder stay. Files of the same recordings, written
        before, are replaced.
        """
        import pyarrow.dataset

        # Files are named by the recordings that they are of: "part-0" would be that of any scan.
        recordings = sorted({str(path) for path in self.table.column("path").unique().to_pylist()})
        name = hashlib.sha256("\0".join(map(os.path.abspath, recordings)).encode()).hexdigest()[:16]

        pyarrow.dataset.write_dataset(
            self.table,
            folder,
            format="parquet",
            basename_template=f"part-{name}-{{i}}.parquet",
            partitioning=["date", "gpu"],
            partitioning_flavor="hive",
            existing_data_behavior="overwrite_or_ignore",
            max_partitions=65536,
        )
        return Path(folder)


#: Batches to combine. Each column of each batch has its own buffers: with one batch per profile,
#: 10,000 profiles take 1.7 GB.
_TOGETHER = 256


def _merge_batches(batches: list[pyarrow.RecordBatch]) -> list[pyarrow.RecordBatch]:
    import pyarrow as pa

    return pa.Table.from_batches(batches).combine_chunks().to_batches() if batches else []


def _batches(
    paths: Iterable[str], workers: int, skipped: dict[str, str]
) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow as pa

    schema = _schema()

    def read(path: str) -> pyarrow.RecordBatch | None:
        try:
            return pa.RecordBatch.from_pylist(rows_of(path), schema=schema)
        except (RoofscopeError, KeyError, TypeError, ValueError) as bad:
            skipped[path] = str(bad) or type(bad).__name__
            return None

    small: list[pyarrow.RecordBatch] = []
    # One process per profile does the work; the threads only wait.
    with ThreadPoolExecutor(workers) as pool:
        for batch in pool.map(read, paths):
            if batch is not None:
                small.append(batch)
            if len(small) == _TOGETHER:
                yield from _merge_batches(small)
                small = []
    yield from _merge_batches(small)


def scan(pattern: str | Iterable[str], workers: int | None = None) -> ScanResult:
    """Reads all profiles that match a glob ("runs/**/*.roofscope.json.gz") or a list of names.

    There is a row for each program, kernel, and finding or action (see column `row`). Files that
    cannot be read are listed in `skipped`. Needs pyarrow (`pip install roofscope[scan]`).
    """
    pa = _executable.needed("pyarrow", "scan")
    found = globbing.glob(pattern, recursive=True) if isinstance(pattern, str) else pattern
    skipped: dict[str, str] = {}
    batches = list(_batches(sorted(found), workers or os.cpu_count() or 1, skipped))
    return ScanResult(pa.Table.from_batches(batches, schema=_schema()), skipped)
