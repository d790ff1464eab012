# SPDX-License-Identifier: Apache-2.0
"""Reads many profiles into one Arrow table, for query engines."""

from __future__ import annotations

import glob as globbing
import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofscope import _executable
from roofscope._executable import RoofscopeError
from roofscope._records import time_of

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
        # Identifies a recording wherever the file is: its hash.
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
        "bound_window_s": number,
        "bound_recorded_s": number,
        "busy_share": number,
        "verdict": text,
        "limiter": text,
        "findings": pa.list_(text),
    }
    return pa.schema(list((columns | dict.fromkeys(_KEPT, number)).items()))


#: Most profiles, and bytes of their files, per executable: it keeps all reports in memory.
_MOST_FILES, _MOST_BYTES = 32, 4 << 20

#: Bytes that are parsed at once; a row must fit.
_BLOCK = 4 << 20

#: Makes glibc keep memory between reports. Otherwise half of the time is page faults.
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


def _parsed(lines: str) -> pyarrow.Table:
    """The rows of `roofscope report --format jsonl`, without path, recording and date."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.json

    if not lines:
        return pa.table({"row": pa.array([], pa.string())})
    schema = _schema()
    schema = schema.set(schema.get_field_index("created"), pa.field("created", pa.string()))
    table = pyarrow.json.read_json(
        io.BytesIO(lines.encode()),
        # Each group already has a thread of its own.
        read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=_BLOCK),
        parse_options=pyarrow.json.ParseOptions(
            explicit_schema=schema, unexpected_field_behavior="ignore"
        ),
    )
    text = table["created"].combine_chunks().dictionary_encode()
    # There is one value per profile. pyarrow cannot read a column with different UTC offsets.
    each = [time_of(one) for one in text.dictionary.to_pylist()]
    when = pa.array(each, pa.timestamp("s", tz="UTC")).take(text.indices)
    return _with(table, created=when, date=pc.strftime(when, "%Y-%m-%d"))


def _with(table: pyarrow.Table, **columns: Any) -> pyarrow.Table:
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def _rows(paths: list[str], skipped: dict[str, str]) -> list[pyarrow.Table]:
    """The rows of these profiles; those that cannot be read are added to `skipped`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    why = f"{paths[0]}: the executable printed no rows"
    try:
        files = map(Path, paths)
        done = _executable.run("report", "--format", "jsonl", *files, environment=_MALLOC)
        table = _parsed(done.stdout)
        first = pc.equal(table["row"], "program")
        if pc.sum(first).as_py() == len(paths):
            # The program's row is the first of each profile.
            of = pc.subtract(pc.cumulative_sum(pc.cast(first, pa.int64())), 1)
            hashes = pa.array([_hash(path) for path in paths])
            return [_with(table, path=pa.array(paths).take(of), recording=hashes.take(of))]
    except (RoofscopeError, OSError, ValueError) as bad:
        why = str(bad) or type(bad).__name__
    if len(paths) == 1:
        skipped[paths[0]] = why
        return []
    # The executable stops at the first file that it cannot read: find it by halves.
    middle = len(paths) // 2
    return _rows(paths[:middle], skipped) + _rows(paths[middle:], skipped)


def _hash(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:32]


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

        Rows already in the folder stay; recordings already in the folder are not written again.
        """
        dataset = _executable.needed("pyarrow.dataset", "scan")
        table = self._without(_recordings_in(Path(folder)))
        # Name files by their recordings: "part-0" would overwrite the file of another scan.
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
    """The recordings in a folder written by `to_parquet`."""
    import pyarrow as pa
    import pyarrow.dataset

    if not folder.is_dir():
        return pa.array([], pa.string())
    there = pyarrow.dataset.dataset(folder, format="parquet", partitioning="hive")
    if "recording" not in there.schema.names:
        return pa.array([], pa.string())
    return there.to_table(columns=["recording"])["recording"].unique()


#: So many tables are combined at a time. Every column of a table has its own buffers, and many
#: small buffers take much memory.
_TOGETHER = 16


def _tables(paths: list[str], workers: int, skipped: dict[str, str]) -> Iterator[pyarrow.Table]:
    import pyarrow as pa

    small: list[pyarrow.Table] = []
    # The executables do most of the work; the threads wait for them.
    with ThreadPoolExecutor(workers) as pool:
        for tables in pool.map(lambda group: _rows(group, skipped), _groups(paths, workers)):
            small += tables
            if len(small) >= _TOGETHER:
                yield pa.concat_tables(small).combine_chunks()
                small = []
    if small:
        yield pa.concat_tables(small).combine_chunks()


def scan(pattern: str | Iterable[str], workers: int | None = None) -> ScanResult:
    """Reads all profiles that match a glob ("runs/**/*.roofscope.json.gz") or a list of names.

    There is a row for each program, kernel, and finding or action (see column `row`). Files that
    cannot be read are listed in `skipped`. Needs pyarrow (`pip install roofscope[scan]`).
    """
    pa = _executable.needed("pyarrow", "scan")
    found = globbing.glob(pattern, recursive=True) if isinstance(pattern, str) else pattern
    skipped: dict[str, str] = {}
    tables = list(_tables(sorted(found), workers or os.cpu_count() or 1, skipped))
    table = pa.concat_tables(tables) if tables else _schema().empty_table()
    return ScanResult(table, skipped)
