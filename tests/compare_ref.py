#!/usr/bin/env python3
"""Compares the interpreter with the reference interpreter, element by element.

    compare_ref.py DRIVER MODEL_DIR files FILE..        every file on random inputs, in both readings
    compare_ref.py DRIVER MODEL_DIR pairs EXPECTED.tsv..  pairs under their plans, over the reals
    compare_ref.py DRIVER MODEL_DIR witnesses FILE..    inputs with the values both programs must give

DRIVER is interp_main; MODEL_DIR holds hlo_ref.py.  Files that the reference has no meaning for are
counted apart.  Exit status 1 when numbers differ.
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

DRIVER, MODEL = sys.argv[1], sys.argv[2]
sys.path.insert(0, MODEL)
sys.dont_write_bytecode = True
import hlo_ref as H  # noqa: E402

ORIGINAL = {k: getattr(H, k) for k in ("round_bf16", "round_f8", "cast", "parse_literal", "do_dot")}
NP = dict(H.NP)


def reals(on):
    """Reads every float type as a double, rounding nothing but literals."""
    for k, v in ORIGINAL.items():
        setattr(H, k, v)
    H.NP.update(NP)
    if not on:
        return
    wide = {t: np.float64 for t in H.FLOATS}
    wide["c64"] = np.complex128

    def cast(x, t, src=None):
        x = np.asarray(x)
        return x.astype(np.float64) if t in H.FLOATS else ORIGINAL["cast"](x, t, src)

    def literal(text, shape):
        reals(False)
        v = ORIGINAL["parse_literal"](text, shape)
        reals(True)
        return v.astype(H.NP[shape.dtype])

    def dot(i, a, b):
        s = i.shape
        if s.dtype in H.FLOATS:
            i.shape = H.Shape("f64", s.dims)
        try:
            return ORIGINAL["do_dot"](i, a, b)
        finally:
            i.shape = s
    H.NP.update(wide)
    H.cast, H.parse_literal, H.do_dot = cast, literal, dot
    H.round_bf16 = lambda x: np.asarray(x, np.float64)
    H.round_f8 = lambda x, t: np.asarray(x, np.float64)


class Slow(Exception):
    pass


def alarm(seconds):
    import signal

    def stop(*_):
        raise Slow()
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)


def leaves(shape, v):
    if shape.is_tuple:
        for s, x in zip(shape.elems, v):
            yield from leaves(s, x)
    elif shape.dtype not in ("token", "opaque"):
        yield shape, np.asarray(v)
    else:
        yield shape, np.zeros(0, np.int64)


def to_words(shape, v):
    v = np.ascontiguousarray(v)
    if shape.dtype[0] == "c" and shape.dtype[1:].isdigit():
        return v.astype(np.complex128).reshape(-1).view(np.int64)
    if shape.dtype in H.FLOATS:
        return v.astype(np.float64).reshape(-1).view(np.int64)
    if shape.dtype == "u64":
        return v.reshape(-1).view(np.int64)
    return v.astype(np.int64).reshape(-1)


def from_words(shape, w):
    if shape.dtype[0] == "c" and shape.dtype[1:].isdigit():
        return w.view(np.complex128).reshape(shape.dims)
    if shape.dtype in H.FLOATS:
        return w.view(np.float64).reshape(shape.dims)
    if shape.dtype == "u64":
        return w.view(np.uint64).reshape(shape.dims)
    return w.reshape(shape.dims) if shape.dtype not in ("token", "opaque") else w


def counts(m, text):
    """Replicas and partitions: as the header says, else from the groups."""
    R, P = m.num_replicas, m.num_partitions
    if R * P > 1:
        return R, P
    n = 1
    for c in m.comps.values():
        for i in c.instrs:
            if "replica_groups" in i.attrs:
                n = max([n] + [1 + d for g in H.parse_groups(i.attrs["replica_groups"]) for d in g])
            for s in re.findall(r"\d+", i.attrs.get("source_target_pairs", "")):
                n = max(n, int(s) + 1)
    return (1, n) if "channel_id" in text else (n, 1)


def run(path, real, R, P, arrays, outs, seed=1):
    """arrays[d]: list of (shape, array); outs: leaf shapes of the result.  -> [device][leaf] or a reason"""
    with tempfile.TemporaryDirectory() as tmp:
        fi, fo = os.path.join(tmp, "in"), os.path.join(tmp, "out")
        with open(fi, "wb") as f:
            for a in arrays:
                for s, v in a:
                    w = to_words(s, v)
                    f.write(np.int64(w.size).tobytes() + w.tobytes())
        p = subprocess.run([DRIVER, path, "--in", fi, "--out", fo, "--replicas", str(R), "--partitions", str(P),
                            "--seed", str(seed)] + (["--reals"] if real else []), capture_output=True, text=True)
        if p.returncode:
            return (p.stderr.strip().split("\n") or ["?"])[-1] or "killed by signal %d" % -p.returncode
        w, at, got = np.fromfile(fo, np.int64), 0, []
        for _ in arrays:
            row = []
            for s in outs:
                n = int(w[at])
                row.append(from_words(s, w[at + 1:at + 1 + n]))
                at += 1 + n
            got.append(row)
        return got


UNIT = {"bf16": 2.0 ** -7, "f16": 2.0 ** -9, "f8e4m3fn": 0.25, "f8e5m2": 0.5, "f8e4m3": 0.25}


def differ(s, a, b, tol):
    """None, or what differs between two arrays of one shape"""
    with np.errstate(all="ignore"):
        a, b = np.asarray(a), np.asarray(b)
        if s.dtype not in H.FLOATS and s.dtype[0] != "c":
            bad = a.astype(object) != b.astype(object)
        else:
            scale = np.abs(b[np.isfinite(b)]).max() if np.isfinite(b).any() else 0
            bad = ~(np.abs(a - b) <= tol * max(scale, 1e-30)) & ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not bad.any():
        return None
    k = np.argwhere(np.atleast_1d(bad))[0]
    return "%d of %d differ, first at %s: %r, reference %r" % (
        bad.sum(), bad.size, list(k), np.atleast_1d(a)[tuple(k)], np.atleast_1d(b)[tuple(k)])


def value_of(shape, rng):
    if shape.is_tuple:
        return tuple(value_of(e, rng) for e in shape.elems)
    if shape.dtype in ("token", "opaque"):
        return np.array(0)
    if shape.dtype[0] == "c":
        return (rng.standard_normal(shape.dims) + 1j * rng.standard_normal(shape.dims)).astype(H.NP[shape.dtype])
    return H.random_value(shape, rng, 0, 3) if shape.dtype[0] in "su" else H.random_value(shape, rng)


EXACT = {}		# path -> the reference's results over the reals


def noise(path, d, k, s, b):
    """how far the reference's own rounding moves this result: what is ill-conditioned cannot be compared closer"""
    if path not in EXACT or s.dtype not in H.FLOATS:
        return 0
    e = np.asarray(list(leaves(s, EXACT[path][d][k]))[0][1], np.float64)
    with np.errstate(all="ignore"):
        x, top = np.abs(e - np.asarray(b, np.float64)), np.abs(np.asarray(b, np.float64))
    x, top = x[np.isfinite(x)], top[np.isfinite(top)]
    return 4 * x.max(initial=0) / max(top.max(initial=0), 1e-30)


def same_file(path, real):
    """-> (kind, text): kind is ok, bad, theirs (the reference refuses) or ours (we refuse)"""
    text = open(path, errors="replace").read()
    reals(real)
    try:
        m = H.parse_module(text)
        R, P = counts(m, text)
        m.attrs["replica_count"], m.attrs["num_partitions"] = str(R), str(P)
        rng = np.random.default_rng(7)
        args = {d: [value_of(p.shape, rng) for p in m.entry.params] for d in range(R * P)}
        alarm(60)
        want = H.run_module(m, args)
        alarm(0)
    except Slow:
        return "theirs", "too slow"
    except Exception as e:
        alarm(0)
        return "theirs", "%s: %s" % (type(e).__name__, e)
    if real:
        EXACT.clear()
        EXACT[path] = {d: [v for _, v in leaves(m.entry.root.shape, want[d])] for d in want}
    arrays = [[x for p, v in zip(m.entry.params, args[d]) for x in leaves(p.shape, v)] for d in range(R * P)]
    shapes = [s for s, _ in leaves(m.entry.root.shape, want[0])]
    got = run(path, real, R, P, arrays, shapes)
    if isinstance(got, str):
        return "ours", got
    types = set(re.findall(r"\b(bf16|f16|f8e4m3fn|f8e5m2|f8e4m3)\[", text))
    tol = 1e-9 if real else max([2e-5] + [8 * UNIT[t] for t in types])
    for d in range(R * P):
        for k, ((s, b), a) in enumerate(zip(leaves(m.entry.root.shape, want[d]), got[d])):
            bad = differ(s, a, b, tol if real else max(tol, noise(path, d, k, s, b)))
            if bad:
                return "bad", "device %d result %d %s: %s" % (d, k, s, bad)
    return "same", ""


def files(paths):
    count, status = {}, 0
    for p in paths:
        for real in (True, False):
            kind, text = same_file(p, real)
            count[kind] = count.get(kind, 0) + 1
            if kind in ("bad", "ours"):
                status = 1
            if kind != "same":
                print("%s %s (%s): %s" % (kind, os.path.basename(p), "reals" if real else "declared", text), flush=True)
    print(" ".join("%s=%d" % kv for kv in sorted(count.items())))
    return status


# ---- pairs: the inputs and the map of outputs come from the model's reading of the plan

def base_inputs(m, ranges, rng):
    out = []
    for p in m.entry.params:
        t, dims = p.shape.dtype, p.shape.dims
        lo, hi = (ranges.get(p.index) or (0, 2))
        if t in H.FLOATS:
            x = rng.standard_normal(dims) * (0.3 if dims else 1) if lo != ">" else rng.uniform(0.3, 2, dims)
            out.append(np.asarray(x, np.float64))
        elif t == "pred":
            out.append(rng.integers(0, 2, dims).astype(bool))
        else:
            out.append(np.asarray(rng.integers(0, 3, dims) if lo == ">" else rng.integers(lo, hi + 1, dims)).astype(H.NP[t]))
    return out


def fixed(p, what, d, P, c):
    v = d % P if what == "partition-id" else c[what] if what in c else float(what)
    return np.full(p.shape.dims, v).astype(H.NP[p.shape.dtype])


def dist_inputs(F, m, ins, args, mesh, P, rng):
    n = int(np.prod(list(mesh.values())))
    local = [[None] * len(m.entry.params) for _ in range(n)]
    for p in m.entry.params:
        b, steps = ins[p.index]
        if isinstance(b, tuple):
            for d in range(n):
                local[d][p.index] = fixed(p, b[1], d, P, F.coords(mesh, d))
            continue
        for d, (v, _) in F.spread(args[b], steps, mesh, rng).items():
            local[d][p.index] = np.asarray(v).reshape(p.shape.dims)
    return local


def error_of(F, outs, base, dist, mesh, rng):
    """the largest difference over the largest value, of the worst output"""
    n, worst = len(dist), 0.0
    for k, (b, steps) in outs.items():
        got = {d: np.asarray(dist[d][k], np.float64) for d in range(n)}
        axes = [s[1] for s in steps if s[0] == "P"]
        if axes:
            cs = {d: F.coords(mesh, d) for d in range(n)}
            rest = [a for a in mesh if a not in axes]
            got = {d: sum(got[e] for e in range(n) if all(cs[e][a] == cs[d][a] for a in rest)) for d in range(n)}
        want = F.spread(np.asarray(base[b], np.float64), [s for s in steps if s[0] != "P"], mesh, rng)
        top = max([np.abs(w[m & np.isfinite(w)]).max(initial=0) for w, m in want.values()]) or 1e-300
        for d in range(n):
            w, m = want[d]
            with np.errstate(all="ignore"):
                e = np.where((w == got[d]) | (np.isnan(w) & np.isnan(got[d])), 0, np.abs(w - got[d])) / top
            e = np.where(np.isnan(e), np.inf, e)[m]
            worst = max(worst, float(e.max(initial=0)))
    return worst


def pair_error(base, dist, plan):
    import fuzz_lift as F
    import lift2_model as L
    reals(True)
    bt, dt = open(base).read(), open(dist).read()
    bm, dm = H.parse_module(bt), H.parse_module(dt)
    mesh, ins, outs, ranges = L.parse_plan(open(plan).read(), bm, dm)
    n = int(np.prod(list(mesh.values())))
    R, P = counts(dm, dt)
    if R * P != n:
        R, P = (1, n) if "channel_id" in dt else (n, 1)
    rng = np.random.default_rng(11)
    args = base_inputs(bm, ranges, rng)
    local = dist_inputs(F, dm, ins, args, mesh, P, rng)
    gb = run(base, True, 1, 1, [list(zip([p.shape for p in bm.entry.params], args))],
             [s for s, _ in leaves(bm.entry.root.shape, shape_only(bm.entry.root.shape))])
    gd = run(dist, True, R, P, [list(zip([p.shape for p in dm.entry.params], a)) for a in local],
             [s for s, _ in leaves(dm.entry.root.shape, shape_only(dm.entry.root.shape))])
    for g in (gb, gd):
        if isinstance(g, str):
            raise RuntimeError(g)
    return error_of(F, outs, gb[0], gd, mesh, rng)


def shape_only(s):
    return tuple(shape_only(e) for e in s.elems) if s.is_tuple else np.zeros(0)


def pairs(tables, most=1 << 22):
    count, status = {}, 0
    for t in tables:
        folder = os.path.dirname(t)
        for line in open(t).read().splitlines()[1:]:
            name, base, dist, plan, verdict, error = line.split("\t")[:6]
            path = [os.path.join(folder, f) for f in (base, dist, plan)]
            try:
                if os.path.getsize(path[1]) > most:
                    raise RuntimeError("too large")
                e = pair_error(*path)
            except Exception as x:
                count["not run"] = count.get("not run", 0) + 1
                print("not run %s %s: %s: %s" % (name, dist, type(x).__name__, x), flush=True)
                continue
            want_small = verdict != "not proved"
            kind = "same" if (e < 1e-5) == want_small else "bad"
            count[kind] = count.get(kind, 0) + 1
            status |= kind == "bad"
            print("%s %s %s: %.1e, expected %s (%s)" % (kind, name, dist, e, error, verdict), flush=True)
    print(" ".join("%s=%d" % kv for kv in sorted(count.items())))
    return status


# ---- witnesses: inputs on which two programs differ, and both values

def witness(path):
    import json
    import fuzz_lift as F
    import lift2_model as L
    reals(False)
    w = json.load(open(path))
    stem = path[:-len(".witness.json")]
    texts = []
    for side in ("base", "dist"):
        t = open("%s.%s.hlo" % (stem, side)).read()
        for v in ("{1,2,3,4}", "{5,6,7,8}"):
            t = t.replace("constant({...})", "constant(%s)" % v, 1)
        texts.append(t)
    bm, dm = [H.parse_module(t) for t in texts]
    mesh, ins, outs, _ = L.parse_plan(open(stem + ".plan").read(), bm, dm)
    num = lambda v, p: np.asarray(np.array(v, object).astype(float) if p.shape.dtype in H.FLOATS else np.array(v, object).astype(int)).reshape(p.shape.dims)
    args = [num(v, p).astype(H.NP[p.shape.dtype]) for v, p in zip(w["inputs"], bm.entry.params)]
    n, R, P = int(np.prod(list(mesh.values()))), *counts(dm, texts[1])
    if R * P != n:
        R, P = n, 1
    if "local" in w:
        local = [[num(v, p).astype(H.NP[p.shape.dtype]) for v, p in zip(w["local"][str(d)] if isinstance(w["local"], dict) else w["local"][d], dm.entry.params)] for d in range(n)]
    else:
        local = dist_inputs(F, dm, ins, args, mesh, P, np.random.default_rng(3))
    got = []
    with tempfile.TemporaryDirectory() as tmp:
        for m, t, a, r, p in ((bm, texts[0], [args], 1, 1), (dm, texts[1], local, R, P)):
            f = os.path.join(tmp, "m.hlo")
            open(f, "w").write(t)
            got.append(run(f, False, r, p, [list(zip([q.shape for q in m.entry.params], x)) for x in a],
                           [s for s, _ in leaves(m.entry.root.shape, shape_only(m.entry.root.shape))]))
    if isinstance(got[0], str) or isinstance(got[1], str):
        return "refused: %s" % [g for g in got if isinstance(g, str)][0]
    b, steps = outs[w["output"]]
    have = np.asarray(got[1][w["device"]][w["output"]], float)[tuple(w["at"])] if w["at"] else float(got[1][w["device"]][w["output"]])
    mine = F.spread(np.asarray(got[0][0][b], float), [s for s in steps if s[0] != "P"], mesh, np.random.default_rng(3))[w["device"]][0]
    mine = mine[tuple(w["at"])] if w["at"] else float(mine)
    for x, y in ((mine, float(w["base"])), (have, float(w["dist"]))):
        if not (x == y or (np.isnan(x) and np.isnan(y)) or abs(x - y) <= 2e-5 * abs(y)):
            return "base %r, dist %r; expected %r, %r" % (mine, have, w["base"], w["dist"])
    return None


def witnesses(paths):
    status = 0
    for p in paths:
        try:
            bad = witness(p)
        except Exception as e:
            bad = "%s: %s" % (type(e).__name__, e)
        status |= bad is not None
        print("%s %s%s" % ("bad" if bad else "same", os.path.basename(p), ": " + bad if bad else ""), flush=True)
    return status


if __name__ == "__main__":
    if sys.argv[3] == "witnesses":
        sys.exit(witnesses(sys.argv[4:]))
    sys.exit(pairs(sys.argv[4:]) if sys.argv[3] == "pairs" else files(sys.argv[4:]))
