# SPDX-License-Identifier: Apache-2.0
import gzip
import importlib.util
import json
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest

import roofscope

pytest.importorskip("pyarrow")

COUNT = 60


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    """Recordings of a program over many days, made from one real recording with new dates."""
    folder = tmp_path_factory.mktemp("runs")
    text = gzip.decompress((samples / "h200_atomics.roofscope.json.gz").read_bytes()).decode()
    profile = json.loads(text)
    capture = profile["capture"]
    key = next(k for k in capture if "created" in k)
    for i in range(COUNT):
        capture[key] = f"2026-{1 + i % 11:02}-{1 + i % 28:02}T00:00:00Z"
        path = folder / f"{i % 7}" / f"run{i}.roofscope.json.gz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(json.dumps(profile).encode(), 1))
    (folder / "bad.roofscope.json.gz").write_bytes(b"no profile")
    return folder


def test_table_and_skipped(many: Path, tmp_path: Path) -> None:
    result = roofscope.scan(str(many / "**/*.roofscope.json.gz"))
    assert list(result.skipped) == [str(many / "bad.roofscope.json.gz")]
    kinds = result.table.column("row").to_pylist()
    assert kinds.count("program") == COUNT
    assert kinds.count("kernel") == COUNT
    folder = result.to_parquet(tmp_path / "table")
    assert len(list(folder.glob("date=*/gpu=*/*.parquet"))) == len(
        set(result.table.column("date").to_pylist())
    )
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql(
        f"select name, substr(date::varchar, 1, 7) as month, median(median_s) as s, count(*) "
        f"from read_parquet('{folder}/**/*.parquet', hive_partitioning=true) "
        f"where row = 'kernel' group by all order by month"
    ).fetchall()
    assert sum(row[3] for row in found) == COUNT
    assert len(found) == min(COUNT, 11)


def test_a_second_scan_keeps_the_rows_of_the_first(many: Path, tmp_path: Path) -> None:
    import pyarrow.dataset

    def rows() -> list[str]:
        table = pyarrow.dataset.dataset(tmp_path / "table", partitioning="hive").to_table()
        return sorted(str(path) for path in set(table.column("path").to_pylist()))

    # The two recordings are of one day and GPU.
    for second, name in enumerate(("0/run0", "1/run1")):
        text = json.loads(gzip.decompress((many / f"{name}.roofscope.json.gz").read_bytes()))
        text["capture"]["created_utc"] = f"2026-05-05T00:00:{second:02}Z"
        path = tmp_path / f"{Path(name).name}.roofscope.json"
        path.write_text(json.dumps(text))
        roofscope.scan([str(path)]).to_parquet(tmp_path / "table")
    both = [str(tmp_path / f"run{i}.roofscope.json") for i in range(2)]
    assert rows() == both
    files = len(list((tmp_path / "table").glob("*/*/*.parquet")))
    assert files == 2
    # The same recording again replaces its own file.
    roofscope.scan([both[0]]).to_parquet(tmp_path / "table")
    assert rows() == both
    assert len(list((tmp_path / "table").glob("*/*/*.parquet"))) == files


def test_a_new_recording_under_an_old_name_replaces_nothing(many: Path, tmp_path: Path) -> None:
    """A job that writes app.roofscope.json every hour."""
    import pyarrow.dataset

    text = json.loads(gzip.decompress((many / "0/run0.roofscope.json.gz").read_bytes()))
    path, table = tmp_path / "app.roofscope.json", tmp_path / "table"
    for hour in range(3):
        text["capture"]["created_utc"] = f"2026-05-05T{hour:02}:00:00Z"
        path.write_text(json.dumps(text))
        roofscope.scan([str(path)]).to_parquet(table)
    roofscope.scan([str(path)]).to_parquet(table)
    read = pyarrow.dataset.dataset(table, partitioning="hive").to_table()
    hours = [when.hour for when in read.column("created").to_pylist()]
    assert {hour: hours.count(hour) for hour in hours} == dict.fromkeys(range(3), 4)


def test_a_recording_in_two_scans_is_there_once(many: Path, tmp_path: Path) -> None:
    """A job that scans all recordings every night."""
    import pyarrow.dataset

    first = roofscope.scan([str(many / "0/run0.roofscope.json.gz")])
    first.to_parquet(tmp_path / "table")
    both = roofscope.scan(str(many / "0/run*.roofscope.json.gz"))
    both.to_parquet(tmp_path / "table")
    read = pyarrow.dataset.dataset(tmp_path / "table", partitioning="hive").to_table()
    assert read.num_rows == both.table.num_rows > first.table.num_rows


def test_one_executable_reads_many_profiles(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from roofscope import _executable

    started: list[int] = []
    run = _executable.run

    def counted(
        *arguments: str | Path, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        started.append(len(arguments))
        return run(*arguments, environment=environment)

    monkeypatch.setattr(_executable, "run", counted)
    result = roofscope.scan(str(many / "*/*.roofscope.json.gz"), workers=2)
    assert result.table.column("row").to_pylist().count("program") == COUNT
    assert len(started) < COUNT / 10


def test_an_executable_that_prints_too_little_is_no_endless_search(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from roofscope import _executable

    silent = subprocess.CompletedProcess([], 0, "", "")
    monkeypatch.setattr(_executable, "run", lambda *_, **__: silent)
    result = roofscope.scan(str(many / "0/*.roofscope.json.gz"))
    assert result.table.num_rows == 0
    assert all("printed no rows" in why for why in result.skipped.values())


def test_the_table_is_one_of_each_kind(many: Path) -> None:
    result = roofscope.scan(str(many / "0/*.roofscope.json.gz"))
    assert result.to_arrow() is result.table
    pytest.importorskip("pandas")
    ids = result.table.column("id").to_pylist()
    assert list(result.to_pandas()["id"]) == ids
    pytest.importorskip("polars")
    assert result.to_polars()["id"].to_list() == ids


def test_a_row_has_what_the_profile_says(many: Path) -> None:
    path = many / "0/run0.roofscope.json.gz"
    profile = roofscope.open(path)
    rows = roofscope.scan([str(path)]).table.to_pylist()
    kernel, row = profile.kernels[0], rows[1]
    assert rows[0]["path"] == str(path)
    assert (rows[0]["created"], rows[0]["gpu"]) == (profile.created, profile.gpu)
    assert rows[0]["date"] == "2026-01-01"
    assert (row["id"], row["name"], row["findings"]) == (
        kernel.id,
        kernel.name,
        [found.rule for found in kernel.findings],
    )
    assert row["median_s"] == pytest.approx(kernel.duration.median)
    assert row["dram_bytes"] == kernel.quantities["dram_bytes"]
    bounds = {one["id"]: one for one in rows if one["row"] == "action"}
    assert profile.findings
    for found in profile.findings:
        assert bounds[found.id]["bound_window_s"] == pytest.approx(found.gain_window)
        assert bounds[found.id]["bound_recorded_s"] == pytest.approx(found.gain_total)


def test_times_with_an_offset_are_read_as_what_they_mean(many: Path, tmp_path: Path) -> None:
    text = json.loads(gzip.decompress((many / "0/run0.roofscope.json.gz").read_bytes()))
    times = {
        "2026-01-01T00:30:00+02:00": datetime(2025, 12, 31, 22, 30, tzinfo=timezone.utc),
        "2026-01-01T00:30:00Z": datetime(2026, 1, 1, 0, 30, tzinfo=timezone.utc),
        "2026-01-01T00:30:00": datetime(2026, 1, 1, 0, 30, tzinfo=timezone.utc),
    }
    paths = {}
    for i, (created, when) in enumerate(times.items()):
        text["capture"]["created_utc"] = created
        path = tmp_path / f"{i}.roofscope.json"
        path.write_text(json.dumps(text))
        paths[str(path)] = when
        assert roofscope.open(path).created == when
    rows = roofscope.scan(list(paths)).table.to_pylist()
    assert {row["path"]: row["created"] for row in rows} == paths
    for row in rows:
        assert row["date"] == f"{paths[row['path']]:%Y-%m-%d}"


def test_a_profile_without_a_date_has_no_date(many: Path, tmp_path: Path) -> None:
    text = json.loads(gzip.decompress((many / "0/run0.roofscope.json.gz").read_bytes()))
    text["capture"]["created_utc"] = "yesterday"
    path = tmp_path / "undated.roofscope.json"
    path.write_text(json.dumps(text))
    result = roofscope.scan([str(path), str(many / "0/run0.roofscope.json.gz")])
    assert not result.skipped
    first = {row["path"]: (row["created"], row["date"]) for row in result.table.to_pylist()}
    assert first[str(path)] == (None, None)
    assert all(first[str(many / "0/run0.roofscope.json.gz")])


def test_an_empty_pattern_is_an_empty_table(tmp_path: Path) -> None:
    assert roofscope.scan(str(tmp_path / "*")).table.num_rows == 0


def test_which_kernel_got_slower_on_which_commit(tmp_path: Path) -> None:
    """Runs the benchmark of docs/python.md with few profiles; it checks its own answers."""
    pytest.importorskip("duckdb")
    script = Path(__file__).parents[2] / "tests/bench/scan.py"
    without = [] if importlib.util.find_spec("distributed") else ["--without", "dask"]
    command = [sys.executable, str(script), "--profiles", "128", "--folder", str(tmp_path)]
    done = subprocess.run([*command, *without], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
