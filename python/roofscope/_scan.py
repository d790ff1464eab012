# SPDX-License-Identifier: Apache-2.0
"""Reads many profiles into one Arrow table, for query engines."""

from __future__ import annotations

import glob as globbing
import hashlib
import json
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
    import pandas
    import polars
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
        # What tells recordings apart, wherever they lie: a hash of the file.
        "recording": text,
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


#: Profiles, and bytes of their files, that one executable reads at most: it keeps their reports.
_MOST_FILES, _MOST_BYTES = 32, 4 << 20

#: For glibc: keep the memory of one report for the next. Half of the time is page faults otherwise.
_MALLOC = {
    f"MALLOC_{what}_": str(64 << 20) for what in ("MMAP_THRESHOLD", "TRIM_THRESHOLD", "TOP_PAD")
}


def _groups(paths: list[str], workers: int) -> Iterator[list[str]]:
    """The paths in groups that one executable reads: starting it costs more than a small report."""
    most = min(_MOST_FILES, -(-len(paths) // (2 * workers)))
    group: list[str] = []
    size = 0
    for path in paths:
        file = Path(path)
        more = file.stat().st_size if file.is_file() else 0
        if group and (len(group) == most or size + more > _MOST_BYTES):
            yield group
            group, size = [], 0
        group.append(path)
        size += more
    if group:
        yield group


def _documents(text: str) -> list[dict[str, Any]]:
    """The values of a text that has several JSON documents, one after the other."""
    decoder, found, at = json.JSONDecoder(), [], 0
    text = text.strip()
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        while text[at : at + 1].isspace():
            at += 1
    return found


def _reports(paths: list[str]) -> list[dict[str, Any] | RoofscopeError]:
    """The report of each profile, or why there is none."""
    bad = RoofscopeError(f"{paths[0]}: the executable printed no JSON")
    files = map(Path, paths)
    try:
        text = _executable.run("report", "--format", "json", *files, environment=_MALLOC).stdout
        found = _documents(text)
        if len(found) == len(paths):
            return list(found)
    except RoofscopeError as refused:
        bad = refused
    except ValueError:
        pass
    if len(paths) == 1:
        return [bad]
    # The executable stops at the first file that it cannot read: find it by halves.
    middle = len(paths) // 2
    return _reports(paths[:middle]) + _reports(paths[middle:])


def _hash(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:32]


def rows_of(path: str, report: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of one profile, from its report's JSON."""
    from datetime import datetime

    profile = Profile(path)
    profile.data = report
    capture, devices = profile.data["profile"], profile.data["devices"]
    created = datetime.fromisoformat(capture["created_utc"].replace("Z", "+00:00"))
    base: dict[str, Any] = {
        "path": path,
        "recording": _hash(path),
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
            base | {"row": "action", "id": a.id, "rule": a.rule, "bound_s": a.bound}
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

    def to_arrow(self) -> pyarrow.Table:
        """The table."""
        return self.table

    def to_pandas(self) -> pandas.DataFrame:
        """The table for pandas."""
        _executable.needed("pandas", "pandas")
        return self.table.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The table for polars."""
        return _executable.needed("polars", "polars").from_arrow(self.table)

    def to_parquet(self, folder: str | os.PathLike[str]) -> Path:
        """Writes FOLDER/date=…/gpu=…/*.parquet, the partitions that DuckDB, Spark and Dask read.

        All rows that are in the folder stay. Recordings that are there already are left out.
        """
        dataset = _executable.needed("pyarrow.dataset", "scan")
        table = self._without(_recordings_in(Path(folder)))
        # Files are named by the recordings that they are of: "part-0" would be that of any scan.
        recordings = sorted(table.column("recording").unique().to_pylist())
        name = hashlib.sha256("".join(recordings).encode()).hexdigest()[:16]
        dataset.write_dataset(
            table,
            folder,
            format="parquet",
            basename_template=f"part-{name}-{{i}}.parquet",
            partitioning=["date", "gpu"],
            partitioning_flavor="hive",
            existing_data_behavior="overwrite_or_ignore",
            max_partitions=65536,
        )
        return Path(folder)

    def _without(self, recordings: pyarrow.Array) -> pyarrow.Table:
        import pyarrow.compute as pc

        if len(recordings) == 0:
            return self.table
        return self.table.filter(pc.invert(pc.is_in(self.table["recording"], recordings)))


def _recordings_in(folder: Path) -> pyarrow.Array:
    """The recordings that a folder of `to_parquet` has."""
    import pyarrow as pa
    import pyarrow.dataset

    if not folder.is_dir():
        return pa.array([], pa.string())
    there = pyarrow.dataset.dataset(folder, format="parquet", partitioning="hive")
    if "recording" not in there.schema.names:
        return pa.array([], pa.string())
    return there.to_table(columns=["recording"])["recording"].unique()


#: Batches to combine. Each column of each batch has its own buffers, and many small ones take much
#: memory.
_TOGETHER = 16


def _merge_batches(batches: list[pyarrow.RecordBatch]) -> list[pyarrow.RecordBatch]:
    import pyarrow as pa

    return pa.Table.from_batches(batches).combine_chunks().to_batches() if batches else []


def _batches(
    paths: list[str], workers: int, skipped: dict[str, str]
) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow as pa

    schema = _schema()

    def read(group: list[str]) -> pyarrow.RecordBatch:
        rows: list[dict[str, Any]] = []
        for path, report in zip(group, _reports(group), strict=True):
            try:
                if isinstance(report, RoofscopeError):
                    raise report
                rows += rows_of(path, report)
            except (RoofscopeError, KeyError, TypeError, ValueError, OSError) as bad:
                skipped[path] = str(bad) or type(bad).__name__
        return pa.RecordBatch.from_pylist(rows, schema=schema)

    small: list[pyarrow.RecordBatch] = []
    # The executables do most of the work; the threads wait for them.
    with ThreadPoolExecutor(workers) as pool:
        for batch in pool.map(read, _groups(paths, workers)):
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
