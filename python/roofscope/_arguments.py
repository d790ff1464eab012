# SPDX-License-Identifier: Apache-2.0
"""Command-line parser of the commands written in Python."""

from __future__ import annotations

import argparse
from typing import NoReturn

from roofscope._executable import RoofscopeError


class CommandParser(argparse.ArgumentParser):
    """Reports usage errors in the same words and with the same exit code as the executable."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("roofscope ")
        raise RoofscopeError(f'{command}: {message} (see "{self.prog} --help")', 64)
