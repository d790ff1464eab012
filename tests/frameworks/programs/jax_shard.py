# SPDX-License-Identifier: Apache-2.0
"""JAX: the gradient of a sharded loss (a mesh of all devices, one is enough), and shard_map with a sum over it."""
import functools

import jax
import jax.numpy as jnp
import numpy
from jax.sharding import Mesh, NamedSharding, PartitionSpec

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

mesh = Mesh(numpy.array(jax.devices()), ("rows",))
rows = NamedSharding(mesh, PartitionSpec("rows"))
x = jax.device_put(jax.random.normal(jax.random.PRNGKey(0), (2048, 1024)), rows)
w = jax.random.normal(jax.random.PRNGKey(1), (1024, 1024)) * 0.03


@jax.jit
@jax.grad
def slope(w, x):
    return jnp.mean(jnp.tanh(x @ w) ** 2)


@jax.jit
@functools.partial(shard_map, mesh=mesh, in_specs=PartitionSpec("rows"), out_specs=PartitionSpec())
def norm(part):
    return jax.lax.psum(jnp.sum(part * part), "rows")


for _ in range(10):
    w = w - slope(w, x)
    total = norm(x)
print(f"{float(jnp.abs(w).mean()):.4f} {float(total):.4e}")
