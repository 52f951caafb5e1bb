"""Writes trackgen/config.py from the tables of settings in the library.

    python generate_config.py [--check] [FOLDER]

--check compares, and fails if they differ. FOLDER is that of the package, by default the one beside this file.
"""

from __future__ import annotations

import sys
import textwrap
import types
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WIDTH = 120
KINDS = {
    "tracks": ("TrackConfig", "Settings of batches of tracks."),
    "gates": ("GateConfig", "Settings of batches of gate courses."),
    "course": ("CourseConfig", "Settings of a course: checkpoints, collisions, places, and its tracks or gates."),
    "race": ("RaceConfig", "Settings of a race: vehicles, rewards, ends, observations, and those of its course."),
}
TYPES = {
    "int": "int", "float": "float", "bool": "bool", "string": "str", "range": "tuple[float, float]",
    "int_list": "list[int]", "float_list": "list[float]", "string_list": "list[str]", "mix": "list[dict[str, Any]]",
}
UNITS = {"length": "in track units", "angle": "in radians"}
MIX = {
    "name": "mix", "type": "mix", "default": None, "derived": "one generator", "unit": "none", "allowed": "",
    "doc": "components of a mixed batch, as configuration files have them: a dict of weight, generator and its settings each",
}
PARTS = [
    "    tracks: TrackConfig",
    '    """The tracks; None where gates are set."""',
    "    gates: GateConfig",
    '    """The gates in place of tracks; None by default."""',
]


def docstring(text: str, indent: str) -> list[str]:
    """Returns the lines of a docstring."""
    text = text.replace("\\", "\\\\")
    one = f'{indent}"""{text}"""'
    if len(one) <= WIDTH:
        return [one]
    lines = textwrap.wrap(text, WIDTH - len(indent) - 3, break_long_words=False)
    return [f'{indent}"""{lines[0]}', *(indent + line for line in lines[1:]), f'{indent}"""']


def sentence(field: dict[str, Any]) -> str:
    """Describes a setting, with its unit, default and range."""
    text = field["doc"]
    if field["unit"] in UNITS:
        text += f", {UNITS[field['unit']]}"
    default = f"None: {field['derived']}" if is_derived(field) else repr(value_of(field))
    text += f". Default {default}"
    if field["allowed"]:
        text += f"; {allowed(field)}"
    if field.get("reference"):
        text += f". {field['reference']} of the reference"
    return text[0].upper() + text[1:] + "."


def allowed(field: dict[str, Any]) -> str:
    """Returns the range in words, in which None stands for the default."""
    for zero in (", or 0 for the default", ", or [0, 0] for the default", ", or [] for the default"):
        field["allowed"] = field["allowed"].replace(zero, "")
    return str(field["allowed"]).replace("true or false", "True or False").replace("the text ", "")


def is_derived(field: dict[str, Any]) -> bool:
    """Reports whether the default is found from other settings."""
    default = field["default"]
    return "derived" in field and default in (None, 0, 0.0, "", [], [0, 0])


def value_of(field: dict[str, Any]) -> Any:
    """Returns the default as it is in Python."""
    default = field["default"]
    if field["type"] == "float":
        return float(default)
    if field["type"] == "range":
        return tuple(float(part) for part in default)
    return [] if default is None else default


def hint_of(field: dict[str, Any]) -> str:
    """Returns the type of a setting."""
    hint = TYPES[field["type"]]
    if field["type"] == "string" and field.get("choices"):
        hint = f"Literal[{', '.join(quoted(choice) for choice in field['choices'])}]"
    return f"Optional[{hint}]" if is_derived(field) else hint


def quoted(text: str) -> str:
    """Returns a string in double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number(value: float) -> str:
    """Returns a number as source code."""
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def declaration(field: dict[str, Any], indent: str) -> list[str]:
    """Returns the lines that declare a setting."""
    leaf = field["name"].rpartition(".")[2]
    default = None if is_derived(field) else value_of(field)
    parts = [quoted(field["name"]), quoted(field["type"]), quoted(default) if isinstance(default, str) else repr(default)]
    for name, key in (("low", "min"), ("high", "max")):
        if field.get(key) is not None:
            parts.append(f"{name}={number(field[key])}")
    ends = [end for end, key in (("low", "min_open"), ("high", "max_open"), ("zero", "non_zero")) if field.get(key)]
    if ends:
        parts.append(f"open={quoted(' '.join(ends))}")
    if field.get("choices"):
        parts.append(f"choices=({', '.join(quoted(choice) for choice in field['choices'])},)")
    if field.get("reference"):
        parts.append(f"reference={quoted(field['reference'])}")
    if "derived" in field:
        parts.append("zero=True")
    one = f"{indent}{leaf}: {hint_of(field)} = setting({', '.join(parts)})"
    if len(one) <= WIDTH:
        lines = [one]
    else:
        inside = textwrap.wrap(", ".join(parts), WIDTH - len(indent) - 4, break_long_words=False, break_on_hyphens=False)
        lines = [f"{indent}{leaf}: {hint_of(field)} = setting(", *(f"{indent}    {line}" for line in inside), f"{indent})"]
    return lines + docstring(sentence(field), indent)


def initialiser(parameters: list[str], indent: str) -> list[str]:
    """Returns the signature of a constructor, for type checkers."""
    lines = [f"{indent}if TYPE_CHECKING:", "", f"{indent}    def __init__("]
    lines += [f"{indent}        {line}," for line in ["self", "*", *parameters]]
    return [*lines, f"{indent}    ) -> None: ...", ""]


def parameter(field: dict[str, Any]) -> str:
    """Returns a parameter of a constructor."""
    return f"{field['name'].rpartition('.')[2]}: {hint_of(field)} = ..."


def group_class(name: str, fields: list[dict[str, Any]]) -> list[str]:
    """Returns the class of a group of settings."""
    title = "".join(part.capitalize() for part in name.split("_"))
    lines = [f"    class {title}(Settings):", f'        """Settings of the group {name}."""', ""]
    for field in fields:
        lines += declaration(field, " " * 8)
    return [*lines, "", *initialiser([parameter(field) for field in fields], " " * 8)]


def config_class(kind: str, fields: list[dict[str, Any]]) -> list[str]:
    """Returns the class of a configuration."""
    name, doc = KINDS[kind]
    if kind in ("tracks", "gates"):
        fields = [*fields, MIX]
    groups: dict[str, list[dict[str, Any]]] = {}
    for field in fields:
        groups.setdefault(field["name"].rpartition(".")[0], []).append(field)
    own = groups.pop("", [])
    lines = ["", "", f"class {name}(Configuration):", f'    """{doc}"""', "", f'    kind = "{kind}"', ""]
    titles = {group: "".join(part.capitalize() for part in group.split("_")) for group in groups}
    for group, inner in groups.items():
        lines += group_class(group, inner)
    for field in own:
        lines += declaration(field, " " * 4)
    parameters = [parameter(field) for field in own]
    for group, title in titles.items():
        lines += [f"    {group}: {title}"]
        parameters.append(f"{group}: Union[{title}, Mapping[str, Any]] = ...")
    table = {group: title for group, title in titles.items()}
    if kind in ("course", "race"):
        lines += PARTS
        table.update(tracks="TrackConfig", gates="GateConfig")
        parameters.append("tracks: Union[TrackConfig, Mapping[str, Any]] = ...")
        parameters.append("gates: Union[GateConfig, Mapping[str, Any]] = ...")
        lines.append('    _parts = ("tracks", "gates")')
    lines.append("    _groups = {")
    lines += [f'        "{group}": {title},' for group, title in table.items()]
    return [*lines, "    }", "", *initialiser(parameters, "    ")]


def source() -> str:
    """Returns the text of config.py."""
    from trackgen import _library

    lines = [
        '"""Configurations: the settings of each kind of producer, with their defaults and ranges.',
        "",
        "generate_config.py writes this file from the tables of the library.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Union",
        "",
        "from ._settings import Configuration, Settings, setting",
        "",
        f"__all__ = [{', '.join(quoted(name) for name, _ in sorted(KINDS.values()))}]",
    ]
    for kind in KINDS:
        lines += config_class(kind, _library.data(_library.lib.tg_fields, kind.encode()))
    while not lines[-1]:
        lines.pop()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def main() -> int:
    """Writes or compares the file."""
    # config.py may be missing or wrong, so nothing of the package that needs it is imported.
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    folder = Path(arguments[0]) if arguments else HERE / "trackgen"
    package = types.ModuleType("trackgen")
    package.__path__ = [str(folder)]
    sys.modules["trackgen"] = package
    text, target = source(), folder / "config.py"
    if "--check" not in sys.argv[1:]:
        target.write_text(text)
    elif target.read_text() != text:
        print(f"{target} is not what generate_config.py writes; make python-config writes it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
