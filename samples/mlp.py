"""A gated feed-forward block, in plain JAX.

On two devices (tensor parallel, axis tp) `w_gate` and `w_up` are divided by
columns and `w_down` by rows; the bias `b_down` is whole on every device, so it
is added once, after the partial products have been summed.
"""
import jax
import jax.numpy as jnp


def rms_norm(x, weight):
    mean = jnp.mean(x * x, axis=-1, keepdims=True)
    return x * jax.lax.rsqrt(mean + 1e-5) * weight


def silu(x):
    return x * jax.nn.sigmoid(x)


def mlp(p, x, axis=None):
    h = rms_norm(x, p["norm"])
    gate = silu(h @ p["w_gate"])
    up = h @ p["w_up"]
    y = (gate * up) @ p["w_down"]
    if axis is not None:
        y = jax.lax.psum(y, axis)
    y = y + p["b_down"]
    return x + y


def mlp_bias_first(p, x, axis):
    """The mistake in mlp.broken.hlo: every device adds the bias to its part of
    the sum, which then holds it once per device."""
    h = rms_norm(x, p["norm"])
    gate = silu(h @ p["w_gate"])
    up = h @ p["w_up"]
    part = (gate * up) @ p["w_down"] + p["b_down"]
    return x + jax.lax.psum(part, axis)
