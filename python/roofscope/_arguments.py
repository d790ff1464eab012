# SPDX-License-Identifier: Apache-2.0
"""Command lines of the commands in Python."""

from __future__ import annotations

import argparse
from typing import NoReturn

from roofscope._executable import RoofscopeError


class CommandParser(argparse.ArgumentParser):
    """Refuses a command line in the executable's words, with its exit code."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("roofscope ")
        raise RoofscopeError(f'{command}: {message} (see "{self.prog} --help")', 64)
