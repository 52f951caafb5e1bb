"""The programs of the pages run, and print what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent


def _programs(page):
    text = (FOLDER / page).read_text()
    return re.findall(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", text, re.DOTALL)


def _run(page, only, capsys):
    if not (FOLDER / page).exists():
        pytest.skip(f"{page} is not beside the tests; scripts/test-python.sh runs them with it")
    names, ran = {"__name__": "__main__"}, 0
    for number, (source, printed) in enumerate(_programs(page)):
        if not only(source):
            continue
        capsys.readouterr()
        exec(compile(source, f"{page}, program {number + 1}", "exec"), names)
        if printed:
            assert capsys.readouterr().out == printed, source
        ran += 1
    assert ran


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_readme(torch, capsys):
    _run("README.md", lambda source: True, capsys)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_guide(torch, capsys):
    """docs/python.md, except for what needs a GPU or Gymnasium."""
    _run("python.md", lambda source: "torch.cuda" not in source and "gym" not in source, capsys)
