# SPDX-License-Identifier: Apache-2.0
"""What all optimisers have."""

_hooks = []


def register_optimizer_step_post_hook(hook):
    _hooks.append(hook)


class Optimizer:
    def __init__(self, params, foreach, fused):
        params = list(params)
        if not params:
            raise ValueError("optimizer got an empty parameter list")
        if fused and params[0].dtype != "float32":
            raise RuntimeError("fused=True requires float32")
        self.param_groups = [{"params": params, "foreach": foreach, "fused": fused}]

    def step(self):
        for hook in _hooks:
            hook(self, (), {})
