"""Reads OpenDRIVE files of race tracks with CARLA, Scenic, SUMO and ASAM's checker, and drives a lap in each of them.

scripts/check-opendrive.sh installs the readers and makes the files. The exit code is 1 if a file fails.
"""

import os
import subprocess
import sys
import tempfile
import warnings
import xml.etree.ElementTree as ET

import carla
import sumo
from lxml import etree
from scenic.domains.driving.roads import Network
from shapely.geometry import LineString, Polygon
from shapely.ops import polygonize, unary_union

LANES = (-1, -2)


class Track:
    """What a file says: its roads in the order of the lap, read without any of the other programs."""

    def __init__(self, path):
        self.path = path
        root = ET.parse(path).getroot()
        self.roads = root.findall("road")
        self.name = self.roads[0].get("name")
        self.ids = [road.get("id") for road in self.roads]
        self.length = sum(float(road.get("length")) for road in self.roads)
        self.line = []
        area = 0
        for road in self.roads:
            for piece in road.iter("geometry"):
                self.line.append((float(piece.get("x")), float(piece.get("y"))))
            for lane in road.iter("lane"):
                area += self.lane_area(lane, float(road.get("length")))
        # Every crossing of the centreline adds an infield and hides a part of the road under a bridge.
        ring = LineString(self.line + self.line[:1])
        self.infields = len(list(polygonize(unary_union(ring))))
        self.area = area
        self.width = area / self.length

    @staticmethod
    def lane_area(lane, length):
        records = [[float(width.get(name)) for name in ("sOffset", "a", "b")] for width in lane.iter("width")]
        ends = [record[0] for record in records[1:]] + [length]
        return sum(a * (end - start) + b * (end - start) ** 2 / 2 for (start, a, b), end in zip(records, ends))

    def expect(self, condition, text, *values):
        if not condition:
            raise AssertionError(" ".join([text, *map(str, values)]))


def check_carla(track):
    """Follows each lane for a lap, forwards and backwards."""
    with open(track.path) as file:
        world = carla.Map(track.name, file.read())
    steps = 200
    step = track.length / steps
    for lane in LANES:
        start = world.get_waypoint_xodr(int(track.ids[0]), lane, step / 2)
        track.expect(start is not None, "no lane", lane)
        here, roads = start, [start.road_id]
        for k in range(steps):
            following = here.next(step)
            track.expect(len(following) == 1, f"lane {lane}: {len(following)} ways after {k * step:.1f} m")
            there = following[0]
            track.expect(there.lane_id == lane, "lane", lane, "becomes", there.lane_id)
            a, b = here.transform.location, there.transform.location
            # CARLA's s is not the arc length of a curve, and lanes are longer or shorter than the line.
            track.expect(0 < a.distance(b) < 2 * step + track.width, "a jump of", a.distance(b))
            forward = here.transform.get_forward_vector()
            ahead = (b.x - a.x) * forward.x + (b.y - a.y) * forward.y
            track.expect(ahead > 0, f"lane {lane}: the way goes backwards after {k * step:.1f} m")
            here = there
            if here.road_id != roads[-1]:
                roads.append(here.road_id)
        order = [int(i) for i in track.ids]
        track.expect(roads == order + order[:1], "roads of the lap:", roads)
        gap = here.transform.location.distance(start.transform.location)
        track.expect(gap < step / 10, "the lap ends", gap, "m from its start")
        track.expect(len(here.previous(step)) == 1, "no way back over the start")
        left, right = here.get_left_lane(), here.get_right_lane()
        track.expect((left is None) == (lane == -1) and (right is None) == (lane == -2), "neighbours of lane", lane)
    pairs = {(a.road_id, a.lane_id, b.road_id, b.lane_id) for a, b in world.get_topology()}
    following = dict(zip(track.ids, track.ids[1:] + track.ids[:1]))
    expected = {(int(a), lane, int(b), lane) for a, b in following.items() for lane in LANES}
    track.expect(pairs == expected, "topology", pairs)


def check_scenic(track):
    """Follows the lanes, and compares the region of the roads with the widths of the file."""
    tolerance = min(0.05, track.width / 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        network = Network.fromFile(track.path, useCache=False, writeCache=False, ref_points=4, tolerance=tolerance)
    track.expect(len(network.roads) == len(track.roads), len(network.roads), "roads")
    track.expect({road.name for road in network.roads} == {track.name}, "the name of a road")
    track.expect(not network.intersections, "there are intersections")
    for road in network.roads:
        track.expect(len(road.lanes) == len(LANES) and road.backwardLanes is None, "lanes of road", road.id)
    for start in network.roads[0].lanes:
        lane, visited = start, []
        for _ in track.roads:
            track.expect(all(section.isForward for section in lane.sections), "an oncoming lane")
            visited.append(str(lane.road.id))
            track.expect(lane.successor.predecessor is lane, "links of", lane.uid)
            lane = lane.successor
        track.expect(lane is start and sorted(visited) == sorted(track.ids), "lap over", visited)
    region = network.drivableRegion.polygons
    holes = [Polygon(ring) for part in region.geoms for ring in part.interiors]
    large = [hole for hole in holes if hole.area > track.width**2]
    track.expect(region.is_valid and len(region.geoms) == 1, "the region is in pieces")
    track.expect(len(large) == track.infields, len(large), "infields instead of", track.infields)
    hidden = (track.infields - 1) * track.width**2 * 1.5  # under bridges
    low, high = 0.97 * track.area - hidden, 1.02 * track.area
    track.expect(low < region.area < high, "area", region.area, "instead of", track.area)


def check_sumo(track):
    """Converts the file and follows the connections of each lane."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "net.xml")
        done = subprocess.run(
            [os.path.join(sumo.SUMO_HOME, "bin", "netconvert"), "--opendrive-files", track.path, "--output.street-names",
             "--output-file", out, "--xml-validation", "never"], capture_output=True, text=True)
        # Warnings tell that cars must be slow in tight bends, and that a hill is steeper on their inner side, which is right.
        others = [line for line in done.stderr.splitlines()
                  if line and not line.startswith("Warning: Speed of ") and " has a grade of " not in line]
        track.expect(done.returncode == 0 and not others, "netconvert:", *others)
        net = ET.parse(out).getroot()
    edges = {edge.get("id"): edge for edge in net.findall("edge") if edge.get("function") != "internal"}
    forward = ["-" + road for road in track.ids]
    track.expect(sorted(edges) == sorted(forward), "edges", sorted(edges))  # oncoming ones have no "-"
    for edge in edges.values():
        track.expect(len(edge.findall("lane")) == len(LANES), "lanes of", edge.get("id"))
        track.expect(edge.get("name") == track.name, "name", edge.get("name"))
    ways = {}
    for way in net.findall("connection"):
        if not way.get("from").startswith(":"):
            ways.setdefault((way.get("from"), way.get("fromLane")), []).append((way.get("to"), way.get("toLane")))
    for index in range(len(LANES)):
        start = (forward[0], str(index))
        here, lap = start, []
        for _ in forward:
            lap.append(here[0])
            track.expect(len(ways.get(here, [])) == 1, "ways from", here)
            here = ways[here][0]
        track.expect(here == start and lap == forward, "lap over", lap)


def check_asam(track):
    """Runs the checker of the standard, which includes the schema of the file's version."""
    with tempfile.TemporaryDirectory() as folder:
        config, result = os.path.join(folder, "config.xml"), os.path.join(folder, "result.xqar")
        root = ET.Element("Config")
        ET.SubElement(root, "Param", name="InputFile", value=os.path.abspath(track.path))
        bundle = ET.SubElement(root, "CheckerBundle", application="xodrBundle")
        ET.SubElement(bundle, "Param", name="resultFile", value=result)
        ET.ElementTree(root).write(config, encoding="utf-8", xml_declaration=True)
        subprocess.run([sys.executable, "-m", "qc_opendrive.main", "-c", config], check=True, capture_output=True, cwd=folder)
        report = etree.parse(result)
    checkers = report.findall(".//Checker")
    finished = [c for c in checkers if c.get("status") == "completed"]
    track.expect(len(finished) >= 15, "only", len(finished), "checks were made")
    track.expect(any(c.get("checkerId").endswith("valid_schema") for c in finished), "the schema was not checked")
    issues = [issue.get("description") for issue in report.findall(".//Issue")]
    track.expect(not issues, f"{len(issues)} issues, such as", *issues[:2])


def main(paths):
    failed = 0
    for path in paths:
        track = Track(path)
        results = []
        for check in (check_carla, check_scenic, check_sumo, check_asam):
            name = check.__name__.removeprefix("check_")
            try:
                check(track)
                results.append(name)
            except Exception as error:  # a reader may fail in any way
                failed += 1
                results.append(f"{name} FAILED ({type(error).__name__}: {error})")
        kind = os.path.join(*path.split(os.sep)[-2:])
        print(f"{kind}: {len(track.roads)} roads, {track.length:.2f} m: {', '.join(results)}", flush=True)
    print(f"{len(paths)} files, {failed} failures")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
