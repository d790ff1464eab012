# SPDX-License-Identifier: Apache-2.0
"""Command-line parser of the commands written in Python."""

from __future__ import annotations

import argparse
import difflib
from typing import NoReturn

from roofscope._executable import RoofscopeError


class CommandParser(argparse.ArgumentParser):
    """Reports usage errors in the same words and with the same exit code as the executable."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("roofscope ")
        advice = f'see "{self.prog} --help"'
        begin = "unrecognized arguments: "
        unknown = message.removeprefix(begin).split(" ")[0].split("=")[0]
        if message.startswith(begin) and unknown.startswith("-"):
            message = f"there is no option {unknown}"
            near = difflib.get_close_matches(unknown, self._option_string_actions, 1, 0.75)
            if near:
                advice = f"did you mean {near[0]}? Else {advice}"
        raise RoofscopeError(f"{command}: {message} ({advice})", 64)
