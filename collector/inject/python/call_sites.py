# SPDX-License-Identifier: Apache-2.0
"""Reports which line of the program's own code each thread runs (python_lines.h).

libroofscope_inject.so runs this inside the profiled Python process (python_hooks.cpp). It provides
- code(file, function), which returns a number for a function,
- at(number, line), which reports that the calling thread now runs this line of that function, and
  returns whether the function is worth following,
- hides_callee(), which says that a function that is not followed was called where the thread is,
- when_left(function), which registers a function to call when lines are no longer followed.

Only lines of the program's own code count, that is of files that no package manager installed.
A function that runs very many lines for each call that is recorded is not followed any more; calls
in it, and in the function that called it, are looked up in the interpreter's frames. Forked
processes follow nothing: nothing of them is recorded, and data loaders would take twice as long.
Python 3.12 calls back for just these lines (sys.monitoring); in older versions, any way to follow
lines would slow the program down.

No exception raised here may reach the program, whatever names its code has, and even if the program
frees other tools' numbers in sys.monitoring."""

NAME = "roofscope"


def install(code, at, hides_callee, when_left):
    import os
    import site
    import sys
    import sysconfig

    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        return
    tool = next((n for n in (4, 3, 5, 2) if monitoring.get_tool(n) is None), None)
    if tool is None:
        return
    roots = {sysconfig.get_paths().get(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    roots |= {*site.getsitepackages(), site.getusersitepackages()}
    installed = tuple(os.path.join(root, "") for root in roots if root)
    generated = ("torchinductor_", f"{os.sep}.triton{os.sep}")
    numbers = {}
    followed = []
    given_up = set()  # ids of code objects in `followed`

    def valid(text):
        """The text with lone surrogates escaped, which cannot be written as UTF-8."""
        return text.encode("utf-8", "backslashreplace").decode()

    def number(code_object):
        """Number of a function of the program's own code; 0 for all others."""
        key = code_object.co_filename, code_object.co_qualname
        known = numbers.get(key)
        if known is None:
            file = key[0]
            # Code without a file belongs to a framework, except the cells of a notebook.
            own = file.startswith("<ipython-input") or not file.startswith("<")
            own = own and not file.startswith(installed) and not any(part in file for part in generated)
            known = numbers[key] = code(*map(valid, key)) if own else 0
        return known

    def innermost(frame):
        while frame is not None:
            if (n := number(frame.f_code)) and id(frame.f_code) not in given_up:
                return at(n, frame.f_lineno or 0)
            frame = frame.f_back
        at(0, 0)

    events = monitoring.events
    inside = events.LINE | events.PY_RETURN | events.PY_YIELD

    def follow(code_object):
        if number(code_object):
            monitoring.set_local_events(tool, code_object, inside)
            followed.append(code_object)

    def started(code_object, offset):
        try:
            follow(code_object)
            return monitoring.DISABLE  # no more calls for this code: it stays followed
        except Exception:
            return None

    def line(code_object, line_number):
        try:
            if not at(number(code_object), line_number):
                given_up.add(id(code_object))
                monitoring.set_local_events(tool, code_object, 0)
                innermost(sys._getframe(1))
                hides_callee()
        except Exception:
            pass

    def left(code_object, offset, value):
        try:
            innermost(sys._getframe(1).f_back)
        except Exception:
            pass

    def leave():
        if monitoring.get_tool(tool) != NAME:
            return  # the program now uses this number itself
        monitoring.set_events(tool, 0)
        for code_object in followed:
            monitoring.set_local_events(tool, code_object, 0)
        monitoring.free_tool_id(tool)

    monitoring.use_tool_id(tool, NAME)
    monitoring.register_callback(tool, events.PY_START, started)
    monitoring.register_callback(tool, events.LINE, line)
    monitoring.register_callback(tool, events.PY_RETURN, left)
    monitoring.register_callback(tool, events.PY_YIELD, left)
    monitoring.set_events(tool, events.PY_START)
    for frame in sys._current_frames().values():
        while frame is not None:
            follow(frame.f_code)
            frame = frame.f_back
    innermost(sys._getframe(1))
    when_left(leave)
    os.register_at_fork(after_in_child=leave)


try:
    install(code, at, hides_callee, when_left)  # noqa: F821 (given)
except Exception:
    pass  # the program runs on; its calls have no lines
