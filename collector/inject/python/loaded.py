# SPDX-License-Identifier: Apache-2.0
"""Put in front of the other scripts (python_hooks.cpp): provides when_loaded(), for modules that
are loaded and for those that will be."""


def when_loaded(names, do):
    """Calls `do` with each of these modules, now or as soon as it is loaded. Its exceptions are
    ignored: the module may be of another version."""
    import sys
    import threading

    def quietly(module):
        try:
            do(module)
        except Exception:
            pass

    class Loader:
        """Loads as `inner` does, then calls `do`. `inner` takes over once the module is loaded."""

        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def create_module(self, spec):
            return self.inner.create_module(spec)

        def exec_module(self, module):
            module.__spec__.loader = module.__loader__ = self.inner
            self.inner.exec_module(module)
            quietly(module)

    class Finder:
        """Lets the other finders find these modules, and wraps their loaders."""

        def __init__(self):
            self.asked = threading.local()  # a finder of the same kind may ask us in turn

        def find_spec(self, name, path=None, target=None):
            if name not in names or getattr(self.asked, "already", False):
                return None
            self.asked.already = True
            try:
                return self.find_wrapped(name, path, target)
            finally:
                self.asked.already = False

        def find_wrapped(self, name, path, target):
            for finder in sys.meta_path:
                find = getattr(finder, "find_spec", None)
                spec = None if finder is self or find is None else find(name, path, target)
                if spec is not None:
                    if hasattr(spec.loader, "exec_module") and hasattr(spec.loader, "create_module"):
                        spec.loader = Loader(spec.loader)
                    return spec
            return None

    sys.meta_path.insert(0, Finder())
    for name in names:
        module = sys.modules.get(name)
        # A module that another thread is loading right now is not complete yet, so it is skipped.
        if module is not None and not getattr(module.__spec__, "_initializing", False):
            quietly(module)
