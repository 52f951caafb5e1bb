"""Makes a data set with the workers of a Ray cluster.

    python dataset.py --out /shared/tracks --tasks 64 -- --tracks 10M --generator bezier

Each task makes the shards of one part with the command trackgen, which must be on the PATH of every node, in a folder that
all nodes see. Ray starts a task again that was lost with its worker or node; it goes on where the lost one was, because
finished shards stay. If the process of a lost worker still runs, both write the same bytes. Flags behind -- are those of trackgen dataset.
"""

import argparse
import json
import pathlib
import subprocess

import ray


class Failed(Exception):
    """trackgen ended with an error that another attempt may mend, such as a full disk."""


@ray.remote(num_cpus=1, max_retries=5, retry_exceptions=[Failed])
def make(part: int, parts: int, out: str, flags: list[str]) -> None:
    """Makes the shards of a part."""
    command = ["trackgen", "dataset", "--out", out, "--shard", f"{part}/{parts}", "--quiet", "--workers", "1", *flags]
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if result.returncode == 2:  # the input is wrong: every attempt would end in this way
        raise ValueError(result.stderr)
    if result.returncode != 0:
        raise Failed(result.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder of the data set")
    parser.add_argument("--tasks", type=int, default=64, help="number of parts (default 64)")
    parser.add_argument("--address", help="address of the cluster (default: the environment's, else this machine)")
    parser.add_argument("flags", nargs="*", help="flags of trackgen dataset")
    arguments = parser.parse_args()
    ray.init(address=arguments.address, include_dashboard=False)
    parts = range(arguments.tasks)
    ray.get([make.remote(part, arguments.tasks, arguments.out, arguments.flags) for part in parts])
    manifest = json.loads((pathlib.Path(arguments.out) / "manifest.json").read_text())
    print(f"{manifest['rows']} tracks, {manifest['valid']} of them valid, in {len(manifest['shards'])} files")


if __name__ == "__main__":
    main()
