"""Times generations of the reference system on NVIDIA Warp's CPU device beside `trackgen bench`, and prints the ratio.

    go build -o trackgen ./cmd/trackgen
    pip install warp-lang numpy          # and the reference system, which is not part of this repository
    python3 generation.py --envs 512 --generator bezier --trackgen ./trackgen \\
        --setup 'from PACKAGE import ...; generator = ...' --run 'generator.generate()'

--setup and --run are Python statements: what makes a generator on the device "cpu" for as many tracks, and what
generates once. They depend on the version that is installed, so none are assumed here. The settings must be the same on
both sides, as far as both have them.

It ends with code 2 and a message where Warp, the reference system or trackgen is missing.
"""
import argparse
import json
import statistics
import subprocess
import sys
import time


def fail(message):
    print("generation.py: " + message, file=sys.stderr)
    sys.exit(2)


def time_reference(setup, run, runs):
    """Returns the median of the seconds that a generation takes. The first one, which compiles, does not count."""
    try:
        import warp
    except ImportError as error:
        fail(f"NVIDIA Warp is not installed ({error}): pip install warp-lang")
    names = {}
    try:
        exec(setup, names)
    except ImportError as error:
        fail(f"the reference system is not installed ({error}): --setup must import it")
    code = compile(run, "--run", "exec")
    times = []
    for _ in range(1 + runs):
        start = time.perf_counter()
        exec(code, names)
        warp.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def time_trackgen(command, generator, envs):
    """Returns the seconds that a generation takes, by the name of the device."""
    arguments = [command, "bench", "--devices", "cpu,cpu:go", "--generators", generator, "--sizes", str(envs), "--quick",
                 "--format", "json"]
    try:
        done = subprocess.run(arguments, capture_output=True, check=True)
    except OSError as error:
        fail(f"--trackgen {command} cannot be run: {error}")
    except subprocess.CalledProcessError as error:
        fail(f"{command} bench failed: {error.stderr.decode()}")
    results = json.loads(done.stdout)["results"]
    return {r["device"]: r["generate"]["median_seconds"] for r in results}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--envs", type=int, default=512, help="tracks in a batch")
    parser.add_argument("--generator", default="bezier")
    parser.add_argument("--runs", type=int, default=5, help="generations of the reference system that count")
    parser.add_argument("--trackgen", default="trackgen", help="the command")
    parser.add_argument("--setup", required=True)
    parser.add_argument("--run", required=True)
    arguments = parser.parse_args()
    theirs = time_reference(arguments.setup, arguments.run, arguments.runs)
    print(f"{'reference, Warp on the CPU':28} {1e3 * theirs:10.2f} ms")
    for device, ours in time_trackgen(arguments.trackgen, arguments.generator, arguments.envs).items():
        print(f"{'trackgen, ' + device:28} {1e3 * ours:10.2f} ms, {theirs / ours:.1f} times as fast")


if __name__ == "__main__":
    main()
