"""Drives laps on maps that trackgen exports for the simulators of F1TENTH (RoboRacer).

Arguments are folders such as Monza, with Monza_map.yaml, its image and Monza_centerline.csv. The files are read as
f1tenth_gym reads them. The driver of docs/f1tenth.md steers a car with the measures of the simulator's default vehicle,
moved by a kinematic bicycle model, and a simulated lidar looks to both sides. A lap is driven if the car is back at its
start pose without having touched a cell that is not road.
"""

import os
import re
import sys

import numpy as np
import yaml
from PIL import Image

WHEELBASE = 0.15875 + 0.17145  # metres, as the other values of the car; angles are in radians
WIDTH, LENGTH = 0.31, 0.58
LARGEST_STEER, STEER_RATE = 0.4189, 3.2
STEP = 0.01  # seconds
LIDAR_RANGE = 30.0
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "f1tenth.md")


def driver_of_page():
    """Returns the class Follower of the page. The other code of the page must compile."""
    with open(PAGE) as file:
        blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    programs = [compile(block, f"{PAGE}, block {i}", "exec") for i, block in enumerate(blocks)]
    names = {}
    exec(programs[0], names)
    return names["Follower"]


class Track:
    """A map and a centreline."""

    def __init__(self, folder):
        self.name = os.path.basename(os.path.normpath(folder))
        path = os.path.join(folder, self.name + "_map.yaml")
        with open(path) as file:
            text = file.read()
        spec = yaml.safe_load(text)
        keys = {"image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh"}
        assert set(spec) == keys, f"{path} has the keys {sorted(spec)}"
        pose = re.search(r"^# start pose \(x, y, theta\): (\S+), (\S+), (\S+)$", text, re.MULTILINE)
        self.start = np.array([float(number) for number in pose.groups()])
        image = Image.open(os.path.join(folder, spec["image"])).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
        self.free = np.array(image).astype(np.float32) > 128
        self.resolution, self.origin = spec["resolution"], np.array(spec["origin"][:2])
        self.line = np.loadtxt(os.path.join(folder, self.name + "_centerline.csv"), delimiter=",")
        ahead = np.roll(self.line[:, :2], -1, axis=0) - np.roll(self.line[:, :2], 1, axis=0)
        self.heading = np.arctan2(ahead[:, 1], ahead[:, 0])
        self.spacing = np.hypot(*(np.roll(self.line[:, :2], -1, axis=0) - self.line[:, :2]).T).mean()

    def is_free(self, points):
        """Tells of each point whether it is on the road."""
        column, row = np.floor((points - self.origin) / self.resolution).astype(int).T
        inside = (column >= 0) & (row >= 0) & (column < self.free.shape[1]) & (row < self.free.shape[0])
        return inside & self.free[np.where(inside, row, 0), np.where(inside, column, 0)]

    def lidar(self, x, y, theta):
        """Returns the distance from a place to the end of the road in a direction, by steps of half a cell."""
        distances = np.arange(0, LIDAR_RANGE, self.resolution / 2)
        free = self.is_free(np.stack([x + distances * np.cos(theta), y + distances * np.sin(theta)], axis=1))
        return distances[np.argmin(free)] if not free.all() else LIDAR_RANGE


def check_widths(track):
    """Compares what a lidar on the centreline sees to both sides with the widths in the file."""
    tolerance = 2.5 * track.resolution
    seen = farther = 0
    for i in range(0, len(track.line), 3):
        x, y, right, left = track.line[i]
        for width, side in (right, -1), (left, 1):
            wall = track.lidar(x, y, track.heading[i] + side * np.pi / 2)
            assert wall > width - tolerance, f"point {i}: {wall:.3f} m to the wall, expected {width:.3f}"
            seen += 1
            farther += wall > width + tolerance
    # A wall may be farther where the road crosses or touches another part of itself.
    assert farther <= 0.1 * seen, f"the walls of {farther} of {seen} places are farther than the widths"


def body(x, y, theta):
    """Returns points on the edges of a car whose rear axle is at x, y."""
    along = np.linspace(-0.5, 0.5, 15) * LENGTH + WHEELBASE / 2
    across = np.linspace(-0.5, 0.5, 9) * WIDTH
    edges = [(a, b) for a in along for b in (across[0], across[-1])]
    edges += [(a, b) for a in (along[0], along[-1]) for b in across]
    forward, left = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
    return np.array([[x, y] + a * forward + b * left for a, b in edges])


def drive(track, driver):
    """Drives a lap from the start pose. Returns seconds and the smallest distance that the lidar saw to either side."""
    x, y, theta = track.start
    assert np.hypot(*(track.line[0, :2] - (x, y))) < 1e-3, "the start pose is not at the first point"
    n, passed, steer, seconds, closest = len(track.line), 0, 0.0, 0.0, np.inf
    while passed < n:
        before = driver.nearest
        wanted, speed = driver.act(x, y, theta)
        passed += (driver.nearest - before) % n
        wanted = min(max(wanted, -LARGEST_STEER), LARGEST_STEER)
        steer += min(max(wanted - steer, -STEER_RATE * STEP), STEER_RATE * STEP)
        x, y = x + speed * np.cos(theta) * STEP, y + speed * np.sin(theta) * STEP
        theta += speed * np.tan(steer) / WHEELBASE * STEP
        seconds += STEP
        assert track.is_free(body(x, y, theta)).all(), f"a collision at ({x:.2f}, {y:.2f}) after {seconds:.1f} s"
        if round(seconds / STEP) % 10 == 0:
            closest = min(closest, *(track.lidar(x, y, theta + side * np.pi / 2) for side in (-1, 1)))
        assert seconds < 10 + 2 * n * track.spacing, f"no lap after {seconds:.0f} s"
    away = np.hypot(*(track.start[:2] - (x, y)))
    turned = abs(np.angle(np.exp(1j * (theta - track.start[2]))))
    assert away < 0.5 and turned < 0.5, f"the lap ends {away:.2f} m and {turned:.2f} rad from the start pose"
    return seconds, closest


def main(folders):
    failed, driver = 0, driver_of_page()
    for folder in folders:
        try:
            track = Track(folder)
            check_widths(track)
            seconds, closest = drive(track, driver(track.line[:, :2]))
            print(f"{track.name}: a lap of {len(track.line) * track.spacing:.1f} m in {seconds:.1f} s, "
                  f"{closest:.2f} m from a wall at the closest", flush=True)
        except Exception as error:  # a map may be wrong in any way
            failed += 1
            print(f"{folder}: FAILED: {type(error).__name__}: {error}", flush=True)
    print(f"{len(folders)} maps, {failed} failures")
    return 1 if failed or not folders else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
