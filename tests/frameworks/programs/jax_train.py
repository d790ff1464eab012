# SPDX-License-Identifier: Apache-2.0
"""A jitted training step in JAX with default autotuning."""
import jax
import jax.numpy as jnp

key = jax.random.PRNGKey(0)
sizes = [512, 1024, 512]
weights = [jax.random.normal(jax.random.fold_in(key, i), (m, n)) * 0.05 for i, (m, n) in enumerate(zip(sizes, sizes[1:]))]
x = jax.random.normal(key, (1024, 512))


def loss(weights, x):
    y = x
    for w in weights:
        y = jax.nn.gelu(y @ w)
    return jnp.mean((y - x) ** 2)


@jax.jit
def step(weights, x):
    value, grads = jax.value_and_grad(loss)(weights, x)
    return value, [w - 0.1 * g for w, g in zip(weights, grads)]


for _ in range(10):
    value, weights = step(weights, x)
print(f"{float(value):.4f}")
