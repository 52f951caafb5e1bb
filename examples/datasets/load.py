"""Reads a data set as training programs do: with Hugging Face datasets, streaming and shuffled, in batches of torch.

    python load.py /shared/tracks

Tracks have different numbers of points, so a batch is padded: collate returns the points of all tracks as one tensor, and how
many of them are real.
"""

import sys

import datasets
import torch
from torch.utils.data import DataLoader

COLUMNS = ["seed", "valid", "length", "center_x", "center_y", "width_left", "width_right"]


def load(folder: str, streaming: bool = True):
    """Returns the tracks of a folder. Streaming reads no more than a batch needs; otherwise all is in an Arrow cache."""
    files = {"train": f"{folder}/tracks-*.parquet"}
    return datasets.load_dataset("parquet", data_files=files, split="train", streaming=streaming, columns=COLUMNS)


def collate(tracks: list[dict]) -> dict[str, torch.Tensor]:
    """Pads tracks with zeros to the longest one: center is [tracks, points, 2], and count says how many are real."""
    lines = [torch.tensor([track["center_x"] or [], track["center_y"] or []], dtype=torch.float32).T for track in tracks]
    return {
        "seed": torch.tensor([track["seed"] for track in tracks]),
        "valid": torch.tensor([track["valid"] for track in tracks]),
        "count": torch.tensor([len(line) for line in lines]),
        "center": torch.nn.utils.rnn.pad_sequence(lines, batch_first=True),
    }


def main(folder: str) -> None:
    # Shuffling a stream draws from a buffer and shuffles the order of the files.
    tracks = load(folder).shuffle(seed=1, buffer_size=2048)
    loader = DataLoader(tracks, batch_size=64, collate_fn=collate, num_workers=2)
    seen, points = 0, 0
    for batch in loader:
        seen += len(batch["seed"])
        points += int(batch["count"].sum())
    print(f"{seen} tracks with {points / seen:.1f} points on average")


if __name__ == "__main__":
    main(sys.argv[1])
