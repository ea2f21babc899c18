"""Capture a pair of graphs for diverge from your own JAX program.

    python3 capture_jax.py OUT        writes OUT.base.hlo, OUT.dist.hlo, OUT.plan

Replace `model`, `make_inputs`, `SPECS`, `OUT_SPEC` and `AXES` by your own.  No
accelerator is needed: the devices are simulated on the CPU, and nothing is run.

* OUT.base.hlo is the program for one device, before XLA optimizes it.
* OUT.dist.hlo is what every device runs, right after the SPMD partitioner: the
  collectives are in, fusions are not yet.

Then:   diverge OUT.base.hlo OUT.dist.hlo

Works with JAX 0.4.30 and later.  The source lines in the graphs are paths on
the machine where this ran; `set substitute-path FROM TO` maps them elsewhere.
"""
import glob
import math
import os
import shutil
import sys
import tempfile

AXES = {"tp": 2}                        # the mesh, major to minor
DEVICES = math.prod(AXES.values())
DUMP = tempfile.mkdtemp(prefix="capture-")

# XLA reads its flags once, when jax is imported.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = " ".join([
    "--xla_force_host_platform_device_count=%d" % DEVICES,
    "--xla_dump_to=" + DUMP,
    "--xla_dump_hlo_as_text",
    "--xla_dump_hlo_pass_re=spmd.*",
    "--xla_dump_large_constants=true",  # else they are written {...}, which is an unknown value
])

import jax                              # noqa: E402
import jax.numpy as jnp                 # noqa: E402
import numpy as np                      # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P        # noqa: E402


def model(p, x):
    return jnp.maximum(x @ p["up"], 0) @ p["down"]


def make_inputs():
    p = {"up": jnp.ones((64, 256)), "down": jnp.ones((256, 64))}
    return p, jnp.ones((8, 64))


SPECS = ({"up": P(None, "tp"), "down": P("tp", None)}, P())     # one per array of make_inputs()
OUT_SPEC = P()


def chain(spec):
    """A PartitionSpec as a plan writes it; the axes of one dimension major first."""
    steps = []
    for dim, axes in enumerate(spec):
        for axis in axes if isinstance(axes, tuple) else (axes,):
            if axis is not None:
                steps.append("%s:S(%d)" % (axis, dim))
    return " ".join(steps) or "R"


def is_spec(s):
    return isinstance(s, P)


def plan():
    """Parameters are numbered as jax flattens the arguments."""
    lines = ["mesh " + " ".join("%s=%d" % a for a in AXES.items())]
    for number, spec in enumerate(jax.tree_util.tree_leaves(SPECS, is_leaf=is_spec)):
        lines.append("input %d %s" % (number, chain(spec)))
    return lines + ["output 0 " + chain(OUT_SPEC)]


def only(files, what):
    if len(files) != 1:
        sys.exit("%d dumps of %s in %s, not one: %s" % (len(files), what, DUMP, files))
    return files[0]


def main(out):
    mesh = Mesh(np.array(jax.devices()[:DEVICES]).reshape(list(AXES.values())), tuple(AXES))
    shardings = jax.tree_util.tree_map(lambda s: NamedSharding(mesh, s), SPECS, is_leaf=is_spec)
    shapes = jax.eval_shape(make_inputs)        # arrays would be computed by programs of their own

    # keep_unused: a parameter that one of the programs does not need keeps its number
    jax.jit(model, keep_unused=True).lower(*shapes).compile()
    base = only(glob.glob(DUMP + "/*before_optimizations.txt"), "the baseline")
    shutil.copy(base, out + ".base.hlo")
    jax.jit(model, keep_unused=True, in_shardings=shardings,
            out_shardings=NamedSharding(mesh, OUT_SPEC)).lower(*shapes).compile()
    dist = only(glob.glob(DUMP + "/*after_spmd-partitioning*.txt"), "the partitioned program")
    shutil.copy(dist, out + ".dist.hlo")

    with open(out + ".plan", "w") as f:
        f.write("\n".join(plan()) + "\n")
    shutil.rmtree(DUMP)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "captured")
