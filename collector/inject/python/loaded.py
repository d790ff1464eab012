# SPDX-License-Identifier: Apache-2.0
"""Prepended to the other scripts (python_hooks.cpp). Provides when_loaded(), which handles modules
that are already loaded and modules that are loaded later."""


def when_loaded(names, do):
    """Calls `do` with each of these modules, now or as soon as the module is loaded. Exceptions of
    `do` are ignored, because the version of the module may be different."""
    import sys
    import threading

    def quietly(module):
        try:
            do(module)
        except Exception:
            pass

    class Loader:
        """Loads a module with `inner`, then calls `do`. The module then has `inner` as loader."""

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
            self.asked = threading.local()  # another such finder may call us back

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
        # Skip a module that another thread is still loading, because it is incomplete.
        if module is not None and not getattr(module.__spec__, "_initializing", False):
            quietly(module)
