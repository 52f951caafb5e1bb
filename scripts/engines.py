"""Runs examples/ray and examples/datasets as their users would, on two workers, one of which is killed: engines.py FOLDER TRACKS.

scripts/engines.sh installs what it needs, and puts trackgen on the PATH. The exit code is 1 if a data set is not that of one
process.
"""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES / "datasets"))


def ancestors(pid: int) -> list[int]:
    """Returns the parents of a process, nearest first."""
    found = []
    while pid > 1:
        try:
            pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            break
        found.append(pid)
    return found


def workers() -> list[int]:
    """Returns the workers of Ray below this process that make a part."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "cmdline").read_bytes().startswith(b"ray::make"):
                if os.getpid() in ancestors(int(folder.name)):
                    found.append(int(folder.name))
        except OSError:
            pass  # it has ended
    return found


def kill_one(folder: pathlib.Path, killed: list[int]) -> None:
    """Kills a worker while shards are made."""
    while not list(folder.glob("_records/*")):
        time.sleep(0.02)
    while not killed:
        for pid in workers()[:1]:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)


def check_ray(folder: pathlib.Path, tracks: int) -> bytes:
    """Makes a data set with Ray and returns its manifest."""
    killed: list[int] = []
    killer = threading.Thread(target=kill_one, args=(folder, killed), daemon=True)
    killer.start()
    flags = ["--tracks", str(tracks), "--shard-tracks", str(tracks // 40)]
    example = [sys.executable, str(EXAMPLES / "ray" / "dataset.py"), "--out", str(folder), "--tasks", "8", "--", *flags]
    subprocess.run(example, check=True)
    assert killed, "no worker was killed while shards were made"
    print(f"the worker {killed[0]} was killed")
    return (folder / "manifest.json").read_bytes()


def check_datasets(folder: pathlib.Path, tracks: int) -> None:
    """Reads a data set with Hugging Face datasets and torch."""
    import load
    from torch.utils.data import DataLoader

    for streaming in [True, False]:
        rows = load.load(str(folder), streaming).shuffle(seed=1, **({"buffer_size": 512} if streaming else {}))
        loader = DataLoader(rows, batch_size=64, collate_fn=load.collate, num_workers=2)
        batches = list(loader)
        seeds = [int(seed) for batch in batches for seed in batch["seed"]]
        assert sorted(seeds) == list(range(tracks)), f"{len(seeds)} tracks"
        assert seeds != sorted(seeds), "not shuffled"
        first = batches[0]
        assert first["center"].shape == (64, int(first["count"].max()), 2), first["center"].shape
        assert float(first["center"].abs().max()) > 0.1
    load.main(str(folder))


def main() -> None:
    folder, tracks = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    start = time.monotonic()
    one = ["trackgen", "dataset", "--quiet", "--out", str(folder / "one"), "--tracks", str(tracks), "--shard-tracks",
           str(tracks // 40)]
    subprocess.run(one, check=True)
    print(f"one process: {time.monotonic() - start:.1f} s")
    start = time.monotonic()
    assert check_ray(folder / "ray", tracks) == (folder / "one" / "manifest.json").read_bytes(), "another manifest"
    print(f"two workers of Ray: {time.monotonic() - start:.1f} s, with Ray's start; the same manifest")
    check_datasets(folder / "one", tracks)


if __name__ == "__main__":
    main()
