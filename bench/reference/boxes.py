"""Times the scan of C-71 to C-73 on NVIDIA Warp's CPU device, for docs/performance.md.

    trackgen generate --envs 64 --out tracks.npz
    pip install warp-lang==1.14.0 numpy
    python3 boxes.py tracks.npz 64 10

The arguments are a file of tracks, the boxes for each track, and into how many parts each segment is cut. The kernel is
written from docs/spec/course.md; Warp runs it on one core.
"""
import sys
import time

import numpy as np
import warp as wp

wp.config.quiet = True
wp.set_module_options({"enable_backward": False, "fast_math": False})


@wp.func
def plan(p: wp.vec3):
    return wp.vec2(p[0], p[1])


@wp.func
def near(p: wp.vec2, a: wp.vec2, b: wp.vec2):
    ab = b - a
    d = wp.dot(ab, ab)
    t = float(0.0)
    if d > 1.0e-12:
        t = wp.clamp(wp.dot(p - a, ab) / d, 0.0, 1.0)
    return a + ab * t


@wp.func
def turned(c: float, s: float, v: wp.vec2):
    return wp.vec2(c * v[0] - s * v[1], s * v[0] + c * v[1])


@wp.func
def crosses(p: wp.vec2, a: wp.vec2, b: wp.vec2):
    if (a[1] > p[1]) != (b[1] > p[1]):
        if p[0] < a[0] + (p[1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1]):
            return int(1)
    return int(0)


@wp.func
def slab_axis(a: float, d: float, h: float, span: wp.vec2):
    if wp.abs(d) < 1.0e-12:
        if a < -h or a > h:
            return wp.vec2(1.0, 0.0)
        return span
    t1 = (-h - a) / d
    t2 = (h - a) / d
    return wp.vec2(wp.max(span[0], wp.min(t1, t2)), wp.min(span[1], wp.max(t1, t2)))


@wp.kernel
def boxes(position: wp.array(dtype=wp.vec3), orientation: wp.array(dtype=wp.quat), half: wp.array(dtype=wp.vec2),
          inner: wp.array(dtype=wp.vec3), outer: wp.array(dtype=wp.vec3), center: wp.array(dtype=wp.vec3),
          count: wp.array(dtype=int), stride: int, per_env: int,
          out: wp.array(dtype=int), side: wp.array(dtype=int), distance: wp.array(dtype=float),
          nearest: wp.array(dtype=wp.vec2), normal: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    e = i // per_env
    base = e * stride
    n = wp.min(count[e], stride)
    p = plan(position[i])
    q = orientation[i]
    h = half[i]
    yaw = wp.atan2(2.0 * (q[3] * q[2] + q[0] * q[1]), 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]))
    c = wp.cos(yaw)
    s = wp.sin(yaw)
    ux = turned(c, s, wp.vec2(1.0, 0.0))
    uy = turned(c, s, wp.vec2(0.0, 1.0))
    k0 = p + ux * h[0] + uy * h[1]
    k1 = p - ux * h[0] + uy * h[1]
    k2 = p - ux * h[0] - uy * h[1]
    k3 = p + ux * h[0] - uy * h[1]
    best = float(1.0e30)
    best_point = wp.vec2(0.0, 0.0)
    best_side = int(-1)
    best_segment = int(0)
    crossed = int(0)
    in0 = wp.vec4i(0, 0, 0, 0)
    in1 = wp.vec4i(0, 0, 0, 0)
    d0 = wp.vec4(1.0e30, 1.0e30, 1.0e30, 1.0e30)
    d1 = wp.vec4(1.0e30, 1.0e30, 1.0e30, 1.0e30)
    for border in range(2):
        for j in range(n):
            after = j + 1
            if after == n:
                after = 0
            a = plan(inner[base + j])
            b = plan(inner[base + after])
            if border == 1:
                a = plan(outer[base + j])
                b = plan(outer[base + after])
            candidate = float(1.0e30)
            point = wp.vec2(0.0, 0.0)
            for k in range(4):
                corner = k0
                if k == 1:
                    corner = k1
                if k == 2:
                    corner = k2
                if k == 3:
                    corner = k3
                foot = near(corner, a, b)
                d = wp.length(corner - foot)
                if d < candidate:
                    candidate = d
                    point = foot
                if border == 0:
                    in0[k] = in0[k] + crosses(corner, a, b)
                    d0[k] = wp.min(d0[k], d)
                else:
                    in1[k] = in1[k] + crosses(corner, a, b)
                    d1[k] = wp.min(d1[k], d)
            la = turned(c, -s, a - p)
            lb = turned(c, -s, b - p)
            away = wp.vec2(wp.max(wp.abs(la[0]) - h[0], 0.0), wp.max(wp.abs(la[1]) - h[1], 0.0))
            d = wp.length(away)
            if d < candidate:
                candidate = d
                point = a
            span = slab_axis(la[0], lb[0] - la[0], h[0], wp.vec2(0.0, 1.0))
            span = slab_axis(la[1], lb[1] - la[1], h[1], span)
            if span[0] <= span[1]:
                crossed = 1
                candidate = 0.0
                point = near(p, a, b)
            if candidate < best:
                best = candidate
                best_point = point
                best_side = border
                best_segment = j
    pen = float(0.0)
    inside = int(1)
    for k in range(4):
        if in0[k] % 2 == 1:
            inside = 0
            pen = wp.max(pen, d0[k])
        if in1[k] % 2 == 0:
            inside = 0
            pen = wp.max(pen, d1[k])
    outside = int(0)
    if inside == 0 or crossed == 1:
        outside = 1
        best = -pen
    after = best_segment + 1
    if after == n:
        after = 0
    a = plan(inner[base + best_segment])
    b = plan(inner[base + after])
    if best_side == 1:
        a = plan(outer[base + best_segment])
        b = plan(outer[base + after])
    to = plan(center[base + best_segment]) - best_point
    r = wp.vec2(-(b[1] - a[1]), b[0] - a[0])
    if wp.length(r) < 1.0e-8:
        r = to
    r = r / wp.max(wp.length(r), 1.0e-8)
    if wp.dot(to, r) < 0.0:
        r = -r
    out[i] = outside
    side[i] = best_side
    distance[i] = best
    nearest[i] = best_point
    normal[i] = r


def cut(line, count, parts):
    """Returns closed lines with parts points in place of each."""
    envs, stride = line.shape[:2]
    finer = np.full((envs, stride * parts, 3), np.nan, np.float32)
    for e in range(envs):
        points = line[e, :count[e]]
        way = np.roll(points, -1, axis=0) - points
        fractions = np.arange(parts, dtype=np.float32)[:, None, None] / parts
        finer[e, :count[e] * parts] = (points + fractions * way).transpose(1, 0, 2).reshape(-1, 3)
    return finer


def main():
    file, per_env, parts = np.load(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    count = file["count"]
    center, inner, outer = (cut(file[name], count, parts) for name in ("center", "inner", "outer"))
    count = count * parts
    envs, stride = center.shape[:2]
    random = np.random.default_rng(1)
    n = envs * per_env
    env = np.repeat(np.arange(envs), per_env)
    at = (random.random(n) * np.maximum(count[env], 1)).astype(int)
    position = center[env, at].astype(np.float32)
    position[:, :2] += random.uniform(-0.1, 0.1, (n, 2)).astype(np.float32)
    yaw = random.uniform(-np.pi, np.pi, n)
    orientation = np.stack([0 * yaw, 0 * yaw, np.sin(yaw / 2), np.cos(yaw / 2)], 1).astype(np.float32)
    half = np.tile(np.array([0.03, 0.02], np.float32), (n, 1))
    device = "cpu"
    inputs = [wp.array(position, dtype=wp.vec3, device=device), wp.array(orientation, dtype=wp.quat, device=device),
              wp.array(half, dtype=wp.vec2, device=device)]
    inputs += [wp.array(x.reshape(-1, 3), dtype=wp.vec3, device=device) for x in (inner, outer, center)]
    inputs += [wp.array(count.astype(np.int32), dtype=int, device=device), stride, per_env]
    outputs = [wp.zeros(n, dtype=t, device=device) for t in (int, int, float, wp.vec2, wp.vec2)]
    best = float("inf")
    for _ in range(6):
        begin = time.perf_counter()
        wp.launch(boxes, n, inputs=inputs, outputs=outputs, device=device)
        wp.synchronize()
        best = min(best, time.perf_counter() - begin)
    print(f"warp {wp.__version__}: {n} boxes, {count.mean():.0f} points per border: {best * 1e3:.1f} ms, "
          f"{best / n * 1e9:.0f} ns per box; outside: {outputs[0].numpy().mean():.3f}")


main()
