# SPDX-License-Identifier: Apache-2.0
"""Starts the hook of `roofscope try`, then the user's own sitecustomize. First in PYTHONPATH.

Runs in the tried program's Python, whatever its version, and must not disturb it. It runs from a
copy in a temporary folder, so that no bytecode stays beside the installed file.
"""

import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run(name: str, spec: ModuleSpec) -> None:
    """Runs the module of this spec under this name."""
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    assert spec.loader is not None
    spec.loader.exec_module(module)


def _is_here(folder: str) -> bool:
    return os.path.abspath(folder or os.curdir) == _HERE


def _start_hook() -> None:
    path = os.path.join(_HERE, "program_hook.py")
    try:
        spec = importlib.util.spec_from_file_location("_roofscope_try", path)
        assert spec is not None
        _run("_roofscope_try", spec)
        sys.modules["_roofscope_try"].start(_HERE)
    except Exception as error:
        sys.stderr.write(f"roofscope try: the hook does not run here: {error!r}\n")


_start_hook()
# Imports of the program must work as without this folder. Its children still get the folder from
# PYTHONPATH.
sys.path[:] = [folder for folder in sys.path if not _is_here(folder)]
_users = PathFinder.find_spec("sitecustomize", sys.path)
if _users is not None and _users.loader is not None:
    _run("sitecustomize", _users)
