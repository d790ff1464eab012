#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records programs that misbehave, on a real GPU, and checks that recording changes nothing for them:

    tests/gpu/hostile_cases.py ROOFSCOPE PROGRAM LIBRARY [--keep FOLDER] [--only REGEX] [--limit SECONDS]

PROGRAM is hostile_program, LIBRARY the same as a shared library for Python (hostile_program.py). Each
case runs plain and then recorded. It passes if the recorded program ends with the same code (or 90, 91
where part could not be measured), prints the same, leaves no process and no file, and if what was
recorded can be reported and has the launches that it must have. One line for each case; 1 if one fails.

Cases with counters run one after the other, because a GPU has them once; the others beside them."""

import argparse
import concurrent.futures
import contextlib
import glob
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = []


def case(name, *command, **options):
    CASES.append(dict(name=name, command=list(command), **options))


def program(mode, *arguments, name=None, **options):
    case(name or mode, "{P}", mode, *arguments, **options)


def python(mode, *, before=(), name=None, **options):
    case(
        "python " + (name or mode),
        sys.executable,
        *before,
        "{HERE}/hostile_program.py",
        "{L}",
        mode,
        **options,
    )


# What `launches` is left out of is not known. `timing`: without counters. `codes`: what may come
# instead of the program's own code 0. `differs`: output may differ from the plain run.
program("plain", launches=5, codes=[0])
program("reuse-descriptors", launches=2)
program("close-early", timing=True)
program("close-standard", launches=3)
program("fork-host", launches=10)
program("fork-launch", launches=6)
program("fork-storm", launches=100)
program("fork-exit", launches=6, codes=[0])
program("stop", launches=100)
program("seccomp-create", launches=2)
program("seccomp-signals", launches=2)
program("seccomp-write", launches=2)
program("seccomp-early-signals", launches=1)
program("seccomp-kill", timing=True, launches=102)
program("seccomp-early-kill", timing=True, launches=100)
program("cupti-activity-late")
program("cupti-activity-early")
program("cupti-subscribe-late")
program("cupti-subscribe-early")
program("cupti-activity-finalize")
program("interrupted", timing=True, launches=100)
program("coroutines", timing=True, launches=50)
program("lost-frames", timing=True, launches=100)
program("signals-block", timing=True, launches=100)
program("signals-urg", timing=True, launches=100)
program("signals-timer", timing=True, launches=100)
program("signals-tiny", timing=True, launches=100)
program("threads", timing=True, launches=2000)
program("leave-return", timing=True)
program("leave-quick", timing=True)
program("leave-_exit", timing=True)
program("leave-abort", timing=True)
program("leave-term", timing=True)
program("leave-thread", timing=True)
program("leave-exec", timing=True)
program("leave-return", name="leave-return, counted")
program("nvtx-names", launches=50)
program("nvtx-deep", timing=True, launches=6)
program("nvtx-many-names", timing=True, launches=200)
program("nvtx-attributes", launches=5)
program("graphs", launches=100)
program("graphs-of-one-thread", launches=60)
program("contexts", launches=1)
program("reset-beside", timing=True)
program("limit-files", launches=3)
program("limit-size", launches=3)
program("limit-xfsz", timing=True, launches=3)
program("limit-processes", launches=3)
program("change-sweep-tmp", codes=[0, 74, 90, 91])
program("change-user")
program("change-not-dumpable", launches=3)
program("change-chroot")
program("change-clearenv", launches=60)
program("change-umask-cwd", launches=3)
program("daemon", timing=True, leaves=True)
program("long-names", launches=3)
program("modules", launches=60)
for n in range(4):
    program(f"name-{n}", launches=3)
program("switches", launches=100)
program("clear-then-init")
program("environment", env={"LD_PRELOAD": "libm.so.6"}, launches=2)
program("at-exit", launches=5)
program("trap", timing=True)
program("plain", "5", "7", name="exit code 7", codes=[7])
program("plain", "200000", name="200,000 launches", timing=True, launches=200_000)
program("plain", name="static constructors", env={"HOSTILE_STATIC": "1"}, launches=8)
program(
    "plain",
    name="blocking, eager, one connection",
    launches=5,
    env={
        "CUDA_LAUNCH_BLOCKING": "1",
        "CUDA_MODULE_LOADING": "EAGER",
        "CUDA_DEVICE_MAX_CONNECTIONS": "1",
    },
)
program("plain", name="another injection", env={"CUDA_INJECTION64_PATH": "{L}"})
program("plain", name="missing injection", env={"CUDA_INJECTION64_PATH": "/nowhere/lib.so"})
program(
    "change-fill-disk",
    wrap=[
        "unshare",
        "-m",
        "sh",
        "-c",
        'mount -t tmpfs -o size=6m none "$TMPDIR" || exit 77; exec "$@"',
        "sh",
    ],
    launches=3,
)
program("plain", name="MPS", mps=True, show=True)
case(
    "under compute-sanitizer",
    "compute-sanitizer",
    "{P}",
    "plain",
    needs="compute-sanitizer",
    differs=True,
)
program(
    "plain",
    name="recorded under compute-sanitizer",
    wrap=["compute-sanitizer", "--target-processes", "all"],
    needs="compute-sanitizer",
    differs=True,
)
case(
    "under cuda-gdb",
    "cuda-gdb",
    "-batch",
    "-ex",
    "run",
    "--args",
    "{P}",
    "plain",
    needs="cuda-gdb",
    differs=True,
)
case(
    "under gdb", "gdb", "-batch", "-ex", "run", "--args", "{P}", "plain", needs="gdb", differs=True
)
case("under ncu", "ncu", "{P}", "plain", needs="ncu", differs=True, codes=[1])
program(
    "plain",
    name="recorded under ncu",
    wrap=["ncu", "--target-processes", "all"],
    needs="ncu",
    differs=True,
    codes=[1],
)
case("under roofscope", "{R}", "record", "-q", "-o", "{T}/inner.json", "{P}", "plain", differs=True)
program("plain", name="ordinary user", user=True, launches=5)
case("setuid program, ordinary user", "{S}/setuid", "plain", user=True)
python("plain", launches=40, codes=[0])
python("plain", name="-I -S -E", before=["-I", "-S", "-E"], launches=40)
python("plain", name="-X importtime -v", before=["-X", "importtime", "-v"], launches=40)
python("monitoring-taken", launches=40)
python("monitoring-stolen", launches=50)
python("traced", launches=40)
python("recursion", launches=9)
python("names", launches=20)
python("no-modules", launches=41)
python("strange-torch", launches=40)
python("builtins-gone", launches=41)
python("sub-interpreters", launches=60)
python("only-sub-interpreter", launches=20)
python("threads-switch", launches=900)
python("own-signals", launches=100)
python("fork", launches=41)
python("late-fork")
python("exec-in-thread")
python("segfault", timing=True)
python("exits", launches=6)
python("exit-in-thread")
python("collected", launches=30)
python("generators", launches=60)
python("gevent", env={"PYTHONPATH": "{W}/site"}, needs_module="gevent", launches=200)
python("greenlets", env={"PYTHONPATH": "{W}/site"}, needs_module="greenlet", launches=100)
python("deleted", own_folder=True, launches=40)
python("torch-profiler", launches=100, limit=70)
python("torch-workers", launches=60, limit=70)
python("torch-traps", launches=60, limit=70)
for trap, text in {
    "raises": "raise RuntimeError('no')",
    "leaves": "import atexit, threading\nthreading.excepthook = None",
    "patches": "import builtins, io\n_o = builtins.open\nbuiltins.open = lambda *a, **k: _o(*a, **k)\n"
    "import os\nos.environ['CUDA_INJECTION64_PATH'] = '/nowhere'\nos.environ.pop('ROOFSCOPE_CONFIG', None)",
    "takes monitoring": "import sys\n[sys.monitoring.use_tool_id(n, 'mine') for n in range(6)]",
    "profiles": "import sys, threading\nf = lambda *a: None\nsys.setprofile(f)\nthreading.setprofile(f)",
    "breaks modules": "import sys\nfor n in ('site', 'sysconfig', 'json', 'os.path'): sys.modules[n] = None",
    "breaks names": "import sys\nclass T(str):\n    def __eq__(s, o): raise ValueError('hands off')\n"
    "    def __hash__(s): raise ValueError('hands off')\nsys.modules['__main__'].__file__ = 7",
}.items():
    # The trap that patches functions hides the recorder from the driver: nothing is measured.
    expected = {"codes": [91]} if trap == "patches" else {"launches": 40}
    python("plain", name=f"sitecustomize that {trap}", sitecustomize=text, **expected)


class Machine:
    def __init__(self, options):
        self.roofscope = os.path.abspath(options.roofscope)
        self.work = os.path.dirname(os.path.abspath(options.program))
        self.program = os.path.abspath(options.program)
        self.library = os.path.abspath(options.library)
        self.private = tempfile.mkdtemp(prefix="hostile-private-")
        self.keep = options.keep
        self.counters = threading.Lock()
        self.end = time.monotonic() + options.limit

    def fill(self, text, folder):
        for key, value in (
            ("P", self.program),
            ("L", self.library),
            ("W", self.work),
            ("R", self.roofscope),
            ("T", folder),
            ("S", self.private),
            ("HERE", HERE),
        ):
            text = text.replace("{" + key + "}", value)
        return text


def left_behind(mark):
    """Processes whose environment has the case's mark."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if f"HOSTILE_CASE={mark}\0".encode() in file.read():
                    found.append(int(path.split("/")[2]))
        except OSError:
            continue
    return found


def end(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def execute(command, environment, folder, limit):
    start = time.monotonic()
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=limit)
        return process.returncode, out, err, time.monotonic() - start
    except subprocess.TimeoutExpired:
        end(left_behind(environment["HOSTILE_CASE"]))
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
        try:
            out, err = process.communicate(timeout=3)
        except subprocess.TimeoutExpired:
            out, err = b"", b"(its output stayed open)"
        return "no end", out, err, time.monotonic() - start


def code_of(returncode):
    """A shell's code: 128 + signal."""
    return 128 - returncode if isinstance(returncode, int) and returncode < 0 else returncode


def profile_of(path):
    with open(path, "rb") as file:
        data = file.read()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def reason_to_leave_out(machine, case):
    """Why this case cannot run here; None if it can."""
    if time.monotonic() > machine.end:
        return "no time left"
    if "needs" in case and not shutil.which(case["needs"]):
        return f"no {case['needs']} here"
    if "needs_module" in case and not os.path.isdir(f"{machine.work}/site/{case['needs_module']}"):
        return f"no {case['needs_module']} here"
    return None


def make_folder(top, name):
    path = os.path.join(top, name)
    os.mkdir(path)
    os.chmod(path, 0o777)
    return path


def environment_of(machine, number, case, top, temporary):
    environment = {**os.environ, "TMPDIR": temporary, "PYTHONDONTWRITEBYTECODE": "1"}
    if machine.keep:
        environment["HOSTILE_TRACE"] = os.path.join(machine.keep, f"{number:03}_crash.txt")
    for key, value in case.get("env", {}).items():
        environment[key] = machine.fill(value, top)
    if "sitecustomize" in case:
        site = os.path.join(top, "site")
        os.mkdir(site)
        with open(os.path.join(site, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write(case["sitecustomize"] + "\n")
        environment["PYTHONPATH"] = site
    return environment


def record_words(machine, case, profile, limit):
    """The recorder and its options, in front of the case's command."""
    words = [machine.roofscope, "record", "-o", profile]
    if case.get("timing"):
        words.append("--timing-only")
    else:
        words += ["--effort", "quick", "--per-kernel", "1"]
    return [*words, "--time-limit", str(limit), "--"]


def prefixes(case):
    """What stands in front of the plain command, and what in front of the recorder."""
    user = []
    if case.get("user"):
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    wrap = case.get("wrap", [])
    return user + (wrap if wrap and wrap[0] == "unshare" else []), user + wrap


def start_mps(environment, top):
    """Starts MPS in a folder of its own; returns what the daemon's start said."""
    environment["CUDA_MPS_PIPE_DIRECTORY"] = os.path.join(top, "mps")
    environment["CUDA_MPS_LOG_DIRECTORY"] = os.path.join(top, "mps")
    os.mkdir(os.path.join(top, "mps"))
    return subprocess.run(
        ["nvidia-cuda-mps-control", "-d"], env=environment, capture_output=True, timeout=10
    )


def stop_mps(environment):
    subprocess.run(
        ["nvidia-cuda-mps-control"],
        input=b"quit\n",
        env=environment,
        capture_output=True,
        timeout=10,
    )


def run_twice(machine, number, case, top, temporary, environment):
    """Runs the program plain and recorded, and judges the difference."""
    command = [machine.fill(word, top) for word in case["command"]]
    profile = os.path.join(top, "p.roofscope.json.gz")
    limit = case.get("limit", 22)
    before_plain, before_record = prefixes(case)
    folder = make_folder(top, "plain") if case.get("own_folder") else os.path.join(top, "cwd")
    environment["HOSTILE_CASE"] = f"{number}p"
    plain = execute(before_plain + command, environment, folder, limit)
    end(left_behind(f"{number}p"))
    for path in glob.glob(temporary + "/*"):
        shutil.rmtree(path, ignore_errors=True)
    environment["HOSTILE_CASE"] = f"{number}r"
    if case.get("own_folder"):
        # Each run removes its folder: the recorded one runs in a shell that makes it anew.
        shell = ["sh", "-c", 'mkdir -p "$0" && cd "$0" && exec "$@"']
        command = [*shell, os.path.join(top, "recorded"), *command]
        folder = top
    record = before_record + record_words(machine, case, profile, limit) + command
    with contextlib.nullcontext() if case.get("timing") else machine.counters:
        recorded = execute(record, environment, folder, limit + 18)
    time.sleep(0.2)
    survivors = left_behind(f"{number}r")
    end(survivors)
    return judge(machine, case, number, temporary, profile, plain, recorded, survivors)


def run(machine, number, case):
    name = case["name"]
    if why := reason_to_leave_out(machine, case):
        return name, "left out", why
    top = tempfile.mkdtemp(prefix="hostile-")
    os.chmod(top, 0o777)
    temporary = make_folder(top, "tmp")
    make_folder(top, "cwd")
    environment = environment_of(machine, number, case, top, temporary)
    daemon = None
    try:
        if case.get("mps"):
            daemon = start_mps(environment, top)
            if daemon.returncode != 0:
                return name, "left out", "no MPS here: " + daemon.stderr.decode()[-200:]
        return name, *run_twice(machine, number, case, top, temporary, environment)
    except Exception as error:  # a case that cannot be run says so
        return name, "FAILED", f"{type(error).__name__}: {error}"
    finally:
        if daemon is not None:
            stop_mps(environment)
        shutil.rmtree(top, ignore_errors=True)


def judge(machine, case, number, temporary, profile, plain_run, recorded_run, survivors):
    """The result of a case, and what was seen. Runs are those of execute()."""
    plain, plain_out, _, plain_s = plain_run
    code, out, err, seconds = recorded_run
    plain, code = code_of(plain), code_of(code)
    wrong = []
    allowed = case.get("codes") or ([0, 90, 91] if plain == 0 else [plain])
    if plain == 77:
        return "left out", "not possible here: " + plain_out.decode(errors="replace").strip()
    if plain == "no end":
        wrong.append("the plain program has no end")
    if not case.get("differs"):
        if code not in allowed:
            wrong.append(f"code {code}, expected {allowed}")
        if out != plain_out:
            wrong.append(f"output {out[-80:]!r}, expected {plain_out[-80:]!r}")
    elif code == "no end" or (code not in [0, 90, 91, *case.get("codes", [])] and code != plain):
        wrong.append(f"code {code}, plain {plain}")
    text = err.decode(errors="replace")
    if re.search(
        r"please report|defect|terminate called|AddressSanitizer|Traceback.*roofscope", text
    ):
        wrong.append("stderr speaks of a defect")
    if survivors and not case.get("leaves"):
        wrong.append(f"{len(survivors)} processes stay")
    files = [os.path.basename(path) for path in glob.glob(temporary + "/*")]
    if [name for name in files if name.startswith("roofscope")]:
        wrong.append(f"files stay: {files}")
    launches, issues = None, []
    if os.path.exists(profile):
        for form in ("markdown", "json", "html"):
            report = subprocess.run(
                [machine.roofscope, "report", profile, "--format", form],
                capture_output=True,
                timeout=60,
            )
            if report.returncode != 0:
                wrong.append(
                    f"report --format {form}: {report.returncode} {report.stderr[-120:]!r}"
                )
            if form == "markdown" and re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", report.stdout):
                wrong.append("control characters in the report")
        data = profile_of(profile)
        launches = data["launches"]["count"]
        if isinstance(launches, list):
            launches = len(launches)
        issues = [issue.get("code") for issue in data.get("issues", [])]
    elif code in (0, 90):
        wrong.append("no profile")
    least = case.get("launches")
    if least is not None and (launches or 0) < least:
        wrong.append(f"{launches} launches, at least {least} expected")
    seen = f"code {code} of {plain}, {launches} launches, {plain_s:.1f} -> {seconds:.1f} s, {','.join(issues) or 'no issue'}"
    if case.get("show"):
        seen += ": " + " ".join(text.split())[-300:]
    if machine.keep and (wrong or case.get("differs") or code not in (plain,)):
        base = os.path.join(machine.keep, f"{number:03}_" + re.sub(r"\W+", "_", case["name"]))
        with open(base + ".txt", "wb") as file:
            file.write(
                ("; ".join(wrong) + "\n" + seen + "\n--- stderr\n").encode()
                + err[-6000:]
                + b"\n--- stdout\n"
                + out[-2000:]
            )
        if os.path.exists(profile) and os.path.getsize(profile) < 1_000_000:
            shutil.copy(profile, base + ".roofscope.json.gz")
    return ("FAILED" if wrong else "ok"), "; ".join(wrong + [seen])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("roofscope")
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--keep")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=6)
    options = parser.parse_args()
    machine = Machine(options)
    if machine.keep:
        os.makedirs(machine.keep, exist_ok=True)
        os.chmod(machine.private, 0o755)
    setuid = os.path.join(machine.private, "setuid")
    shutil.copy(machine.program, setuid)
    os.chmod(setuid, 0o4755)
    chosen = [(n, one) for n, one in enumerate(CASES) if re.search(options.only, one["name"])]
    failed = 0
    # Counted cases have lanes of their own: one runs plain while another has the counters.
    counting = concurrent.futures.ThreadPoolExecutor(3)
    timing = concurrent.futures.ThreadPoolExecutor(options.jobs)
    with counting, timing:
        futures = [
            (timing if one.get("timing") else counting).submit(run, machine, number, one)
            for number, one in chosen
        ]
        for future in concurrent.futures.as_completed(futures):
            name, result, why = future.result()
            failed += result == "FAILED"
            print(f"{result:8} {name}: {why}", flush=True)
        shutil.rmtree(machine.private, ignore_errors=True)
    print(f"{len(chosen)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
