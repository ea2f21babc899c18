"""A self-attention block with grouped heads, in plain JAX.

On two devices (tensor parallel, axis tp) every device has half of the heads:
the fused projection `wqkv` is divided column by column within each of its
parts, the output projection `wo` row by row, and the partial outputs are added
with an all-reduce.  attention.plan says the same for the debugger.
"""
import jax
import jax.numpy as jnp

HEADS, KV_HEADS, HEAD_DIM = 4, 2, 16


def rms_norm(x, weight):
    mean = jnp.mean(x * x, axis=-1, keepdims=True)
    return x * jax.lax.rsqrt(mean + 1e-5) * weight


def split_heads(x, heads):
    batch, length, _ = x.shape
    return x.reshape(batch, length, heads, HEAD_DIM).transpose(0, 2, 1, 3)


def repeat_heads(x, times):
    batch, heads, length, width = x.shape
    x = jnp.broadcast_to(x[:, :, None], (batch, heads, times, length, width))
    return x.reshape(batch, heads * times, length, width)


def split_qkv(qkv, heads, kv_heads):
    q_end = heads * HEAD_DIM
    k_end = q_end + kv_heads * HEAD_DIM
    q = qkv[:, :, :q_end]
    k = qkv[:, :, q_end:k_end]
    v = qkv[:, :, k_end:]
    return split_heads(q, heads), split_heads(k, kv_heads), split_heads(v, kv_heads)


def split_qkv_shard(qkv, heads, kv_heads):
    """The mistake in attention.broken.hlo: k is looked for behind as many columns
    as the key heads take, not behind the query heads."""
    width = kv_heads * HEAD_DIM
    q = qkv[:, :, :heads * HEAD_DIM]
    k = qkv[:, :, width:2 * width]
    v = qkv[:, :, -width:]
    return split_heads(q, heads), split_heads(k, kv_heads), split_heads(v, kv_heads)


def softmax(scores):
    top = jnp.max(scores, axis=-1, keepdims=True)
    e = jnp.exp(scores - top)
    return e / jnp.sum(e, axis=-1, keepdims=True)


def causal(scores):
    length = scores.shape[-1]
    row = jax.lax.broadcasted_iota(jnp.int32, (length, length), 0)
    column = jax.lax.broadcasted_iota(jnp.int32, (length, length), 1)
    return jnp.where(row >= column, scores, -1e9)


def attention(p, x, heads=HEADS, kv_heads=KV_HEADS, axis=None, split=split_qkv):
    h = rms_norm(x, p["norm"])
    q, k, v = split(h @ p["wqkv"], heads, kv_heads)
    k = repeat_heads(k, heads // kv_heads)
    v = repeat_heads(v, heads // kv_heads)
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * HEAD_DIM ** -0.5
    weights = softmax(causal(scores))
    out = jnp.einsum("bhqk,bhkd->bhqd", weights, v)
    batch, _, length, _ = out.shape
    out = out.transpose(0, 2, 1, 3).reshape(batch, length, heads * HEAD_DIM)
    y = out @ p["wo"]
    if axis is not None:
        y = jax.lax.psum(y, axis)
    return x + y
