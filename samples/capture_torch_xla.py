"""Capture a pair of graphs for diverge from your own PyTorch/XLA program.

    python3 capture_torch_xla.py base OUT                       writes OUT.base.hlo
    torchrun --nproc_per_node=2 capture_torch_xla.py dist OUT   writes OUT.dist.hlo (rank 0's)

Replace `Model` and `example` by your own.  PyTorch/XLA gathers operations
lazily; the graph is taken before it is sent to the compiler.  For a trial
without accelerators: PJRT_DEVICE=CPU CPU_NUM_DEVICES=2.

What to know before writing OUT.plan:

* Parameters are numbered in the order in which each graph first meets them, so
  the two programs may differ: `input 3<-5 tp:S(0)`.
* A Python number other than 0 and 1 is a parameter, too: `input 4<-2 R`, or
  `input 4 = 2` where only the distributed program has it.
* Collectives pass a token, a parameter that holds zero: `input 7 = 0`.
* xm.all_gather needs pin_layout=False, else every rank has another program.

Then:   diverge --plan OUT.plan OUT.base.hlo OUT.dist.hlo
"""
import os
import sys

os.environ.setdefault("XLA_IR_DEBUG", "1")
os.environ.setdefault("XLA_HLO_DEBUG", "1")

import torch                                    # noqa: E402
import torch_xla                                # noqa: E402
import torch_xla.core.xla_model as xm           # noqa: E402


class Model(torch.nn.Module):
    """Column-parallel, then row-parallel; `world` 1 is the baseline."""

    def __init__(self, world):
        super().__init__()
        self.world = world
        self.up = torch.nn.Linear(64, 256 // world, bias=False)
        self.down = torch.nn.Linear(256 // world, 64, bias=False)

    def forward(self, x):
        y = self.down(torch.relu(self.up(x)))
        if self.world > 1:
            y = xm.all_reduce(xm.REDUCE_SUM, y)
        return y


def example():
    return torch.ones(8, 64)


def capture(world):
    device = xm.xla_device()
    model = Model(world).to(device).eval()
    with torch.no_grad():
        y = model(example().to(device))
    return torch_xla._XLAC._get_xla_tensors_hlo([y])


def main(kind, out):
    world = 1
    if kind == "dist":
        import torch_xla.distributed.xla_backend        # noqa: F401
        torch.distributed.init_process_group("xla", init_method="xla://")
        world = torch.distributed.get_world_size()
        if torch.distributed.get_rank() != 0:
            capture(world)                              # every rank takes part in the collectives
            return
    with open("%s.%s.hlo" % (out, kind), "w") as f:
        f.write(capture(world))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("base", "dist"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
