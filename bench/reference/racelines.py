"""Racing lines and lap times of TUM's published optimiser, to compare race/raceline with.

    pip install numpy scipy matplotlib quadprog==0.1.14
    pip install --no-deps trajectory-planning-helpers==0.79
    trackgen import Monza.csv Norisring.csv ... --spacing 5 --out circuits.npz
    python bench/reference/racelines.py circuits.npz

For each circuit of the file it prints the lap times of the centreline, of the line of opt_min_curv, which linearises
once around the centreline, and of iqp_handler, which linearises again around its own result. The lap times are those of
rule L-78 (docs/spec/race.md), on points one step apart, of a car that is 2 m wide.
"""
import sys
import time

import numpy as np
import trajectory_planning_helpers as tph

CAR_WIDTH, LATERAL, ACCELERATION, BRAKING, MAX_SPEED = 2.0, 20.0, 10.0, 20.0, 80.0
STEP = 5.0
CURVATURE_BOUND = 0.5  # far above that of any line, so that it is no limit


def lap_time(line):
    """The lap time of a closed line of points [n, 2] by rule L-78."""
    before, after = line - np.roll(line, 1, 0), np.roll(line, -1, 0) - line
    step = np.hypot(*after.T)
    turn = np.arctan2(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0], (before * after).sum(1))
    curvature = np.abs(turn) / (0.5 * (step + np.roll(step, 1)))
    v = np.minimum(np.sqrt(LATERAL / np.maximum(curvature, 1e-9)), MAX_SPEED)

    def reached(i, j, longest, d):
        used = min(v[i] ** 2 * curvature[i] / LATERAL, 1)
        v[j] = min(v[j], np.sqrt(v[i] ** 2 + 2 * longest * np.sqrt(1 - used * used) * d))

    n = len(v)
    for _ in range(2):
        for i in range(n):
            reached(i, (i + 1) % n, ACCELERATION, step[i])
        for i in range(n - 1, -1, -1):
            reached((i + 1) % n, i, BRAKING, step[i])
    return (2 * step / (v + np.roll(v, -1))).sum()


def on_line(road, normals, offsets):
    """The points of a line, one step apart, on the spline through the moved points of a road."""
    return tph.create_raceline.create_raceline(refline=road[:, :2], normvectors=normals, alpha=offsets,
                                               stepsize_interp=STEP)[0]


def optimise(road):
    """The lines of opt_min_curv and of iqp_handler for a road [n, 4]: x, y, width to the right, to the left."""
    x, y, matrix, normals = tph.calc_splines.calc_splines(path=np.vstack((road[:, :2], road[:1, :2])))
    once, _ = tph.opt_min_curv.opt_min_curv(reftrack=road, normvectors=normals, A=matrix,
                                            kappa_bound=CURVATURE_BOUND, w_veh=CAR_WIDTH)
    yield "opt_min_curv", on_line(road, normals, once)
    zeros = np.zeros(len(road))
    offsets, again, normals, *_ = tph.iqp_handler.iqp_handler(
        reftrack=road.copy(), normvectors=normals, A=matrix, spline_len=zeros, psi=zeros, kappa=zeros, dkappa=zeros,
        kappa_bound=CURVATURE_BOUND, w_veh=CAR_WIDTH, print_debug=False, plot_debug=False, stepsize_interp=STEP)
    yield "iqp_handler", on_line(again, normals, offsets)


def main(path, chosen):
    batch = np.load(path, allow_pickle=True)
    for e in chosen or range(len(batch["count"])):
        n = batch["count"][e]
        road = np.column_stack([batch["center"][e, :n, :2], batch["width_right"][e, :n],
                                batch["width_left"][e, :n]]).astype(float)
        print(f"{batch['name'][e]}: {n} points, centreline {lap_time(road[:, :2]):.3f} s", flush=True)
        start = time.time()
        for name, line in optimise(road):
            print(f"  {name} {lap_time(line):.3f} s, in {time.time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], [int(e) for e in sys.argv[2:]])
