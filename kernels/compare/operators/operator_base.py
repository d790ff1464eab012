# SPDX-License-Identifier: Apache-2.0
"""The interface of operators for compare.py."""
import torch

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
FP32_TOLERANCE, HALF_TOLERANCE = 1e-5, 1e-2


class Case:
    """"B=1,H=64,bf16": extents by name, and the element type."""

    def __init__(self, text):
        self.text = text
        *parts, self.dtype_name = text.split(",")
        self.dtype = DTYPES[self.dtype_name]
        self._extents = {k: int(v) for k, v in (part.split("=") for part in parts)}

    def __getitem__(self, name):
        return self._extents[name]


class Operator:
    """One operator. `cases` are in the form of `roofscope kernels list --json`; the first one is
    also profiled."""
    name = ""
    cases = []
    kind = "memory"  # "memory": judged by bandwidth; "compute": not judged
    notes = ""       # what readers of the table should know about the Triton and PyTorch forms

    def rung(self, case):
        """The bundled kernel of the family that is compared."""
        raise NotImplementedError

    def inputs(self, case):
        """A fresh tuple of device tensors."""
        raise NotImplementedError

    def eager(self, case, *inputs):
        """PyTorch's result (a tensor or a tuple), with which the others must agree."""
        raise NotImplementedError

    def compilable(self, case, *inputs):
        """What torch.compile gets; the same as eager unless overridden."""
        return self.eager(case, *inputs)

    def outputs(self, case, inputs):
        """Empty tensors for the Triton kernel, as a tuple in the order of eager's result."""
        raise NotImplementedError

    def triton_configs(self, case):
        """Configurations (dicts) to try for the fastest one; none if there is no Triton form."""
        return []

    def triton(self, case, config, inputs, outputs):
        """Launches the Triton kernel."""
        raise NotImplementedError

    def tolerance(self, case):
        """Largest relative L2 distance from eager."""
        return FP32_TOLERANCE if case.dtype == torch.float32 else HALF_TOLERANCE


def grid_of(*pairs):
    """Configurations as the product of (name, values) pairs."""
    configs = [{}]
    for name, values in pairs:
        configs = [{**config, name: value} for config in configs for value in values]
    return configs
